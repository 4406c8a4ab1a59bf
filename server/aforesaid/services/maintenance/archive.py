"""Archiving memories that were never used and have faded; recall finds them as a last resort.

A memory that a later one contradicts is superseded by it instead, so that a query in the words of
the old one leads to the new one. Source: docs/adr/0033, bench/long_run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aforesaid.domain.conflict.contradiction import ALIKE_COSINE
from aforesaid.domain.maintenance.archive import is_decayed, is_unused
from aforesaid.domain.maintenance.low_value import low_value_reason
from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.model.decay import is_valid_at, may_supersede, valid_since
from aforesaid.domain.model.memory import Filters, Memory, Visibility
from aforesaid.domain.model.relation import CONTRADICTS
from aforesaid.ports import Store
from aforesaid.services.graph.relations import supersede

from .phase import BATCH, PAGE, neighbours

ARCHIVED, SUPERSEDED = "archived", "superseded"
TYPES = ("episodic", "semantic", "procedural")  #: not entity: these describe registry rows
_NEIGHBOURS = 8


class Archive:
    """Archives faded memories, unless they are the only ones on their subject."""

    name = "archive"
    unavailable_reason = ""

    def __init__(self, store: Store, limits: Thresholds) -> None:
        self._store = store
        self._limits = limits

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield the memories to archive or supersede, in order of keys."""
        key = int(after or 0)
        leaving: set[int] = set()
        while page := self._store.maintenance.page(key, PAGE, until=span.until, types=TYPES):
            due = [
                memory for memory in page if memory.scope != "task" and self._is_due(memory, span)
            ]
            events = [memory for memory in due if memory.type == "episodic"]
            near = neighbours(self._store, events, _NEIGHBOURS)
            contradictions = self._contradictions(due)
            actions: list[PhaseAction] = []
            for memory in due:
                keys = self._decide(memory, near.get(memory.key, {}), contradictions, leaving, span)
                if keys:
                    leaving.add(memory.key)
                    actions.append(
                        PhaseAction(what=SUPERSEDED if keys[1:] else ARCHIVED, keys=keys)
                    )
            for start in range(0, len(actions), BATCH):
                batch = actions[start : start + BATCH]
                yield Batch(cursor=str(batch[-1].keys[0]), actions=tuple(batch))
            key = page[-1].key

    def execute(self, actions: Sequence[PhaseAction], span: RunScope) -> list[PhaseAction]:
        """Archive or supersede the memories that are unchanged."""
        executed = []
        for action in actions:
            memories = self._store.memories.get(action.keys)
            if len(memories) < len(action.keys) or not all(
                memory.is_current for memory in memories
            ):
                continue
            memory, *later = memories
            if not self._is_due(memory, span):
                continue
            if not later:
                self._store.memories.change(memory.key, archived_at=span.now)
                self._store.memories.record("archive", memory.key, span.now)
            elif not (
                self._replaces(later[0], memory, self._contradictions([memory]), span)
                and supersede(self._store, later[0], memory, span.now)
            ):
                continue
            executed.append(action)
        return executed

    def _contradictions(self, memories: Sequence[Memory]) -> dict[int, set[int]]:
        """Return the keys of the memories that contradict each chain, by the key of its head."""
        heads_by_project: dict[int, list[int]] = {}
        for memory in memories:
            heads_by_project.setdefault(memory.project, []).append(memory.head)
        contradictions: dict[int, set[int]] = {}
        for project, heads in heads_by_project.items():
            for link in self._store.relations.of(heads, Visibility.of_project(project)):
                if link.kind == CONTRADICTS:
                    contradictions.setdefault(link.head, set()).add(link.other)
        return contradictions

    def _decide(
        self,
        memory: Memory,
        near: dict[int, float],
        contradictions: dict[int, set[int]],
        leaving: set[int],
        span: RunScope,
    ) -> tuple[int, ...]:
        """Return the keys of a memory to archive, and of the one superseding it; empty to keep it.

        A fact is nearly always the only one that states it, however near others are. So it is
        archived only if a later memory that is kept contradicts it, or if it is of low value. An
        event is also archived if others on its subject are kept.
        """
        if self._store.topics.is_overview(memory.head):
            return ()
        if _is_low_value(memory):
            return (memory.key,)
        keys = sorted(contradictions.get(memory.head, set()) - leaving)
        later = [
            candidate
            for candidate in self._store.memories.get(keys)
            if self._replaces(candidate, memory, contradictions, span)
        ]
        if later:
            return (memory.key, max(later, key=valid_since).key)
        spare = memory.type == "episodic" and not self._is_alone(memory, near, leaving)
        return (memory.key,) if spare else ()

    def _replaces(
        self, later: Memory, memory: Memory, contradictions: dict[int, set[int]], span: RunScope
    ) -> bool:
        """Whether a later memory, flagged as contradicting this one, may supersede it.

        Their vectors must be near each other; otherwise both are kept, with the flag.
        """
        pair = (memory.key, later.key)
        return (
            later.key in contradictions.get(memory.head, set())
            and later.is_current
            and later.importance >= memory.importance
            and is_valid_at(later, span.now)
            and may_supersede(memory, later)
            and not _is_low_value(later)
            and self._store.search.pair_cosines([pair]).get(pair, 1.0) >= ALIKE_COSINE
        )

    def _is_due(self, memory: Memory, span: RunScope) -> bool:
        """Whether a memory has faded, or is of low value and unused."""
        if is_decayed(memory, span.now, self._limits):
            return True
        return is_unused(memory, span.now, self._limits) and _is_low_value(memory)

    def _is_alone(self, memory: Memory, near: dict[int, float], leaving: set[int]) -> bool:
        """Whether no other memory that is kept has the same entity or is near enough.

        If two memories on one subject fade together, one is kept.
        """
        if memory.entity is not None:
            visible = Visibility(projects=(memory.project,))
            same_entity = self._store.memories.select(
                visible, Filters(entities=(memory.entity,)), _NEIGHBOURS
            )
            if any(other.key != memory.key and other.key not in leaving for other in same_entity):
                return False
        return not any(
            cosine >= self._limits.archive_subject
            for key, cosine in near.items()
            if key not in leaving
        )


def _is_low_value(memory: Memory) -> bool:
    return bool(low_value_reason(memory.content, memory.type))
