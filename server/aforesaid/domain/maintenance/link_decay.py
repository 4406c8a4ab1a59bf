"""Rules of ``associated`` links: when they expire, and which are made."""

from __future__ import annotations

from aforesaid.domain.model.decay import link_weight
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .thresholds import Thresholds


class WeakLink(Value):
    """An ``associated`` link as stored."""

    source: int  #: key
    target: int  #: key
    weight: float
    since: int  #: ms, time of this weight


def is_expired(link: WeakLink, now: int, limits: Thresholds) -> bool:
    """Return whether a link's decayed weight is below the floor."""
    return link_weight(link.weight, link.since, now, limits.link_decay) < limits.link_floor


def choose_links(
    candidates: Sequence[tuple[int, float]],
    degrees: Mapping[int, int],
    own: int,
    limits: Thresholds,
) -> list[tuple[int, float]]:
    """Return the candidates that a memory is to be linked to, nearest first.

    Args:
        candidates: (memory, cosine) of memories that may be linked.
        degrees: existing links of each candidate.
        own: existing links of the memory itself.
        limits: minimum cosine, and maximum links of a memory.
    """
    ranked = sorted(candidates, key=lambda candidate: (-candidate[1], candidate[0]))
    chosen = [
        (key, cosine)
        for key, cosine in ranked
        if cosine >= limits.link and degrees.get(key, 0) < limits.links_each
    ]
    return chosen[: max(limits.links_each - own, 0)]
