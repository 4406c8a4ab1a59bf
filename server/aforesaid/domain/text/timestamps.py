"""Units of time, and writing milliseconds since the epoch (UTC) as text.

Parsing is in date_range.py, which hooks never need.
"""

from __future__ import annotations

import time

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS
WEEK_MS = 7 * DAY_MS
#: From the Monday of its week to the epoch, which was a Thursday.
EPOCH_SINCE_MONDAY_MS = 3 * DAY_MS

#: Midnight is at 10:00 UTC in the westmost zone (Hawaii), and at 10:15 in the eastmost (Chatham).
#: The few who live beyond them see a date of their own right, since their zone is tried first.
_WESTMOST_MIDNIGHT_MS = 10 * HOUR_MS + 10 * MINUTE_MS

_MONTHS = (
    *("Jan", "Feb", "Mar", "Apr", "May", "Jun"),
    *("Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)


def to_iso(at: int) -> str:
    """Return a time in ms as ISO 8601 in UTC, to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at / 1000))


def due_text(at: int) -> str:
    """Return when something is due: a date, or a time in ISO 8601 (UTC)."""
    return _due_date(at) or to_iso(at)


def local_due_text(at: int) -> str:
    """Return when something is due, for people: a date, or a time in the machine's zone."""
    return _due_date(at) or local_time(at)


def _due_date(at: int) -> str:
    """Return the date of something that is due on a day; empty if it is due at a time.

    A date is stored as the last millisecond of that day where it was stated, which need not be in
    the machine's zone. Times have no such milliseconds.
    """
    local = time.localtime(at / 1000)
    if (local.tm_hour, local.tm_min, local.tm_sec) == (23, 59, 59):
        return time.strftime("%Y-%m-%d", local)
    if at % MINUTE_MS != MINUTE_MS - 1:
        return ""
    return time.strftime("%Y-%m-%d", time.gmtime((at - _WESTMOST_MIDNIGHT_MS) / 1000))


def local_time(at: int) -> str:
    """Return a time in ms in the machine's zone, to the minute."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(at / 1000))


def day_and_month(at: int) -> str:
    """Return a short date in UTC such as ``14 Nov``."""
    then = time.gmtime(at / 1000)
    return f"{then.tm_mday} {_MONTHS[then.tm_mon - 1]}"


def day_month_year(at: int) -> str:
    """Return a date in UTC such as ``14 Nov 2026``."""
    return f"{day_and_month(at)} {time.gmtime(at / 1000).tm_year}"


def day_label(at: int, now: int) -> str:
    """Return a short date in the machine's zone, with the year unless it is this year."""
    then = time.localtime(at / 1000)
    day = f"{then.tm_mday} {_MONTHS[then.tm_mon - 1]}"
    return day if then.tm_year == time.localtime(now / 1000).tm_year else f"{day} {then.tm_year}"


def days_text(iso: str) -> str:
    """Return an ISO date, or two joined by a slash, as ``30 Nov 2026 to 6 Dec 2026``."""
    return " to ".join(map(_date_text, iso.split("/")))


def _date_text(iso: str) -> str:
    year, _, rest = iso.partition("-")
    month, _, day = rest.partition("-")
    if not (month.isdecimal() and day.isdecimal() and 1 <= int(month) <= len(_MONTHS)):
        return iso
    return f"{int(day)} {_MONTHS[int(month) - 1]} {year}"
