"""When an automatic backup is due, and which ones expire.

Files: adapters/sqlite/backup_files.py. Steps: operations/backups.py.
"""

from __future__ import annotations

from aforesaid.domain.text.timestamps import DAY_MS, HOUR_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Meta key: when the last automatic backup failed (ms), and why.
BACKUP_FAILURE = "backup_failure"
#: For one backup a day: under 24 h, as daily maintenance does not start at the same second.
INTERVAL_MS = 20 * HOUR_MS


def is_backup_due(times_ms: Sequence[int], now: int) -> bool:
    """Return whether the next automatic backup is due, given the times of existing ones."""
    return not any(abs(now - at) < INTERVAL_MS for at in times_ms)


def count_expired(times_ms: Sequence[int], now: int, max_count: int, max_days: int) -> int:
    """Return how many of these backups, oldest first, expire; the newest never does.

    Args:
        times_ms: times of the automatic backups, oldest first.
        now: ms.
        max_count: number of backups to keep.
        max_days: maximum age in days.
    """
    over_count = max(len(times_ms) - max(max_count, 1), 0)
    too_old = sum(now - at > max_days * DAY_MS for at in times_ms[:-1])
    return max(over_count, too_old)
