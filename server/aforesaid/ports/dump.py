"""Port for the whole store as rows, for exports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


class DumpStore(Protocol):
    """All rows of the store."""

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (table, values by column) in a fixed order."""
        ...

    def load(self, rows: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, int]:
        """Fill an empty store in one transaction; return the number of rows per table.

        Raises:
            ConflictError: the store is not empty.
            InvalidInputError: a table or column is unknown.
        """
        ...
