"""Port for the order of memories within sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Filters, SessionNeighbours, Visibility


class SessionOrderStore(Protocol):
    """The order in which sessions stored their memories."""

    def neighbours(
        self, keys: Sequence[int], visible: Visibility, filters: Filters, reach: int
    ) -> list[SessionNeighbours]:
        """Return the neighbours of memories in their sessions, for those that have any.

        At most ``reach`` on each side, filtered like ``MemoryStore.select``.
        """
        ...

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return content and summary of memories as one text, by key; long ones are truncated.

        Visibility is not checked.
        """
        ...
