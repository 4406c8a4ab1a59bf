"""Reorders the first results by a cross-encoder, if one is configured (ADR 0036)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aforesaid.domain.errors import AforesaidError
from aforesaid.ports.reranker import Reranker

from .query import RecallHit

MAX_RERANKED = 20  #: results that the model reads
RERANK_SECONDS = 0.5  #: time limit; results that were not read by then keep their order, at the end
#: Both orders count alike, each as 1 / (RANK_SMOOTHING + rank).
#: Source: docs/adr/0036-embedding-models.md.
RANK_SMOOTHING = 10


def rerank(
    get_reranker: Callable[[], Reranker | None] | None,
    query: str,
    hits: Sequence[RecallHit],
    degradations: list[str],
) -> list[RecallHit]:
    """Return the hits with the first ones reordered, best first.

    Their scores are reassigned in descending order, so that the score still tells the order.

    Args:
        get_reranker: returns the model, or None if none is configured.
        query: its text.
        hits: best first.
        degradations: gets the reason if the model fails.
    """
    if get_reranker is None:
        return list(hits)
    try:
        reranker = get_reranker()
        if reranker is None:
            return list(hits)
        texts = [hit.memory.content for hit in hits[:MAX_RERANKED]]
        scores = reranker.scores(query, texts, RERANK_SECONDS)
    except AforesaidError as error:
        degradations.append(f"not reranked: {error}")
        return list(hits)
    by_score = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    rank_of = {index: rank for rank, index in enumerate(by_score, start=1)}
    order = sorted(
        by_score, key=lambda index: (-_fused_rank(index + 1, rank_of[index]), rank_of[index])
    )
    descending = sorted((hits[index].score or 0.0 for index in order), reverse=True)
    first = [
        hits[index].replace(score=score, why=_why(hits[index].why, index + 1, rank_of[index]))
        for index, score in zip(order, descending, strict=True)
    ]
    return [*first, *hits[len(scores) :]]


def _fused_rank(old: int, new: int) -> float:
    return 1 / (RANK_SMOOTHING + old) + 1 / (RANK_SMOOTHING + new)


def _why(why: str, old: int, new: int) -> str:
    return f"{why}, reranked to {new} (was {old})".removeprefix(", ")
