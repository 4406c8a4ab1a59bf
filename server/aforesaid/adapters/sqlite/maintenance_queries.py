"""Queries of the maintenance phases, and the few rows that only they write."""

from __future__ import annotations

from aforesaid.domain.model.memory import TRUSTED, TYPES

from .filters import IN_FORCE, placeholders
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.maintenance.link_decay import WeakLink
    from aforesaid.domain.model.embedding_model import ModelVector
    from aforesaid.domain.model.memory import Memory

_IN_FORCE_OR_COMPACTED = IN_FORCE.replace(" AND m.compacted_into IS NULL", "")


class MaintenanceQueries(SqliteRepository):
    """Memories as maintenance reads them."""

    def associated_links(self, after: tuple[int, int], limit: int) -> list[WeakLink]:
        """Return ``associated`` links after the given ends, ordered by their ends."""
        from aforesaid.domain.maintenance.link_decay import WeakLink

        rows = self._db.rows(
            "SELECT source, target, weight, ifnull(reinforced_at, created_at) FROM relations "
            "WHERE kind = 'associated' AND (source, target) > (?, ?) "
            "ORDER BY source, target LIMIT ?",
            (*after, limit),
        )
        return [
            WeakLink(source=source, target=target, weight=weight, since=since)
            for source, target, weight, since in rows
        ]

    def degrees(self, keys: Sequence[int]) -> dict[int, int]:
        """Return how many ``associated`` links each of these memories has."""
        counts: dict[int, int] = {}
        for column in ("source", "target"):
            rows = self._db.rows(
                f"SELECT {column}, count(*) FROM relations WHERE kind = 'associated' "
                f"AND {column} IN ({placeholders(keys)}) GROUP BY {column}",
                tuple(keys),
            )
            for key, count in rows:
                counts[key] = counts.get(key, 0) + count
        return counts

    def linked_keys(self, key: int, others: Sequence[int]) -> set[int]:
        """Return which of these memories are linked to a memory, or had a link that expired."""
        marks = placeholders(others)
        rows = self._db.rows(
            f"SELECT target FROM relations WHERE source = ?1 AND target IN ({marks}) UNION "
            f"SELECT source FROM relations WHERE target = ?1 AND source IN ({marks}) UNION "
            f"SELECT target FROM expired_links WHERE source = ?1 AND target IN ({marks}) UNION "
            f"SELECT source FROM expired_links WHERE target = ?1 AND source IN ({marks})".replace(
                "?1", str(int(key))
            ),
            tuple(others) * 4,
        )
        return {key for (key,) in rows}

    def mark_link_expired(self, source: int, target: int, at: int) -> None:
        """Record that a link between these memories expired, so that it is not made again."""
        self._db.rows("INSERT OR IGNORE INTO expired_links VALUES (?, ?, ?)", (source, target, at))

    def command_lists(self, project: int, limit: int) -> dict[int, tuple[str, ...]]:
        """Return the commands of a project's latest sessions, by the key of their digests.

        Only trusted digests: the context shows recurring commands automatically.
        """
        from aforesaid.domain.text.lean_json import read_json

        rows = self._db.rows(
            f"SELECT m.key, m.metadata -> 'commands' FROM memories m WHERE m.project = ? "
            f"AND m.type = 'episodic' AND {_IN_FORCE_OR_COMPACTED} "
            f"AND m.provenance IN ({placeholders(TRUSTED)}) "
            "AND json_type(m.metadata, '$.commands') = 'array' ORDER BY m.key DESC LIMIT ?",
            (project, *TRUSTED, limit),
        )
        return {key: tuple(map(str, read_json(text))) for key, text in rows}

    def topics_to_summarise(self, min_memories: int) -> list[tuple[int, int]]:
        """Return (topic, newest memory) of nodes with new memories since their summary.

        Only nodes with ``min_memories`` memories in force, including those of their concepts.
        """
        return self._db.rows(
            "SELECT t.key, max(m.key) AS newest FROM topics t "
            "JOIN topics c ON c.key = t.key OR c.parent = t.key "
            f"JOIN memories m ON m.topic = c.key AND {IN_FORCE} "
            "LEFT JOIN topic_summaries s ON s.topic = t.key "
            "GROUP BY t.key HAVING count(*) >= ? AND newest > ifnull(s.until, 0) ORDER BY t.key",
            (min_memories,),
        )

    def branch(self, topic: int) -> list[int]:
        """Return the keys of a node and of the concepts below it."""
        rows = self._db.rows("SELECT key FROM topics WHERE parent = ? ORDER BY key", (topic,))
        return [topic, *(key for (key,) in rows)]

    def set_topic_summary(self, topic: int, text: str, until: int) -> None:
        """Store a node's summary, written from its memories up to a key."""
        self._db.rows(
            "INSERT OR REPLACE INTO topic_summaries VALUES (?, ?, ?)", (topic, text, until)
        )

    def topic_summaries(self, projects: Sequence[int]) -> dict[int, str]:
        """Return the summaries of these projects' nodes, where they exist."""
        return dict(
            self._db.rows(
                "SELECT s.topic, s.text FROM topic_summaries s JOIN topics t ON t.key = s.topic "
                f"WHERE t.project IN ({placeholders(projects)})",
                tuple(projects),
            )
        )

    def page(
        self,
        after: int,
        limit: int,
        *,
        until: int | None = None,
        types: Sequence[str] = (),
        stored_before: int | None = None,
        unfiled: bool = False,
        compacted: bool = False,
        archived: bool = False,
    ) -> list[Memory]:
        """Return one page of memories in force, ordered by key."""
        in_force = _IN_FORCE_OR_COMPACTED if compacted else IN_FORCE
        if archived:
            in_force = in_force.replace("AND m.archived_at IS NULL", "")
        where = [f"m.key > ? AND {in_force}"]
        bindings: list[object] = [after]
        for condition, value in (
            ("m.key <= ?", until),
            ("coalesce(m.event_at, m.created_at) < ?", stored_before),
        ):
            if value is not None:
                where.append(condition)
                bindings.append(value)
        if types and set(types) != set(TYPES):
            where.append(f"m.type IN ({placeholders(types)})")
            bindings += types
        if unfiled:
            where.append("m.topic IS NULL")
        # NOT INDEXED: the planner would sort a whole index instead of walking the keys
        return self._store.memories.read_rows(
            f"NOT INDEXED WHERE {' AND '.join(where)} ORDER BY m.key LIMIT ?", (*bindings, limit)
        )

    def was_forgotten(self, content_hash: str) -> bool:
        """Tell whether a memory whose normalised text has this hash was forgotten."""
        row = self._db.value(
            "SELECT 1 FROM memories WHERE content_hash = ? AND forgotten_at IS NOT NULL",
            (content_hash,),
        )
        return row is not None

    def sources_of_summary(self, key: int) -> list[Memory]:
        """Return the memories that a summary replaces, ordered by key."""
        return self._store.memories.read_rows("WHERE m.compacted_into = ? ORDER BY m.key", (key,))

    def newest_key(self) -> int:
        """Return the greatest key of a memory."""
        return int(self._db.value("SELECT max(key) FROM memories") or 0)

    def first_stored_since(self, at: int) -> int:
        """Return the least key stored at or after a time (ms), else the next free key."""
        key = self._db.value("SELECT min(key) FROM memories WHERE created_at >= ?", (at,))
        return int(key if key is not None else self.newest_key() + 1)

    def repeated_hashes(self) -> set[str]:
        """Return the text hashes that several memories have, in force or not."""
        rows = self._db.rows(
            "SELECT content_hash FROM memories GROUP BY content_hash HAVING count(*) > 1"
        )
        return {content_hash for (content_hash,) in rows}

    def supported_by(self, keys: Sequence[int]) -> set[int]:
        """Return the memories that any of these supports, in force or not."""
        rows = self._db.rows(
            "SELECT target FROM relations WHERE kind = 'supports' "
            f"AND source IN ({placeholders(keys)})",
            tuple(keys),
        )
        return {key for (key,) in rows}

    def keys_with_branch(self, after: int, limit: int) -> list[int]:
        """Return keys, above a key, of memories in force that have the mark of a branch."""
        rows = self._db.rows(
            "SELECT key FROM memories WHERE key > ? AND superseded_by IS NULL "
            "AND forgotten_at IS NULL AND json_type(metadata, '$.branch') = 'object' "
            "ORDER BY key LIMIT ?",
            (after, limit),
        )
        return [key for (key,) in rows]

    def keys_with_anchors(self, after: int, limit: int) -> list[int]:
        """Return keys of memories with anchors after a key, in order."""
        rows = self._db.rows(
            "SELECT DISTINCT memory FROM anchors WHERE memory > ? ORDER BY memory LIMIT ?",
            (after, limit),
        )
        return [key for (key,) in rows]

    def copy_vectors(self, source: int, target: int) -> None:
        """Copy the vectors of a memory to another with the same text."""
        self._store.vectors.copy(source, target)

    def first_vectors(self, keys: Sequence[int]) -> dict[int, ModelVector]:
        """Return the vector of the first window of each memory, all of one model."""
        return self._store.vectors.first(keys)
