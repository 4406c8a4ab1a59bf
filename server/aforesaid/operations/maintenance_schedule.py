"""Whether maintenance should run by itself: all that a session's start asks about it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings

#: A run that stopped halfway goes on after so long, not at once: what stopped it may do so again.
RETRY_MS = 3_600_000
#: What keeps products of matrices to one core, as models are: the others belong to the user's work.
#: Read when numpy is imported; with two cores each product took 1.6 times the processor's time.
ONE_CORE = {"OPENBLAS_NUM_THREADS": "1"}


def is_due(store: SqliteStore, settings: Settings, now: int) -> bool:
    """Tell whether maintenance should run by itself; one query, for a session's start."""
    if not settings["maintenance.enabled"]:
        return False
    interval_ms = settings["maintenance.interval_hours"] * 3_600_000
    latest = store.runs.last_run()
    if latest is None:
        first = store.runs.first_changed_at()
        return first is not None and has_passed(interval_ms, first, now)
    at, ended_at = latest
    return has_passed(interval_ms if ended_at is not None else RETRY_MS, at, now)


def has_passed(wait_ms: float, since: int, now: int) -> bool:
    """Tell whether a wait is over; a clock that was set back makes it no longer."""
    return abs(now - since) >= wait_ms
