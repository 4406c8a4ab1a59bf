"""The topic tree as one caller sees it."""

from __future__ import annotations

from aforesaid.domain.model.memory import GLOBAL_PROJECT
from aforesaid.domain.model.topic import FACT
from aforesaid.domain.model.topic_tree import Node

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.topic import Topic
    from aforesaid.ports import Store

FACTS = 300  #: of a node, read before the budget cuts


class TopicTree:
    """The tree as one caller sees it, read once."""

    def __init__(self, store: Store, visible: Visibility) -> None:
        self._store = store
        self._visible = visible
        self.topics = {topic.key: topic for topic in store.topics.of_projects(visible.projects)}
        self._own = store.topics.counts(visible)
        self._told = store.maintenance.topic_summaries(visible.projects)
        overviews = {
            memory.key: memory.head
            for memory in store.memories.get(
                [one.overview for one in self.topics.values() if one.overview]
            )
        }
        heads = {one.key: one for one in store.topics.shown(list(set(overviews.values())), visible)}
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
        filed = self._store.topics.filed([topic.key], self._visible, FACTS + 1)
        if overview is not None:
            filed = [one for one in filed if one.key != overview.key]
        inside = {one.key for one in filed}
        parents = {
            one.key: one.head
            for one in self._store.memories.get(
                [one.parent for one in filed if one.parent is not None]
            )
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
        after = self._store.memories.get([memory.superseded_by] if memory.superseded_by else [])
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
            for one in self._store.topics.details(waiting.pop(0).key, self._visible):
                if one.key not in seen:
                    seen.add(one.key)
                    found.append(one)
                    waiting.append(one)
        return found

    def parent(self, memory: Memory) -> Memory | None:
        """Return the memory that this one is a detail of, if it stands and may be seen."""
        seen = {memory.key}
        while memory.parent is not None:
            named = self._store.memories.get([memory.parent])
            heads = self._store.memories.get([named[0].head]) if named else []
            if not heads or heads[0].key in seen:
                return None
            memory = heads[0]
            seen.add(memory.key)
            if self._store.topics.shown([memory.key], self._visible):
                return memory
        return None


def _all_below(key: int, below: dict[int | None, list[Memory]]) -> Iterable[Memory]:
    for one in below.get(key, []):
        yield one
        yield from _all_below(one.key, below)
