"""Port for suggestions of maintenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.suggestion import Suggestion


class SuggestionStore(Protocol):
    """Suggestions of maintenance, until they are accepted or declined."""

    def add(self, suggestion: Suggestion) -> Suggestion | None:
        """Store a suggestion; return None if its project has, or had, one of this name."""
        ...

    def get(self, key: int) -> Suggestion | None:
        """Return a suggestion; None if there is none with this key."""
        ...

    def list_open(self, projects: Sequence[int], limit: int) -> list[Suggestion]:
        """Return open suggestions of these projects, newest first.

        A suggestion lapses unless all its memories are in force and in its project.
        """
        ...

    def settle(self, key: int, answer: str, at: int) -> None:
        """Store the answer to a suggestion."""
        ...
