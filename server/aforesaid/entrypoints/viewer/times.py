"""Times as a page shows them: the day, the moment, how long ago; in the machine's time zone."""

from __future__ import annotations

import re
import time
from datetime import date, datetime, timedelta

_UNITS = (
    (86_400 * 365, "year"), (86_400 * 30, "month"), (86_400, "day"), (3_600, "hour"),
    (60, "minute"),
)  # fmt: skip
_ISO_TIME = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z")


def _read(value: int | str) -> datetime:
    """Return a time given in ms since the epoch, or in ISO form."""
    if isinstance(value, int):
        return datetime.fromtimestamp(value / 1000).astimezone()
    return datetime.fromisoformat(value).astimezone()


def day(value: int | str | None) -> str:
    """Return the day of a time, such as 2026-11-26; empty for none."""
    return "" if not value else f"{_read(value):%Y-%m-%d}"


def moment(value: int | str | None) -> str:
    """Return a time to the minute; empty for none."""
    return "" if not value else f"{_read(value):%Y-%m-%d %H:%M}"


def readable(text: str) -> str:
    """Return a text whose times in ISO form, such as 2026-11-26T17:34:21Z, are to the minute."""
    return _ISO_TIME.sub(lambda found: moment(found[0]), text)


def ago(value: int | str | None) -> str:
    """Return how long ago a time was, in its largest unit; empty for none."""
    if not value:
        return ""
    seconds = time.time() - _read(value).timestamp()
    for size, unit in _UNITS:
        if abs(seconds) >= size:
            number = round(abs(seconds) / size)
            text = f"{number} {unit}{'s' if number != 1 else ''}"
            return f"{text} ago" if seconds > 0 else f"in {text}"
    return "just now"


def week(value: int, now: int) -> str:
    """Return which week a time (ms) was in, seen from now, with its Monday."""
    monday, current = _monday(value), _monday(now)
    number = (current - monday).days // 7
    label = {0: "This week", 1: "Last week"}.get(number, f"{number} weeks ago")
    return f"{label}, from {monday}"


def _monday(value: int) -> date:
    day = _read(value).date()
    return day - timedelta(days=day.weekday())
