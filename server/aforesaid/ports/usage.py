"""Being used, as the services write it down."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from aforesaid.domain.model.decay import FACTORS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class UsageStore(Protocol):
    """What use leaves on memories and on the links between them."""

    def reinforce(self, keys: Iterable[int], at: int, confidence: float) -> None:
        """Count an access to each, raise its confidence by so much (to 1 at most).

        What was set aside is in force again: it was of use.
        """
        ...

    def refresh(self, shares: Mapping[int, float], at: int) -> None:
        """Bring each one's last reinforcement nearer to ``at`` by this share of what lies between.

        No access is counted. A memory that was reinforced later stays as it is.
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
        """Raise the weight of each link of a kind between any two of these, to 1 at most.

        What faded until that time (ms), so much a day, is gone: it begins anew with the weight
        that it has then.
        """
        ...
