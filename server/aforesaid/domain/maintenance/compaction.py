"""Which old events are summed up together: those of a project and an ISO week (UTC). Pure."""

from __future__ import annotations

import time

from aforesaid.domain.model.decay import DAY_MS
from aforesaid.domain.value import Value

from .summary import SUMMARY, event_time, is_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.memory import Memory

    from .thresholds import Thresholds

MAX_SOURCES = 100  #: of one summary; a week of more has several
_THURSDAY = 3  #: of 1 January 1970, counted from Monday
WEEK_MS = 7 * DAY_MS


class CompactionSource(Value):
    """An event that is old enough, as little of it as grouping needs."""

    key: int
    project: int
    at: int  #: ms, when it happened


class Week(Value):
    """Events that one summary stands for."""

    project: int
    start: int  #: ms, the Monday on which the week begins
    part: int = 0  #: of a week with very many
    keys: tuple[int, ...]  #: in the order of time

    @property
    def cursor(self) -> str:
        """Return a text that sorts as weeks are summed up."""
        return f"{self.project:012d} {self.start:016d} {self.part:04d}"


def week_start(at: int) -> int:
    """Return the Monday, at 0:00 UTC, of the week of a time (ms)."""
    return at - (at + _THURSDAY * DAY_MS) % WEEK_MS


def week_name(start: int) -> str:
    """Return an ISO week such as ``2026-W41``."""
    return time.strftime("%G-W%V", time.gmtime(start / 1000))


def cutoff(now: int, limits: Thresholds) -> int:
    """Return the time (ms) before which events are old: the start of a week that is not yet."""
    return week_start(now - limits.compact_days * DAY_MS)


def read_old(memories: Iterable[Memory]) -> list[CompactionSource]:
    """Return the events among these that may be summed up."""
    return [
        CompactionSource(key=one.key, project=one.project, at=event_time(one))
        for one in memories
        if one.type == "episodic" and is_source(one)
    ]


def is_source(memory: Memory) -> bool:
    """Tell whether an event may be summed up: not pinned, in no task, no summary itself."""
    return (
        not memory.pinned
        and memory.scope != "task"
        and memory.compacted_into is None
        and not memory.metadata.get(SUMMARY)
        and not is_made(memory)
    )


def group_weeks(events: Iterable[CompactionSource], limits: Thresholds) -> list[Week]:
    """Return the weeks that have enough events, in order of their cursors."""
    weeks: dict[tuple[int, int], list[CompactionSource]] = {}
    for one in events:
        weeks.setdefault((one.project, week_start(one.at)), []).append(one)
    found = []
    for (project, start), members in weeks.items():
        if len(members) < limits.compact_least:
            continue
        keys = [one.key for one in sorted(members, key=lambda one: (one.at, one.key))]
        shares = -(-len(keys) // MAX_SOURCES)
        size = -(-len(keys) // shares)  # shares of one size: none is too small to be summed up
        found += [
            Week(
                project=project,
                start=start,
                part=part,
                keys=tuple(keys[part * size : (part + 1) * size]),
            )
            for part in range(shares)
        ]
    return sorted(found, key=lambda week: week.cursor)
