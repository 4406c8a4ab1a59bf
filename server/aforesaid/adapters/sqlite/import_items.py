"""Rows of pieces: what came in from other programs."""

from __future__ import annotations

from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.import_item import ImportedItem


class ImportItemRepository(Repository):
    """Which pieces came in, and what they became."""

    def get(self, name: str) -> ImportedItem | None:
        """Return what is kept of the piece with this (keyed) name."""
        from aforesaid.domain.model.import_item import ImportedItem  # imports only

        rows = self._db.rows("SELECT name, print, memory FROM pieces WHERE name = ?", (name,))
        return ImportedItem(name=rows[0][0], print=rows[0][1], memory=rows[0][2]) if rows else None

    def put(self, taken: ImportedItem, at: int) -> None:
        """Keep that a piece came in, or came in anew."""
        self._db.rows(
            "INSERT OR REPLACE INTO pieces (name, print, memory, at) VALUES (?, ?, ?, ?)",
            (taken.name, taken.print, taken.memory, at),
        )
