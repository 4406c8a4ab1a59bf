"""The search pipeline: full text and vectors, fused, ranked, filtered by relevance.

Before ranking, memories linked to an entity that the query names become candidates and get a
higher score; why links rather than more words: docs/adr/0016-entities.md. After filtering, a
cross-encoder, if one is configured, reorders the first results; relevance stays as it was.
Imported by the first query, so that commands that only list do not pay for it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import TypeVar

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.decay import Factors
from aforesaid.domain.model.entity import (
    USER,
    Entity,
    first_names_in,
    names_in,
    normalise_name,
    spaced_name,
)
from aforesaid.domain.model.memory import Filters, Hit, Memory, Visibility
from aforesaid.domain.retrieval.fusion import (
    CANDIDATES,
    MAX_TEXTS_READ,
    NEIGHBOURS_EACH_SIDE,
    RELEVANCE_SCORED,
    WEIGHTS,
    SearchCandidate,
    Weights,
    best_first,
    boost,
    fuse,
)
from aforesaid.domain.retrieval.ranking import explain, rank_candidates
from aforesaid.domain.retrieval.relevance import NO_MATCH, answer_probability
from aforesaid.domain.retrieval.term_matching import contained_phrases
from aforesaid.domain.text.tokenize import (
    MIN_CORRECTED_CHARS,
    query_groups,
    query_terms,
    spelt_words,
)
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Embedder, Store
from aforesaid.ports.reranker import Reranker

from .filters import (
    filter_relevant,
    rank_same_numbers_first,
    rank_summaries_before_sources,
    score_relevance,
)
from .query import RecallHit, RecallQuery, RecallResult, fit_to_budget, hide_forgotten_text
from .rerank import rerank
from .supersede_filter import resolve_superseded
from .to_come import rank_current_first
from .topic_rollup import roll_up_to_depth

MAX_CORRECTED_WORDS = 8  #: words of a query that are looked up


class Spelling(Value):
    """Words of a query that no memory contains, each with similar words that occur in some."""

    similar_words: dict[str, list[str]] = {}

    @property
    def terms(self) -> list[str]:
        """The similar words, to be searched as well."""
        return list(dict.fromkeys(word for words in self.similar_words.values() for word in words))

    def notes(self, texts: Iterable[str]) -> list[str]:
        """Return which corrections these texts contain, as notes for the reader."""
        present = (
            {word for text in texts for word in spelt_words(text)} if self.similar_words else set()
        )
        return [
            f'also read "{misspelled}" as "{word}"'
            for misspelled, words in self.similar_words.items()
            for word in words
            if word in present
        ]


def read_spelling(store: Store, query: str, visible: Visibility) -> Spelling:
    """Return corrections of a query's words, from memories that the caller may see."""
    words = [
        group[0]
        for group in query_groups(query)
        if len(group) == 1 and len(group[0]) >= MIN_CORRECTED_CHARS and group[0].isalpha()
    ]
    return Spelling(
        similar_words=store.search.near_words(words[:MAX_CORRECTED_WORDS], visible) if words else {}
    )


MAX_LINKED = 20


def find_query_entities(store: Store, query: str, visible: Visibility) -> dict[str, Entity]:
    """Return the entities that a query names, by the normalised name it uses for each.

    A first name also means the only person who is known to have it.
    """
    entities = store.entities.named(names_in(query), visible)
    others = {name: entity for name, entity in entities.items() if entity.normalised != USER}
    people = store.entities.with_first_name(first_names_in(query), visible).values()
    return others | {each[0].normalised: each[0] for each in people if len(each) == 1}


def namesake_notes(store: Store, query: str, visible: Visibility) -> list[str]:
    """Return which persons each first name of a query may mean, where it is not clear."""
    people = store.entities.with_first_name(first_names_in(query), visible).values()
    namesakes = [each for each in people if len(each) > 1]
    full_names = store.entities.named(names_in(query), visible) if namesakes else {}
    return [
        f"{each[0].name.split()[0]!r} may be {' or '.join(person.name for person in each)}"
        for each in namesakes
        if not any(person.normalised in full_names for person in each)
    ]


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

    A memory is about an entity if it is linked to it or names it.

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
    names_by_entity = {
        entity.key: [spaced_name(name) for name in (entity.name, *entity.aliases)]
        for entity in entities.values()
    }
    for memory in store.memories.get(list(by_head)):
        own = None if memory.entity is None else store.entities.get(memory.entity)
        for key, names in names_by_entity.items():
            if (own is not None and own.key == key) or contained_phrases(names, memory.content):
                linked[memory.key] = entities[key].name
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

    def search(
        self, query: RecallQuery, visible: Visibility, *, include_distant: bool = False
    ) -> RecallResult:
        """Return the memories that answer a query, best first, within its token budget.

        Args:
            query: with a text.
            visible: what the caller may see.
            include_distant: also return memories whose vectors are too distant for a candidate.
        """
        if query.filters.until is not None:
            query = query.replace(filters=query.filters.replace(or_valid=True))
        text = query.query or ""
        now = self._clock.now()
        degradations: list[str] = []
        weights = WEIGHTS.replace(near=-1.0) if include_distant else WEIGHTS
        fused, vector_hits, spelling = self._find_candidates(query, visible, degradations, weights)
        ranked = self._rank(query, fused, visible)
        memories = self._load(ranked)
        ranked = self._boost(ranked, memories, now)
        hits = [_hit(candidate, memories[candidate.head]) for candidate in ranked]
        matched = {candidate.head: memories.get(candidate.matched) for candidate in ranked}
        hits, signals = score_relevance(self._store, text, hits, matched, vector_hits, visible)
        best = max((hit.relevance or 0.0 for hit in hits), default=0.0)
        hits = rerank(self._reranker, text, hits, degradations)
        hits = rank_same_numbers_first(text, hits)
        hits = resolve_superseded(self._store, query, hits, visible, now, vectors=bool(vector_hits))
        hits = rank_current_first(hits, query.filters.as_of or now)
        results = rank_summaries_before_sources(filter_relevant(hits, query.min_relevance, best))
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
        degradations += namesake_notes(self._store, text, visible)
        answered = answer_probability(signals, vectors=bool(vector_hits))
        return fit_to_budget(query, results).replace(
            total_matched=total,
            signals=signals,
            answered=round(answered, 2),
            no_good_match=bool(results) and max(hit.relevance or 0.0 for hit in results) < NO_MATCH,
            degradations=tuple(degradations),
        )

    def _find_candidates(
        self, query: RecallQuery, visible: Visibility, degradations: list[str], weights: Weights
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
            vector_hits = self._with_unembedded(vector_hits, word_hits, vector, model)
        fused = fuse(word_hits, vector_hits, weights)
        fused = expand_by_entities(self._store, text, visible, filters, fused, vector, model)
        if filters.include_history:
            fused = [candidate.replace(head=candidate.matched) for candidate in fused]
        return fused, vector_hits, spelling

    def _with_unembedded(
        self, vector_hits: Sequence[Hit], word_hits: Sequence[Hit], vector: bytes, model: str | None
    ) -> list[Hit]:
        """Return the vector hits, and the word hits without a vector, their cosine estimated.

        A memory has no vector if it was just stored, or while the model is being changed. The
        estimate rises with the score of its words.
        """
        near = {hit.key for hit in vector_hits}
        keys = [hit.key for hit in word_hits if hit.key not in near]
        missing = self._store.search.without_vector(keys, vector, model)
        if not missing or not vector_hits:
            return list(vector_hits)
        span = max(hit.score for hit in vector_hits) - WEIGHTS.floor
        best = max(hit.score for hit in word_hits)
        added = [
            hit.replace(score=WEIGHTS.floor + span * hit.score / best)
            for hit in word_hits
            if hit.key in missing
        ]
        return sorted([*vector_hits, *added], key=lambda hit: -hit.score)

    def _rank(
        self, query: RecallQuery, fused: Sequence[SearchCandidate], visible: Visibility
    ) -> list[SearchCandidate]:
        """Return the best candidates and their neighbours in the same sessions, best first."""
        limit = max(MAX_TEXTS_READ, query.max_results)
        matched_by_head = {candidate.head: candidate.matched for candidate in fused[:limit]}
        session_order = self._store.session_order
        session_neighbours = session_order.neighbours(
            list(matched_by_head), visible, query.filters, NEIGHBOURS_EACH_SIDE
        )
        neighbours = {
            key: key for entry in session_neighbours for key in (*entry.before, *entry.after)
        }
        text_of = session_order.texts([*matched_by_head.values(), *neighbours])
        texts = {
            head: text_of[matched]
            for head, matched in (neighbours | matched_by_head).items()
            if matched in text_of
        }
        return rank_candidates(
            query.query or "",
            fused,
            session_neighbours,
            texts,
            max(RELEVANCE_SCORED, query.max_results),
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
        score=round(min(candidate.score, 1.0), 3),
        superseded_query_hit=candidate.matched != candidate.head,
    )


def _explain(hits: Sequence[RecallHit], ranked: Sequence[SearchCandidate]) -> list[RecallHit]:
    """Return the hits with what ordered them appended to their reasons."""
    reasons = {candidate.head: explain(candidate) for candidate in ranked}
    return [
        hit.replace(why=", ".join(filter(None, (hit.why, reasons.get(hit.memory.key)))))
        for hit in hits
    ]
