"""Groups old events for compaction, by project and ISO week (UTC)."""

from __future__ import annotations

import time

from aforesaid.domain.text.timestamps import DAY_MS, EPOCH_SINCE_MONDAY_MS, WEEK_MS
from aforesaid.domain.value import Value

from .summary import SUMMARY, event_time, is_derived

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.memory import Memory

    from .thresholds import Thresholds

MAX_SOURCES = 100  #: per summary; a week with more events gets several summaries


class CompactionSource(Value):
    """An old event, with the fields that grouping needs."""

    key: int
    project: int
    at: int  #: ms, see ``event_time``


class Week(Value):
    """The events of a week, or of a part of one, that become one summary."""

    project: int
    start: int  #: ms, see ``week_start``
    part: int = 0  #: number of the part, for a week with many events
    keys: tuple[int, ...]  #: of the memories, in order of time

    @property
    def cursor(self) -> str:
        """A text that sorts in the order in which weeks are compacted."""
        return f"{self.project:012d} {self.start:016d} {self.part:04d}"


def week_start(at: int) -> int:
    """Return the Monday, at 0:00 UTC, of the week of a time (ms)."""
    return at - (at + EPOCH_SINCE_MONDAY_MS) % WEEK_MS


def week_name(start: int) -> str:
    """Return the ISO week of a time (ms), such as ``2026-W41``."""
    return time.strftime("%G-W%V", time.gmtime(start / 1000))


def cutoff(now: int, limits: Thresholds) -> int:
    """Return the time (ms) before which events are old: the start of the first newer week."""
    return week_start(now - limits.compact_days * DAY_MS)


def compaction_sources(memories: Iterable[Memory]) -> list[CompactionSource]:
    """Return the events among these that may be compacted."""
    return [
        CompactionSource(key=memory.key, project=memory.project, at=event_time(memory))
        for memory in memories
        if memory.type == "episodic" and is_source(memory)
    ]


def is_source(memory: Memory) -> bool:
    """Return whether an event may be compacted: not pinned, not in a task, not a summary."""
    return (
        not memory.pinned
        and memory.scope != "task"
        and memory.compacted_into is None
        and not memory.metadata.get(SUMMARY)
        and not is_derived(memory)
    )


def group_weeks(events: Iterable[CompactionSource], limits: Thresholds) -> list[Week]:
    """Return the weeks with enough events, in order of their cursors."""
    weeks: dict[tuple[int, int], list[CompactionSource]] = {}
    for event in events:
        weeks.setdefault((event.project, week_start(event.at)), []).append(event)
    result = []
    for (project, start), members in weeks.items():
        if len(members) < limits.compact_least:
            continue
        keys = [event.key for event in sorted(members, key=lambda event: (event.at, event.key))]
        parts = -(-len(keys) // MAX_SOURCES)
        size = -(-len(keys) // parts)  # parts of equal size, so that none is too small
        result += [
            Week(
                project=project,
                start=start,
                part=part,
                keys=tuple(keys[part * size : (part + 1) * size]),
            )
            for part in range(parts)
        ]
    return sorted(result, key=lambda week: week.cursor)
