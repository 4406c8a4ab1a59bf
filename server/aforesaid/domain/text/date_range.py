"""Periods of time, and parsing them from ISO 8601.

Plain words are parsed in adapters/date_parser.py. A date without a zone is in the machine's zone,
since the user means their own day.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value

_SECOND_MS = 1_000
_YEAR_OR_MONTH = re.compile(r"(\d{4})(?:-(\d\d))?")
_DATE = re.compile(r"\d{4}-?\d\d-?\d\d|\d{4}-?W\d\d-?\d")
_WEEK = re.compile(r"\d{4}-?W\d\d")


class Period(Value):
    """A period of time, in ms since the epoch."""

    start: int
    end: int  #: excluded
    exact: bool = False  #: whether a moment was named, not a day or more

    @property
    def last(self) -> int:
        """The last millisecond."""
        return self.end - 1

    @property
    def bound(self) -> int:
        """Times from here on are after the period: the end of a day, the start of a moment."""
        return self.start if self.exact else self.end

    @property
    def label(self) -> str:
        """The days, such as ``2026-11-09 to 2026-11-15``."""
        first, last = _day(self.start), _day(self.last)
        return first if first == last else f"{first} to {last}"


def _day(at: int) -> str:
    return datetime.fromtimestamp(at / 1000).date().isoformat()  # noqa: DTZ006 - the machine's zone


def to_ms(moment: datetime) -> int:
    """Return a time as ms since the epoch; without a zone it is in the machine's zone.

    Raises:
        InvalidInputError: the time is out of range.
    """
    try:
        return round(moment.timestamp() * 1000)
    except (OverflowError, OSError, ValueError):
        raise InvalidInputError(f"the year {moment.year} is out of range") from None


def read_iso(text: str) -> Period | None:
    """Parse a year, month, week, day or moment in ISO 8601; return None for anything else."""
    text = text.strip()
    match = _YEAR_OR_MONTH.fullmatch(text)
    try:
        if match:
            first = datetime(int(match[1]), int(match[2] or 1), 1)  # noqa: DTZ001 - the machine's zone
            return calendar_period(first, "month" if match[2] else "year")
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if _DATE.fullmatch(text):
        return calendar_period(moment, "day")
    if _WEEK.fullmatch(text):
        return calendar_period(moment, "week")
    return moment_period(moment)


def moment_period(moment: datetime) -> Period:
    """Return the second of a moment, or its millisecond if it has one."""
    start = to_ms(moment)
    return Period(start=start, end=start + (1 if start % _SECOND_MS else _SECOND_MS), exact=True)


def calendar_period(moment: datetime, unit: str) -> Period:
    """Return the day, week (from Monday), month or year that contains a moment."""
    first = moment.replace(hour=0, minute=0, second=0, microsecond=0)
    try:
        if unit == "week":
            first -= timedelta(days=first.weekday())
            following = first + timedelta(days=7)
        elif unit == "month":
            first = first.replace(day=1)
            following = (first + timedelta(days=32)).replace(day=1)
        elif unit == "year":
            first = first.replace(month=1, day=1)
            following = first.replace(year=first.year + 1)
        else:
            following = first + timedelta(days=1)
    except (OverflowError, ValueError):
        raise InvalidInputError(f"the year {moment.year} is out of range") from None
    return Period(start=to_ms(first), end=to_ms(following))
