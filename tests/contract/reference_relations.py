"""Relations of the reference store: triples in a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.decay import FACTORS, link_weight
from aforesaid.domain.model.relation import Relation, reading_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility


class ReferenceRelations:
    """The relations of the reference store."""

    _memories: dict[int, Memory]
    _relations: dict[tuple[int, str, int], tuple[float, int]]

    def relations_link(
        self, source: int, kind: str, target: int, at: int, weight: float = 1.0
    ) -> bool:
        if self._equivalent(source, kind, target):
            return False
        self._relations.setdefault((source, kind, target), (weight, at))
        return True

    def relations_unlink(self, source: int, kind: str, target: int) -> bool:
        triples = self._equivalent(source, kind, target)
        for triple in triples:
            del self._relations[triple]
        return bool(triples)

    def _equivalent(self, source: int, kind: str, target: int) -> list[tuple[int, str, int]]:
        def is_version(row: int, of: int) -> bool:
            version, memory = self._memories[row], self._memories[of]
            return (
                version.head == memory.head
                and version.forgotten_at is None
                and version.project in (0, memory.project)
            )

        return [
            triple
            for triple in self._relations
            if triple[1] == kind and is_version(triple[0], source) and is_version(triple[2], target)
        ]

    def relations_of(self, heads: Sequence[int], visible: Visibility) -> list[Relation]:
        relations: dict[tuple[int, str, str, int], Relation] = {}
        for (source, kind, target), (weight, at) in self._relations.items():
            if not self._is_shown(source, target, visible):
                continue
            ends = self._memories[source].head, self._memories[target].head
            for direction, head, other in (("out", *ends), ("in", *ends[::-1])):
                if head not in heads:
                    continue
                earlier = relations.get((head, kind, direction, other))
                relations[head, kind, direction, other] = Relation(
                    head=head,
                    kind=kind,
                    direction=direction,
                    other=other,
                    weight=weight if earlier is None else max(weight, earlier.weight),
                    created_at=at if earlier is None else min(at, earlier.created_at),
                )
        order = {head: number for number, head in enumerate(heads)}
        return sorted(relations.values(), key=lambda link: (order[link.head], reading_order(link)))

    def _is_shown(self, source: int, target: int, visible: Visibility) -> bool:
        ends = [self._memories[source], self._memories[target]]
        rows = [*ends, *(self._memories[memory.head] for memory in ends)]
        return ends[0].head != ends[1].head and all(
            memory.forgotten_at is None and self._is_visible(memory, visible) for memory in rows
        )

    def usage_strengthen(
        self,
        heads: Sequence[int],
        kind: str,
        gain: float,
        at: int,
        decay: float = FACTORS.link_decay,
    ) -> None:
        for triple, (weight, created_at) in list(self._relations.items()):
            source, link_kind, target = triple
            ends = {self._memories[source].head, self._memories[target].head}
            if link_kind == kind and ends <= set(heads):
                decayed = link_weight(weight, self._reinforced.get(triple, created_at), at, decay)
                self._relations[triple] = (min(1.0, decayed + gain), created_at)
                self._reinforced[triple] = at

    def relations_step(
        self, head: int, kind: str, direction: str, visible: Visibility
    ) -> list[int]:
        return [
            relation.other
            for relation in self.relations_of([head], visible)
            if (relation.kind, relation.direction) == (kind, direction)
        ]

    def relations_contradictions(
        self, visible: Visibility, limit: int, since: int | None = None
    ) -> list[tuple[int, int]]:
        def in_force(key: int) -> bool:
            memory = self._memories[key]
            return (
                memory.in_force
                and memory.archived_at is None
                and memory.compacted_into is None
                and self._is_visible(memory, visible)
            )

        pairs = sorted(
            (-at, source, target)
            for (source, kind, target), (_weight, at) in self._relations.items()
            if kind == "contradicts" and in_force(source) and in_force(target)
            if since is None or at > since
        )
        return [(source, target) for _at, source, target in pairs[:limit]]

    def relations_unchain(self, key: int) -> None:
        memory = self._memories[key]
        self._memories[key] = memory.replace(superseded_by=None, superseded_at=None)
        for other in self._memories:
            last = other
            while (successor := self._memories[last].superseded_by) is not None:
                last = successor
            self._memories[other] = self._memories[other].replace(head=last)

    def relations_latest_of_session(self, memory: Memory) -> int | None:
        current = self._memories[memory.key]
        return max(
            (
                key
                for key, earlier in self._memories.items()
                if current.session is not None
                and earlier.session == current.session
                and key < current.key
                and earlier.topic == current.topic
                and earlier.head != current.head
                and earlier.forgotten_at is None
                and earlier.provenance != "derived"
                and (current.project == 0 or earlier.project in (0, current.project))
            ),
            default=None,
        )

    def relations_event_beside(self, memory: Memory, tag: str, *, before: bool) -> int | None:
        events = [
            ((event_memory.created_at, event_memory.id), key)
            for key, event_memory in self._memories.items()
            if event_memory.type == "episodic"
            and event_memory.project == memory.project
            and event_memory.head != memory.head
            and tag in event_memory.tags
            and event_memory.in_force
            and event_memory.archived_at is None
            and event_memory.compacted_into is None
        ]
        position = (memory.created_at, memory.id)
        if before:
            return max([event for event in events if event[0] < position], default=(None, None))[1]
        return min([event for event in events if event[0] > position], default=(None, None))[1]

    def _count_relations(self, visible: Visibility) -> int:
        return sum(
            all(self._is_visible(self._memories[key], visible) for key in (source, target))
            for source, _kind, target in self._relations
        )
