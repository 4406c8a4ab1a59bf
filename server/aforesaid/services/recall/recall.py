"""Recall answers by a query, by ids, or by filters alone.

A cursor is text that stands for the end of one page, with which the next page is requested.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.model.decay import FACTORS, Factors
from aforesaid.domain.model.memory import Memory, PageCursor, Visibility
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.ports import Clock, DateReader, Embedder, Store
from aforesaid.ports.reranker import Reranker
from aforesaid.services.resolve_id import locate, visibility_including

from .query import (
    DEFAULT_RELATED,
    DEFAULT_STEPS,
    MAX_RELATED,
    RecallHit,
    RecallQuery,
    RecallResult,
    fit_to_budget,
    hide_forgotten_text,
    take_within_budget,
    token_budget,
    traverse_relations,
    validate_query,
)
from .topic_rollup import roll_up_to_depth
from .usage_tracker import UsageTracker

if TYPE_CHECKING:
    from .hybrid_search import HybridSearch

MAX_DAY_DIGITS = 9  #: SQLite cannot hold a number with many more
_OFFSET = "place-"  #: prefix of a cursor into results of one depth
_MAX_OFFSET_CHARS = 12


def cursor_after(memory: Memory) -> str:
    """Return the cursor for the page after the one that ends with this memory."""
    position = PageCursor.of(memory)
    return f"{position.pinned:d}_{position.day}_{position.importance!r}_{position.id}"


def read_cursor(cursor: str) -> PageCursor:
    """Return the position that a cursor stands for.

    Raises:
        InvalidInputError: it is not a valid cursor.
    """
    try:
        pinned, day, importance, identity = cursor.strip().split("_")
        return PageCursor(
            pinned=pinned == "1",
            day=int(day[:MAX_DAY_DIGITS]),
            importance=float(importance),
            id=identity,
        )
    except ValueError:
        raise _invalid(cursor) from None


def cursor_at(offset: int) -> str:
    """Return the cursor for results of one depth, from an offset on."""
    return f"{_OFFSET}{offset}"


def read_offset(cursor: str | None) -> int:
    """Return the offset that a cursor into results of one depth stands for; 0 without a cursor.

    Raises:
        InvalidInputError: it is not a valid cursor.
    """
    if cursor is None:
        return 0
    digits = cursor.removeprefix(_OFFSET)
    well_formed = digits != cursor and len(cursor) <= _MAX_OFFSET_CHARS
    if not (well_formed and digits.isascii() and digits.isdigit()):
        raise _invalid(cursor)
    return int(digits)


def _invalid(cursor: str) -> InvalidInputError:
    return InvalidInputError(f"invalid cursor {cursor[:80]!r}: pass next_cursor unchanged")


MAX_ROLLED_UP = 500  #: memories that filters alone may select before they are rolled up
TOO_MANY_IDS = "the answer is full: ask again for {}"
MAX_NEAREST = 2  #: results if nothing matches
IN_FUTURE = "since is in the future: nothing is known from then on"
NO_WORDS = "the query has neither letters nor digits"
ARCHIVED_ONLY = "archived memories only: no memory in force matches"


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
        """Create the read path.

        Args:
            store: where memories are.
            clock: the present time.
            embedder: returns the embedder, or None while there is none (words only).
            dates: reads time expressions in queries; None leaves queries as they are.
            reranker: returns the reranker; None if none is configured.
            factors: how fast memories fade, and how use strengthens them.
        """
        self._store = store
        self._clock = clock
        self._embedder = embedder
        self._dates = dates
        self._reranker = reranker
        self._factors = factors
        #: recalls that are not yet recorded as usage
        self.uses = UsageTracker(store, clock, factors)

    @cached_property
    def _search(self) -> HybridSearch:
        from .hybrid_search import HybridSearch  # not needed by commands that only list

        return HybridSearch(self._store, self._clock, self._embedder, self._reranker, self._factors)

    def prepare(self) -> None:
        """Import what queries need, so that the first query does not wait for it."""
        from . import filters  # noqa: F401 - imported for later

        assert self._search

    def recall(self, query: RecallQuery, visible: Visibility) -> RecallResult:
        """Return the memories that answer a query, best first, within its token budget.

        Raises:
            InvalidInputError: the query is empty, or a limit is exceeded.
        """
        if visible.tasks and not query.query and not query.ids:
            query = query.replace(filters=query.filters.replace(tasks=visible.tasks))
        query = validate_query(query)
        if query.ids:
            result = self._by_ids(query, visible)
        elif query.query:
            result = self._by_query(query, visible)
        else:
            result = self._by_filters(query, visible)
        result = self._with_replacements(result, visible)
        now = self._clock.now()
        if not result.results and (query.filters.since or 0) > now:
            result = result.replace(degradations=(*result.degradations, IN_FUTURE))
        at = query.filters.as_of or now
        hits = (
            hit.replace(expired=hit.memory.is_expired(at), to_come=hit.memory.is_to_come(at))
            for hit in result.results
        )
        return self._with_related(query, result.replace(results=tuple(hits)), visible)

    # -- by ids

    def _by_ids(self, query: RecallQuery, visible: Visibility) -> RecallResult:
        hits = []
        unknown = {}
        for reference in query.ids:
            try:
                memory = locate(self._store, reference, visible)
            except AforesaidError as error:
                unknown[reference] = error
            else:
                hits.append(RecallHit(memory=hide_forgotten_text(memory)))
        result = fit_to_budget(query, hits)
        left_out = [reference for reference in query.ids if reference not in unknown]
        left_out = left_out[len(result.results) :]
        return result.replace(
            total_matched=len(hits),
            not_found=tuple(f"{clean_text(name)[:60]}: {why}" for name, why in unknown.items()),
            degradations=(TOO_MANY_IDS.format(", ".join(left_out)),) if left_out else (),
        )

    # -- by a query

    def _by_query(self, query: RecallQuery, visible: Visibility) -> RecallResult:
        """Search memories in force; if nothing matches, archived ones, then return the nearest."""
        if not any(map(str.isalnum, query.query or "")):
            return RecallResult(answered=0.0, degradations=(NO_WORDS,))
        result = self._search_period(query, visible)
        filters = query.filters
        if result.results or filters.include_archived or filters.as_of is not None:
            return result
        archived = self._search_period(
            query.replace(filters=filters.replace(include_archived=True)), visible
        )
        if not archived.results:
            few = query.replace(max_results=min(query.max_results, MAX_NEAREST))
            found = self._search.search(few, visible, include_distant=True)
            return found.replace(degradations=result.degradations)
        return archived.replace(degradations=(*archived.degradations, ARCHIVED_ONLY))

    def _search_period(self, query: RecallQuery, visible: Visibility) -> RecallResult:
        """Search the period that the query names; all time if nothing in it matches.

        Raises:
            InvalidInputError: the query has a cursor, but its results are not paged.
        """
        from .filters import extract_time_filter

        period = None
        if self._dates is not None and query.query:
            period = extract_time_filter(query.query, query.filters, self._dates, self._clock)
        if query.cursor and (period is None or period.query):
            raise InvalidInputError(
                "cursor works only without a query: leave it out, or raise max_results to get more "
                "results"
            )
        if period is None:
            return self._search.search(query, visible)
        narrowed = query.replace(query=period.query, filters=period.filters)
        search = self._search.search if period.query else self._by_filters
        result, note = search(narrowed, visible), period.note
        if not result.total_matched:
            result, note = self._search.search(query, visible), period.empty_note
        return result.replace(degradations=(*result.degradations, note))

    # -- by filters alone

    def _by_filters(self, query: RecallQuery, visible: Visibility) -> RecallResult:
        if query.depth is not None:
            return self._by_depth(query, query.depth, visible)
        after = None if query.cursor is None else read_cursor(query.cursor)
        limit = query.max_results + 1  # one more shows whether there is a next page
        memories = self._store.memories.select(visible, query.filters, limit, after)
        hits = [
            RecallHit(
                memory=memory if query.filters.forgotten_only else hide_forgotten_text(memory)
            )
            for memory in memories[: query.max_results]
        ]
        result = fit_to_budget(query, hits)
        more = len(result.results) < len(memories)
        return result.replace(
            total_matched=self._store.memories.count(visible, query.filters),
            next_cursor=cursor_after(result.results[-1].memory) if more else None,
        )

    def _by_depth(self, query: RecallQuery, depth: int, visible: Visibility) -> RecallResult:
        """Return the newest and most important results at one depth of the topic tree."""
        start = read_offset(query.cursor)
        memories = self._store.memories.select(visible, query.filters, MAX_ROLLED_UP)
        hits, total = roll_up_to_depth(
            self._store,
            [RecallHit(memory=memory) for memory in memories],
            depth,
            visible,
            start=start,
            count=query.max_results,
        )
        result = fit_to_budget(query, hits)
        end = start + len(result.results)
        return result.replace(
            total_matched=total,
            next_cursor=cursor_at(end) if result.results and end < total else None,
        )

    # -- completing a result

    def _with_replacements(self, result: RecallResult, visible: Visibility) -> RecallResult:
        """Name the visible head of each superseded hit."""
        heads = {hit.memory.head for hit in result.results if hit.memory.superseded_by is not None}
        if not heads:
            return result
        visible_heads = {
            memory.key
            for memory in self._store.memories.get(list(heads))
            if memory.project in visible.projects
        }
        return result.replace(
            results=tuple(
                hit.replace(replaced_by=hit.memory.head)
                if hit.memory.superseded_by is not None and hit.memory.head in visible_heads
                else hit
                for hit in result.results
            )
        )

    def _with_related(
        self, query: RecallQuery, result: RecallResult, visible: Visibility
    ) -> RecallResult:
        """Add linked memories to the hits, as far as the token budget goes."""
        depth = query.include_related
        limit = DEFAULT_RELATED if depth is None else MAX_RELATED
        if depth is None:
            depth = 0 if query.summary_only else DEFAULT_STEPS
        memories = [hit.memory for hit in result.results if hit.node is None]
        roots = [memory.head for memory in memories if memory.forgotten_at is None]
        if not depth or not roots or query.filters.as_of is not None:
            return result
        if query.ids:
            visible = visibility_including(visible, *memories)
        related = traverse_relations(self._store, roots, visible, depth=depth, limit=limit)
        shown_keys = {memory.key for memory in memories}
        spent = result.token_estimate
        hits = []
        for hit in result.results:
            linked = related.get(hit.memory.head, ()) if hit.node is None else ()
            items, cost = take_within_budget(linked, shown_keys, token_budget(query) - spent)
            spent += cost
            hits.append(hit.replace(related=items))
        return result.replace(results=tuple(hits), token_estimate=spent)
