"""Statistics as series: what a plot shows, as labelled numbers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.sqlite.backup_files import list_backups
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.value import Value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Visibility
    from aforesaid.wiring.container import ServiceContainer

WEEK_MS = 604_800_000
DAY_CHARS = 10  #: of a time in ISO form
MAX_SESSIONS = 60
MAX_WEEKS = 520
#: Numbers of recalls that are counted together: from, to, label.
_RECALLS = (
    (0, 0, "never"), (1, 1, "once"), (2, 4, "2 to 4"), (5, 9, "5 to 9"),
    (10, 1 << 62, "10 and more"),
)  # fmt: skip
_MEGABYTE = 1_000_000


class Series(Value):
    """One series of numbers."""

    name: str
    values: tuple[float, ...]


class Plot(Value):
    """Series over the same labels."""

    name: str  #: of its place in a page
    title: str
    text: str  #: what it shows
    kind: str  #: ``line`` or ``bars``
    labels: tuple[str, ...]
    label: str  #: what a label is
    series: tuple[Series, ...]


def collect_series(core: ServiceContainer, visible: Visibility) -> list[Plot]:
    """Return growth, types, recalls, context tokens, shown against used, and storage.

    Args:
        core: the services.
        visible: whose memories and sessions are counted.
    """
    return [
        _growth(core, visible),
        _types(core, visible),
        _recalls(core, visible),
        *_sessions(core, visible),
        _storage(core),
    ]


def _growth(core: ServiceContainer, visible: Visibility) -> Plot:
    weeks = dict(core.store.inspection.stored_by_week(visible.projects))
    first, last = min(weeks, default=0), max(weeks, default=-1)
    span = range(max(first, last - MAX_WEEKS * WEEK_MS), last + 1, WEEK_MS)
    stored = [weeks.get(week, 0) for week in span]
    before = sum(weeks.values()) - sum(stored)
    totals = [before + sum(stored[: index + 1]) for index in range(len(stored))]
    return Plot(
        name="growth",
        title="Growth",
        text="Memories stored in each week, including those replaced or forgotten since.",
        kind="line",
        labels=tuple(_day(week) for week in span),
        label="week from",
        series=(
            Series(name="in all", values=tuple(totals)),
            Series(name="stored in the week", values=tuple(stored)),
        ),
    )


def _types(core: ServiceContainer, visible: Visibility) -> Plot:
    counts: Any = core.store.memories.statistics(visible)["by_type"]
    return Plot(
        name="types",
        title="Types",
        text="Memories in force by type.",
        kind="bars",
        labels=tuple(counts),
        label="type",
        series=(Series(name="memories", values=tuple(counts.values())),),
    )


def _recalls(core: ServiceContainer, visible: Visibility) -> Plot:
    counts = core.store.inspection.by_recalls(visible.projects)
    values = [
        sum(memories for recalls, memories in counts if least <= recalls <= most)
        for least, most, _label in _RECALLS
    ]
    return Plot(
        name="recalls",
        title="Recalls",
        text="Memories in force by how often they were recalled.",
        kind="bars",
        labels=tuple(label for _least, _most, label in _RECALLS) if counts else (),
        label="recalled",
        series=(Series(name="memories", values=tuple(values) if counts else ()),),
    )


def _sessions(core: ServiceContainer, visible: Visibility) -> list[Plot]:
    sessions = core.store.inspection.session_usage(visible.projects, MAX_SESSIONS)[::-1]
    labels = tuple(_day(session["started_at"]) for session in sessions)

    def series(name: str, field: str) -> Series:
        return Series(name=name, values=tuple(session[field] for session in sessions))

    return [
        Plot(
            name="tokens",
            title="Context tokens of a session",
            text=f"Tokens that memories took up in the last {MAX_SESSIONS} sessions.",
            kind="line",
            labels=labels,
            label="session of",
            series=(
                series("shown at the start", "shown_tokens"),
                series("shown to subagents", "subagent_tokens"),
                series("recalled", "asked_tokens"),
            ),
        ),
        Plot(
            name="use",
            title="Shown against used",
            text="Memories that each session was shown, and how many of them were recalled later.",
            kind="line",
            labels=labels,
            label="session of",
            series=(series("shown", "shown"), series("used", "used")),
        ),
    ]


def _storage(core: ServiceContainer) -> Plot:
    backups = [
        (_day(backup.at_ms), os.path.getsize(backup.path))
        for backup in list_backups(core.store.path)
        if os.path.exists(backup.path)
    ]
    sizes = [*backups, ("now", os.path.getsize(core.store.path))]
    return Plot(
        name="storage",
        title="Storage",
        text="Size of the database file of all projects in MB, at each backup and now.",
        kind="bars",
        labels=tuple(label for label, _size in sizes),
        label="at",
        series=(Series(name="MB", values=_megabytes([size for _label, size in sizes])),),
    )


def _megabytes(sizes: Sequence[int]) -> tuple[float, ...]:
    return tuple(round(size / _MEGABYTE, 2) for size in sizes)


def _day(at_ms: int) -> str:
    return to_iso(at_ms)[:DAY_CHARS]
