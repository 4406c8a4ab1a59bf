"""Which memories are near each other, as maintenance needs it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class NeighbourStore(Protocol):
    """Memories near each other."""

    def find(
        self, keys: Sequence[int], project: int, limit: int, before: int | None = None
    ) -> dict[int, dict[int, float]]:
        """Return the memories in force that lie nearest to each of these, and their cosines.

        Nearest first, none of a task. Two windows are kept for each neighbour that is wanted, so
        there may be fewer where long memories lie near.

        Args:
            keys: memories; one without a vector of the model that serves is left out.
            project: whose memories are compared.
            limit: how many neighbours of each, itself not counted.
            before: only those with smaller keys; None: all.
        """
        ...
