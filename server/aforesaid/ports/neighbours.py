"""Port for the nearest neighbours of memories."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class NeighbourStore(Protocol):
    """Nearest neighbours by vectors, for maintenance."""

    def find(
        self, keys: Sequence[int], project: int, limit: int, before: int | None = None
    ) -> dict[int, dict[int, float]]:
        """Return the nearest memories in force of each memory, with cosines, nearest first.

        Memories in tasks are left out. The search considers two chunks per requested neighbour, so
        it may return fewer if there are long memories nearby.

        Args:
            keys: the memories; those without a vector of the active model are left out.
            project: key of the project whose memories are compared.
            limit: maximum neighbours of each memory, not counting itself.
            before: only neighbours with smaller keys; None for all.
        """
        ...
