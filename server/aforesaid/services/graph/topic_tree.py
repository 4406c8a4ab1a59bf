"""Reading the topic tree as one caller sees it."""

from __future__ import annotations

from collections.abc import Iterable

from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, Visibility
from aforesaid.domain.model.topic import FACT, Node, Topic
from aforesaid.ports import Store

MAX_FACTS = 300  #: of a node, read before the token budget applies


class TopicTree:
    """A snapshot of the visible part of the tree."""

    def __init__(self, store: Store, visible: Visibility) -> None:
        self._store = store
        self._visible = visible
        self.topics = {topic.key: topic for topic in store.topics.of_projects(visible.projects)}
        self._counts = store.topics.counts(visible)
        self._summaries = store.maintenance.topic_summaries(visible.projects)
        overviews = {
            memory.key: memory.head
            for memory in store.memories.get(
                [topic.overview for topic in self.topics.values() if topic.overview]
            )
        }
        heads = {  # those in force and visible
            memory.key: memory
            for memory in store.topics.shown(list(set(overviews.values())), visible)
        }
        self._overviews = {
            topic.key: heads[overviews[topic.overview]]
            for topic in self.topics.values()
            if topic.overview in overviews and overviews[topic.overview] in heads
        }

    @property
    def unfiled(self) -> int:
        """How many memories in force have no topic."""
        return self._counts.get(None, 0)

    def concepts(self, topic: int) -> list[Topic]:
        """Return the concepts of a topic that have memories, fullest first."""
        return self._non_empty(self._children(topic))

    def roots(self) -> list[Topic]:
        """Return the topics that have memories: the project's own, then global; fullest first."""
        topics = self._non_empty(self._children(None))
        return sorted(topics, key=lambda topic: topic.project == GLOBAL_PROJECT)

    def _children(self, parent: int | None) -> list[Topic]:
        return [topic for topic in self.topics.values() if topic.parent == parent]

    def _non_empty(self, topics: Iterable[Topic]) -> list[Topic]:
        counted = [(self.count(topic.key), topic) for topic in topics]
        counted.sort(key=lambda pair: (-pair[0], pair[1].name))
        return [topic for count, topic in counted if count]

    def count(self, topic: int) -> int:
        """Return how many memories in force are in a node and its concepts."""
        return self._counts.get(topic, 0) + sum(
            self._counts.get(concept.key, 0) for concept in self._children(topic)
        )

    def overview(self, topic: int) -> Memory | None:
        """Return the overview of a node, if it is in force, visible and filed there."""
        memory = self._overviews.get(topic)
        return memory if memory is not None and memory.topic == topic else None

    def node(self, topic: Topic, max_depth: int = 0) -> Node:
        """Return a topic or concept with everything below it, down to a depth."""
        overview = self.overview(topic.key)
        concepts = self.concepts(topic.key)
        children: list[Node] = []
        if max_depth > topic.depth:
            children = [self.node(concept, max_depth) for concept in concepts]
        hidden = 0
        if max_depth >= FACT:
            children += self.facts(topic, max_depth)
            hidden = max(self._counts.get(topic.key, 0) - (overview is not None) - MAX_FACTS, 0)
        return Node(
            topic=topic.key,
            path=topic.path,
            name=topic.name,
            summary=self._summaries.get(topic.key, "") if overview is None else overview.preview,
            overview=overview,
            depth=topic.depth,
            project=topic.project,
            memories=self.count(topic.key),
            concepts=len(concepts),
            children=tuple(children),
            hidden=hidden,
        )

    def facts(self, topic: Topic, max_depth: int) -> list[Node]:
        """Return the memories of a node except its overview, details below their parents."""
        overview = self.overview(topic.key)
        filed = self._store.topics.filed([topic.key], self._visible, MAX_FACTS + 1)
        if overview is not None:
            filed = [memory for memory in filed if memory.key != overview.key]
        keys = {memory.key for memory in filed}
        parents = {
            parent.key: parent.head
            for parent in self._store.memories.get(
                [memory.parent for memory in filed if memory.parent is not None]
            )
        }
        details: dict[int | None, list[Memory]] = {}
        for memory in filed[:MAX_FACTS]:
            parent = parents.get(memory.parent or 0)
            details.setdefault(parent if parent in keys else None, []).append(memory)

        def build(memory: Memory, depth: int) -> Node:
            own = details.get(memory.key, []) if depth < max_depth else []
            return Node(
                memory=memory,
                depth=memory.depth,
                project=memory.project,
                memories=_count_below(memory.key, details),
                children=tuple(build(detail, depth + 1) for detail in own),
            )

        return [build(memory, FACT) for memory in details.get(None, [])]

    def children(self, topic: Topic) -> list[Node]:
        """Return the direct children of a node: concepts, then facts."""
        return [*map(self.node, self.concepts(topic.key)), *self.facts(topic, FACT)]

    def memory_node(self, memory: Memory, kind: str = "", direction: str = "") -> Node:
        """Return a memory as a node, with the number of its details.

        Args:
            memory: the memory.
            kind: of the relation that led to it, if one did.
            direction: of that relation.
        """
        after = self._store.memories.get([memory.superseded_by] if memory.superseded_by else [])
        return Node(
            replaced_by=next((newer.key for newer in after if self.can_see(newer)), None),
            memory=memory,
            depth=memory.depth,
            project=memory.project,
            memories=len(self.below(memory)),
            kind=kind,
            direction=direction,
        )

    def can_see(self, memory: Memory) -> bool:
        """Whether a memory belongs to a visible project."""
        return memory.project in self._visible.projects

    def below(self, memory: Memory) -> list[Memory]:
        """Return all details below a memory, at any depth, breadth first."""
        details: list[Memory] = []
        visited = {memory.key}
        queue = [memory]
        while queue:
            for detail in self._store.topics.details(queue.pop(0).key, self._visible):
                if detail.key not in visited:
                    visited.add(detail.key)
                    details.append(detail)
                    queue.append(detail)
        return details

    def parent(self, memory: Memory) -> Memory | None:
        """Return the nearest ancestor of a detail that is in force and visible."""
        visited = {memory.key}
        while memory.parent is not None:
            parents = self._store.memories.get([memory.parent])
            heads = self._store.memories.get([parents[0].head]) if parents else []
            if not heads or heads[0].key in visited:
                return None
            memory = heads[0]
            visited.add(memory.key)
            if self._store.topics.shown([memory.key], self._visible):
                return memory
        return None


def _count_below(key: int, details: dict[int | None, list[Memory]]) -> int:
    return sum(1 + _count_below(detail.key, details) for detail in details.get(key, []))
