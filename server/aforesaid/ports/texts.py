"""Every text of the store, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.text_fields import StoredText


class TextStore(Protocol):
    """All texts, read and rewritten where they stand."""

    def read(self) -> Iterator[StoredText]:
        """Yield every text that may hold somebody's words."""
        ...

    def count(self) -> int:
        """Return how many rows ``texts`` goes through."""
        ...

    def at(self, one: StoredText) -> str | None:
        """Return what stands in the place of a text now; None where its row is gone."""
        ...

    def rewrite(self, one: StoredText, text: str, *, keep_journal: bool = False) -> None:
        """Put another text in the place of one, with all that follows from it."""
        ...
