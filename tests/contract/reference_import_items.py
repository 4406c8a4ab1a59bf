"""The model of pieces."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aforesaid.domain.model.import_item import ImportedItem


class ReferencePieces:
    """Pieces in a dictionary, by name."""

    _pieces: dict[str, ImportedItem]
    _memories: dict

    def import_items_get(self, name: str) -> ImportedItem | None:
        found = self._pieces.get(name)
        if found is not None and found.memory not in self._memories:
            return found.replace(memory=None)  # it was erased
        return found

    def import_items_put(self, taken: ImportedItem, at: int) -> None:
        self._pieces[taken.name] = taken
