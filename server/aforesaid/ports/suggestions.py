"""Offers of maintenance, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.suggestion import Suggestion


class SuggestionStore(Protocol):
    """What maintenance offers, until somebody accepts or declines it."""

    def add(self, offer: Suggestion) -> Suggestion | None:
        """Keep an offer; None where its project has, or had, one of that name."""
        ...

    def get(self, key: int) -> Suggestion | None:
        """Return an offer."""
        ...

    def list_open(self, projects: Sequence[int], limit: int) -> list[Suggestion]:
        """Return offers of these projects that still stand, newest first.

        An offer whose memories are not all in force, or of its project no more, stands no more.
        """
        ...

    def settle(self, key: int, answer: str, at: int) -> None:
        """Keep what became of an offer."""
        ...
