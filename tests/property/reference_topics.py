"""The topic tree of the reference store, in dictionaries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import ConflictError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.topic import Topic


class ReferenceTopics:
    """Nodes, and the places of memories."""

    _memories: dict[int, Memory]
    _topics: dict[int, Topic]

    def topics_get(self, key: int) -> Topic | None:
        topic = self._topics.get(key)
        return None if topic is None else topic.replace(path="/".join(self._path_of(key)))

    def topics_of_projects(self, projects: Sequence[int]) -> list[Topic]:
        return [
            self.topics_get(key)
            for key in sorted(self._topics)
            if self._topics[key].project in projects
        ]

    def topics_add(self, topic: Topic) -> Topic:
        key = max(self._topics, default=0) + 1
        self._put_topic(topic.replace(key=key))
        return self.topics_get(key)

    def topics_change(self, key: int, **fields: Any) -> None:
        self._put_topic(self._topics[key].replace(**fields))

    def _put_topic(self, topic: Topic) -> None:
        for other in self._topics.values():
            same = (other.project, other.parent, other.normalised)
            if other.key != topic.key and same == (topic.project, topic.parent, topic.normalised):
                raise ConflictError("a sibling has this name")
        self._topics[topic.key] = topic

    def topics_replace(self, source: int, target: int) -> int:
        moved = [key for key, memory in self._memories.items() if memory.topic == source]
        for key in moved:
            self._memories[key] = self._memories[key].replace(topic=target)
        removed = self._topics.pop(source)
        remaining = self._topics[target]
        self._topics[target] = remaining.replace(overview=remaining.overview or removed.overview)
        return len(moved)

    def topics_remove_unused(self) -> None:
        used = {memory.topic for memory in self._memories.values()}
        for depth in (1, 0):
            parents = {topic.parent for topic in self._topics.values()}
            for key, topic in list(self._topics.items()):
                if topic.depth == depth and key not in used and key not in parents:
                    del self._topics[key]

    def _path_of(self, key: int | None) -> tuple[str, ...]:
        topic = self._topics.get(key or 0)
        return () if topic is None else (*self._path_of(topic.parent), topic.name)

    # -- memories of a node

    def topics_counts(self, visible: Visibility) -> dict[int | None, int]:
        counts: dict[int | None, int] = {}
        for memory in self._memories.values():
            if _is_in_force(memory) and self._is_visible(memory, visible):
                counts[memory.topic] = counts.get(memory.topic, 0) + 1
        return counts

    def topics_shown(self, keys: Sequence[int], visible: Visibility) -> list[Memory]:
        memories = [
            memory
            for memory in self._memories.values()
            if memory.key in keys and _is_in_force(memory)
        ]
        return sorted(
            (memory for memory in memories if self._is_visible(memory, visible)),
            key=lambda memory: memory.key,
        )

    def topics_filed(self, topics: Sequence[int], visible: Visibility, limit: int) -> list[Memory]:
        memories = [memory for memory in self._memories.values() if memory.topic in topics]
        return _ordered(memory for memory in memories if self._is_visible(memory, visible))[:limit]

    def topics_details(self, head: int, visible: Visibility) -> list[Memory]:
        return _ordered(
            memory for memory in self._children(head) if self._is_visible(memory, visible)
        )

    def _children(self, head: int) -> list[Memory]:
        return [
            memory
            for memory in self._memories.values()
            if memory.parent is not None and self._memories[memory.parent].head == head
        ]

    # -- places

    def topics_recompute(self, key: int) -> None:
        visited: list[int] = []
        ancestor = self._head(self._memories[key].parent)
        while ancestor is not None and ancestor.key not in visited:
            if ancestor.key == key:
                self._memories[key] = self._memories[key].replace(parent=None)
                break
            visited.append(ancestor.key)
            ancestor = self._head(ancestor.parent)
        self._recompute_below(key, set())

    def _recompute_below(self, key: int, visited: set[int]) -> None:
        if key in visited:
            return
        visited.add(key)
        memory = self._memories[key]
        parent = self._head(memory.parent)
        topic = memory.topic
        if parent is not None and memory.parent is not None:
            parent_project = self._memories[memory.parent].project
            topic = parent.topic if parent_project == parent.project == memory.project else topic
        depth = 2 if parent is None else parent.depth + 1
        self._memories[key] = memory.replace(topic=topic, depth=depth)
        if memory.head == key:
            for child in self._children(key):
                self._recompute_below(child.key, visited)

    def _head(self, key: int | None) -> Memory | None:
        return None if key is None else self._memories[self._memories[key].head]

    def _hand_over_details(self, key: int) -> list[int]:
        removed = self._memories[key]
        predecessors = sorted(
            (old for old, memory in self._memories.items() if memory.superseded_by == key),
            reverse=True,
        )
        version = removed.superseded_by or (predecessors[0] if predecessors else None)
        children = [child for child, memory in self._memories.items() if memory.parent == key]
        for child in children:
            self._memories[child] = self._memories[child].replace(parent=version or removed.parent)
        for node, topic in list(self._topics.items()):
            if topic.overview == key:
                self._topics[node] = topic.replace(overview=version)
        return children if removed.superseded_by else [*predecessors, *children]

    # -- merging projects

    def _move_topics(self, source: int, target: int) -> None:
        for depth in (0, 1):
            for topic in self.topics_of_projects([source]):
                if topic.depth == depth:
                    self._move_topic(topic, target)

    def _move_topic(self, topic: Topic, target: int) -> None:
        """Move a node. The topic of a concept was moved first, perhaps into its twin."""
        if topic.key not in self._topics:
            return
        twins = [
            twin
            for twin in self.topics_of_projects([target])
            if (twin.parent, twin.normalised) == (topic.parent, topic.normalised)
        ]
        if not twins:
            self.topics_change(topic.key, project=target)
            return
        for concept in [
            node for node in self.topics_of_projects([topic.project]) if node.parent == topic.key
        ]:
            self._topics[concept.key] = concept.replace(parent=twins[0].key)
        self.topics_replace(topic.key, twins[0].key)

    def _recompute_strays(self, project: int) -> None:
        for key in list(self._memories):
            parent = self._head(self._memories[key].parent)
            if parent is not None and self._memories[key].project == parent.project == project:
                self.topics_recompute(key)


def _is_in_force(memory: Memory) -> bool:
    return memory.in_force and memory.archived_at is None and memory.compacted_into is None


def _ordered(memories: Any) -> list[Memory]:
    return sorted(
        (memory for memory in memories if _is_in_force(memory)),
        key=lambda memory: (not memory.pinned, -memory.importance, -memory.updated_at, memory.key),
    )
