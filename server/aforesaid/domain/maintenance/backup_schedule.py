"""When an automatic backup is due, and which ones expire.

Here: the rules. Not here: files (adapters/sqlite/backup_files.py), the steps
(operations/backups.py).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: A fact about the store itself: when the last automatic backup failed (ms), and why.
BACKUP_FAILURE = "backup_failure"
#: Once a day: less than 24 h, since a backup takes its time and maintenance comes a day later.
INTERVAL_MS = 20 * 3_600_000
_DAY_MS = 86_400_000


def is_backup_due(times_ms: Sequence[int], now: int) -> bool:
    """Tell whether the time of the next automatic backup has come, given those that are there."""
    return not any(abs(now - at) < INTERVAL_MS for at in times_ms)


def count_expired(times_ms: Sequence[int], now: int, max_count: int, max_days: int) -> int:
    """Return how many of these automatic backups, oldest first, expire; the newest never does."""
    beyond = max(len(times_ms) - max(max_count, 1), 0)
    too_old = sum(now - at > max_days * _DAY_MS for at in times_ms[:-1])
    return max(beyond, too_old)
