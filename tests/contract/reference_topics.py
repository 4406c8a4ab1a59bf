"""The topic tree of the reference store: dictionaries, each rule said once and plainly."""

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
        found = self._topics.get(key)
        return None if found is None else found.replace(path="/".join(self._path_of(key)))

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
        moved = [key for key, one in self._memories.items() if one.topic == source]
        for key in moved:
            self._memories[key] = self._memories[key].replace(topic=target)
        gone = self._topics.pop(source)
        kept = self._topics[target]
        self._topics[target] = kept.replace(overview=kept.overview or gone.overview)
        return len(moved)

    def topics_remove_unused(self) -> None:
        used = {one.topic for one in self._memories.values()}
        for depth in (1, 0):
            parents = {one.parent for one in self._topics.values()}
            for key, topic in list(self._topics.items()):
                if topic.depth == depth and key not in used and key not in parents:
                    del self._topics[key]

    def _path_of(self, key: int | None) -> tuple[str, ...]:
        topic = self._topics.get(key or 0)
        return () if topic is None else (*self._path_of(topic.parent), topic.name)

    # -- what is in them

    def topics_counts(self, visible: Visibility) -> dict[int | None, int]:
        counts: dict[int | None, int] = {}
        for one in self._memories.values():
            if _stands(one) and self._seen(one, visible):
                counts[one.topic] = counts.get(one.topic, 0) + 1
        return counts

    def topics_shown(self, keys: Sequence[int], visible: Visibility) -> list[Memory]:
        found = [one for one in self._memories.values() if one.key in keys and _stands(one)]
        return sorted((one for one in found if self._seen(one, visible)), key=lambda one: one.key)

    def topics_is_overview(self, head: int) -> bool:
        told = {topic.overview for topic in self._topics.values()}
        return any(one.key in told for one in self._memories.values() if one.head == head)

    def topics_filed(self, topics: Sequence[int], visible: Visibility, limit: int) -> list[Memory]:
        found = [one for one in self._memories.values() if one.topic in topics]
        return _ordered(one for one in found if self._seen(one, visible))[:limit]

    def topics_details(self, head: int, visible: Visibility) -> list[Memory]:
        return _ordered(one for one in self._children(head) if self._seen(one, visible))

    def _children(self, head: int) -> list[Memory]:
        return [
            one
            for one in self._memories.values()
            if one.parent is not None and self._memories[one.parent].head == head
        ]

    # -- places

    def topics_file_under(self, topic: int, keys: Sequence[int]) -> None:
        for key in keys:
            self._memories[key] = self._memories[key].replace(topic=topic)
            self.topics_recompute(key)

    def topics_recompute(self, key: int) -> None:
        seen: list[int] = []
        above = self._head(self._memories[key].parent)
        while above is not None and above.key not in seen:
            if above.key == key:
                self._memories[key] = self._memories[key].replace(parent=None)
                break
            seen.append(above.key)
            above = self._head(above.parent)
        self._settle_below(key, set())

    def relations_unchain(self, key: int) -> None:
        super().relations_unchain(key)
        self.topics_recompute(key)

    def _settle_below(self, key: int, seen: set[int]) -> None:
        if key in seen:
            return
        seen.add(key)
        one = self._memories[key]
        parent = self._head(one.parent)
        topic = one.topic
        if parent is not None and one.parent is not None:
            named = self._memories[one.parent].project
            topic = parent.topic if named == parent.project == one.project else topic
        depth = 2 if parent is None else parent.depth + 1
        self._memories[key] = one.replace(topic=topic, depth=depth)
        if one.head == key:
            for child in self._children(key):
                self._settle_below(child.key, seen)

    def _head(self, key: int | None) -> Memory | None:
        return None if key is None else self._memories[self._memories[key].head]

    def _hand_over_details(self, key: int) -> list[int]:
        gone = self._memories[key]
        before = sorted(
            (old for old, one in self._memories.items() if one.superseded_by == key), reverse=True
        )
        version = gone.superseded_by or (before[0] if before else None)
        children = [child for child, one in self._memories.items() if one.parent == key]
        for child in children:
            self._memories[child] = self._memories[child].replace(parent=version or gone.parent)
        for node, topic in list(self._topics.items()):
            if topic.overview == key:
                self._topics[node] = topic.replace(overview=version)
        return children if gone.superseded_by else [*before, *children]

    # -- two projects become one

    def _move_topics(self, source: int, target: int) -> None:
        for depth in (0, 1):
            for topic in self.topics_of_projects([source]):
                if topic.depth == depth:
                    self._move_topic(topic, target)

    def _move_topic(self, topic: Topic, target: int) -> None:
        """Move a node; a concept's topic went first and may have left its twin in its place."""
        if topic.key not in self._topics:
            return
        twins = [
            one
            for one in self.topics_of_projects([target])
            if (one.parent, one.normalised) == (topic.parent, topic.normalised)
        ]
        if not twins:
            self.topics_change(topic.key, project=target)
            return
        for concept in [
            one for one in self.topics_of_projects([topic.project]) if one.parent == topic.key
        ]:
            self._topics[concept.key] = concept.replace(parent=twins[0].key)
        self.topics_replace(topic.key, twins[0].key)

    def _settle_strays(self, project: int) -> None:
        for key in list(self._memories):
            parent = self._head(self._memories[key].parent)
            if parent is not None and self._memories[key].project == parent.project == project:
                self.topics_recompute(key)


def _stands(one: Memory) -> bool:
    return one.in_force and one.archived_at is None and one.compacted_into is None


def _ordered(memories: Any) -> list[Memory]:
    return sorted(
        (one for one in memories if _stands(one)),
        key=lambda one: (not one.pinned, -one.importance, -one.updated_at, one.key),
    )
