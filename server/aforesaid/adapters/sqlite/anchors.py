"""Rows of anchors."""

from __future__ import annotations

from aforesaid.domain.model.memory import Filters

from .filters import IN_FORCE, placeholders, sql_where
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.model.memory import Visibility


class AnchorRepository(SqliteRepository):
    """The files that memories cite."""

    def replace(self, memory: int, anchors: Sequence[Anchor]) -> None:
        self._db.rows("DELETE FROM anchors WHERE memory = ?", (memory,))
        self._db.many(
            "INSERT INTO anchors (memory, path, line, content_hash) VALUES (?, ?, ?, ?)",
            [(memory, anchor.path, anchor.line, anchor.fingerprint) for anchor in anchors],
        )

    def of(self, memories: Sequence[int]) -> list[Anchor]:
        """Return the anchors of these memories, in their order, then by path and line."""
        rows = self._db.rows(
            "SELECT memory, path, line, content_hash FROM anchors "
            f"WHERE memory IN ({placeholders(memories)}) ORDER BY memory, path, line",
            tuple(memories),
        )
        if not rows:
            return []
        from aforesaid.domain.model.anchor import Anchor  # most memories cite nothing

        order = {memory: number for number, memory in enumerate(memories)}
        anchors = [
            Anchor(memory=memory, path=path, line=line, fingerprint=checksum)
            for memory, path, line, checksum in rows
        ]
        return sorted(anchors, key=lambda anchor: order[anchor.memory])

    def citing(
        self, paths: Sequence[str], visible: Visibility, limit: int, *, trusted: bool = True
    ) -> list[int]:
        from aforesaid.domain.model.anchor import PATTERN, matches_any  # not in hooks

        where, bindings = sql_where(visible, Filters(trusted_only=trusted), "m")
        rows = self._db.rows(
            "SELECT m.key, CASE a.content_hash WHEN ? THEN a.path END "
            "FROM anchors a JOIN memories m ON m.key = a.memory "
            f"WHERE (a.path IN ({placeholders(paths)}) OR a.content_hash = ?) "
            f"AND {where} AND {IN_FORCE} ORDER BY m.key DESC",
            (PATTERN, *paths, PATTERN, *bindings),
        )
        patterns: dict[int, list[str]] = {}
        for key, pattern in rows:
            patterns.setdefault(key, []).extend([] if pattern is None else [pattern])
        cited = {key for key, pattern in rows if pattern is None}
        keys = [
            key
            for key, each in patterns.items()
            if key in cited or any(matches_any(path, each) for path in paths)
        ]
        return keys[:limit]

    def cited_by(self, visible: Visibility, limit: int) -> list[int]:
        """Implement ``AnchorStore.cited_by``."""
        where, bindings = sql_where(visible, Filters(), "m")
        rows = self._db.rows(
            "SELECT DISTINCT m.key FROM anchors a CROSS JOIN memories m ON m.key = a.memory "
            f"WHERE {IN_FORCE} AND {where} ORDER BY m.key DESC LIMIT ?",
            (*bindings, limit),
        )
        return [key for (key,) in rows]

    def is_any(self, visible: Visibility) -> bool:
        """Return whether a trusted memory in force cites a file."""
        where, bindings = sql_where(visible, Filters(trusted_only=True), "m")
        sql = (
            "SELECT 1 FROM anchors a JOIN memories m ON m.key = a.memory "
            f"WHERE {where} AND {IN_FORCE} LIMIT 1"
        )
        return self._db.row(sql, bindings) is not None
