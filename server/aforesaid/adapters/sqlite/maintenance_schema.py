"""The tables of maintenance: its runs, what it offers, what it let go, what nodes are about.

Here: their definitions, a part of the first schema. Not here: migrations (schema.py), queries.
"""

from __future__ import annotations

TENDING = (
    """CREATE TABLE runs (
      key INTEGER PRIMARY KEY,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      undone_at INTEGER,
      details TEXT NOT NULL DEFAULT '{}'
    ) STRICT""",
    # a transaction of a run: its changes as the engine's session extension writes them (runs.py)
    """CREATE TABLE steps (
      key INTEGER PRIMARY KEY,
      run INTEGER NOT NULL REFERENCES runs,
      phase TEXT NOT NULL,
      at INTEGER NOT NULL,
      undone_at INTEGER,
      counts TEXT NOT NULL DEFAULT '{}',
      memories TEXT NOT NULL DEFAULT '[]',
      changes BLOB
    ) STRICT""",
    "CREATE INDEX steps_run ON steps (run)",
    # what was linked by the system once: not again until one of the two has a new version
    """CREATE TABLE faded (
      source INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
      target INTEGER NOT NULL REFERENCES memories ON DELETE CASCADE,
      at INTEGER NOT NULL,
      PRIMARY KEY (source, target)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX faded_target ON faded (target)",
    """CREATE INDEX relations_associated ON relations (source, target)
      WHERE kind = 'associated'""",
    """CREATE TABLE offers (
      key INTEGER PRIMARY KEY AUTOINCREMENT,
      kind TEXT NOT NULL,
      name TEXT NOT NULL,
      project INTEGER NOT NULL REFERENCES projects,
      memories TEXT NOT NULL DEFAULT '[]',
      commands TEXT NOT NULL DEFAULT '[]',
      made_at INTEGER NOT NULL,
      settled_at INTEGER,
      answer TEXT NOT NULL DEFAULT '',
      UNIQUE (project, name)
    ) STRICT""",
    "CREATE INDEX offers_open ON offers (project) WHERE settled_at IS NULL",
    # what nodes are about, by rules or a model; made again, and gone once it may say too much
    """CREATE TABLE topic_summaries (
      topic INTEGER PRIMARY KEY REFERENCES topics ON DELETE CASCADE,
      text TEXT NOT NULL,
      until INTEGER NOT NULL
    ) STRICT""",
    *(
        f"""CREATE TRIGGER topic_summary_{name} AFTER {event} ON memories
          WHEN old.topic IS NOT NULL BEGIN
            DELETE FROM topic_summaries WHERE topic = old.topic
              OR topic = (SELECT parent FROM topics WHERE key = old.topic);
          END"""
        for name, event in (
            (
                "outdated",
                (
                    "UPDATE OF content, summary, topic, project, scope, provenance, superseded_by, "
                    "forgotten_at, archived_at, valid_to"
                ),
            ),
            ("gone", "DELETE"),
        )
    ),
)
