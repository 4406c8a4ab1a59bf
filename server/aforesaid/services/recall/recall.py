"""Answering from memory: by a question, by ids, or by filters alone."""

from __future__ import annotations

from functools import cached_property

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.model.decay import FACTORS
from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.services.resolve_id import locate, visibility_including

from .graph_expansion import DEPTH, MAX_SHOWN, SHOWN, take_within_budget, traverse_relations
from .pagination import cursor_after, read_cursor
from .query import RecallHit, RecallQuery, RecallResult, token_budget, validate_query
from .result_budget import fit_to_budget, hide_forgotten_text
from .topic_rollup import PLACE, read_place, roll_up_to_depth
from .usage_tracker import UsageTracker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.model.decay import Factors
    from aforesaid.ports import Clock, DateReader, Embedder, Store
    from aforesaid.ports.reranker import Reranker

    from .hybrid_search import HybridSearch


MAX_LIFTED = 500  #: memories that filters alone may lift to one depth
SET_ASIDE = "set aside by maintenance long ago; nothing in force answers"


class Recall:
    """The read path of memories."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        embedder: Callable[[], Embedder | None],
        dates: DateReader | None = None,
        reranker: Callable[[], Reranker | None] | None = None,
        factors: Factors = FACTORS,
    ) -> None:
        """Join the read path to its world.

        Args:
            store: where memories are.
            clock: the present time.
            embedder: gives the embedder, or None while there is none (words only).
            dates: reads when a question speaks of; None takes every question as it is.
            reranker: gives what orders the first results anew, or None where none is chosen.
            factors: how fast memories fade, and what use gives them.
        """
        self._store = store
        self._clock = clock
        self._embedder = embedder
        self._dates = dates
        self._reranker = reranker
        self._factors = factors
        #: what was recalled, until it is written that it was
        self.uses = UsageTracker(store, clock, factors)

    @cached_property
    def _questions(self) -> HybridSearch:
        from .hybrid_search import HybridSearch  # what only lists needs none of it

        return HybridSearch(self._store, self._clock, self._embedder, self._reranker, self._factors)

    def prepare(self) -> None:
        """Import what questions need, so that the first one does not wait for that."""
        from . import time_filter  # noqa: F401 - imported for later

        assert self._questions

    def recall(self, question: RecallQuery, visible: Visibility) -> RecallResult:
        """Return what answers a question, best first, within its budget.

        Raises:
            InvalidInputError: nothing is asked, or a limit is exceeded.
        """
        if visible.tasks and not question.query and not question.ids:  # what a task itself holds
            question = question.replace(filters=question.filters.replace(tasks=visible.tasks))
        question = validate_query(question)
        if question.ids:
            answer = self._by_ids(question, visible)
        elif question.query:
            answer = self._fall_back_to_archived(question, visible)
        else:
            answer = self._by_filters(question, visible)
        return self._with_related(question, self._with_heads(answer, visible), visible)

    def _with_heads(self, answer: RecallResult, visible: Visibility) -> RecallResult:
        """Return an answer whose replaced results name what replaced them, as far as is seen."""
        heads = {one.memory.head for one in answer.results if one.memory.superseded_by is not None}
        if not heads:
            return answer
        shown = {
            one.key
            for one in self._store.memories.get(list(heads))
            if one.project in visible.projects
        }
        return answer.replace(
            results=tuple(
                one.replace(replaced_by=one.memory.head)
                if one.memory.superseded_by is not None and one.memory.head in shown
                else one
                for one in answer.results
            )
        )

    def _fall_back_to_archived(self, question: RecallQuery, visible: Visibility) -> RecallResult:
        """Return what answers; where nothing does, what maintenance set aside."""
        answer = self._answer_within_time(question, visible)
        filters = question.filters
        if answer.results or filters.archived or filters.as_of is not None:
            return answer
        aside = question.replace(filters=filters.replace(archived=True))
        found = self._answer_within_time(aside, visible)
        if not found.results:
            return answer
        return found.replace(degradations=(*found.degradations, SET_ASIDE))

    def _answer_within_time(self, question: RecallQuery, visible: Visibility) -> RecallResult:
        """Return what answers within the time that a question speaks of, else at any time.

        Raises:
            InvalidInputError: a page was asked for that there is not.
        """
        from .time_filter import extract_time_filter

        timed = None
        if self._dates is not None and question.query:
            timed = extract_time_filter(question.query, question.filters, self._dates, self._clock)
        if question.cursor and (timed is None or timed.query):
            raise InvalidInputError(
                "cursor pages through what filters give, and a query has one page: leave it out, "
                "or raise max_results"
            )
        if timed is None:
            return self._questions.answer(question, visible)
        within = question.replace(query=timed.query, filters=timed.filters)
        answer = (self._questions.answer if timed.query else self._by_filters)(within, visible)
        said = timed.note
        if not answer.total_matched:
            answer, said = self._questions.answer(question, visible), timed.empty_note
        return answer.replace(degradations=(*answer.degradations, said))

    def _with_related(
        self, question: RecallQuery, answer: RecallResult, visible: Visibility
    ) -> RecallResult:
        """Return an answer with what its results are linked to, as far as its budget goes."""
        asked = question.include_related
        depth = asked if asked is not None else 0 if question.summary_only else DEPTH
        shown = [one.memory for one in answer.results if one.node is None]
        roots = [one.head for one in shown if one.forgotten_at is None]
        if not depth or not roots or question.filters.as_of is not None:
            return answer
        if question.ids:
            visible = visibility_including(visible, *shown)
        most = SHOWN if asked is None else MAX_SHOWN
        found = traverse_relations(self._store, roots, visible, depth=depth, most=most)
        told = {one.key for one in shown}
        spent = answer.token_estimate
        results = []
        for result in answer.results:
            near = found.get(result.memory.head, ()) if result.node is None else ()
            items, cost = take_within_budget(near, told, token_budget(question) - spent)
            spent += cost
            results.append(result.replace(related=items))
        return answer.replace(results=tuple(results), token_estimate=spent)

    # -- by ids

    def _by_ids(self, question: RecallQuery, visible: Visibility) -> RecallResult:
        results = []
        unknown = []
        for reference in question.ids:
            try:
                memory = locate(self._store, reference, visible)
            except AforesaidError as error:
                unknown.append(f"{clean_text(reference)[:60]}: {error}")
                continue
            results.append(RecallHit(memory=hide_forgotten_text(memory)))
        return fit_to_budget(question, results).replace(
            total_matched=len(results), not_found=tuple(unknown)
        )

    # -- by filters alone

    def _by_filters(self, question: RecallQuery, visible: Visibility) -> RecallResult:
        if question.depth is not None:
            return self._by_level(question, question.depth, visible)
        after = None if question.cursor is None else read_cursor(question.cursor)
        limit = question.max_results + 1  # one more tells whether there is a next page
        memories = self._store.memories.select(visible, question.filters, limit, after)
        shown = [
            RecallHit(memory=hide_forgotten_text(memory))
            for memory in memories[: question.max_results]
        ]
        answer = fit_to_budget(question, shown)
        more = len(answer.results) < len(memories)
        return answer.replace(
            total_matched=self._store.memories.count(visible, question.filters),
            next_cursor=cursor_after(answer.results[-1].memory) if more else None,
        )

    def _by_level(self, question: RecallQuery, depth: int, visible: Visibility) -> RecallResult:
        """Return the newest and most important at one depth of the tree, paged by their place."""
        start = read_place(question.cursor)
        memories = self._store.memories.select(visible, question.filters, MAX_LIFTED)
        results, total = roll_up_to_depth(
            self._store,
            [RecallHit(memory=memory) for memory in memories],
            depth,
            visible,
            start=start,
            count=question.max_results,
        )
        answer = fit_to_budget(question, results)
        following = start + len(answer.results)
        return answer.replace(
            total_matched=total,
            next_cursor=f"{PLACE}{following}" if answer.results and following < total else None,
        )
