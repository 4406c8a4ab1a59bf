"""The first results ordered anew with a model that reads each with the question, if one is chosen.

Here: which results, how long, how its order and the one before it become one, what becomes of
scores. Not here: the model (a port), the order before it (domain/retrieval), relevance, which stays
as it was.
"""

from __future__ import annotations

from aforesaid.domain.errors import AforesaidError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.ports.reranker import Reranker

    from .query import RecallHit

FIRST = 20  #: results that are read
SECONDS = 0.5  #: that reading may take; what was not read by then keeps its place behind
#: Both orders count alike, by 1 / (SMOOTH + place). Source: docs/adr/0036-embedding-models.md.
SMOOTH = 10


def rerank(
    get: Callable[[], Reranker | None] | None,
    query: str,
    results: Sequence[RecallHit],
    degradations: list[str],
) -> list[RecallHit]:
    """Return the results, of which the first were read, best first.

    Their scores are dealt out anew in the new order, so that a score still tells the order.

    Args:
        get: gives the model, or None where none is chosen.
        query: the question.
        results: best first.
        degradations: is told why nothing was read, where that is so.
    """
    if get is None:
        return list(results)
    try:
        reranker = get()
        if reranker is None:
            return list(results)
        texts = [one.memory.content for one in results[:FIRST]]
        scores = reranker.scores(query, texts, SECONDS)
    except AforesaidError as error:
        degradations.append(f"not reranked: {error}")
        return list(results)
    read = sorted(range(len(scores)), key=lambda place: (-scores[place], place))
    rank_of = {place: rank for rank, place in enumerate(read, start=1)}
    order = sorted(read, key=lambda place: (-_worth(place + 1, rank_of[place]), rank_of[place]))
    dealt = sorted((results[place].score or 0.0 for place in order), reverse=True)
    first = [
        results[place].replace(score=score, why=_why(results[place].why, place, rank_of[place]))
        for place, score in zip(order, dealt, strict=True)
    ]
    return [*first, *results[len(scores) :]]


def _worth(was: int, read: int) -> float:
    """Return what two places, counted from 1, are worth together."""
    return 1 / (SMOOTH + was) + 1 / (SMOOTH + read)


def _why(why: str, place: int, rank: int) -> str:
    return f"{why}, read as {rank} (was {place + 1})".removeprefix(", ")
