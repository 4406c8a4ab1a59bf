"""Answering from memory: by a question, by ids, or by filters alone."""

from __future__ import annotations

from functools import partial

from aforesaid.domain.budget import count_tokens, cut_to_tokens
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.fingerprint import content_hash
from aforesaid.domain.memory import Memory, Visibility
from aforesaid.domain.privacy import clean_text
from aforesaid.domain.ranking import best_first, boost, explain, fuse, in_order
from aforesaid.domain.ranking.weights import CANDIDATES, JUDGED, REACH, SPREADERS
from aforesaid.domain.words import query_terms
from aforesaid.services.organising.locate import locate, seen_with

from .cursor import cursor_after, read_cursor
from .in_force import newest_first
from .levels import PLACE, at_level, read_place
from .meanwhile import begin
from .question import Question, Recalled, Result, budget_of, checked
from .related import DEPTH, MOST_SHOWN, SHOWN, fit, walk
from .relevant import relevant, weigh
from .rerank import rerank
from .spelling import read_spelling
from .spoken_of import add_linked
from .summed_up import summaries_first
from .timed import narrow
from .uses import Uses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from aforesaid.domain.ranking import Candidate
    from aforesaid.ports import Clock, DateReader, Embedder, Store
    from aforesaid.ports.reranker import Reranker


MOST_LIFTED = 500  #: memories that filters alone may lift to one depth
RESULT_TOKENS = 60  #: what a result's other fields cost beside its text, about
SUMMARY_TOKENS = 25
NO_VECTORS = "words only: sqlite-vec or the embedding model is not installed"
SET_ASIDE = "set aside by maintenance long ago; nothing in force answers"
#: Stands for a text that the disk has altered.
DAMAGED = "[this text was damaged on the disk: `aforesaid doctor --deep` says what can be done]"
NO_MODEL = "words only: the embedding model is not loaded yet"


class Recall:
    """The read path of memories."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        embedder: Callable[[], Embedder | None],
        dates: DateReader | None = None,
        reranker: Callable[[], Reranker | None] | None = None,
    ) -> None:
        """Join the read path to its world.

        Args:
            store: where memories are.
            clock: the present time.
            embedder: gives the embedder, or None while there is none (words only).
            dates: reads when a question speaks of; None takes every question as it is.
            reranker: gives what orders the first results anew, or None where none is chosen.
        """
        self._store = store
        self._clock = clock
        self._embedder = embedder
        self._dates = dates
        self._reranker = reranker
        self.uses = Uses(store, clock)  #: what was recalled, until it is written that it was

    def recall(self, question: Question, visible: Visibility) -> Recalled:
        """Return what answers a question, best first, within its budget.

        Raises:
            InvalidInputError: nothing is asked, or a limit is exceeded.
        """
        if visible.tasks and not question.query and not question.ids:  # what a task itself holds
            question = question.replace(filters=question.filters.replace(tasks=visible.tasks))
        question = checked(question)
        if question.ids:
            answer = self._by_ids(question, visible)
        elif question.query:
            answer = self._or_set_aside(question, visible)
        else:
            answer = self._by_filters(question, visible)
        return self._with_related(question, self._with_heads(answer, visible), visible)

    def _with_heads(self, answer: Recalled, visible: Visibility) -> Recalled:
        """Return an answer whose replaced results name what replaced them, as far as is seen."""
        heads = {one.memory.head for one in answer.results if one.memory.superseded_by is not None}
        if not heads:
            return answer
        shown = {one.key for one in self._store.get(list(heads)) if one.project in visible.projects}
        return answer.replace(
            results=tuple(
                one.replace(replaced_by=one.memory.head)
                if one.memory.superseded_by is not None and one.memory.head in shown
                else one
                for one in answer.results
            )
        )

    def _or_set_aside(self, question: Question, visible: Visibility) -> Recalled:
        """Return what answers; where nothing does, what maintenance set aside."""
        answer = self._in_its_time(question, visible)
        filters = question.filters
        if answer.results or filters.archived or filters.as_of is not None:
            return answer
        aside = question.replace(filters=filters.replace(archived=True))
        found = self._in_its_time(aside, visible)
        if not found.results:
            return answer
        return found.replace(degradations=(*found.degradations, SET_ASIDE))

    def _in_its_time(self, question: Question, visible: Visibility) -> Recalled:
        """Return what answers within the time that a question speaks of, else at any time."""
        timed = None
        if self._dates is not None and question.query:
            timed = narrow(question.query, question.filters, self._dates, self._clock)
        if timed is None:
            return self._by_query(question, visible)
        within = question.replace(query=timed.query, filters=timed.filters)
        answer = (self._by_query if timed.query else self._by_filters)(within, visible)
        said = timed.note
        if not answer.total_matched:
            answer, said = self._by_query(question, visible), timed.empty_note
        return answer.replace(degradations=(*answer.degradations, said))

    def _with_related(self, question: Question, answer: Recalled, visible: Visibility) -> Recalled:
        """Return an answer with what its results are linked to, as far as its budget goes."""
        asked = question.include_related
        depth = asked if asked is not None else 0 if question.summary_only else DEPTH
        shown = [one.memory for one in answer.results if one.node is None]
        roots = [one.head for one in shown if one.forgotten_at is None]
        if not depth or not roots or question.filters.as_of is not None:
            return answer
        if question.ids:
            visible = seen_with(visible, *shown)
        most = SHOWN if asked is None else MOST_SHOWN
        found = walk(self._store, roots, visible, depth=depth, most=most)
        told = {one.key for one in shown}
        spent = answer.token_estimate
        results = []
        for result in answer.results:
            near = found.get(result.memory.head, ()) if result.node is None else ()
            items, cost = fit(near, told, budget_of(question) - spent)
            spent += cost
            results.append(result.replace(related=items))
        return answer.replace(results=tuple(results), token_estimate=spent)

    # -- by meaning and words

    def _by_query(self, question: Question, visible: Visibility) -> Recalled:
        query = question.query or ""
        wide = max(CANDIDATES, question.max_results)
        vectors = []
        vector = None
        embedding = None
        degradations = []
        embedder = self._embedder()
        model = None if embedder is None else embedder.model
        if not self._store.has_vectors:
            degradations.append(NO_VECTORS)
        elif embedder is None:
            degradations.append(NO_MODEL)
        else:
            embedding = begin(partial(embedder.embed_query, query))
        spelling = read_spelling(self._store, query, visible)
        terms = [*query_terms(query), *spelling.terms]
        words = self._store.search_words(terms, visible, question.filters, wide)
        if embedding is not None:
            vector = _awaited(embedding, degradations)
        if vector is not None:
            vectors = self._store.search_vectors(vector, visible, question.filters, wide, model)
        fused = add_linked(
            self._store, query, visible, question.filters, fuse(words, vectors), vector, model
        )
        if question.filters.history:
            fused = [one.replace(head=one.matched) for one in fused]
        candidates = self._in_order(query, fused, visible, question)
        read = dict.fromkeys(key for one in candidates for key in (one.head, one.matched))
        memories = {one.key: one for one in self._store.get(list(read))}
        now = self._clock.now()
        ranked = sorted(
            (boost(one, memories[one.head], now) for one in candidates if one.head in memories),
            key=best_first,
        )
        results = [_result(one, memories[one.head]) for one in ranked]
        results = rerank(self._reranker, query, results, degradations)
        matched = {one.head: memories.get(one.matched) for one in ranked}
        found = weigh(self._store, query, results, matched, vectors, visible)
        found = newest_first(self._store, question, found, visible, vectors=bool(vectors))
        results = summaries_first(relevant(found, question.min_relevance))
        unread = 0 if question.min_relevance else max(len(fused) - len(found), 0)
        total = unread + len(results)
        if found and not results:
            degradations.append(f"nothing reaches min_relevance {question.min_relevance}")
        told = {one.head: one for one in ranked}
        if question.depth is None:
            results = results[: question.max_results]
        results = [_explained(one, told) for one in results]
        if question.depth is not None:
            results, total = at_level(
                self._store, results, question.depth, visible, count=question.max_results
            )
        degradations += spelling.told(one.memory.content for one in results)
        return _within_budget(question, results).replace(
            total_matched=total, degradations=tuple(degradations)
        )

    def _in_order(
        self, query: str, fused: Sequence[Candidate], visible: Visibility, question: Question
    ) -> list[Candidate]:
        """Return the best candidates, and what their sessions say beside them, best first."""
        wanted = max(SPREADERS, question.max_results)
        spreading = {one.head: one.matched for one in fused[:wanted]}
        around = self._store.surroundings(list(spreading), visible, question.filters, REACH)
        beside = {key: key for one in around for key in (*one.before, *one.after)}
        said = self._store.said([*spreading.values(), *beside])
        texts = {
            head: said[matched] for head, matched in (beside | spreading).items() if matched in said
        }
        limit = max(JUDGED, question.max_results)
        return in_order(query, fused, around, texts, limit)

    # -- by ids

    def _by_ids(self, question: Question, visible: Visibility) -> Recalled:
        results = []
        unknown = []
        for reference in question.ids:
            try:
                memory = locate(self._store, reference, visible)
            except AforesaidError as error:
                unknown.append(f"{clean_text(reference)[:60]}: {error}")
                continue
            results.append(Result(memory=_without_text_if_forgotten(memory)))
        return _within_budget(question, results).replace(
            total_matched=len(results), not_found=tuple(unknown)
        )

    # -- by filters alone

    def _by_filters(self, question: Question, visible: Visibility) -> Recalled:
        if question.depth is not None:
            return self._by_level(question, question.depth, visible)
        after = None if question.cursor is None else read_cursor(question.cursor)
        limit = question.max_results + 1  # one more tells whether there is a next page
        memories = self._store.select(visible, question.filters, limit, after)
        shown = [
            Result(memory=_without_text_if_forgotten(memory))
            for memory in memories[: question.max_results]
        ]
        answer = _within_budget(question, shown)
        more = len(answer.results) < len(memories)
        return answer.replace(
            total_matched=self._store.count(visible, question.filters),
            next_cursor=cursor_after(answer.results[-1].memory) if more else None,
        )

    def _by_level(self, question: Question, depth: int, visible: Visibility) -> Recalled:
        """Return the newest and most important at one depth of the tree, paged by their place."""
        start = read_place(question.cursor)
        memories = self._store.select(visible, question.filters, MOST_LIFTED)
        results, total = at_level(
            self._store,
            [Result(memory=memory) for memory in memories],
            depth,
            visible,
            start=start,
            count=question.max_results,
        )
        answer = _within_budget(question, results)
        following = start + len(answer.results)
        return answer.replace(
            total_matched=total,
            next_cursor=f"{PLACE}{following}" if answer.results and following < total else None,
        )


def _result(candidate: Candidate, memory: Memory) -> Result:
    return Result(
        memory=_without_text_if_forgotten(memory),
        score=round(min(max(candidate.score, 0.0), 1.0), 3),
        superseded_query_hit=candidate.matched != candidate.head,
    )


def _awaited(embedding: Callable[[], bytes], degradations: list[str]) -> bytes | None:
    """Return the question's vector; None where a model behind an API is down, which is told."""
    try:
        return embedding()
    except UnavailableError as error:
        degradations.append(f"words only: {error}")
        return None


def _explained(result: Result, candidates: Mapping[int, Candidate]) -> Result:
    """Return a result with what ordered it told behind the other reasons."""
    candidate = candidates.get(result.memory.key)
    if candidate is None:
        return result
    return result.replace(why=", ".join(part for part in (result.why, explain(candidate)) if part))


def _without_text_if_forgotten(memory: Memory) -> Memory:
    """Return a memory, of a forgotten one only that it was, and when; no longer what it said."""
    if memory.forgotten_at is None:
        return memory
    return memory.replace(content="", summary=None, tags=(), metadata={})


def _as_it_was_stored(result: Result) -> Result:
    """Return a result that says so where its text is no longer the one that was stored."""
    memory = result.memory
    if memory.forgotten_at is not None or memory.content_hash == content_hash(memory.content):
        return result
    return result.replace(memory=memory.replace(content=DAMAGED, summary=None))


def _within_budget(question: Question, results: Sequence[Result]) -> Recalled:
    """Return the results that fit; a first one that alone exceeds the budget is cut."""
    budget = budget_of(question)
    kept: list[Result] = []
    spent = 0
    for result in map(_as_it_was_stored, results):
        text = result.memory.preview if question.summary_only else result.memory.content
        if result.node is not None:
            text = result.node.text
        extra = SUMMARY_TOKENS if question.summary_only else RESULT_TOKENS
        cost = count_tokens(text) + extra
        if spent + cost > budget:
            if kept:
                break
            text = cut_to_tokens(text, max(budget - extra, 1))
            cost = count_tokens(text) + extra
        spent += cost
        kept.append(result.replace(**{"preview" if question.summary_only else "content": text}))
    return Recalled(results=tuple(kept), token_estimate=spent)
