"""Relevance of results: scoring it, ordering by it, and leaving out what is not relevant enough.

Features and weights are in domain/retrieval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import gmtime

from aforesaid.domain.model.memory import Hit, Memory, Visibility
from aforesaid.domain.retrieval.fusion import WEIGHTS
from aforesaid.domain.retrieval.relevance import (
    relevance_cutoff,
    relevance_features,
    relevance_of,
)
from aforesaid.lexicon.calendar import MONTHS
from aforesaid.ports import Store

from .query import RecallHit

MAX_MATCHED_WORDS = 4  #: words of the query that are given as a reason
#: Without an explicit cutoff, a result with this share of the best score stays: it may belong to
#: the same session as a match without repeating the query's words.
MIN_SCORE_SHARE = 0.6
#: A compacted memory precedes its summary only if it is more relevant by this much.
SUMMARY_MARGIN = 0.1


def score_relevance(
    store: Store,
    query: str,
    hits: Sequence[RecallHit],
    matched: Mapping[int, Memory | None],
    vector_hits: Sequence[Hit],
    visible: Visibility,
) -> list[RecallHit]:
    """Return the hits, each with its relevance and the features behind it.

    Args:
        store: where the entities' names are.
        query: its text.
        hits: all candidates.
        matched: the version that matched, by the key of the memory that is returned.
        vector_hits: what the vector search found; empty if only words were searched.
        visible: what the caller may see.
    """
    names = _entity_names(store, {hit.memory.entity for hit in hits}, visible)
    texts = {
        hit.memory.key: _searchable_text(
            hit.memory, matched.get(hit.memory.key), names.get(hit.memory.entity, ())
        )
        for hit in hits
    }
    months = {hit.memory.key: _month(hit.memory) for hit in hits}
    scores = {hit.memory.key: _clamped(hit.score) for hit in hits}
    features = relevance_features(query, texts, vector_hits, months, scores)
    return [
        hit.replace(
            signals=features[hit.memory.key],
            why=_why(hit.why, features[hit.memory.key].names),
            relevance=round(relevance_of(features[hit.memory.key], vectors=bool(vector_hits)), 2),
        )
        for hit in hits
    ]


def rerank_by_relevance(hits: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the hits ordered by score and relevance combined; the result becomes the score.

    The score includes what the session said around a text, the relevance only the text itself: a
    neighbour of a match ranks below the match. Source: docs/adr/0038-relevance-in-the-order.md.
    """
    total_weight = 1 + WEIGHTS.relevance
    scored = [
        hit.replace(
            score=_clamped(
                ((hit.score or 0.0) + WEIGHTS.relevance * (hit.relevance or 0.0)) / total_weight
            )
        )
        for hit in hits
    ]
    return sorted(scored, key=lambda hit: -(hit.score or 0.0))


def filter_relevant(hits: Sequence[RecallHit], min_relevance: float | None) -> list[RecallHit]:
    """Return the hits that are relevant enough, in their order.

    Args:
        hits: with their relevance.
        min_relevance: None leaves out hits far less relevant than a certain one.
    """
    best = max((hit.relevance or 0.0 for hit in hits), default=0.0)
    cutoff = relevance_cutoff(best, min_relevance)
    min_score = MIN_SCORE_SHARE * max((hit.score or 0.0 for hit in hits), default=0.0)
    return [
        hit
        for hit in hits
        if (hit.relevance or 0.0) >= cutoff
        or (min_relevance is None and (hit.score or 0.0) >= min_score)
    ]


def rank_summaries_before_sources(hits: Sequence[RecallHit]) -> list[RecallHit]:
    """Return the hits with each compacted memory below its summary, if both are among them.

    A question about a week gets the summary first, a precise one still the event itself. Lists and
    the session context leave compacted memories out (adapters/sqlite/filters.py).
    """
    relevance = {hit.memory.key: hit.relevance or 0.0 for hit in hits}
    order = list(hits)
    for hit in hits:
        summary = hit.memory.compacted_into
        if summary not in relevance or (hit.relevance or 0.0) >= (
            relevance[summary] + SUMMARY_MARGIN
        ):
            continue
        keys = [ordered.memory.key for ordered in order]
        summary_index, source_index = keys.index(summary), keys.index(hit.memory.key)
        if source_index < summary_index:
            order.insert(summary_index, order.pop(source_index))
    return order


def _clamped(score: float | None) -> float:
    return round(min(max(score or 0.0, 0.0), 1.0), 3)


def _entity_names(
    store: Store, keys: set[int | None], visible: Visibility
) -> dict[int | None, tuple[str, ...]]:
    entities = {key: store.entities.get(key, visible) for key in keys if key is not None}
    return {
        key: (entity.name, *entity.aliases)
        for key, entity in entities.items()
        if entity is not None
    }


def _searchable_text(memory: Memory, matched: Memory | None, names: Sequence[str]) -> str:
    """Return all text that the query's words may match: of a memory, and of the matched version."""
    old = "" if matched is None or matched.forgotten_at is not None else matched.content
    if matched is not None and matched.key == memory.key:
        old = ""
    labels = (*memory.tags, *memory.cues, *names)  # first, because the end of a long text is cut
    return "\n".join((*labels, memory.summary or "", memory.content, old))


def _why(why: str, words: Sequence[str]) -> str:
    matched = f"says {', '.join(words[:MAX_MATCHED_WORDS])}" if words else ""
    return ", ".join(part for part in (matched, why) if part)


def _month(memory: Memory) -> str:
    """Return a memory's month as a query would name it."""
    date = gmtime((memory.event_at or memory.created_at) / 1000)
    return f"{MONTHS[date.tm_mon - 1].capitalize()} {date.tm_year}"
