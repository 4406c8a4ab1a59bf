"""The values of recall: a query with its limits, a hit, a result, memories related to it.

Also selects what fits the token budget, and finds related memories, breadth first. Texts that are
forgotten or damaged are withheld.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import PREVIEW_CHARS, Filters, Memory, check_unit_interval
from aforesaid.domain.model.relation import TRANSITIVE
from aforesaid.domain.text.hashing import content_hash
from aforesaid.domain.text.sanitize import clean_text
from aforesaid.domain.text.token_budget import (
    CHARS_PER_TOKEN,
    CUT_MARK,
    count_tokens,
    cut_to_tokens,
)
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aforesaid.domain.model.memory import Visibility
    from aforesaid.domain.model.relation import Relation
    from aforesaid.domain.model.topic import Node
    from aforesaid.domain.retrieval.relevance import QueryFeatures, RelevanceFeatures
    from aforesaid.ports import Store


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
    outdated_by: int | None = None  #: key of a newer result that may replace it, unstated
    superseded_query_hit: bool = False  #: an older version matched; this is its head
    content: str | None = None  #: cut to the budget; None in summaries
    preview: str | None = None  #: cut to the budget; in summaries only
    related: tuple[Related, ...] = ()  #: linked memories, nearest first
    node: Node | None = None  #: the topic or concept that stands for the memory
    expired: bool = False  #: its stated validity has ended
    to_come: bool = False  #: its stated validity has not begun
    stale: tuple[str, ...] = ()  #: changed or deleted anchors; filled by callers with a folder
    branch: str = ""  #: where it holds, if not here; filled by callers with a folder
    below: int = 0  #: number of memories below it in the topic tree, if a depth was given


class RecallResult(Value):
    """The hits of one query."""

    results: tuple[RecallHit, ...] = ()
    total_matched: int = 0
    answered: float | None = None  #: probability that anything answers; None without a query
    signals: QueryFeatures | None = None  #: features of that
    no_good_match: bool = False  #: whether that is too low to call any result an answer
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
            "empty query: give a query, ids, or a filter (type, scope, tags, path, since, as_of)"
        )
    if len(text) > QUERY_CHARS:
        raise InvalidInputError(
            f"query has {len(text)} characters, {QUERY_CHARS} at most: ask a shorter question"
        )
    if not 1 <= query.max_results <= MAX_RESULTS:
        raise InvalidInputError(f"max_results {query.max_results}: use 1 to {MAX_RESULTS}")
    if len(query.ids) > MAX_RESULTS:
        raise InvalidInputError(f"{len(query.ids)} ids, {MAX_RESULTS} at most in one call")
    if query.depth is not None and not 0 <= query.depth <= MAX_DEPTH:
        raise InvalidInputError(f"depth {query.depth}: use 0 (topics) to {MAX_DEPTH} (details)")
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
    if query.token_budget:
        return query.token_budget
    if query.summary_only:
        return 2_000
    return MAX_TOKENS if query.ids else 4_000


DEFAULT_STEPS = 1  #: default number of steps
MAX_DEPTH = 3
DEFAULT_RELATED = 3  #: related memories of a result, unless a depth is given
MAX_RELATED = 20  #: related memories of a result, if a depth is given
ITEM_TOKENS = 15  #: approximate cost of a related item's other fields


class Related(Value):
    """A memory that is reached through relations."""

    memory: Memory
    kind: str  #: of the last step, or of every step if the relation is inferred
    direction: str  #: ``out``, ``in`` or ``both``, as seen from ``via``
    via: int | None = None  #: key of the preceding memory; None for the root
    inferred: bool = False  #: not stored, but implied by the steps
    shown: bool = True  #: False if the same answer already contains its text


def traverse_relations(
    store: Store, roots: Sequence[int], visible: Visibility, *, depth: int, limit: int
) -> dict[int, list[Related]]:
    """Return the memories related to each root, nearest first, each once per root.

    Memories that are hidden from the caller, forgotten or archived are neither returned nor
    traversed. Without relations this costs one query; each step with relations costs two more.

    Args:
        store: where the relations are.
        roots: keys of heads.
        visible: what the caller may see.
        depth: number of steps.
        limit: memories to return for each root.
    """
    traversals = {root: _Traversal(root, limit) for root in roots}
    for _step in range(depth):
        frontier = sorted({key for traversal in traversals.values() for key in traversal.frontier})
        relations: dict[int, list[Relation]] = {}
        for relation in store.relations.of(frontier, visible):
            relations.setdefault(relation.head, []).append(relation)
        if not relations:
            break
        targets = {relation.other for edges in relations.values() for relation in edges}
        memories = {
            memory.key: memory
            for memory in store.memories.get(sorted(targets))
            if memory.archived_at is None
        }
        for traversal in traversals.values():
            traversal.advance(relations, memories)
    return {root: traversal.related for root, traversal in traversals.items()}


class _Traversal:
    """The breadth-first search from one root."""

    def __init__(self, root: int, limit: int) -> None:
        self.related: list[Related] = []
        self.frontier = [root]  #: keys from which the next step starts
        self._root = root
        self._limit = limit
        #: kind and direction of every step to a memory, if they are all the same and transitive
        self._transitive: dict[int, tuple[str, str]] = {}

    def advance(
        self, relations: Mapping[int, Iterable[Relation]], memories: Mapping[int, Memory]
    ) -> None:
        """Take one step from the frontier."""
        visited = {self._root, *(item.memory.key for item in self.related)}
        reached = []
        for start in self.frontier:
            for relation in relations.get(start, ()):
                memory = memories.get(relation.other)
                if memory is None or memory.key in visited or len(self.related) >= self._limit:
                    continue
                visited.add(memory.key)
                reached.append(memory.key)
                step = (relation.kind, relation.direction)
                first = start == self._root
                if relation.kind in TRANSITIVE and (first or self._transitive.get(start) == step):
                    self._transitive[memory.key] = step
                inferred = not first and memory.key in self._transitive
                self.related.append(
                    Related(
                        memory=memory,
                        kind=relation.kind,
                        direction=relation.shown_direction,
                        via=None if first or inferred else start,
                        inferred=inferred,
                    )
                )
        self.frontier = reached


def take_within_budget(
    related: Sequence[Related], shown_keys: set[int], budget_tokens: int
) -> tuple[tuple[Related, ...], int]:
    """Return the items that fit the budget, and their cost in tokens.

    Args:
        related: memories, nearest first.
        shown_keys: keys of memories whose text the answer already has; the items are added.
        budget_tokens: what is left of the budget.
    """
    items: list[Related] = []
    spent = 0
    for item in related:
        shown = item.memory.key not in shown_keys
        cost = ITEM_TOKENS + (count_tokens(item.memory.preview) if shown else 0)
        if spent + cost > budget_tokens:
            break
        spent += cost
        shown_keys.add(item.memory.key)
        items.append(item.replace(shown=shown))
    return tuple(items), spent


RESULT_TOKENS = 60  #: approximate cost of a result's other fields
SUMMARY_TOKENS = 25
PASSAGE_TOKENS = 500  #: of a longer text that a query matches
#: The same of a result with less than this relevance, which is no good match.
WEAK, WEAK_PASSAGE_TOKENS = 0.2, 60
RAISE_BUDGET = " … [truncated: leave out token_budget]"
#: Replaces a text that no longer has the hash it was stored with.
DAMAGED = "[this text was damaged on disk: run `aforesaid doctor --deep`]"


def hide_forgotten_text(memory: Memory) -> Memory:
    """Return a memory; if it is forgotten, without its text, tags and metadata."""
    if memory.forgotten_at is None:
        return memory
    return memory.replace(content="", summary=None, tags=(), metadata={})


def _mark_if_damaged(hit: RecallHit) -> RecallHit:
    memory = hit.memory
    if memory.forgotten_at is not None or memory.content_hash == content_hash(memory.content):
        return hit
    return hit.replace(memory=memory.replace(content=DAMAGED, summary=None))


def fit_to_budget(query: RecallQuery, hits: Sequence[RecallHit]) -> RecallResult:
    """Return the hits that fit.

    Of a long text, a query gets the passage that it matches, and filters get the beginning. By ids,
    texts are whole; only an explicit budget cuts the first.
    """
    budget = token_budget(query)
    field, extra = ("preview", SUMMARY_TOKENS) if query.summary_only else ("content", RESULT_TOKENS)
    results: list[RecallHit] = []
    spent = 0
    for hit in map(_mark_if_damaged, hits):
        text = getattr(hit.memory, field) if hit.node is None else hit.node.text
        left = max(budget - spent - extra, 0)
        if query.query and hit.node is None:
            if query.summary_only:
                text = _matching_preview(hit.memory, query.query)
            if left >= min(PASSAGE_TOKENS, budget - extra):
                text = _cut_to_passage(text, query.query, max(min(left, _passage_tokens(hit)), 1))
        if count_tokens(text) > left:
            if results:
                break
            text = cut_to_tokens(text, max(left, 1), RAISE_BUDGET if query.ids else CUT_MARK)
        spent += count_tokens(text) + extra
        results.append(hit.replace(**{field: text}))
    return RecallResult(results=tuple(results), token_estimate=spent)


def _passage_tokens(hit: RecallHit) -> int:
    weak = hit.relevance is not None and hit.relevance < WEAK
    return WEAK_PASSAGE_TOKENS if weak else PASSAGE_TOKENS


def _matching_preview(memory: Memory, query: str) -> str:
    """Return the summary, or the line of the content that the query matches."""
    if memory.summary or len(memory.content) <= PREVIEW_CHARS:
        return memory.preview
    line = " ".join(memory.content.split())
    passage = _cut_to_passage(line, query, PREVIEW_CHARS // CHARS_PER_TOKEN, "…")
    return passage if passage.startswith("…") else memory.preview


def _cut_to_passage(text: str, query: str, tokens: int, mark: str = CUT_MARK) -> str:
    from aforesaid.domain.text.passage import cut_to_passage  # not loaded by hooks

    return cut_to_passage(text, query, tokens, mark)
