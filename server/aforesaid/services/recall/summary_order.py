"""What was summed up stands behind its summary, unless it fits clearly better.

So a week is answered by the one text that stands for it, and a precise question still by the very
event. Not here: lists and the context, which leave summed up events out (adapters/sqlite/filters).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .query import RecallHit

#: By so much more likely an event must answer than its summary to stand before it.
CLEARLY = 0.1


def rank_summaries_before_sources(results: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the results with each summed up event behind its summary, where both answer."""
    likely = {one.memory.key: one.relevance or 0.0 for one in results}
    order = list(results)
    for one in results:
        summary = one.memory.compacted_into
        if summary not in likely or (one.relevance or 0.0) >= likely[summary] + CLEARLY:
            continue
        keys = [other.memory.key for other in order]
        place, before = keys.index(summary), keys.index(one.memory.key)
        if before < place:
            order.insert(place, order.pop(before))
    return order
