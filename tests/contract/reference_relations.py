"""Relations of the model store: triples in a dictionary, read by looking at every one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.decay import FACTORS, link_weight
from aforesaid.domain.model.relation import Relation, reading_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility


class ReferenceRelations:
    """The part of the model store that knows relations."""

    _memories: dict[int, Memory]
    _relations: dict[tuple[int, str, int], tuple[float, int]]

    def relations_link(
        self, source: int, kind: str, target: int, at: int, weight: float = 1.0
    ) -> bool:
        if self._alike(source, kind, target):
            return False
        self._relations.setdefault((source, kind, target), (weight, at))
        return True

    def relations_unlink(self, source: int, kind: str, target: int) -> bool:
        found = self._alike(source, kind, target)
        for triple in found:
            del self._relations[triple]
        return bool(found)

    def _alike(self, source: int, kind: str, target: int) -> list[tuple[int, str, int]]:
        def version(row: int, given: int) -> bool:
            one, asked = self._memories[row], self._memories[given]
            return (
                one.head == asked.head
                and one.forgotten_at is None
                and one.project in (0, asked.project)
            )

        return [
            (one, named, other)
            for one, named, other in self._relations
            if named == kind and version(one, source) and version(other, target)
        ]

    def relations_of(self, heads: Sequence[int], visible: Visibility) -> list[Relation]:
        found: dict[tuple[int, str, str, int], Relation] = {}
        for (source, kind, target), (weight, at) in self._relations.items():
            if not self._is_shown(source, target, visible):
                continue
            ends = self._memories[source].head, self._memories[target].head
            for direction, head, other in (("out", *ends), ("in", *ends[::-1])):
                if head not in heads:
                    continue
                known = found.get((head, kind, direction, other))
                found[head, kind, direction, other] = Relation(
                    head=head,
                    kind=kind,
                    direction=direction,
                    other=other,
                    weight=weight if known is None else max(weight, known.weight),
                    created_at=at if known is None else min(at, known.created_at),
                )
        place = {head: number for number, head in enumerate(heads)}
        return sorted(found.values(), key=lambda one: (place[one.head], reading_order(one)))

    def _is_shown(self, source: int, target: int, visible: Visibility) -> bool:
        ends = [self._memories[source], self._memories[target]]
        rows = [*ends, *(self._memories[one.head] for one in ends)]
        return ends[0].head != ends[1].head and all(
            one.forgotten_at is None and self._seen(one, visible) for one in rows
        )

    def usage_strengthen(
        self,
        heads: Sequence[int],
        kind: str,
        gain: float,
        at: int,
        decay: float = FACTORS.link_decay,
    ) -> None:
        for triple, (weight, made) in list(self._relations.items()):
            source, named, target = triple
            ends = {self._memories[source].head, self._memories[target].head}
            if named == kind and ends <= set(heads):
                left = link_weight(weight, self._weighed.get(triple, made), at, decay)
                self._relations[triple] = (min(1.0, left + gain), made)
                self._weighed[triple] = at

    def relations_step(
        self, head: int, kind: str, direction: str, visible: Visibility
    ) -> list[int]:
        return [
            one.other
            for one in self.relations_of([head], visible)
            if (one.kind, one.direction) == (kind, direction)
        ]

    def relations_contradictions(
        self, visible: Visibility, limit: int, since: int | None = None
    ) -> list[tuple[int, int]]:
        def in_force(key: int) -> bool:
            one = self._memories[key]
            return (
                one.in_force
                and one.archived_at is None
                and one.compacted_into is None
                and self._seen(one, visible)
            )

        found = sorted(
            (-at, source, target)
            for (source, kind, target), (_weight, at) in self._relations.items()
            if kind == "contradicts" and in_force(source) and in_force(target)
            if since is None or at > since
        )
        return [(source, target) for _at, source, target in found[:limit]]

    def relations_unchain(self, key: int) -> None:
        one = self._memories[key]
        self._memories[key] = one.replace(superseded_by=None, superseded_at=None)
        for other in self._memories:
            last = other
            while (following := self._memories[last].superseded_by) is not None:
                last = following
            self._memories[other] = self._memories[other].replace(head=last)

    def relations_latest_of_session(self, memory: Memory) -> int | None:
        mine = self._memories[memory.key]
        return max(
            (
                key
                for key, one in self._memories.items()
                if mine.session is not None
                and one.session == mine.session
                and key < mine.key
                and one.topic == mine.topic
                and one.head != mine.head
                and one.forgotten_at is None
                and one.provenance != "derived"
                and (mine.project == 0 or one.project in (0, mine.project))
            ),
            default=None,
        )

    def relations_event_beside(self, memory: Memory, tag: str, *, before: bool) -> int | None:
        events = [
            ((one.created_at, one.id), key)
            for key, one in self._memories.items()
            if one.type == "episodic"
            and one.project == memory.project
            and one.head != memory.head
            and tag in one.tags
            and one.in_force
            and one.archived_at is None
            and one.compacted_into is None
        ]
        mine = (memory.created_at, memory.id)
        if before:
            return max([event for event in events if event[0] < mine], default=(None, None))[1]
        return min([event for event in events if event[0] > mine], default=(None, None))[1]

    def _count_relations(self, visible: Visibility) -> int:
        return sum(
            all(self._seen(self._memories[key], visible) for key in (source, target))
            for source, _kind, target in self._relations
        )
