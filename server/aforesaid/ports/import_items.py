"""Ports for imports from other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.import_item import ImportedItem, ImportItem, SkipCounter


class ImportItemReader(Protocol):
    """Reads the memories of one other program."""

    def __call__(self, path: str, skipped: SkipCounter) -> Iterator[ImportItem]:
        """Yield the items in a file or folder, older versions before newer ones.

        Args:
            path: the file or folder, which is only read.
            skipped: counts skipped items by reason.

        Raises:
            NotFoundError: the path does not exist.
            InvalidInputError: it has another format, or is too large.
        """
        ...


class ImportItemStore(Protocol):
    """The register of imported items."""

    def get(self, name: str) -> ImportedItem | None:
        """Return the record of an item by its ``name_hash``; None if it was never imported."""
        ...

    def put(self, item: ImportedItem, at: int) -> None:
        """Store the record of an item that was imported, or imported again, at a time (ms)."""
        ...
