"""Questions that name an entity: what is linked to it is looked at too, and counts for more.

Names are only those that the caller may see; a question that names none is left as it is, so that
nothing unrelated comes up. Why links and not more words: docs/adr/0016-entities.md.
"""

from __future__ import annotations

from aforesaid.domain.model.entity import USER
from aforesaid.domain.model.entity_names import names_in, normalise_name
from aforesaid.domain.retrieval.fusion import SearchCandidate, best_first
from aforesaid.domain.retrieval.ranking_weights import WEIGHTS
from aforesaid.domain.text.tokenize import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.entity import Entity
    from aforesaid.domain.model.memory import Filters, Visibility
    from aforesaid.ports import Store

MAX_LINKED = 20


def find_query_entities(store: Store, query: str, visible: Visibility) -> dict[str, Entity]:
    """Return the entities that a question names, by the normalised name that it has for each."""
    found = store.entities.named(names_in(query), visible)
    return {name: one for name, one in found.items() if one.normalised != USER}


def expand_by_entities(
    store: Store,
    query: str,
    visible: Visibility,
    filters: Filters,
    candidates: Sequence[SearchCandidate],
    vector: bytes | None,
    model: str | None = None,
) -> list[SearchCandidate]:
    """Return the candidates with those about the entities that the question names, best first.

    Args:
        store: where to look.
        query: the question.
        visible: what the caller may see.
        filters: as the question has them.
        candidates: what words and meaning found.
        vector: of the question; None where there is none.
        model: that made it.
    """
    named = find_query_entities(store, query, visible)
    if not named:
        return list(candidates)
    meant = {entity.key: entity for entity in named.values()}
    about = filters.replace(entities=tuple(meant))
    found = {one.head: one for one in candidates}
    if vector is not None:
        for hit in store.search.by_vector(vector, visible, about, MAX_LINKED, model):
            if hit.score >= WEIGHTS.floor:
                found.setdefault(
                    hit.head, SearchCandidate(head=hit.head, matched=hit.key, meaning=hit.score)
                )
    if _asks_only_for(query, named):
        for memory in store.memories.select(visible, about, MAX_LINKED):
            found.setdefault(memory.key, SearchCandidate(head=memory.key, matched=memory.key))
    linked: dict[int, str] = {}
    for memory in store.memories.get(list(found)):
        entity = None if memory.entity is None else store.entities.get(memory.entity)
        if entity is not None and entity.key in meant:
            linked[memory.key] = entity.name
    shared = [
        one.replace(
            about=linked.get(one.head, ""),
            score=one.score * (1 - WEIGHTS.about) + (WEIGHTS.about if one.head in linked else 0.0),
        )
        for one in found.values()
    ]
    return sorted(shared, key=best_first)


def _asks_only_for(query: str, named: dict[str, Entity]) -> bool:
    """Tell whether a question says nothing but names."""
    said = {normalise_name(term) for term in query_terms(query)}
    return all(any(term in name for name in named) for term in said)
