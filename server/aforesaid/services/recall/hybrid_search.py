"""The search pipeline: full text and vectors, fused, ranked, filtered by relevance.

Imported by the first query, so that commands that only list do not pay for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.decay import Factors
from aforesaid.domain.model.memory import Hit, Memory, Visibility
from aforesaid.domain.retrieval.fusion import (
    CANDIDATES,
    REACH,
    RELEVANCE_SCORED,
    TEXTS_READ,
    SearchCandidate,
    best_first,
    boost,
    fuse,
)
from aforesaid.domain.retrieval.ranking import explain, rank_candidates
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.ports import Clock, Embedder, Store
from aforesaid.ports.reranker import Reranker

from .entity_expansion import expand_by_entities
from .query import RecallHit, RecallQuery, RecallResult
from .relevance_filter import (
    filter_relevant,
    rank_summaries_before_sources,
    rerank_by_relevance,
    score_relevance,
)
from .rerank import rerank
from .result_budget import fit_to_budget, hide_forgotten_text
from .spelling import Spelling, read_spelling
from .supersede_filter import resolve_superseded
from .topic_rollup import roll_up_to_depth

NO_VECTORS = "words only: sqlite-vec or the embedding model is not installed"
NO_MODEL = "words only: the embedding model is not loaded yet"

T = TypeVar("T")


class HybridSearch:
    """Answers queries by words and vectors."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        embedder: Callable[[], Embedder | None],
        reranker: Callable[[], Reranker | None] | None,
        factors: Factors,
    ) -> None:
        """Take the same dependencies as ``Recall``."""
        self._store = store
        self._clock = clock
        self._embedder = embedder
        self._reranker = reranker
        self._factors = factors

    def search(self, query: RecallQuery, visible: Visibility) -> RecallResult:
        """Return the memories that answer a query, best first, within its token budget."""
        text = query.query or ""
        now = self._clock.now()
        degradations: list[str] = []
        fused, vector_hits, spelling = self._find_candidates(query, visible, degradations)
        ranked = self._rank(query, fused, visible)
        memories = self._load(ranked)
        ranked = self._boost(ranked, memories, now)
        hits = [_hit(candidate, memories[candidate.head]) for candidate in ranked]
        matched = {candidate.head: memories.get(candidate.matched) for candidate in ranked}
        hits = score_relevance(self._store, text, hits, matched, vector_hits, visible)
        hits = rerank_by_relevance(hits)
        hits = rerank(self._reranker, text, hits, degradations)
        hits = resolve_superseded(self._store, query, hits, visible, now, vectors=bool(vector_hits))
        results = rank_summaries_before_sources(filter_relevant(hits, query.min_relevance))
        if hits and not results:
            degradations.append(f"no result reaches min_relevance {query.min_relevance}")
        total = len(results)
        if not query.min_relevance:  # matches that were not ranked count, too
            total += max(sum(candidate.score > 0 for candidate in fused) - len(hits), 0)
        if query.depth is None:
            results = results[: query.max_results]
        results = _explain(results, ranked)
        if query.depth is not None:
            results, total = roll_up_to_depth(
                self._store, results, query.depth, visible, count=query.max_results
            )
        degradations += spelling.notes(hit.memory.content for hit in results)
        return fit_to_budget(query, results).replace(
            total_matched=total, degradations=tuple(degradations)
        )

    def _find_candidates(
        self, query: RecallQuery, visible: Visibility, degradations: list[str]
    ) -> tuple[list[SearchCandidate], Sequence[Hit], Spelling]:
        """Return the fused candidates, the hits of the vector search, and corrected spellings.

        The query is embedded while the full text is searched.
        """
        text, filters = query.query or "", query.filters
        limit = max(CANDIDATES, query.max_results)
        embedder = self._embedder()
        embedding = vector = model = None
        if not self._store.search.has_vectors:
            degradations.append(NO_VECTORS)
        elif embedder is None:
            degradations.append(NO_MODEL)
        else:
            model = embedder.model
            embedding = run_in_background(lambda: embedder.embed_query(text))
        spelling = read_spelling(self._store, text, visible)
        terms = [*query_terms(text), *spelling.terms]
        word_hits = self._store.search.by_words(terms, visible, filters, limit)
        try:
            vector = embedding.result() if embedding is not None else None
        except UnavailableError as error:  # an API that does not answer
            degradations.append(f"words only: {error}")
        vector_hits: Sequence[Hit] = []
        if vector is not None:
            vector_hits = self._store.search.by_vector(vector, visible, filters, limit, model)
        fused = fuse(word_hits, vector_hits)
        fused = expand_by_entities(self._store, text, visible, filters, fused, vector, model)
        if filters.history:
            fused = [candidate.replace(head=candidate.matched) for candidate in fused]
        return fused, vector_hits, spelling

    def _rank(
        self, query: RecallQuery, fused: Sequence[SearchCandidate], visible: Visibility
    ) -> list[SearchCandidate]:
        """Return the best candidates and their neighbours in the same sessions, best first."""
        limit = max(TEXTS_READ, query.max_results)
        spreading = {candidate.head: candidate.matched for candidate in fused[:limit]}
        session_order = self._store.session_order
        around = session_order.neighbours(list(spreading), visible, query.filters, REACH)
        neighbours = {key: key for entry in around for key in (*entry.before, *entry.after)}
        text_of = session_order.texts([*spreading.values(), *neighbours])
        texts = {
            head: text_of[matched]
            for head, matched in (neighbours | spreading).items()
            if matched in text_of
        }
        return rank_candidates(
            query.query or "", fused, around, texts, max(RELEVANCE_SCORED, query.max_results)
        )

    def _load(self, candidates: Sequence[SearchCandidate]) -> dict[int, Memory]:
        keys = dict.fromkeys(
            key for candidate in candidates for key in (candidate.head, candidate.matched)
        )
        return {memory.key: memory for memory in self._store.memories.get(list(keys))}

    def _boost(
        self, candidates: Sequence[SearchCandidate], memories: dict[int, Memory], now: int
    ) -> list[SearchCandidate]:
        """Return the candidates that still exist, boosted by retention and pin, best first."""
        boosted = [
            boost(candidate, memories[candidate.head], now, factors=self._factors)
            for candidate in candidates
            if candidate.head in memories
        ]
        return sorted(boosted, key=best_first)


def run_in_background(work: Callable[[], T]) -> Future[T]:
    """Run work in a daemon thread. It must not use a store: a connection belongs to one thread."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised where the result is read
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future


def _hit(candidate: SearchCandidate, memory: Memory) -> RecallHit:
    return RecallHit(
        memory=hide_forgotten_text(memory),
        score=candidate.score,
        superseded_query_hit=candidate.matched != candidate.head,
    )


def _explain(hits: Sequence[RecallHit], ranked: Sequence[SearchCandidate]) -> list[RecallHit]:
    """Return the hits with what ordered them appended to their reasons."""
    reasons = {candidate.head: explain(candidate) for candidate in ranked}
    return [
        hit.replace(why=", ".join(filter(None, (hit.why, reasons.get(hit.memory.key)))))
        for hit in hits
    ]
