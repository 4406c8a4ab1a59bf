"""Rows of import items."""

from __future__ import annotations

from aforesaid.domain.model.import_item import ImportedItem

from .repository import SqliteRepository


class ImportItemRepository(SqliteRepository):
    """The import items that were imported, and the memories created from them."""

    def get(self, name: str) -> ImportedItem | None:
        """Return an import item by its keyed name."""
        rows = self._db.rows(
            "SELECT name, checksum, memory FROM import_items WHERE name = ?", (name,)
        )
        return (
            ImportedItem(name=rows[0][0], checksum=rows[0][1], memory=rows[0][2]) if rows else None
        )

    def put(self, item: ImportedItem, at: int) -> None:
        """Record that an import item was imported, perhaps again."""
        self._db.rows(
            "INSERT OR REPLACE INTO import_items (name, checksum, memory, imported_at) "
            "VALUES (?, ?, ?, ?)",
            (item.name, item.checksum, item.memory, at),
        )
