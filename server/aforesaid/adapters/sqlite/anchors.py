"""Rows of anchors."""

from __future__ import annotations

from .filters import placeholders
from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.anchor import Anchor


class AnchorRepository(Repository):
    """The files that memories of the store cite."""

    def replace(self, memory: int, anchors: Sequence[Anchor]) -> None:
        """Replace what a memory cites."""
        self._db.rows("DELETE FROM anchors WHERE memory = ?", (memory,))
        self._db.many(
            "INSERT INTO anchors (memory, path, line, content_hash) VALUES (?, ?, ?, ?)",
            [(memory, one.path, one.line, one.print) for one in anchors],
        )

    def of(self, memories: Sequence[int]) -> list[Anchor]:
        """Return what these memories cite, in their order, then by path and line."""
        rows = self._db.rows(
            "SELECT memory, path, line, content_hash FROM anchors "
            f"WHERE memory IN ({placeholders(memories)}) ORDER BY memory, path, line",
            tuple(memories),
        )
        if not rows:
            return []
        from aforesaid.domain.model.anchor import Anchor  # most memories cite nothing

        order = {memory: number for number, memory in enumerate(memories)}
        found = [
            Anchor(memory=memory, path=path, line=line, print=kept)
            for memory, path, line, kept in rows
        ]
        return sorted(found, key=lambda one: order[one.memory])
