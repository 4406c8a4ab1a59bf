"""Port for all text fields of the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.text_fields import StoredText


class TextStore(Protocol):
    """Reads and rewrites the text fields of all tables."""

    def read(self) -> Iterator[StoredText]:
        """Yield every text field that may hold user text."""
        ...

    def count(self) -> int:
        """Return the number of rows that ``read`` goes through."""
        ...

    def at(self, stored: StoredText) -> str | None:
        """Return the current value of a text field; None if its row was deleted."""
        ...

    def rewrite(self, stored: StoredText, text: str, *, keep_journal: bool = False) -> None:
        """Replace the value of a text field, and update what depends on it.

        Args:
            stored: the field.
            text: the new value.
            keep_journal: keep what the journal holds of the row, so that runs can be undone.
        """
        ...
