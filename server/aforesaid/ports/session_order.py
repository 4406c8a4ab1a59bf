"""In which order sessions stored their memories, as a protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Filters, SessionNeighbours, Visibility


class SessionOrder(Protocol):
    """In which order a session stored its memories."""

    def neighbours(
        self, keys: Sequence[int], visible: Visibility, filters: Filters, reach: int
    ) -> list[SessionNeighbours]:
        """Return what stands around each of these memories in its session, if it has one.

        Neighbours pass the filters as ``select`` has them; at most ``reach`` to each side.
        """
        ...

    def texts(self, keys: Sequence[int]) -> dict[int, str]:
        """Return what these memories say, their summaries behind, by key; of long ones the start.

        The caller has seen that they may be read.
        """
        ...
