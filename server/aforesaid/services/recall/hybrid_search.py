"""Answering a question by meaning and words: found, fused, ordered, judged.

Imported by the first question: commands that only list never pay for it.
"""

from __future__ import annotations

from functools import partial

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.retrieval.explanations import explain
from aforesaid.domain.retrieval.fusion import best_first, boost, fuse
from aforesaid.domain.retrieval.ranking_weights import CANDIDATES, JUDGED, REACH, SPREADERS
from aforesaid.domain.retrieval.score import in_order
from aforesaid.domain.text.tokenize import query_terms

from .background import begin
from .entity_expansion import expand_by_entities
from .query import RecallHit, RecallQuery, RecallResult
from .relevance_filter import filter_relevant, rerank_by_relevance, score_relevance
from .rerank import rerank
from .result_budget import fit_to_budget, hide_forgotten_text
from .spelling import read_spelling
from .summary_order import rank_summaries_before_sources
from .supersede_filter import resolve_superseded
from .topic_rollup import roll_up_to_depth

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.retrieval.fusion import SearchCandidate
    from aforesaid.ports import Clock, Embedder, Store
    from aforesaid.ports.reranker import Reranker

NO_VECTORS = "words only: sqlite-vec or the embedding model is not installed"
NO_MODEL = "words only: the embedding model is not there yet"


class HybridSearch:
    """The read path of questions."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        embedder: Callable[[], Embedder | None],
        reranker: Callable[[], Reranker | None] | None,
        factors: Factors,
    ) -> None:
        """Join it to its world, as ``Recall`` is."""
        self._store = store
        self._clock = clock
        self._embedder = embedder
        self._reranker = reranker
        self._factors = factors

    def answer(self, question: RecallQuery, visible: Visibility) -> RecallResult:
        """Return what answers a question, best first, within its budget."""
        query = question.query or ""
        wide = max(CANDIDATES, question.max_results)
        vectors = []
        vector = None
        embedding = None
        degradations = []
        embedder = self._embedder()
        model = None if embedder is None else embedder.model
        if not self._store.search.has_vectors:
            degradations.append(NO_VECTORS)
        elif embedder is None:
            degradations.append(NO_MODEL)
        else:
            embedding = begin(partial(embedder.embed_query, query))
        spelling = read_spelling(self._store, query, visible)
        terms = [*query_terms(query), *spelling.terms]
        words = self._store.search.by_words(terms, visible, question.filters, wide)
        if embedding is not None:
            vector = _awaited(embedding, degradations)
        if vector is not None:
            vectors = self._store.search.by_vector(vector, visible, question.filters, wide, model)
        fused = expand_by_entities(
            self._store, query, visible, question.filters, fuse(words, vectors), vector, model
        )
        if question.filters.history:
            fused = [one.replace(head=one.matched) for one in fused]
        candidates = self._in_order(query, fused, visible, question)
        read = dict.fromkeys(key for one in candidates for key in (one.head, one.matched))
        memories = {one.key: one for one in self._store.memories.get(list(read))}
        now = self._clock.now()
        ranked = self._boosted(candidates, memories, now)
        results = [_result(one, memories[one.head]) for one in ranked]
        matched = {one.head: memories.get(one.matched) for one in ranked}
        found = score_relevance(self._store, query, results, matched, vectors, visible)
        found = rerank(self._reranker, query, rerank_by_relevance(found), degradations)
        found = resolve_superseded(
            self._store, question, found, visible, now, vectors=bool(vectors)
        )
        results = rank_summaries_before_sources(filter_relevant(found, question.min_relevance))
        matching = sum(one.score > 0 for one in fused)
        unread = 0 if question.min_relevance else max(matching - len(found), 0)
        total = unread + len(results)
        if found and not results:
            degradations.append(f"nothing reaches min_relevance {question.min_relevance}")
        told = {one.head: one for one in ranked}
        if question.depth is None:
            results = results[: question.max_results]
        results = [_explained(one, told) for one in results]
        if question.depth is not None:
            results, total = roll_up_to_depth(
                self._store, results, question.depth, visible, count=question.max_results
            )
        degradations += spelling.told(one.memory.content for one in results)
        return fit_to_budget(question, results).replace(
            total_matched=total, degradations=tuple(degradations)
        )

    def _boosted(
        self, candidates: Sequence[SearchCandidate], memories: Mapping[int, Memory], now: int
    ) -> list[SearchCandidate]:
        """Return those candidates that were read, moved by how well they are kept, best first."""
        read = [one for one in candidates if one.head in memories]
        boosted = (boost(one, memories[one.head], now, factors=self._factors) for one in read)
        return sorted(boosted, key=best_first)

    def _in_order(
        self,
        query: str,
        fused: Sequence[SearchCandidate],
        visible: Visibility,
        question: RecallQuery,
    ) -> list[SearchCandidate]:
        """Return the best candidates, and what their sessions say beside them, best first."""
        wanted = max(SPREADERS, question.max_results)
        spreading = {one.head: one.matched for one in fused[:wanted]}
        around = self._store.session_order.neighbours(
            list(spreading), visible, question.filters, REACH
        )
        beside = {key: key for one in around for key in (*one.before, *one.after)}
        said = self._store.session_order.texts([*spreading.values(), *beside])
        texts = {
            head: said[matched] for head, matched in (beside | spreading).items() if matched in said
        }
        limit = max(JUDGED, question.max_results)
        return in_order(query, fused, around, texts, limit)


def _result(candidate: SearchCandidate, memory: Memory) -> RecallHit:
    return RecallHit(
        memory=hide_forgotten_text(memory),
        score=candidate.score,
        superseded_query_hit=candidate.matched != candidate.head,
    )


def _awaited(embedding: Callable[[], bytes], degradations: list[str]) -> bytes | None:
    """Return the question's vector; None where a model behind an API is down, which is told."""
    try:
        return embedding()
    except UnavailableError as error:
        degradations.append(f"words only: {error}")
        return None


def _explained(result: RecallHit, candidates: Mapping[int, SearchCandidate]) -> RecallHit:
    """Return a result with what ordered it told behind the other reasons."""
    candidate = candidates.get(result.memory.key)
    if candidate is None:
        return result
    return result.replace(why=", ".join(part for part in (result.why, explain(candidate)) if part))
