"""Setting aside what was never of use and has faded: still found when nothing else answers.

What a later memory contradicts is superseded by it instead: the words of the earlier one, which may
be those of the question, then lead to the later one. Source: docs/adr/0033, bench/long_run.
"""

from __future__ import annotations

from aforesaid.domain.conflict.contradiction import ALIKE_COSINE
from aforesaid.domain.maintenance.archive import is_decayed, is_unused
from aforesaid.domain.maintenance.low_value import low_value_reason
from aforesaid.domain.maintenance.run import Action, Batch
from aforesaid.domain.model.decay import is_valid_at, may_supersede, valid_since
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.relation import CONTRADICTS
from aforesaid.services.graph.relations import supersede

from .neighbour_pages import neighbours
from .phase import BATCH, PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.maintenance.run import RunScope
    from aforesaid.domain.maintenance.thresholds import Thresholds
    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Store

ARCHIVED, SUPERSEDED = "archived", "superseded"
TYPES = ("episodic", "semantic", "procedural")  #: a description of an entity is its row's
_NEIGHBOURS = 8


class Archive:
    """Sets aside what has faded, unless something would be lost with it."""

    name = "archive"
    unavailable_reason = ""

    def __init__(self, store: Store, limits: Thresholds) -> None:
        self._store = store
        self._limits = limits

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield what has faded, in order of keys."""
        key = int(after or 0)
        going: set[int] = set()
        while page := self._store.maintenance.page(key, PAGE, until=span.until, types=TYPES):
            due = [one for one in page if one.scope != "task" and self._is_due(one, span)]
            events = [one for one in due if one.type == "episodic"]
            near = neighbours(self._store, events, _NEIGHBOURS)
            against = self._contradicted(due)
            actions: list[Action] = []
            for memory in due:
                keys = self._going(memory, near.get(memory.key, {}), against, going, span)
                if keys:
                    going.add(memory.key)
                    actions.append(Action(what=SUPERSEDED if keys[1:] else ARCHIVED, keys=keys))
            for start in range(0, len(actions), BATCH):
                share = actions[start : start + BATCH]
                yield Batch(cursor=str(share[-1].keys[0]), actions=tuple(share))
            key = page[-1].key

    def execute(self, actions: Sequence[Action], span: RunScope) -> list[Action]:
        """Set aside, or supersede, what is still as it was."""
        made = []
        for action in actions:
            found = self._store.memories.get(action.keys)
            if len(found) < len(action.keys) or not all(one.is_current for one in found):
                continue
            memory, *later = found
            if not self._is_due(memory, span):
                continue
            if not later:
                self._store.memories.change(memory.key, archived_at=span.now)
                self._store.memories.record("archive", memory.key, span.now)
            elif not (
                self._settles(later[0], memory, self._contradicted([memory]), span)
                and supersede(self._store, later[0], memory, span.now)
            ):
                continue
            made.append(action)
        return made

    def _contradicted(self, memories: Sequence[Memory]) -> dict[int, set[int]]:
        """Return what contradicts the chains of memories, by head."""
        heads: dict[int, list[int]] = {}
        for memory in memories:
            heads.setdefault(memory.project, []).append(memory.head)
        found: dict[int, set[int]] = {}
        for project, share in heads.items():
            for link in self._store.relations.of(share, Visibility.of_project(project)):
                if link.kind == CONTRADICTS:
                    found.setdefault(link.head, set()).add(link.other)
        return found

    def _going(
        self,
        memory: Memory,
        near: dict[int, float],
        against: dict[int, set[int]],
        going: set[int],
        span: RunScope,
    ) -> tuple[int, ...]:
        """Return the key of a memory that goes, and of what supersedes it; empty where it stays.

        What lasts is nearly always the only one that says it: two facts about one thing are near
        each other, and two all the same. So it goes where a later one that stays contradicts it, or
        where it says too little; an event also where it is one among others of its subject.
        """
        if self._store.topics.is_overview(memory.head):
            return ()
        if _is_junk(memory):
            return (memory.key,)
        contradicting = self._store.memories.get(sorted(against.get(memory.head, set()) - going))
        later = [one for one in contradicting if self._settles(one, memory, against, span)]
        if later:
            return (memory.key, max(later, key=valid_since).key)
        spare = memory.type == "episodic" and not self._is_alone(memory, near, going)
        return (memory.key,) if spare else ()

    def _settles(
        self, later: Memory, memory: Memory, against: dict[int, set[int]], span: RunScope
    ) -> bool:
        """Tell whether a memory is linked as contradicting an earlier one and takes its place.

        Only where they are near: of two that lie apart the flag is told, and both stay.
        """
        pair = (memory.key, later.key)
        return (
            later.key in against.get(memory.head, set())
            and later.is_current
            and later.importance >= memory.importance
            and is_valid_at(later, span.now)
            and may_supersede(memory, later)
            and not _is_junk(later)
            and self._store.search.pair_cosines([pair]).get(pair, 1.0) >= ALIKE_COSINE
        )

    def _is_due(self, memory: Memory, span: RunScope) -> bool:
        """Tell whether a memory has faded, or says too little and nobody asked for it."""
        if is_decayed(memory, span.now, self._limits):
            return True
        return is_unused(memory, span.now, self._limits) and _is_junk(memory)

    def _is_alone(self, memory: Memory, near: dict[int, float], going: set[int]) -> bool:
        """Tell whether nothing else that stays is on its subject: its entity, or what is near it.

        Of two that fade together on one subject, one stays.
        """
        if memory.entity is not None:
            visible = Visibility(projects=(memory.project,))
            about = self._store.memories.select(
                visible, Filters(entities=(memory.entity,)), _NEIGHBOURS
            )
            if any(one.key != memory.key and one.key not in going for one in about):
                return False
        return not any(
            cosine >= self._limits.archive_subject
            for other, cosine in near.items()
            if other not in going
        )


def _is_junk(memory: Memory) -> bool:
    return bool(low_value_reason(memory.content, memory.type))
