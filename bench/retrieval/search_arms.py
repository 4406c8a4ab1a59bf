"""The ways to answer a question that are compared: ours, and what it is made of.

All ask the same store; each returns keys of memories, best first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aforesaid.domain.model.memory import Filters, Hit, Visibility
from aforesaid.domain.retrieval.fusion import CANDIDATES
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.services.recall.query import MAX_RESULTS, MAX_TOKENS, RecallQuery

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.operations.client_connection import ServiceContainer

#: Everything that is found, in its order.
UNCUT = RecallQuery(
    max_results=MAX_RESULTS, token_budget=MAX_TOKENS, summary_only=True, min_relevance=0.0
)
RRF_K = 60  #: Source: Cormack et al. 2009, Reciprocal Rank Fusion.


@dataclass(frozen=True)
class Found:
    """What words and meaning found for one question."""

    words: list[Hit]
    vectors: list[Hit]


def find(core: ServiceContainer, visible: Visibility, query: str) -> Found:
    """Return the candidates of both kinds, as recall takes them."""
    embedder = core.embedder.get()
    assert embedder is not None
    return _search(core, visible, query, embedder.embed_query(query))


def find_plain(core: ServiceContainer, visible: Visibility, query: str) -> Found:
    """Return the candidates of both kinds with the question's vector as the model gives it."""
    embedder = core.embedder.get()
    assert embedder is not None
    return _search(core, visible, query, embedder.embed_document(query)[0])


def _search(core: ServiceContainer, visible: Visibility, query: str, vector: bytes) -> Found:
    filters = Filters()
    return Found(
        words=core.store.search.by_words(query_terms(query), visible, filters, CANDIDATES),
        vectors=core.store.search.by_vector(vector, visible, filters, CANDIDATES),
    )


def ask_ours(core: ServiceContainer, place: CallContext, query: str) -> list[int]:
    """Return what the product's recall answers."""
    asked = UNCUT.replace(query=query)
    return [one.memory.key for one in core.recall.recall(asked, place.visible).results]


def by_hits(hits: Sequence[Hit]) -> list[int]:
    """Return heads in the order of their hits."""
    return list(dict.fromkeys(hit.head for hit in hits))


def by_rrf(found: Found, k: int = RRF_K) -> list[int]:
    """Return heads by reciprocal rank fusion of both lists, ties by key."""
    scores: dict[int, float] = {}
    for hits in (found.words, found.vectors):
        for rank, head in enumerate(by_hits(hits), 1):
            scores[head] = scores.get(head, 0.0) + 1 / (k + rank)
    return sorted(scores, key=lambda head: (-scores[head], head))
