"""Setting aside what was never of use and has faded: still found when nothing else answers."""

from __future__ import annotations

from aforesaid.domain.lifecycle import may_outdate
from aforesaid.domain.memory import Filters, Visibility
from aforesaid.domain.quality import junk
from aforesaid.domain.relation import CONTRADICTS
from aforesaid.domain.tending.archive import has_faded, is_idle
from aforesaid.domain.tending.run import Action, Batch

from .near import neighbours
from .phase import BATCH, PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.memory import Memory
    from aforesaid.domain.tending.run import Span
    from aforesaid.domain.tending.thresholds import Thresholds
    from aforesaid.ports import Store

ARCHIVED = "archived"
TYPES = ("episodic", "semantic", "procedural")  #: a description of an entity is its row's
_NEIGHBOURS = 8


class Archive:
    """Sets aside what has faded, unless something would be lost with it."""

    name = "archive"
    lacks = ""

    def __init__(self, store: Store, limits: Thresholds) -> None:
        self._store = store
        self._limits = limits

    def plan(self, span: Span, after: str) -> Iterator[Batch]:
        """Yield what has faded, in order of keys."""
        key = int(after or 0)
        going: set[int] = set()
        while page := self._store.tended(key, PAGE, until=span.until, types=TYPES):
            due = [one for one in page if one.scope != "task" and self._is_due(one, span)]
            events = [one for one in due if one.type == "episodic"]
            near = neighbours(self._store, events, _NEIGHBOURS)
            against = self._contradicted(due)
            for memory in due:
                if self._may_go(memory, near.get(memory.key, {}), against, going):
                    going.add(memory.key)
            gone = [one.key for one in page if one.key in going]
            for start in range(0, len(gone), BATCH):
                share = gone[start : start + BATCH]
                actions = tuple(Action(what=ARCHIVED, keys=(one,)) for one in share)
                yield Batch(cursor=str(share[-1]), actions=actions)
            key = page[-1].key

    def carry_out(self, actions: Sequence[Action], span: Span) -> list[Action]:
        """Set aside what is still as it was."""
        made = []
        for action in actions:
            for memory in self._store.get(action.keys):
                if stands(memory) and self._is_due(memory, span):
                    self._store.change(memory.key, archived_at=span.now)
                    self._store.record("archive", memory.key, span.now)
                    made.append(action)
        return made

    def _contradicted(self, memories: Sequence[Memory]) -> dict[int, set[int]]:
        """Return what contradicts the chains of memories, by head."""
        heads: dict[int, list[int]] = {}
        for memory in memories:
            heads.setdefault(memory.project, []).append(memory.head)
        found: dict[int, set[int]] = {}
        for project, share in heads.items():
            for link in self._store.relations_of(share, Visibility.of_project(project)):
                if link.kind == CONTRADICTS:
                    found.setdefault(link.head, set()).add(link.other)
        return found

    def _may_go(
        self,
        memory: Memory,
        near: dict[int, float],
        against: dict[int, set[int]],
        going: set[int],
    ) -> bool:
        spare = _is_junk(memory) or self._is_spare(memory, near, against, going)
        return spare and not self._store.is_overview(memory.head)

    def _is_due(self, memory: Memory, span: Span) -> bool:
        """Tell whether a memory has faded, or says too little and nobody asked for it."""
        if has_faded(memory, span.now, self._limits):
            return True
        return is_idle(memory, span.now, self._limits) and _is_junk(memory)

    def _is_spare(
        self,
        memory: Memory,
        near: dict[int, float],
        against: dict[int, set[int]],
        going: set[int],
    ) -> bool:
        """Tell whether nothing is lost with a memory.

        A later one that stays contradicts it, or it is an event among others of its subject. What
        lasts is nearly always the only one that says it: two facts about one thing are near each
        other, and two all the same. Source: docs/adr/0033, bench/year.
        """
        later = self._store.get(sorted(against.get(memory.head, set()) - going))
        if any(stands(one) and may_outdate(memory, one) for one in later):
            return True
        return memory.type == "episodic" and not self._is_alone(memory, near, going)

    def _is_alone(self, memory: Memory, near: dict[int, float], going: set[int]) -> bool:
        """Tell whether nothing else that stays is on its subject: its entity, or what is near it.

        Of two that fade together on one subject, one stays.
        """
        if memory.entity is not None:
            visible = Visibility(projects=(memory.project,))
            about = self._store.select(visible, Filters(entities=(memory.entity,)), _NEIGHBOURS)
            if any(one.key != memory.key and one.key not in going for one in about):
                return False
        return not any(
            cosine >= self._limits.archive_subject
            for other, cosine in near.items()
            if other not in going
        )


def _is_junk(memory: Memory) -> bool:
    return bool(junk(memory.content, memory.type))


def stands(memory: Memory) -> bool:
    """Tell whether a memory stands for itself: nothing replaced, summed it up or set it aside."""
    return memory.in_force and memory.archived_at is None and memory.compacted_into is None
