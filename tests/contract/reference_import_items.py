"""Import items of the reference store."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aforesaid.domain.model.import_item import ImportedItem


class ReferenceImportItems:
    """Import items in a dictionary, by name."""

    _import_items: dict[str, ImportedItem]
    _memories: dict

    def import_items_get(self, name: str) -> ImportedItem | None:
        item = self._import_items.get(name)
        if item is not None and item.memory not in self._memories:
            return item.replace(memory=None)  # it was erased
        return item

    def import_items_put(self, item: ImportedItem, at: int) -> None:
        self._import_items[item.name] = item
