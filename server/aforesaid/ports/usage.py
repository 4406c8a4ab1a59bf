"""Port for recording usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aforesaid.domain.model.decay import FACTORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class UsageStore(Protocol):
    """Effects of usage on memories and on links between them."""

    def reinforce(self, keys: Iterable[int], at: int, confidence: float) -> None:
        """Count an access to each memory and raise its confidence, to 1 at most.

        Archived memories are restored.
        """
        ...

    def refresh(self, shares: Mapping[int, float], at: int) -> None:
        """Move each memory's last reinforcement towards ``at`` (ms) by a share of the difference.

        Accesses are not counted. A memory that was reinforced later is not changed.
        """
        ...

    def strengthen(
        self,
        heads: Sequence[int],
        kind: str,
        gain: float,
        at: int,
        decay: float = FACTORS.link_decay,
    ) -> None:
        """Raise the weight of each link of a kind between any two memories, to 1 at most.

        The gain is added to the weight decayed until ``at`` (ms), which is then stored.
        """
        ...
