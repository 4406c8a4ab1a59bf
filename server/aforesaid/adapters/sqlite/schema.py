"""The tables, as statements: the first schema, and each change to it as a migration.

Here: every table (described in docs/DATA.md). Not here: queries, migrating a file (migration.py),
comparing its tables with these (schema_objects.py).

A released migration never changes: tests/data/stores has a store of each release, and
tests/integration/test_released_stores.py fails if its schema is not what the migrations create. To
change the schema:

1. Append a tuple of statements to ``MIGRATIONS``, one statement per string. 2. Only add: a column
needs a default or allows NULL, nothing is dropped or renamed. Then older code that is still running
can read and write. Any other change also sets ``meta.min_code_schema`` to the new version, so that
older code only reads, and needs an entry in old_names.py for what it renames. Older code refuses
unknown triggers and views, so add none if tables and columns are enough. 3. Append the fingerprint
that tests/meta/test_schema_fingerprints.py prints to schema_fingerprints.py. 4. Describe the change
in docs/DATA.md, and add tables that an export must contain to dump.py. 5. Add the column to its
repository; ARCHITECTURE.md lists what else a column of memories needs.
"""

from __future__ import annotations

from .maintenance_schema import TENDING

#: Source of the tokenizer: docs/adr/0012-ranking.md (porter over unicode61; dropped diacritics).
FIRST = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID",
    # AUTOINCREMENT: the key of a merged project, which a session may still have, is never reused
    """CREATE TABLE projects (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      identity TEXT NOT NULL UNIQUE,
      name TEXT NOT NULL,
      description TEXT NOT NULL DEFAULT '',
      keywords TEXT NOT NULL DEFAULT '[]',
      root TEXT,
      remote TEXT,
      provisional INTEGER NOT NULL DEFAULT 0,
      asked_at INTEGER,
      created_at INTEGER NOT NULL,
      used_at INTEGER NOT NULL
    ) STRICT""",
    """CREATE TABLE project_aliases (
      identity TEXT PRIMARY KEY,
      project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX project_aliases_project ON project_aliases (project)",
    """CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      client_pid INTEGER,
      client_start INTEGER,
      project INTEGER REFERENCES projects,
      chosen_project INTEGER NOT NULL DEFAULT 0,
      folder TEXT,
      transcript_path TEXT,
      branch TEXT,
      started_at INTEGER NOT NULL,
      opened_at INTEGER NOT NULL,
      forked_at INTEGER,
      ended_at INTEGER,
      bytes_ingested INTEGER NOT NULL DEFAULT 0,
      digest INTEGER REFERENCES memories,
      digest_refused INTEGER NOT NULL DEFAULT 0,
      shown TEXT NOT NULL DEFAULT '[]',
      shown_at INTEGER,
      shown_tokens INTEGER NOT NULL DEFAULT 0,
      subagents INTEGER NOT NULL DEFAULT 0,
      subagent_tokens INTEGER NOT NULL DEFAULT 0,
      asked_tokens INTEGER NOT NULL DEFAULT 0,
      first_line TEXT
    ) STRICT, WITHOUT ROWID""",
    # no foreign key to sessions, whose rows are replaced
    """CREATE TABLE extractions (
      session TEXT PRIMARY KEY,
      until_ms INTEGER NOT NULL,
      bytes_extracted INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      asked_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX sessions_client ON sessions (client_pid, client_start, opened_at)",
    "CREATE INDEX sessions_first_line ON sessions (first_line) WHERE first_line IS NOT NULL",
    "CREATE INDEX sessions_open ON sessions (started_at) WHERE ended_at IS NULL",
    """CREATE TABLE topics (
      key INTEGER PRIMARY KEY,
      project INTEGER NOT NULL REFERENCES projects,
      parent INTEGER REFERENCES topics,
      depth INTEGER NOT NULL,
      name TEXT NOT NULL,
      normalised TEXT NOT NULL,
      overview INTEGER REFERENCES memories ON DELETE SET NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      CHECK (depth = iif(parent IS NULL, 0, 1))
    ) STRICT""",
    "CREATE UNIQUE INDEX topics_name ON topics (project, ifnull(parent, 0), normalised)",
    "CREATE INDEX topics_parent ON topics (parent) WHERE parent IS NOT NULL",
    "CREATE INDEX topics_overview ON topics (overview) WHERE overview IS NOT NULL",
    """CREATE TABLE tasks (
      key INTEGER PRIMARY KEY,
      project INTEGER NOT NULL REFERENCES projects,
      task_id TEXT NOT NULL,
      title TEXT NOT NULL DEFAULT '',
      status TEXT NOT NULL DEFAULT 'active',
      priority TEXT NOT NULL DEFAULT 'medium',
      due INTEGER,
      objective INTEGER REFERENCES memories ON DELETE SET NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      UNIQUE (project, task_id)
    ) STRICT""",
    "CREATE INDEX tasks_objective ON tasks (objective)",
    """CREATE TABLE entities (
      key INTEGER PRIMARY KEY,
      name TEXT NOT NULL,
      normalised TEXT NOT NULL,
      entity_type TEXT NOT NULL DEFAULT '',
      project INTEGER NOT NULL REFERENCES projects,
      merged_into INTEGER REFERENCES entities,
      head INTEGER NOT NULL,
      model TEXT,
      embedding BLOB,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL
    ) STRICT""",
    """CREATE UNIQUE INDEX entities_name ON entities (project, normalised)
      WHERE merged_into IS NULL""",
    "CREATE INDEX entities_normalised ON entities (normalised)",
    "CREATE INDEX entities_head ON entities (head)",
    """CREATE TABLE entity_aliases (
      normalised TEXT NOT NULL,
      entity INTEGER NOT NULL REFERENCES entities ON DELETE CASCADE,
      name TEXT NOT NULL,
      PRIMARY KEY (normalised, entity)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX entity_aliases_entity ON entity_aliases (entity)",
    """CREATE TABLE memories (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      code TEXT NOT NULL UNIQUE,
      type TEXT NOT NULL CHECK (type IN ('episodic', 'semantic', 'procedural', 'entity')),
      scope TEXT NOT NULL CHECK (scope IN ('global', 'project', 'task')),
      project INTEGER NOT NULL REFERENCES projects,
      origin_project INTEGER REFERENCES projects,
      task INTEGER REFERENCES tasks,
      topic INTEGER REFERENCES topics,
      parent INTEGER REFERENCES memories,
      depth INTEGER NOT NULL DEFAULT 2,
      content TEXT NOT NULL,
      summary TEXT,
      terms TEXT NOT NULL DEFAULT '',
      entity INTEGER REFERENCES entities,
      importance REAL NOT NULL,
      confidence REAL NOT NULL,
      access_count INTEGER NOT NULL DEFAULT 0,
      last_accessed_at INTEGER,
      last_reinforced_at INTEGER NOT NULL,
      pinned INTEGER NOT NULL DEFAULT 0,
      head INTEGER NOT NULL,
      superseded_by INTEGER REFERENCES memories,
      superseded_at INTEGER,
      compacted_into INTEGER REFERENCES memories,
      forgotten_at INTEGER,
      archived_at INTEGER,
      valid_from INTEGER,
      valid_to INTEGER,
      event_at INTEGER,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      provenance TEXT NOT NULL,
      session TEXT,
      metadata TEXT NOT NULL DEFAULT '{}',
      content_hash TEXT NOT NULL,
      text_print TEXT NOT NULL,
      CHECK ((scope = 'global') = (project = 0)),
      CHECK ((superseded_by IS NULL) = (superseded_at IS NULL)),
      CHECK (importance BETWEEN 0 AND 1 AND confidence BETWEEN 0 AND 1 AND access_count >= 0),
      CHECK (json_valid(metadata) AND json_type(metadata) = 'object')
    ) STRICT""",
    # covers the counts that every session's start needs
    """CREATE INDEX memories_in_force ON memories
      (project, type, pinned DESC, importance DESC, updated_at DESC, scope, task, head)
      WHERE superseded_by IS NULL AND forgotten_at IS NULL
        AND archived_at IS NULL AND compacted_into IS NULL""",
    """CREATE INDEX memories_events ON memories (project, created_at DESC)
      WHERE type = 'episodic' AND superseded_by IS NULL AND forgotten_at IS NULL
        AND archived_at IS NULL AND compacted_into IS NULL""",
    """CREATE INDEX memories_recalled ON memories (project, last_accessed_at DESC)
      WHERE last_accessed_at IS NOT NULL AND superseded_by IS NULL AND forgotten_at IS NULL
        AND archived_at IS NULL AND compacted_into IS NULL""",
    """CREATE INDEX memories_forgotten ON memories (project, forgotten_at)
      WHERE forgotten_at IS NOT NULL""",
    "CREATE INDEX memories_topic ON memories (topic) WHERE topic IS NOT NULL",
    "CREATE INDEX memories_head ON memories (head)",
    # partial: most rows are NULL, and the planner would prefer a full index to in_force
    *(
        f"CREATE INDEX memories_{column} ON memories ({column}) WHERE {column} IS NOT NULL"
        for column in ("superseded_by", "parent", "compacted_into")
    ),
    # covers the statistics, so that they need not read the texts
    """CREATE INDEX memories_counted ON memories
      (project, type, scope, superseded_by, forgotten_at, archived_at, created_at)""",
    "CREATE INDEX memories_hash ON memories (content_hash)",
    "CREATE INDEX memories_entity ON memories (entity) WHERE entity IS NOT NULL",
    "CREATE INDEX memories_session ON memories (session) WHERE session IS NOT NULL",
    """CREATE TABLE tags (
      memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
      tag TEXT NOT NULL,
      PRIMARY KEY (memory, tag)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX tags_tag ON tags (tag, memory)",
    """CREATE TABLE erased (
      keyed_hash TEXT PRIMARY KEY,
      id TEXT NOT NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE pieces (
      name TEXT PRIMARY KEY,
      print TEXT NOT NULL,
      memory INTEGER REFERENCES memories ON DELETE SET NULL,
      at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX pieces_memory ON pieces (memory) WHERE memory IS NOT NULL",
    # AUTOINCREMENT: the key of a removed model, which a process may still have, is never reused
    """CREATE TABLE models (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      name TEXT NOT NULL UNIQUE,
      source TEXT NOT NULL DEFAULT '',
      dimensions INTEGER NOT NULL DEFAULT 0,
      state TEXT NOT NULL CHECK (state IN ('serving', 'coming', 'kept')),
      low REAL,
      high REAL
    ) STRICT""",
    "CREATE UNIQUE INDEX models_state ON models (state) WHERE state <> 'kept'",
    # AUTOINCREMENT: new keys are greater than all earlier ones (binary_index.py)
    """CREATE TABLE chunks (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
      project INTEGER NOT NULL,
      ordinal INTEGER NOT NULL,
      model INTEGER NOT NULL REFERENCES models,
      bits BLOB,
      UNIQUE (memory, model, ordinal)
    ) STRICT""",
    "CREATE INDEX chunks_project ON chunks (project, model)",
    # not in chunks, whose rows stay small: binary_index.py reads all of them
    """CREATE TABLE vectors (
      chunk INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
      embedding BLOB NOT NULL
    ) STRICT""",
    # memories that lack vectors, so that nothing has to search for them
    """CREATE TABLE unembedded (
      model INTEGER NOT NULL REFERENCES models ON DELETE CASCADE,
      memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
      PRIMARY KEY (model, memory)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX unembedded_memory ON unembedded (memory)",
    """CREATE TRIGGER unembedded_added AFTER INSERT ON memories BEGIN
        INSERT INTO unembedded SELECT key, new.key FROM models WHERE state <> 'kept';
      END""",
    """CREATE TRIGGER unembedded_done AFTER INSERT ON chunks BEGIN
        DELETE FROM unembedded WHERE model = new.model AND memory = new.memory;
      END""",
    """CREATE TRIGGER unembedded_again AFTER DELETE ON chunks BEGIN
        INSERT OR IGNORE INTO unembedded SELECT t.key, m.key FROM memories m, models t
        WHERE m.key = old.memory AND t.key = old.model AND t.state <> 'kept';
      END""",
    """CREATE TABLE relations (
      source INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
      target INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
      kind TEXT NOT NULL,
      weight REAL NOT NULL DEFAULT 1.0,
      created_at INTEGER NOT NULL,
      reinforced_at INTEGER,
      PRIMARY KEY (source, kind, target)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX relations_target ON relations (target, kind)",
    """CREATE INDEX relations_contradicts ON relations (created_at DESC)
      WHERE kind = 'contradicts'""",
    """CREATE TABLE anchors (
      memory INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
      path TEXT NOT NULL,
      line INTEGER NOT NULL DEFAULT 0,
      content_hash TEXT NOT NULL,
      PRIMARY KEY (memory, path, line)
    ) STRICT, WITHOUT ROWID""",
    *TENDING,
    """CREATE TABLE log (
      key INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      operation TEXT NOT NULL,
      memory TEXT,
      run INTEGER REFERENCES runs,
      details TEXT NOT NULL DEFAULT '{}'
    ) STRICT""",
    "CREATE INDEX log_memory ON log (memory)",
    """CREATE VIEW searchable AS
      SELECT key, content, summary, terms FROM memories WHERE forgotten_at IS NULL""",
    """CREATE VIRTUAL TABLE memories_fts USING fts5 (
      content, summary, terms,
      content = 'searchable', content_rowid = 'key',
      tokenize = 'porter unicode61 remove_diacritics 2'
    )""",
    "INSERT INTO memories_fts (memories_fts, rank) VALUES ('secure-delete', 1)",
    """CREATE TRIGGER memories_words_added AFTER INSERT ON memories
      WHEN new.forgotten_at IS NULL BEGIN
        INSERT INTO memories_fts (rowid, content, summary, terms)
        VALUES (new.key, new.content, new.summary, new.terms);
      END""",
    # one trigger: the order of two is undefined, and the old words must be removed first
    """CREATE TRIGGER memories_words_changed AFTER UPDATE OF content, summary, terms, forgotten_at
      ON memories BEGIN
        INSERT INTO memories_fts (memories_fts, rowid, content, summary, terms)
        SELECT 'delete', old.key, old.content, old.summary, old.terms
        WHERE old.forgotten_at IS NULL;
        INSERT INTO memories_fts (rowid, content, summary, terms)
        SELECT new.key, new.content, new.summary, new.terms
        WHERE new.forgotten_at IS NULL;
      END""",
    """CREATE TRIGGER memories_words_removed AFTER DELETE ON memories
      WHEN old.forgotten_at IS NULL BEGIN
        INSERT INTO memories_fts (memories_fts, rowid, content, summary, terms)
        VALUES ('delete', old.key, old.content, old.summary, old.terms);
      END""",
    # words as written, forwards and backwards (vocabulary.py)
    """CREATE TABLE vocabulary (
      word TEXT PRIMARY KEY,
      backwards TEXT NOT NULL
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX vocabulary_backwards ON vocabulary (backwards)",
    """INSERT INTO projects (key, identity, name, created_at, used_at)
      VALUES (0, 'global', 'global', 0, 0)""",
    """INSERT INTO entities
      (key, name, normalised, entity_type, project, head, created_at, updated_at)
      VALUES (1, 'user', 'user', 'person', 0, 1, 0, 0)""",
    """INSERT INTO entity_aliases VALUES
      ('i', 1, 'I'), ('me', 1, 'me'), ('my', 1, 'my'), ('myself', 1, 'myself')""",
    "INSERT INTO meta VALUES ('min_code_schema', '1')",
    "INSERT INTO meta VALUES ('install_secret', lower(hex(randomblob(32))))",
)

#: Commits that identify other clones of a project's repository, and the folder of a session.
IDENTITY = (
    """CREATE TABLE project_commits (
      project INTEGER NOT NULL REFERENCES projects ON DELETE CASCADE,
      commit_id TEXT NOT NULL,
      seen_at INTEGER NOT NULL,
      PRIMARY KEY (project, commit_id)
    ) STRICT, WITHOUT ROWID""",
    "ALTER TABLE sessions ADD COLUMN project_dir TEXT",
)
#: Sessions without a digest when another one started, whose prompts show those digests.
AWAITED_DIGESTS = ("ALTER TABLE sessions ADD COLUMN awaited TEXT NOT NULL DEFAULT '[]'",)

#: The field's names, see old_names.py. Older code goes on reading: triggers and views stay.
STANDARD_NAMES = (
    "ALTER TABLE memories RENAME COLUMN text_print TO text_checksum",
    "ALTER TABLE sessions RENAME COLUMN asked_tokens TO recalled_tokens",
    "ALTER TABLE sessions RENAME COLUMN awaited TO awaited_digests",
    "DROP INDEX pieces_memory",
    "ALTER TABLE pieces RENAME TO import_items",
    "ALTER TABLE import_items RENAME COLUMN print TO checksum",
    "ALTER TABLE import_items RENAME COLUMN at TO imported_at",
    "CREATE INDEX import_items_memory ON import_items (memory) WHERE memory IS NOT NULL",
    "DROP INDEX offers_open",
    "ALTER TABLE offers RENAME TO suggestions",
    "ALTER TABLE suggestions RENAME COLUMN made_at TO created_at",
    "ALTER TABLE suggestions RENAME COLUMN settled_at TO answered_at",
    "CREATE INDEX suggestions_open ON suggestions (project) WHERE answered_at IS NULL",
    "DROP INDEX faded_target",
    "ALTER TABLE faded RENAME TO expired_links",
    "ALTER TABLE expired_links RENAME COLUMN at TO expired_at",
    "CREATE INDEX expired_links_target ON expired_links (target)",
    "UPDATE meta SET value = '4' WHERE name = 'min_code_schema'",
)

#: Each entry brings a store from version ``index`` to ``index + 1``. Append only.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    FIRST,
    IDENTITY,
    AWAITED_DIGESTS,
    STANDARD_NAMES,
)
