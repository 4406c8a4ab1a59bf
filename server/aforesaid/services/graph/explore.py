"""Exploring the topic tree: all topics, one branch, or one step from a memory or node."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aforesaid.domain.errors import InvalidInputError, NotFoundError, UnavailableError
from aforesaid.domain.model.memory import Filters, Hit, Memory, Visibility
from aforesaid.domain.model.relation import FOLLOWS, IN, OUT
from aforesaid.domain.model.topic import (
    Node,
    Topic,
    match_name,
    near_path,
    normalise_name,
    read_path,
    truncate_to_budget,
)
from aforesaid.domain.value import Value
from aforesaid.ports import Embedder, Store
from aforesaid.services.resolve_id import locate, visibility_including

from .topic_tree import TopicTree

BUDGET_TOKENS = 2_000
DEFAULT_DEPTH = 2  #: down to facts
MAX_DEPTH = 9
MAX_QUERY_CHARS = 500
NEIGHBOURS = 20  #: nearest memories whose topics vote on what a query means
NEAR_COSINE = 0.3  #: a neighbour below this does not vote
DIRECTIONS = ("children", "parent", "associations", "history", "next", "previous")
#: What a direction leads to, where its name does not say it.
_NEIGHBOURS = {"children": "details", "next": "next memory", "previous": "previous memory"}


class ExploreResult(Value):
    """The nodes of an answer."""

    nodes: tuple[Node, ...] = ()
    hidden: int = 0  #: nodes omitted for the token budget
    unfiled: int = 0  #: memories without a topic
    note: str = ""


class TopicExplorer:
    """Reads the topic tree in the ways that the explore tool offers."""

    def __init__(self, store: Store, embedder: Callable[[], Embedder | None]) -> None:
        self._store = store
        self._embedder = embedder

    def list_topics(
        self, visible: Visibility, *, max_depth: int = 0, budget_tokens: int = BUDGET_TOKENS
    ) -> ExploreResult:
        """Return all topics: the project's own, then global; largest first."""
        depth = _check_depth(max_depth)
        tree = TopicTree(self._store, visible)
        nodes = [tree.node(topic, depth) for topic in tree.roots()]
        nodes, hidden = truncate_to_budget(nodes, budget_tokens)
        return ExploreResult(nodes=tuple(nodes), hidden=hidden, unfiled=tree.unfiled)

    def find_branch(
        self,
        query: str,
        visible: Visibility,
        *,
        max_depth: int = DEFAULT_DEPTH,
    ) -> ExploreResult:
        """Return the node that best matches a query, with everything below it down to a depth.

        If the project and global both have a node of that name, returns both.

        Raises:
            InvalidInputError: The query is too long.
            NotFoundError: No topic matches.
        """
        if len(query) > MAX_QUERY_CHARS:
            raise InvalidInputError(
                f"topic has {len(query)} characters, {MAX_QUERY_CHARS} at most: give its name or "
                "a short description"
            )
        tree = TopicTree(self._store, visible)
        topics, note = self._match(query, tree, visible)
        if not topics:
            near = near_path(query, [topic.path for topic in tree.topics.values()])
            hint = "explore_memory() lists topics, and recall_memory(query=...) searches memories"
            hint = f"did you mean {near!r}?" if near else hint
            raise NotFoundError(f"no topic matches {query!r}: {hint}")
        nodes = [tree.node(topic, _check_depth(max_depth)) for topic in topics]
        nodes, hidden = truncate_to_budget(nodes, BUDGET_TOKENS)
        return ExploreResult(nodes=tuple(nodes), hidden=hidden, note=note)

    def step(
        self,
        reference: str,
        direction: str,
        visible: Visibility,
    ) -> ExploreResult:
        """Return the nodes one step from a memory (by its id) or a node (by its path).

        Raises:
            InvalidInputError: The direction is unknown, or does not apply to a node.
            NotFoundError: Nothing visible has that id or path.
        """
        if direction not in DIRECTIONS:
            raise InvalidInputError(
                f"unknown direction {direction!r}: use one of {', '.join(DIRECTIONS)}"
            )
        tree = TopicTree(self._store, visible)
        topics = _match_path(reference, tree)
        if topics:
            nodes = _from_topics(topics, direction, tree)
        else:
            try:
                memory = locate(self._store, reference, visible)
            except (InvalidInputError, NotFoundError):
                raise NotFoundError(
                    f"no topic and no memory here is called {reference[:60]!r}: "
                    "explore_memory() lists topics, and recall_memory(query=...) finds ids"
                ) from None
            memory_visible = visibility_including(visible, memory)
            if memory_visible != visible:
                tree = TopicTree(self._store, memory_visible)
            nodes = self._from_memory(memory, direction, tree, memory_visible)
        shown, hidden = truncate_to_budget(nodes, BUDGET_TOKENS)
        note = "" if nodes else f"{reference} has no {_NEIGHBOURS.get(direction, direction)}"
        return ExploreResult(nodes=tuple(shown), hidden=hidden, note=note)

    def list_memories(self, keys: Sequence[int], visible: Visibility) -> ExploreResult:
        """Return memories as nodes, newest first."""
        tree = TopicTree(self._store, visible)
        memories = sorted(
            self._store.memories.get(keys), key=lambda memory: (memory.created_at, memory.key)
        )
        nodes = [tree.memory_node(memory) for memory in reversed(memories)]
        note = "" if nodes else "nothing is known about it"
        shown, hidden = truncate_to_budget(nodes, BUDGET_TOKENS)
        return ExploreResult(nodes=tuple(shown), hidden=hidden, note=note)

    def _from_memory(
        self, memory: Memory, direction: str, tree: TopicTree, visible: Visibility
    ) -> list[Node]:
        if direction == "history":
            versions = self._store.memories.chain(memory.key)
            return [tree.memory_node(version) for version in versions if tree.can_see(version)]
        (head,) = self._store.memories.get([memory.head])
        if direction == "associations":
            return self._related(head, tree, visible)
        if direction in ("next", "previous"):
            relation_direction = (
                IN if direction == "next" else OUT
            )  # the later memory follows the earlier
            keys = self._store.relations.step(head.key, FOLLOWS, relation_direction, visible)
            return [tree.memory_node(memory) for memory in self._store.memories.get(keys)]
        if direction == "children":
            details = self._store.topics.details(head.key, visible)
            return [tree.memory_node(detail) for detail in details]
        parent = tree.parent(head)
        if parent is not None:
            return [tree.memory_node(parent)]
        topic = tree.topics.get(head.topic or 0)
        return [] if topic is None else [tree.node(topic)]

    def _related(self, head: Memory, tree: TopicTree, visible: Visibility) -> list[Node]:
        """Return the memories that relations other than sequence lead to, best first."""
        links = [
            link for link in self._store.relations.of([head.key], visible) if link.kind != FOLLOWS
        ]
        memories = self._store.memories.get([link.other for link in links])
        by_key = {memory.key: memory for memory in memories}
        return [
            tree.memory_node(by_key[link.other], kind=link.kind, direction=link.shown_direction)
            for link in links
            if link.other in by_key
        ]

    # -- matching a query to nodes

    def _match(self, query: str, tree: TopicTree, visible: Visibility) -> tuple[list[Topic], str]:
        """Return the nodes that match: by path, by words of the path, else by meaning."""
        topics = _match_path(query, tree) or _match_words(query, tree)
        if topics:
            return topics, ""
        best = self._match_meaning(query, tree, visible)
        return ([best], f"no topic is called {query!r}: this is the nearest") if best else ([], "")

    def _search_vectors(self, query: str, visible: Visibility) -> list[Hit] | None:
        """Return the nearest memories; None if vectors cannot be searched."""
        embedder = self._embedder()
        if embedder is None or not self._store.search.has_vectors:
            return None
        try:
            vector = embedder.embed_document(query)[0]
        except UnavailableError:
            return None  # the embedding API is down
        hits = self._store.search.by_vector(vector, visible, Filters(), NEIGHBOURS, embedder.model)
        return [hit for hit in hits if hit.score >= NEAR_COSINE]

    def _match_meaning(self, query: str, tree: TopicTree, visible: Visibility) -> Topic | None:
        hits = self._search_vectors(query, visible)
        if hits is None:
            from aforesaid.domain.text.tokenize import query_terms  # slow to import

            hits = self._store.search.by_words(query_terms(query), visible, Filters(), NEIGHBOURS)
        best: dict[int, float] = {}
        for hit in hits:
            best.setdefault(hit.head, hit.score)
        votes: dict[int, float] = {}
        for memory in self._store.memories.get(list(best)):
            topic = memory.topic or 0
            if topic in tree.topics:
                votes[topic] = votes.get(topic, 0.0) + best[memory.key]
        if not votes:
            return None
        return tree.topics[min(votes, key=lambda key: (-votes[key], key))]


def _from_topics(topics: Sequence[Topic], direction: str, tree: TopicTree) -> list[Node]:
    if direction == "children":
        return [child for topic in topics for child in tree.children(topic)]
    if direction == "parent":
        parents = [tree.topics[topic.parent] for topic in topics if topic.parent in tree.topics]
        return [tree.node(parent) for parent in parents]
    raise InvalidInputError(
        f"{topics[0].path} is a topic, but direction {direction!r} needs the id of a memory"
    )


def _match_path(query: str, tree: TopicTree) -> list[Topic]:
    """Return the nodes at a path; for a name that is no topic's, the concepts of that name."""
    try:
        names, _cut = read_path(query)
    except InvalidInputError:
        return []
    matches: list[Topic] = []
    for project in sorted({topic.project for topic in tree.topics.values()}, reverse=True):
        topics = [topic for topic in tree.topics.values() if topic.project == project]
        node: Topic | None = None
        for name in names:
            parent = None if node is None else node.key
            node = match_name(name, [topic for topic in topics if topic.parent == parent])
            if node is None:
                break
        if node is not None:
            matches.append(node)
    if matches or len(names) > 1:
        return matches
    normalised = normalise_name(names[0])
    return [
        topic for topic in tree.topics.values() if topic.parent and topic.normalised == normalised
    ]


def _match_words(query: str, tree: TopicTree) -> list[Topic]:
    """Return the node that shares most words with a query, if one has all words of the other."""
    words = set(normalise_name(query).split())
    best: tuple[float, int] | None = None
    for topic in tree.topics.values():
        path_words = set(normalise_name(topic.path).split())
        shared = words & path_words
        if shared and shared in (words, path_words):
            rank = (-len(shared) / len(words | path_words), topic.key)
            best = rank if best is None else min(best, rank)
    return [] if best is None else [tree.topics[best[1]]]


def _check_depth(max_depth: int) -> int:
    if not 0 <= max_depth <= MAX_DEPTH:
        raise InvalidInputError(f"max_depth is {max_depth}: use 0 (topics) to {MAX_DEPTH}")
    return max_depth
