"""Looking around in the topic tree: all of it, a branch, or one step from a memory or node."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.model.relation import FOLLOWS, IN, OUT
from aforesaid.domain.model.topic import match_name, normalise_name, read_path
from aforesaid.domain.model.topic_tree import Node, truncate_to_budget
from aforesaid.domain.value import Value
from aforesaid.services.resolve_id import locate, visibility_including

from .topic_tree import TopicTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.domain.model.memory import Hit, Memory, Visibility
    from aforesaid.domain.model.topic import Topic
    from aforesaid.ports import Embedder, Store

BUDGET_TOKENS = 2_000
MAX_DEPTH = 2  #: by default: down to facts
DEEPEST = 9
WANTED_CHARS = 500  #: of a topic that is looked for
NEIGHBOURS = 20  #: whose topics say what a question means
NEAR_COSINE = 0.3  #: below it a neighbour says nothing
DIRECTIONS = ("children", "parent", "associations", "history", "next", "previous")


class ExploreResult(Value):
    """What was found in the tree."""

    nodes: tuple[Node, ...] = ()
    hidden: int = 0  #: nodes that did not fit
    unfiled: int = 0  #: memories without a topic
    note: str = ""


class TopicExplorer:
    """The ways to look around."""

    def __init__(self, store: Store, embedder: Callable[[], Embedder | None]) -> None:
        self._store = store
        self._embedder = embedder

    def everything(
        self, visible: Visibility, *, max_depth: int = 0, budget_tokens: int = BUDGET_TOKENS
    ) -> ExploreResult:
        """Return all topics: the project's own, then global; those with most memories first."""
        depth = _checked(max_depth)
        tree = TopicTree(self._store, visible)
        nodes = [tree.node(topic, depth) for topic in tree.roots()]
        nodes, hidden = truncate_to_budget(nodes, budget_tokens)
        return ExploreResult(nodes=tuple(nodes), hidden=hidden, unfiled=tree.unfiled)

    def branch(
        self,
        wanted: str,
        visible: Visibility,
        *,
        max_depth: int = MAX_DEPTH,
        budget_tokens: int = BUDGET_TOKENS,
    ) -> ExploreResult:
        """Return the node that is best meant, with what lies below it down to a depth.

        Where the project and global have a node of that name, both.

        Raises:
            InvalidInputError: it is too long to be a name.
            NotFoundError: nothing is like it.
        """
        if len(wanted) > WANTED_CHARS:
            raise InvalidInputError(
                f"topic has {len(wanted)} characters, {WANTED_CHARS} at most: give its name, or a "
                "few words on what it is about"
            )
        tree = TopicTree(self._store, visible)
        found, note = self._meant(wanted, tree, visible)
        if not found:
            raise NotFoundError(
                f"no topic is like {wanted!r}: explore_memory() lists them, "
                "recall_memory(query=...) searches the memories themselves"
            )
        nodes = [tree.node(one, _checked(max_depth)) for one in found]
        nodes, hidden = truncate_to_budget(nodes, budget_tokens)
        return ExploreResult(nodes=tuple(nodes), hidden=hidden, note=note)

    def step(
        self,
        reference: str,
        direction: str,
        visible: Visibility,
        *,
        budget_tokens: int = BUDGET_TOKENS,
    ) -> ExploreResult:
        """Return what lies one step from a memory (by its id) or a node (by its path).

        Raises:
            InvalidInputError: there is no such direction, or a node has none.
            NotFoundError: nothing visible has that id or path.
        """
        if direction not in DIRECTIONS:
            raise InvalidInputError(f"direction {direction!r}: use one of {', '.join(DIRECTIONS)}")
        tree = TopicTree(self._store, visible)
        named = _by_path(reference, tree)
        if named:
            nodes = _from_nodes(named, direction, tree)
        else:
            memory = locate(self._store, reference, visible)
            sight = visibility_including(visible, memory)
            if sight != visible:
                tree = TopicTree(self._store, sight)
            nodes = self._from_memory(memory, direction, tree, sight)
        shown, hidden = truncate_to_budget(nodes, budget_tokens)
        return ExploreResult(nodes=tuple(shown), hidden=hidden, note="" if nodes else "none")

    def _from_memory(
        self, memory: Memory, direction: str, tree: TopicTree, visible: Visibility
    ) -> list[Node]:
        if direction == "history":
            versions = self._store.memories.chain(memory.key)
            return [tree.memory_node(one) for one in versions if tree.sees(one)]
        (head,) = self._store.memories.get([memory.head])
        if direction == "associations":
            return self._related(head, tree, visible)
        if direction in ("next", "previous"):
            way = IN if direction == "next" else OUT  # the later one follows the earlier
            keys = self._store.relations.step(head.key, FOLLOWS, way, visible)
            return [tree.memory_node(one) for one in self._store.memories.get(keys)]
        if direction == "children":
            below = self._store.topics.details(head.key, visible)
            return [tree.memory_node(one) for one in below]
        parent = tree.parent(head)
        if parent is not None:
            return [tree.memory_node(parent)]
        topic = tree.topics.get(head.topic or 0)
        return [] if topic is None else [tree.node(topic)]

    def _related(self, head: Memory, tree: TopicTree, visible: Visibility) -> list[Node]:
        """Return what relations lead to from a memory, but mere sequence, best first."""
        found = [
            one for one in self._store.relations.of([head.key], visible) if one.kind != FOLLOWS
        ]
        others = {one.key: one for one in self._store.memories.get([one.other for one in found])}
        return [
            tree.memory_node(others[one.other], kind=one.kind, direction=one.shown_direction)
            for one in found
            if one.other in others
        ]

    # -- which node is meant

    def _meant(self, wanted: str, tree: TopicTree, visible: Visibility) -> tuple[list[Topic], str]:
        """Return the nodes that words mean: by name, by words of a name, else by meaning."""
        found = _by_path(wanted, tree) or _by_words(wanted, tree)
        if found:
            return found, ""
        best = self._by_meaning(wanted, tree, visible)
        return ([best], f"no topic is called {wanted!r}: this one is nearest") if best else ([], "")

    def _near(self, wanted: str, visible: Visibility) -> list[Hit] | None:
        """Return what means the like; None where meaning cannot be searched."""
        embedder = self._embedder()
        if embedder is None or not self._store.search.has_vectors:
            return None
        try:
            vector = embedder.embed_document(wanted)[0]
        except UnavailableError:
            return None  # an API that is down
        hits = self._store.search.by_vector(vector, visible, Filters(), NEIGHBOURS, embedder.model)
        return [hit for hit in hits if hit.score >= NEAR_COSINE]

    def _by_meaning(self, wanted: str, tree: TopicTree, visible: Visibility) -> Topic | None:
        hits = self._near(wanted, visible)
        if hits is None:
            from aforesaid.domain.text.tokenize import query_terms  # tools are listed without it

            hits = self._store.search.by_words(query_terms(wanted), visible, Filters(), NEIGHBOURS)
        best: dict[int, float] = {}
        for hit in hits:
            best.setdefault(hit.head, hit.score)
        voices: dict[int, float] = {}
        for memory in self._store.memories.get(list(best)):
            topic = memory.topic or 0
            if topic in tree.topics:
                voices[topic] = voices.get(topic, 0.0) + best[memory.key]
        if not voices:
            return None
        return tree.topics[min(voices, key=lambda key: (-voices[key], key))]


def _from_nodes(named: Sequence[Topic], direction: str, tree: TopicTree) -> list[Node]:
    if direction == "children":
        return [child for one in named for child in tree.children(one)]
    if direction == "parent":
        above = [tree.topics[one.parent] for one in named if one.parent in tree.topics]
        return [tree.node(one) for one in above]
    raise InvalidInputError(f"{named[0].path} is a topic: {direction} is of a memory, by its id")


def _by_path(wanted: str, tree: TopicTree) -> list[Topic]:
    """Return the nodes of that path; for one name also concepts of that name, if no topic is."""
    try:
        names, _cut = read_path(wanted)
    except InvalidInputError:
        return []
    found: list[Topic] = []
    for project in sorted({one.project for one in tree.topics.values()}, reverse=True):
        mine = [one for one in tree.topics.values() if one.project == project]
        node: Topic | None = None
        for name in names:
            parent = None if node is None else node.key
            node = match_name(name, [one for one in mine if one.parent == parent])
            if node is None:
                break
        if node is not None:
            found.append(node)
    if found or len(names) > 1:
        return found
    wanted = normalise_name(names[0])
    return [one for one in tree.topics.values() if one.parent and one.normalised == wanted]


def _by_words(wanted: str, tree: TopicTree) -> list[Topic]:
    """Return the node whose path shares most words with these, if one holds all of the other."""
    words = set(normalise_name(wanted).split())
    best: tuple[float, int] | None = None
    for topic in tree.topics.values():
        mine = set(normalise_name(topic.path).split())
        shared = words & mine
        if shared and shared in (words, mine):
            rank = (-len(shared) / len(words | mine), topic.key)
            best = rank if best is None else min(best, rank)
    return [] if best is None else [tree.topics[best[1]]]


def _checked(max_depth: int) -> int:
    if not 0 <= max_depth <= DEEPEST:
        raise InvalidInputError(f"max_depth {max_depth}: use 0 (topics) to {DEEPEST}")
    return max_depth
