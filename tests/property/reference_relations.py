"""Relations of the reference store: triples in a dictionary."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

    def _count_relations(self, visible: Visibility) -> int:
        return sum(
            all(self._is_visible(self._memories[key], visible) for key in (source, target))
            for source, _kind, target in self._relations
        )
