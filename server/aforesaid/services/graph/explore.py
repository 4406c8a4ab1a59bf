"""Looking around in the topic tree: all of it, a branch, or one step from a memory or node."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Filters
from aforesaid.domain.model.relation import FOLLOWS, IN, OUT
from aforesaid.domain.model.topic import FACT, match_name, normalise_name, read_path
from aforesaid.domain.model.topic_tree import Node, truncate_to_budget
from aforesaid.domain.value import Value
from aforesaid.services.resolve_id import locate, visibility_including

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aforesaid.domain.model.memory import Hit, Memory, Visibility
    from aforesaid.domain.model.topic import Topic
    from aforesaid.ports import Embedder, Store

BUDGET_TOKENS = 2_000
MAX_DEPTH = 2  #: by default: down to facts
DEEPEST = 9
WANTED_CHARS = 500  #: of a topic that is looked for
FACTS = 300  #: of a node, read before the budget cuts
NEIGHBOURS = 20  #: whose topics say what a question means
NEAR_COSINE = 0.3  #: below it a neighbour says nothing
DIRECTIONS = ("children", "parent", "associations", "history", "next", "previous")


class ExploreResult(Value):
    """What was found in the tree."""

    nodes: tuple[Node, ...] = ()
    hidden: int = 0  #: nodes that did not fit
    unfiled: int = 0  #: memories without a topic
    note: str = ""


class TopicTree:
    """The tree as one caller sees it, read once."""

    def __init__(self, store: Store, visible: Visibility) -> None:
        self._store = store
        self._visible = visible
        self.topics = {topic.key: topic for topic in store.topics(visible.projects)}
        self._own = store.topic_counts(visible)
        self._told = store.topic_summaries(visible.projects)
        overviews = {
            memory.key: memory.head
            for memory in store.get([one.overview for one in self.topics.values() if one.overview])
        }
        heads = {one.key: one for one in store.shown(list(set(overviews.values())), visible)}
        self._overviews = {
            topic.key: heads[overviews[topic.overview]]
            for topic in self.topics.values()
            if topic.overview in overviews and overviews[topic.overview] in heads
        }

    @property
    def unfiled(self) -> int:
        """Return how many memories in force have no topic."""
        return self._own.get(None, 0)

    def concepts(self, topic: int) -> list[Topic]:
        """Return the concepts of a topic that hold something, fullest first."""
        return self._fullest(one for one in self.topics.values() if one.parent == topic)

    def roots(self) -> list[Topic]:
        """Return the topics that hold something: the project's own, then global; fullest first."""
        found = self._fullest(one for one in self.topics.values() if one.parent is None)
        return sorted(found, key=lambda one: one.project == GLOBAL_PROJECT)

    def _fullest(self, topics: Iterable[Topic]) -> list[Topic]:
        counted = [(self.count(one.key), one) for one in topics]
        counted.sort(key=lambda pair: (-pair[0], pair[1].name))
        return [one for count, one in counted if count]

    def count(self, topic: int) -> int:
        """Return how many memories in force lie below a node, its concepts included."""
        return self._own.get(topic, 0) + sum(
            self._own.get(one.key, 0) for one in self.topics.values() if one.parent == topic
        )

    def overview(self, topic: int) -> Memory | None:
        """Return the memory that tells what a node is about, if it stands, there and in sight."""
        memory = self._overviews.get(topic)
        return memory if memory is not None and memory.topic == topic else None

    def node(self, topic: Topic, max_depth: int = 0) -> Node:
        """Return a topic or concept with what lies below it down to a depth."""
        overview = self.overview(topic.key)
        concepts = self.concepts(topic.key)
        children: list[Node] = []
        if max_depth > topic.depth:
            children = [self.node(concept, max_depth) for concept in concepts]
        hidden = 0
        if max_depth >= FACT:
            children += self.facts(topic, max_depth)
            hidden = max(self._own.get(topic.key, 0) - (overview is not None) - FACTS, 0)
        return Node(
            topic=topic.key,
            path=topic.path,
            name=topic.name,
            summary=self._told.get(topic.key, "") if overview is None else overview.preview,
            overview=overview,
            depth=topic.depth,
            project=topic.project,
            memories=self.count(topic.key),
            concepts=len(concepts),
            children=tuple(children),
            hidden=hidden,
        )

    def facts(self, topic: Topic, max_depth: int) -> list[Node]:
        """Return the memories of a node, but its overview; details below their parents."""
        overview = self.overview(topic.key)
        filed = self._store.filed([topic.key], self._visible, FACTS + 1)
        if overview is not None:
            filed = [one for one in filed if one.key != overview.key]
        inside = {one.key for one in filed}
        parents = {
            one.key: one.head
            for one in self._store.get([one.parent for one in filed if one.parent is not None])
        }
        below: dict[int | None, list[Memory]] = {}
        for memory in filed[:FACTS]:
            parent = parents.get(memory.parent or 0)
            below.setdefault(parent if parent in inside else None, []).append(memory)

        def made(memory: Memory, depth: int) -> Node:
            details = below.get(memory.key, [])
            children = [made(one, depth + 1) for one in details] if depth < max_depth else []
            return Node(
                memory=memory,
                depth=memory.depth,
                project=memory.project,
                memories=sum(1 for _ in _all_below(memory.key, below)),
                children=tuple(children),
            )

        return [made(memory, FACT) for memory in below.get(None, [])]

    def children(self, topic: Topic) -> list[Node]:
        """Return what lies right below a node: concepts, then facts."""
        return [*map(self.node, self.concepts(topic.key)), *self.facts(topic, FACT)]

    def memory_node(self, memory: Memory, kind: str = "", direction: str = "") -> Node:
        """Return a memory as a node, with how many lie below it."""
        after = self._store.get([memory.superseded_by] if memory.superseded_by else [])
        return Node(
            replaced_by=next((one.key for one in after if self.sees(one)), None),
            memory=memory,
            depth=memory.depth,
            project=memory.project,
            memories=len(self.below(memory)),
            kind=kind,
            direction=direction,
        )

    def sees(self, memory: Memory) -> bool:
        """Tell whether a memory is of a project that the caller sees."""
        return memory.project in self._visible.projects

    def below(self, memory: Memory) -> list[Memory]:
        """Return the details of a memory, theirs included; those of a detail behind it."""
        found: list[Memory] = []
        seen = {memory.key}
        waiting = [memory]
        while waiting:
            for one in self._store.details(waiting.pop(0).key, self._visible):
                if one.key not in seen:
                    seen.add(one.key)
                    found.append(one)
                    waiting.append(one)
        return found

    def parent(self, memory: Memory) -> Memory | None:
        """Return the memory that this one is a detail of, if it stands and may be seen."""
        seen = {memory.key}
        while memory.parent is not None:
            named = self._store.get([memory.parent])
            heads = self._store.get([named[0].head]) if named else []
            if not heads or heads[0].key in seen:
                return None
            memory = heads[0]
            seen.add(memory.key)
            if self._store.shown([memory.key], self._visible):
                return memory
        return None


def _all_below(key: int, below: dict[int | None, list[Memory]]) -> Iterable[Memory]:
    for one in below.get(key, []):
        yield one
        yield from _all_below(one.key, below)


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
            versions = self._store.chain(memory.key)
            return [tree.memory_node(one) for one in versions if tree.sees(one)]
        (head,) = self._store.get([memory.head])
        if direction == "associations":
            return self._related(head, tree, visible)
        if direction in ("next", "previous"):
            way = IN if direction == "next" else OUT  # the later one follows the earlier
            keys = self._store.step(head.key, FOLLOWS, way, visible)
            return [tree.memory_node(one) for one in self._store.get(keys)]
        if direction == "children":
            below = self._store.details(head.key, visible)
            return [tree.memory_node(one) for one in below]
        parent = tree.parent(head)
        if parent is not None:
            return [tree.memory_node(parent)]
        topic = tree.topics.get(head.topic or 0)
        return [] if topic is None else [tree.node(topic)]

    def _related(self, head: Memory, tree: TopicTree, visible: Visibility) -> list[Node]:
        """Return what relations lead to from a memory, but mere sequence, best first."""
        found = [
            one for one in self._store.relations_of([head.key], visible) if one.kind != FOLLOWS
        ]
        others = {one.key: one for one in self._store.get([one.other for one in found])}
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
        if embedder is None or not self._store.has_vectors:
            return None
        try:
            vector = embedder.embed_document(wanted)[0]
        except UnavailableError:
            return None  # an API that is down
        hits = self._store.search_vectors(vector, visible, Filters(), NEIGHBOURS, embedder.model)
        return [hit for hit in hits if hit.score >= NEAR_COSINE]

    def _by_meaning(self, wanted: str, tree: TopicTree, visible: Visibility) -> Topic | None:
        hits = self._near(wanted, visible)
        if hits is None:
            from aforesaid.domain.text.tokenize import query_terms  # tools are listed without it

            hits = self._store.search_words(query_terms(wanted), visible, Filters(), NEIGHBOURS)
        best: dict[int, float] = {}
        for hit in hits:
            best.setdefault(hit.head, hit.score)
        voices: dict[int, float] = {}
        for memory in self._store.get(list(best)):
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
