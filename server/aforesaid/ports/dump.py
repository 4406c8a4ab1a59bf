"""The whole store as rows, as exports need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


class DumpStore(Protocol):
    """Everything that is kept, as rows."""

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (table, row by column), always in the same order."""
        ...

    def load(self, rows: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, int]:
        """Fill an empty store, all or none; return how many rows each table got.

        Raises:
            ConflictError: the store is not empty.
            InvalidInputError: a table or column is unknown.
        """
        ...
