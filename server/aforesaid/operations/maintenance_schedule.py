"""Whether automatic maintenance is due; loaded by hooks, so it imports little."""

from __future__ import annotations

from aforesaid.domain.text.timestamps import HOUR_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings

#: How long after its start an interrupted run continues: the cause may still exist.
RETRY_MS = HOUR_MS
#: Restricts numpy's matrix products to one core, like the model, and leaves the others to the user.
#: Must be set before numpy is imported. With two cores, a product took 1.6 times the CPU time.
ONE_CORE = {"OPENBLAS_NUM_THREADS": "1"}


def is_due(store: SqliteStore, settings: Settings, now: int) -> bool:
    """Tell whether automatic maintenance is due; takes one query."""
    if not settings["maintenance.enabled"]:
        return False
    interval_ms = settings["maintenance.interval_hours"] * HOUR_MS
    latest = store.runs.last_run()
    if latest is None:
        first = store.runs.first_changed_at()
        return first is not None and has_passed(interval_ms, first, now)
    started_at, ended_at = latest
    return has_passed(interval_ms if ended_at is not None else RETRY_MS, started_at, now)


def has_passed(wait_ms: float, since: int, now: int) -> bool:
    """Tell whether a wait is over; a clock that was set back does not prolong it."""
    return abs(now - since) >= wait_ms
