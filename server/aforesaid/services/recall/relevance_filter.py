"""Which of what was found is likely enough to answer.

Here: giving each result its relevance, and cutting an answer by it. Not here: signals and weights
(domain/retrieval), the order of results (domain/retrieval).
"""

from __future__ import annotations

from time import gmtime

from aforesaid.domain.retrieval.ranking_weights import WEIGHTS
from aforesaid.domain.retrieval.relevance_features import (
    relevance_cutoff,
    relevance_features,
    relevance_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import Hit, Memory, Visibility
    from aforesaid.ports import Store

    from .query import RecallHit

MAX_NAMED = 4  #: words of a question that are told as a reason
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)
#: A result is never left out unasked whose score is this share of the best one's: it may stand
#: beside a match and say nothing of the question itself.
CLOSE = 0.6


def score_relevance(
    store: Store,
    query: str,
    results: Sequence[RecallHit],
    matched: Mapping[int, Memory | None],
    vectors: Sequence[Hit],
    visible: Visibility,
) -> list[RecallHit]:
    """Return the results, each with its relevance and what that was made of.

    Args:
        store: knows the names of what a memory is about.
        query: the question.
        results: all that may answer.
        matched: the version of each that matched, by the key of what is returned.
        vectors: what meaning found; empty where only words were to be had.
        visible: what the caller may see.
    """
    names = _names(store, {one.memory.entity for one in results}, visible)
    texts = {
        one.memory.key: _said(
            one.memory, matched.get(one.memory.key), names.get(one.memory.entity, ())
        )
        for one in results
    }
    months = {one.memory.key: _month(one.memory) for one in results}
    scores = {one.memory.key: _share(one.score) for one in results}
    signals = relevance_features(query, texts, vectors, months, scores)
    return [
        one.replace(
            signals=signals[one.memory.key],
            why=_why(one.why, signals[one.memory.key].names),
            relevance=round(relevance_of(signals[one.memory.key], vectors=bool(vectors)), 2),
        )
        for one in results
    ]


def rerank_by_relevance(results: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the results by score and relevance together, best first; the score tells the order.

    A score knows what was said around a text, relevance the text alone: what stands beside a match
    gives way to what says it. Source: docs/adr/0038-relevance-in-the-order.md.
    """
    whole = 1 + WEIGHTS.relevance
    scored = [
        one.replace(
            score=_share(((one.score or 0.0) + WEIGHTS.relevance * (one.relevance or 0.0)) / whole)
        )
        for one in results
    ]
    return sorted(scored, key=lambda one: -(one.score or 0.0))


def _share(score: float | None) -> float:
    return round(min(max(score or 0.0, 0.0), 1.0), 3)


def filter_relevant(results: Sequence[RecallHit], wanted: float | None) -> list[RecallHit]:
    """Return the results that are relevant enough, in their order.

    Args:
        results: with their relevance.
        wanted: the least relevance; None leaves out what falls far behind a sure one.
    """
    least = relevance_cutoff(max((one.relevance or 0.0 for one in results), default=0.0), wanted)
    close = CLOSE * max((one.score or 0.0 for one in results), default=0.0)
    return [
        one
        for one in results
        if (one.relevance or 0.0) >= least or (wanted is None and (one.score or 0.0) >= close)
    ]


def _names(
    store: Store, entities: set[int | None], visible: Visibility
) -> dict[int | None, tuple[str, ...]]:
    """Return all visible names of entities, by their keys."""
    known = {key: store.entities.get(key, visible) for key in entities if key is not None}
    return {key: (one.name, *one.aliases) for key, one in known.items() if one is not None}


def _said(memory: Memory, matched: Memory | None, names: Sequence[str]) -> str:
    """Return all that a question's words may meet: in a memory, and in its version that matched."""
    old = "" if matched is None or matched.forgotten_at is not None else matched.content
    if matched is not None and matched.key == memory.key:
        old = ""
    labels = (*memory.tags, *memory.cues, *names)  # first: of a long text the end is not read
    return "\n".join((*labels, memory.summary or "", memory.content, old))


def _why(why: str, names: Sequence[str]) -> str:
    """Return why a memory answers, beginning with the words of the question that it holds."""
    said = f"says {', '.join(names[:MAX_NAMED])}" if names else ""
    return ", ".join(part for part in (said, why) if part)


def _month(memory: Memory) -> str:
    """Return the month that a memory is from, as a question would name it."""
    at = gmtime((memory.event_at or memory.created_at) / 1000)
    return f"{_MONTHS[at.tm_mon - 1]} {at.tm_year}"
