"""What is asked of memory, and what an answer is.

Here: the values and their limits. Not here: answering (recall.py), ranking (domain/retrieval).
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters, Memory, check_unit_interval
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.domain.value import Value

from .graph_expansion import MAX_DEPTH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.topic_tree import Node
    from aforesaid.domain.retrieval.relevance_features import RelevanceFeatures

    from .graph_expansion import Related

MAX_RESULTS = 50
MAX_TOKENS = 10_000
QUERY_CHARS = 8_000


class RecallQuery(Value):
    """What is asked of memory. At least one of query, ids or a filter."""

    query: str | None = None
    ids: tuple[str, ...] = ()
    filters: Filters = Filters()
    max_results: int = 5
    token_budget: int | None = None
    summary_only: bool = False
    include_related: int | None = None  #: steps of relations; None: one, briefly, not in summaries
    cursor: str | None = None
    depth: int | None = None  #: of the topic tree: hits are lifted or lowered to it
    min_relevance: float | None = None  #: None: far behind a sure one is left out; 0: all


class RecallHit(Value):
    """One memory that answers, and why."""

    memory: Memory
    score: float | None = None  #: in [0, 1]; None for ids and filters alone
    relevance: float | None = None  #: how likely it answers, in [0, 1]; None as for score
    signals: RelevanceFeatures | None = None  #: what its relevance was made of
    why: str = ""
    replaced_by: int | None = None  #: key of what is in force in its place, if that is in sight
    superseded_query_hit: bool = False  #: an older version matched; this is the one in force
    content: str | None = None  #: as much as the budget allows, None in summaries
    preview: str | None = None  #: as much as the budget allows, in summaries alone
    related: tuple[Related, ...] = ()  #: what relations lead to from it, nearest first
    node: Node | None = None  #: the topic or concept that stands for the memory
    stale: tuple[
        str, ...
    ] = ()  #: what changed or went of what it cites; who has the place fills it
    below: int = 0  #: how many memories lie below it in the tree, where a depth was asked for


class RecallResult(Value):
    """An answer."""

    results: tuple[RecallHit, ...] = ()
    total_matched: int = 0
    token_estimate: int = 0
    degradations: tuple[str, ...] = ()
    not_found: tuple[str, ...] = ()
    next_cursor: str | None = None


def validate_query(question: RecallQuery) -> RecallQuery:
    """Return a question without what cannot be asked.

    Raises:
        InvalidInputError: nothing is asked, or a limit is exceeded.
    """
    has_filter = question.filters != Filters(min_confidence=question.filters.min_confidence)
    query = clean_text(question.query or "").strip()
    if not query and not question.ids and not has_filter:
        raise InvalidInputError(
            "nothing is asked: give a query, ids, or a filter (type, scope, tags, since, as_of)"
        )
    if len(query) > QUERY_CHARS:
        raise InvalidInputError(
            f"query has {len(query)} characters, {QUERY_CHARS} at most: ask for the point of it"
        )
    if not 1 <= question.max_results <= MAX_RESULTS:
        raise InvalidInputError(f"max_results {question.max_results}: use 1 to {MAX_RESULTS}")
    if len(question.ids) > MAX_RESULTS:
        raise InvalidInputError(f"{len(question.ids)} ids, {MAX_RESULTS} at most in one call")
    depth = question.include_related
    if depth is not None and not 0 <= depth <= MAX_DEPTH:
        raise InvalidInputError(f"include_related {depth}: use 0 to {MAX_DEPTH}")
    if question.token_budget is not None and not 1 <= question.token_budget <= MAX_TOKENS:
        raise InvalidInputError(f"token_budget {question.token_budget}: use 1 to {MAX_TOKENS}")
    if question.min_relevance is not None:
        check_unit_interval("min_relevance", question.min_relevance)
    filters = question.filters
    filters = filters.replace(tags=tuple(clean_text(tag) for tag in filters.tags))
    return question.replace(query=query or None, filters=filters)


def token_budget(question: RecallQuery) -> int:
    """Return how many tokens the answer may have."""
    return question.token_budget or (2_000 if question.summary_only else 4_000)
