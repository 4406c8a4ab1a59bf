"""Times at the edges: ISO 8601 text outside, milliseconds since the epoch (UTC) inside.

Here: writing them. Reading is in date_range.py, which hooks never need.
"""

from __future__ import annotations

import time

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def to_iso(at: int) -> str:
    """Return a time (ms) as ISO 8601 in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at / 1000))


def due_text(at: int) -> str:
    """Return when something is due: a day of the machine's zone where it ends with that day."""
    here = time.localtime(at / 1000)
    if (here.tm_hour, here.tm_min, here.tm_sec) == (23, 59, 59):
        return time.strftime("%Y-%m-%d", here)
    return to_iso(at)


def day_label(at: int, now: int) -> str:
    """Return a short date such as ``14 Nov``, with the year where it is not this one (UTC)."""
    then, today = time.gmtime(at / 1000), time.gmtime(now / 1000)
    label = f"{then.tm_mday} {_MONTHS[then.tm_mon - 1]}"
    return label if then.tm_year == today.tm_year else f"{label} {then.tm_year}"
