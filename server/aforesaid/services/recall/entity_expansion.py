"""Queries that name an entity: memories linked to it become candidates and get a higher score.

Only names of entities that the caller may see count; without one, the candidates stay as they are.
Why links rather than more words: docs/adr/0016-entities.md.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from aforesaid.domain.model.entity import USER, Entity
from aforesaid.domain.model.entity_names import names_in, normalise_name
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.retrieval.fusion import WEIGHTS, SearchCandidate, best_first
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.ports import Store

MAX_LINKED = 20


def find_query_entities(store: Store, query: str, visible: Visibility) -> dict[str, Entity]:
    """Return the entities that a query names, by the normalised name it uses for each."""
    entities = store.entities.named(names_in(query), visible)
    return {name: entity for name, entity in entities.items() if entity.normalised != USER}


def expand_by_entities(
    store: Store,
    query: str,
    visible: Visibility,
    filters: Filters,
    candidates: Sequence[SearchCandidate],
    vector: bytes | None,
    model: str | None = None,
) -> list[SearchCandidate]:
    """Return the candidates and memories about the entities that the query names, best first.

    Args:
        store: where to search.
        query: its text.
        visible: what the caller may see.
        filters: of the query.
        candidates: found by words and vectors.
        vector: of the query; None if it has none.
        model: the embedding model that computed the vector.
    """
    named = find_query_entities(store, query, visible)
    if not named:
        return list(candidates)
    entities = {entity.key: entity for entity in named.values()}
    filters = filters.replace(entities=tuple(entities))
    by_head = {candidate.head: candidate for candidate in candidates}
    if vector is not None:
        for hit in store.search.by_vector(vector, visible, filters, MAX_LINKED, model):
            if hit.score >= WEIGHTS.floor:
                by_head.setdefault(
                    hit.head, SearchCandidate(head=hit.head, matched=hit.key, meaning=hit.score)
                )
    if _has_only_names(query, named):
        for memory in store.memories.select(visible, filters, MAX_LINKED):
            by_head.setdefault(memory.key, SearchCandidate(head=memory.key, matched=memory.key))
    linked: dict[int, str] = {}
    for memory in store.memories.get(list(by_head)):
        entity = None if memory.entity is None else store.entities.get(memory.entity)
        if entity is not None and entity.key in entities:
            linked[memory.key] = entity.name
    rescored = [
        candidate.replace(
            about=linked.get(candidate.head, ""),
            score=candidate.score * (1 - WEIGHTS.about)
            + (WEIGHTS.about if candidate.head in linked else 0.0),
        )
        for candidate in by_head.values()
    ]
    return sorted(rescored, key=best_first)


def _has_only_names(query: str, names: Collection[str]) -> bool:
    terms = {normalise_name(term) for term in query_terms(query)}
    return all(any(term in name for name in names) for term in terms)
