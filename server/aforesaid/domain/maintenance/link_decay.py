"""Links that maintenance makes: how they fade, and which are worth having. Pure."""

from __future__ import annotations

from aforesaid.domain.model.decay import link_weight
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .thresholds import Thresholds


class WeakLink(Value):
    """An ``associated`` link as it is kept."""

    source: int
    target: int
    weight: float
    since: int  #: ms, when it had this weight


def is_expired(link: WeakLink, now: int, limits: Thresholds) -> bool:
    """Tell whether a link has faded so far that it goes."""
    return link_weight(link.weight, link.since, now, limits.link_decay) < limits.link_floor


def choose_links(
    near: Sequence[tuple[int, float]], degrees: Mapping[int, int], own: int, limits: Thresholds
) -> list[tuple[int, float]]:
    """Return which of these neighbours a memory is linked to, nearest first.

    Args:
        near: (memory, cosine) of what may be linked.
        degrees: links that each has already.
        own: links that the memory itself has.
        limits: how near, and how many.
    """
    ranked = sorted(near, key=lambda one: (-one[1], one[0]))
    free = [
        one
        for one in ranked
        if one[1] >= limits.link and degrees.get(one[0], 0) < limits.links_each
    ]
    return free[: max(limits.links_each - own, 0)]
