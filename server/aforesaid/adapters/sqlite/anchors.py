"""Rows of anchors."""

from __future__ import annotations

from .filters import placeholders
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.anchor import Anchor


class AnchorRepository(SqliteRepository):
    """The files that memories cite."""

    def replace(self, memory: int, anchors: Sequence[Anchor]) -> None:
        """Replace the anchors of a memory."""
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
