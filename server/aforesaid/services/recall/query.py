"""The values of recall: a query with its limits, a hit, a result."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters, Memory, check_unit_interval
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.domain.value import Value

from .graph_expansion import MAX_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.topic_tree import Node
    from aforesaid.domain.retrieval.relevance import RelevanceFeatures

    from .graph_expansion import Related

MAX_RESULTS = 50
MAX_TOKENS = 10_000
QUERY_CHARS = 8_000


class RecallQuery(Value):
    """A query with at least one of text, ids or a filter."""

    query: str | None = None
    ids: tuple[str, ...] = ()
    filters: Filters = Filters()
    max_results: int = 5
    token_budget: int | None = None
    summary_only: bool = False
    include_related: int | None = None  #: steps of relations; None: few, one step away
    cursor: str | None = None
    depth: int | None = None  #: of the topic tree: hits are rolled up or down to it
    min_relevance: float | None = None  #: None leaves out the far less relevant; 0 keeps all


class RecallHit(Value):
    """One memory that answers a query, and why."""

    memory: Memory
    score: float | None = None  #: in [0, 1]; None for ids and filters alone
    relevance: float | None = None  #: probability that it answers, in [0, 1]; None like score
    signals: RelevanceFeatures | None = None  #: features of the relevance
    why: str = ""
    replaced_by: int | None = None  #: key of its head, if the caller may see that
    superseded_query_hit: bool = False  #: an older version matched; this is its head
    content: str | None = None  #: cut to the budget; None in summaries
    preview: str | None = None  #: cut to the budget; in summaries only
    related: tuple[Related, ...] = ()  #: linked memories, nearest first
    node: Node | None = None  #: the topic or concept that stands for the memory
    stale: tuple[str, ...] = ()  #: changed or deleted anchors; filled by callers with a folder
    below: int = 0  #: number of memories below it in the topic tree, if a depth was given


class RecallResult(Value):
    """The hits of one query."""

    results: tuple[RecallHit, ...] = ()
    total_matched: int = 0
    token_estimate: int = 0
    degradations: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()
    next_cursor: str | None = None


def validate_query(query: RecallQuery) -> RecallQuery:
    """Return a query with its text and tags cleaned.

    Raises:
        InvalidInputError: it is empty, or exceeds a limit.
    """
    filters = query.filters
    has_filter = filters != Filters(min_confidence=filters.min_confidence)
    text = clean_text(query.query or "").strip()
    if not text and not query.ids and not has_filter:
        raise InvalidInputError(
            "empty query: give a query, ids, or a filter (type, scope, tags, since, as_of)"
        )
    if len(text) > QUERY_CHARS:
        raise InvalidInputError(
            f"query has {len(text)} characters, {QUERY_CHARS} at most: ask a shorter question"
        )
    if not 1 <= query.max_results <= MAX_RESULTS:
        raise InvalidInputError(f"max_results {query.max_results}: use 1 to {MAX_RESULTS}")
    if len(query.ids) > MAX_RESULTS:
        raise InvalidInputError(f"{len(query.ids)} ids, {MAX_RESULTS} at most in one call")
    depth = query.include_related
    if depth is not None and not 0 <= depth <= MAX_DEPTH:
        raise InvalidInputError(f"include_related {depth}: use 0 to {MAX_DEPTH}")
    if query.token_budget is not None and not 1 <= query.token_budget <= MAX_TOKENS:
        raise InvalidInputError(f"token_budget {query.token_budget}: use 1 to {MAX_TOKENS}")
    if query.min_relevance is not None:
        check_unit_interval("min_relevance", query.min_relevance)
    filters = filters.replace(tags=tuple(clean_text(tag) for tag in filters.tags))
    return query.replace(query=text or None, filters=filters)


def token_budget(query: RecallQuery) -> int:
    """Return how many tokens the result may have."""
    return query.token_budget or (2_000 if query.summary_only else 4_000)
