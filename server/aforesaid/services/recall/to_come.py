"""Ranks memories that are not yet true after those that are, if these answer about equally well."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .query import RecallHit

#: A memory that is true now goes first if it has this share of the other's relevance.
MIN_SHARE = 0.5


def rank_current_first(hits: Sequence[RecallHit], at: int) -> list[RecallHit]:
    """Return the hits with each that is not yet true after those that are true.

    Scores and relevance stay with the ranks.

    Args:
        hits: best first, with their relevance.
        at: ms; the time that the question is about.
    """
    order = list(hits)
    for hit in reversed([hit for hit in hits if hit.memory.is_to_come(at)]):
        least = MIN_SHARE * (hit.relevance or 0.0)
        current = [
            index
            for index, other in enumerate(order)
            if not (other.memory.is_to_come(at) or other.memory.is_expired(at))
            and other.memory.in_force
            and (other.relevance or 0.0) >= least
        ]
        index = order.index(hit)
        if current and current[-1] > index:
            order.insert(current[-1], order.pop(index))
    return [
        hit.replace(score=ranked.score, relevance=ranked.relevance)
        for hit, ranked in zip(order, hits, strict=True)
    ]
