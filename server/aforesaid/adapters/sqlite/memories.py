"""Rows of memories: stored, read, changed, superseded, erased. Search is in search.py."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.ids import code_of, read_reference, short_form
from aforesaid.domain.model.memory import COMPLETED, TYPES, Filters, Memory, PageCursor, Visibility
from aforesaid.domain.text.hashing import text_checksum
from aforesaid.domain.text.lean_json import read_json
from aforesaid.domain.text.timestamps import DAY_MS

from .filters import IN_FORCE, pad_to_16, placeholders, sql_in_force, sql_visible, sql_where
from .index_terms import CHECKSUMMED, INDEXED, refresh_checksum, terms_of
from .repository import SqliteRepository
from .tasks import reassign_objective

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


COLUMNS = (
    "key", "id", "type", "scope", "project", "origin_project", "task", "topic", "parent", "depth",
    "content", "summary", "entity", "importance", "confidence", "access_count",
    "last_accessed_at", "last_reinforced_at", "pinned", "head", "superseded_by", "superseded_at",
    "compacted_into", "forgotten_at", "archived_at", "valid_from", "valid_to", "event_at",
    "created_at", "updated_at", "provenance", "session", "metadata", "content_hash",
)  # fmt: skip
_SELECT = "SELECT " + ", ".join(f"m.{name}" for name in COLUMNS) + " FROM memories m"
#: What was learnt in a completed task, apart from its objective.
_IS_LEARNT = (
    "EXISTS (SELECT 1 FROM tasks k LEFT JOIN memories stated ON stated.key = k.objective "
    f"WHERE k.key = m.task AND k.status = '{COMPLETED}' AND stated.head IS NOT m.head)"
)
#: In force, from a trusted provenance, and of the project rather than of a task.
_IS_TRUSTED = (
    f"{IN_FORCE} AND (m.scope <> 'task' OR {_IS_LEARNT}) AND m.provenance NOT IN ('tool', 'import')"
)
_STORED = tuple(name for name in COLUMNS if name not in {"key", "head"})
_INSERT = (
    f"INSERT INTO memories ({', '.join(_STORED)}, code, terms, text_checksum, head) "
    f"VALUES ({', '.join('?' * len(_STORED))}, ?, ?, ?, 0)"
)


class MemoryRepository(SqliteRepository):
    """The memories of the store."""

    def last_id(self) -> str | None:
        """Return the greatest id ever issued."""
        greatest: str | None = self._db.value(
            "SELECT max(id) FROM (SELECT max(id) AS id FROM memories UNION SELECT id FROM erased)"
        )
        return greatest

    # -- writing

    def add(self, memory: Memory) -> Memory:
        """Store a memory with its tags and index terms; return it with its key and head."""
        values = [_to_column(name, getattr(memory, name)) for name in _STORED]
        terms = terms_of(self._db, memory)
        checksum = text_checksum(memory.content, memory.summary or "", _json(memory.metadata))
        key = self._db.insert(_INSERT, (*values, code_of(memory.id), terms, checksum))
        self._db.rows("UPDATE memories SET head = key WHERE key = ?", (key,))
        self._put_tags(key, memory.tags)
        self._store.vocabulary.learn((memory.content, memory.summary))
        return memory.replace(key=key, head=key)

    def change(self, key: int, **fields: Any) -> None:
        """Set columns of a memory; index terms follow, new cues make its vectors outdated."""
        tags = fields.pop("tags", None)
        if tags is not None:
            self._put_tags(key, tags)
        text_fields = [name for name in ("content", "summary") if name in fields]
        old_texts = self._store.vocabulary.texts_of(key) if text_fields else ()
        old_cues = self.get([key])[0].cues if "metadata" in fields else None
        if fields:
            assignments = ", ".join(f"{name} = ?" for name in fields)
            values = [_to_column(name, value) for name, value in fields.items()]
            self._db.rows(f"UPDATE memories SET {assignments} WHERE key = ?", (*values, key))
        if not CHECKSUMMED.isdisjoint(fields):
            refresh_checksum(self._db, key)
        if tags is not None or not INDEXED.isdisjoint(fields):
            memory = self.get([key])[0]
            terms = terms_of(self._db, memory)
            self._db.rows("UPDATE memories SET terms = ? WHERE key = ?", (terms, key))
            if old_cues not in {None, memory.cues}:
                self._store.vectors.outdate(key)
        if text_fields:
            self._store.vocabulary.unlearn(old_texts)
            self._store.vocabulary.learn(fields[name] for name in text_fields)
        if fields.get("forgotten_at") is not None:
            self._store.vectors.drop([key])
        elif "project" in fields:
            self._store.vectors.move([key], fields["project"])

    def _put_tags(self, key: int, tags: Iterable[str]) -> None:
        self._db.rows("DELETE FROM tags WHERE memory = ?", (key,))
        self._db.many("INSERT OR IGNORE INTO tags VALUES (?, ?)", [(key, tag) for tag in tags])

    def supersede(self, old: int, new: int, at: int) -> None:
        """Make ``new`` the version after ``old``, and the head of its chain.

        It takes over the details below the chain.
        """
        head = self._db.value("SELECT head FROM memories WHERE key = ?", (new,))
        self._db.rows(
            "UPDATE memories SET superseded_by = ?, superseded_at = ? WHERE key = ?",
            (new, at, old),
        )
        self._db.rows("UPDATE memories SET head = ? WHERE head = ?", (head, old))
        self._store.topics.recompute(head)

    def erase(self, key: int, keyed_hash: str, at: int) -> None:
        """Remove every trace of a memory except a keyed hash of its text, its id and the date.

        Its details remain; the journal keeps nothing of it.
        """
        topics = self._store.topics
        orphans = topics.hand_over_details(key)
        self._store.runs.forget_memory(key)
        memory_id = self._db.value("SELECT id FROM memories WHERE key = ?", (key,))
        self._store.vectors.drop([key])
        reassign_objective(self._db, key)
        # the version before it is superseded by the one after it, or in force again without one
        self._db.rows(
            "UPDATE memories SET superseded_at = iif(e.superseded_by IS NULL, NULL, "
            "memories.superseded_at), superseded_by = e.superseded_by "
            "FROM (SELECT superseded_by FROM memories WHERE key = ?1) AS e "
            "WHERE memories.superseded_by = ?1",
            (key,),
        )
        self._repair_heads(key)
        for column in ("parent", "compacted_into"):
            self._db.rows(f"UPDATE memories SET {column} = NULL WHERE {column} = ?", (key,))
        self._db.rows(
            "UPDATE sessions SET digest = NULL, digest_refused = 1 WHERE digest = ?", (key,)
        )
        texts = self._store.vocabulary.texts_of(key)
        self._db.rows("DELETE FROM memories WHERE key = ?", (key,))
        self._store.vocabulary.unlearn(texts)
        self._db.rows("UPDATE log SET details = '{}' WHERE memory = ?", (memory_id,))
        self._db.rows("INSERT OR REPLACE INTO erased VALUES (?, ?, ?)", (keyed_hash, memory_id, at))
        for orphan in orphans:
            topics.recompute(orphan)
        topics.remove_unused()

    def _repair_heads(self, erased: int) -> None:
        """Give the versions whose head was erased the last version of their chain as head."""
        rows = self._db.rows(
            "SELECT key, superseded_by FROM memories WHERE head = ? AND key <> ?", (erased, erased)
        )
        next_version = dict(rows)
        for key in next_version:
            last = key
            while next_version.get(last) is not None:
                last = next_version[last]
            self._db.rows("UPDATE memories SET head = ? WHERE key = ?", (last, key))

    def is_erased(self, keyed_hash: str) -> bool:
        """Tell whether a text with this hash was erased."""
        row = self._db.value("SELECT 1 FROM erased WHERE keyed_hash = ?", (keyed_hash,))
        return row is not None

    # -- reading

    def get(self, keys: Sequence[int]) -> list[Memory]:
        """Return the memories with these keys, in the order asked; unknown keys are skipped."""
        if not keys:
            return []
        padded = pad_to_16(keys)
        rows = self._db.rows(f"{_SELECT} WHERE m.key IN ({placeholders(padded)})", padded)
        by_key = {memory.key: memory for memory in self._memories(rows)}
        return [by_key[key] for key in keys if key in by_key]

    def find(self, reference: str, visible: Visibility | None = None) -> list[Memory]:
        """Return the memories that an id or its end identifies; 10 at most."""
        full_id, code = read_reference(reference)
        projects = () if visible is None else visible.projects
        inside = f"AND m.project IN ({placeholders(projects)})" if visible is not None else ""
        if full_id is not None:
            return self.read_rows(f"WHERE m.id = ? {inside}", (full_id, *projects))
        return self.read_rows(
            f"WHERE m.code >= ? AND m.code < ? || '~' {inside} ORDER BY m.code LIMIT 10",
            (code, code, *projects),
        )

    def short_ids(self, keys: Iterable[int]) -> dict[int, str]:
        """Return the shortest unique end of each id, at least four characters."""
        bound_keys = tuple(keys)
        rows = self._db.rows(
            "SELECT m.key, m.code, (SELECT max(code) FROM memories WHERE code < m.code), "
            "(SELECT min(code) FROM memories WHERE code > m.code) FROM memories m "
            f"WHERE m.key IN ({placeholders(bound_keys)})",
            bound_keys,
        )
        return {key: short_form(code, (before, after)) for key, code, before, after in rows}

    def chain(self, key: int) -> list[Memory]:
        """Return every version with this memory's head, oldest first."""
        return self.read_rows(
            "WHERE m.head = (SELECT head FROM memories WHERE key = ?) ORDER BY m.id", (key,)
        )

    def select(
        self,
        visible: Visibility,
        filters: Filters,
        limit: int,
        after: PageCursor | None = None,
    ) -> list[Memory]:
        """Return memories in force: pinned first, then by newest day and importance."""
        where, bindings = sql_where(visible, filters, "m")
        if after is not None:
            where += f" AND (m.pinned, m.created_at / {DAY_MS}, m.importance, m.id) < (?, ?, ?, ?)"
            bindings += (after.pinned, after.day, after.importance, after.id)
        return self.read_rows(
            f"WHERE {where} AND {sql_in_force(filters)} "
            f"ORDER BY m.pinned DESC, m.created_at / {DAY_MS} DESC, m.importance DESC, m.id DESC "
            "LIMIT ?",
            (*bindings, limit),
        )

    def most_important(self, project: int, types: Sequence[str], limit: int) -> list[Memory]:
        """Return a project's trusted memories in force, ``limit`` of each type, best first."""
        memories = []
        for kind in types:
            memories += self.read_rows(
                f"WHERE m.project = ? AND m.type = ? AND {_IS_TRUSTED} "
                "ORDER BY m.pinned DESC, m.importance DESC, m.updated_at DESC, m.key LIMIT ?",
                (project, kind, limit),
            )
        return memories

    def last_recalled(self, project: int, types: Sequence[str], limit: int) -> list[Memory]:
        """Return a project's trusted memories in force that were recalled, latest first."""
        return self.read_rows(
            f"WHERE m.project = ? AND m.type IN ({placeholders(types)}) AND {_IS_TRUSTED} AND "
            "m.last_accessed_at IS NOT NULL ORDER BY m.last_accessed_at DESC, m.key LIMIT ?",
            (project, *types, limit),
        )

    def latest_events(self, project: int, limit: int) -> list[Memory]:
        """Return a project's trusted events in force, newest first, without summaries."""
        return self.read_rows(
            f"WHERE m.project = ? AND m.type = 'episodic' AND {_IS_TRUSTED} AND m.metadata ->> "
            "'summary' IS NOT 1 ORDER BY m.created_at DESC, m.id DESC LIMIT ?",
            (project, limit),
        )

    def replaced_of_sessions(self, sessions: Sequence[str]) -> list[Memory]:
        """Return the facts, rules and procedures of sessions that were superseded."""
        return self.read_rows(
            f"WHERE m.session IN ({placeholders(sessions)}) AND m.superseded_by IS NOT NULL "
            "AND m.type <> 'episodic' ORDER BY m.key",
            tuple(sessions),
        )

    def latest_digest(self) -> Memory | None:
        """Return the newest digest in force."""
        key = self._db.value(
            "SELECT m.key FROM sessions s JOIN memories m ON m.key = s.digest "
            "WHERE m.forgotten_at IS NULL AND m.superseded_by IS NULL "
            "ORDER BY m.created_at DESC LIMIT 1"
        )
        return None if key is None else self.get([key])[0]

    def in_force_after(self, project: int, key: int, limit: int) -> list[Memory]:
        """Return a project's memories in force after a key, oldest first."""
        return self.read_rows(
            "WHERE m.project = ? AND m.key > ? AND m.superseded_by IS NULL "
            "AND m.forgotten_at IS NULL ORDER BY m.key LIMIT ?",
            (project, key, limit),
        )

    def count(self, visible: Visibility, filters: Filters) -> int:
        """Return how many memories pass the filters, as ``select`` applies them."""
        if set(filters.types) == set(TYPES):
            filters = filters.replace(types=())  # the same, and counted in an index alone
        where, bindings = sql_where(visible, filters, "m")
        total: int = self._db.value(
            f"SELECT count(*) FROM memories m WHERE {where} AND {sql_in_force(filters)}", bindings
        )
        return total

    def is_any(self, visible: Visibility, filters: Filters) -> bool:
        """Return whether a memory passes the filters, as ``select`` applies them."""
        where, bindings = sql_where(visible, filters, "m")
        sql = f"SELECT 1 FROM memories m WHERE {where} AND {sql_in_force(filters)} LIMIT 1"
        return self._db.row(sql, bindings) is not None

    def same_text(self, content_hash: str, visible: Visibility) -> list[Memory]:
        """Return memories in force whose normalised text has this hash."""
        is_visible, bindings = sql_visible(visible, "m")
        return self.read_rows(
            f"WHERE m.content_hash = ? AND {IN_FORCE} AND {is_visible} ORDER BY m.id",
            (content_hash, *bindings),
        )

    def read_rows(self, rest: str, bindings: Sequence[object]) -> list[Memory]:
        """Return the memories (alias m) that the rest of a query selects."""
        return self._memories(self._db.rows(f"{_SELECT} {rest}", tuple(bindings)))

    def _memories(self, rows: Sequence[tuple[Any, ...]]) -> list[Memory]:
        if not rows:
            return []
        keys = pad_to_16([row[0] for row in rows])
        where = f"WHERE memory IN ({placeholders(keys)})"
        tags: dict[int, list[str]] = {}
        for key, tag in self._db.rows(f"SELECT memory, tag FROM tags {where} ORDER BY tag", keys):
            tags.setdefault(key, []).append(tag)
        return [_to_memory(row, tuple(tags.get(row[0], ()))) for row in rows]

    # -- the log

    def record(self, operation: str, key: int | None, at: int, **details: object) -> None:
        """Add a line to the log."""
        self._db.rows(
            "INSERT INTO log (at, operation, memory, details) "
            "VALUES (?, ?, (SELECT id FROM memories WHERE key = ?), ?)",
            (at, operation, key, _json(details)),
        )

    def statistics(self, visible: Visibility) -> dict[str, object]:
        """Return counts by state, type and scope of visible memories, and the file's size."""
        from aforesaid.domain.model.entity import USER  # not on the hook path

        in_projects = f"project IN ({placeholders(visible.projects)})"
        states = (
            self._db.row(
                "SELECT count(*), "
                f"sum({IN_FORCE}), "
                "sum(superseded_by IS NOT NULL AND forgotten_at IS NULL), "
                "sum(forgotten_at IS NOT NULL), "
                "sum(archived_at IS NOT NULL AND forgotten_at IS NULL), "
                "sum(compacted_into IS NOT NULL AND superseded_by IS NULL "
                "AND forgotten_at IS NULL AND archived_at IS NULL), "
                f"min(created_at), max(created_at) FROM memories m WHERE {in_projects}",
                visible.projects,
            )
            or (0,) * 8
        )
        counts = {
            column: dict(
                self._db.rows(
                    f"SELECT {column}, count(*) FROM memories m WHERE {in_projects} "
                    f"AND {IN_FORCE} GROUP BY {column} ORDER BY {column}",
                    visible.projects,
                )
            )
            for column in ("type", "scope")
        }
        return {
            "total": states[0],
            "active": states[1] or 0,
            "superseded": states[2] or 0,
            "forgotten": states[3] or 0,
            "archived": states[4] or 0,
            "compacted": states[5] or 0,
            "by_type": counts["type"],
            "by_scope": counts["scope"],
            "relations": self._db.value(
                "SELECT count(*) FROM relations r JOIN memories s ON s.key = r.source "
                f"JOIN memories t ON t.key = r.target WHERE s.{in_projects} AND t.{in_projects}",
                (*visible.projects, *visible.projects),
            ),
            "entities": self._db.value(
                f"SELECT count(*) FROM entities WHERE key = head AND {in_projects} AND "
                f"(normalised <> '{USER}' OR key IN (SELECT entity FROM memories))",
                visible.projects,
            ),
            "oldest": states[6],
            "newest": states[7],
            "db_size_bytes": self._db.size(),
        }


def _json(value: object) -> str:
    import json  # only writers need it

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _to_column(name: str, value: Any) -> Any:
    if name == "metadata":
        return _json(value)
    if isinstance(value, str) and "\0" in value:
        raise InvalidInputError(f"{name} contains a NUL character: remove it")
    return value


def _to_memory(row: tuple[Any, ...], tags: tuple[str, ...]) -> Memory:
    fields = dict(zip(COLUMNS, row, strict=True))
    fields["pinned"] = bool(fields["pinned"])
    text = fields["metadata"]
    fields["metadata"] = {} if text == "{}" else read_json(text)
    return Memory(**fields, tags=tags)
