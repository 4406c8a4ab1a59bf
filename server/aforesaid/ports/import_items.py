"""What came in from other programs, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.import_item import ImportedItem, ImportItem, SkipCounter


class ImportItemReader(Protocol):
    """One form in which another program keeps what it remembers."""

    def __call__(self, path: str, left_out: SkipCounter) -> Iterator[ImportItem]:
        """Yield what a file or folder holds, in order; older versions before newer ones.

        Args:
            path: what to read; nothing is ever written there.
            left_out: told what is not taken, and why.

        Raises:
            NotFoundError: there is nothing at the path.
            InvalidInputError: it is not of this form, or larger than is read.
        """
        ...


class ImportItemStore(Protocol):
    """Which pieces came in, and what they became."""

    def get(self, name: str) -> ImportedItem | None:
        """Return what is kept of the piece with this (keyed) name."""
        ...

    def put(self, taken: ImportedItem, at: int) -> None:
        """Keep that a piece came in, or came in anew."""
        ...
