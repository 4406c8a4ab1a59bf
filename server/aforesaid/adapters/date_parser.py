"""Dates in plain words: "last week", "3 days ago", "in October", by dateparser.

It is imported only when a text is no ISO date: its import costs more than a whole recall. What it
does not know and people say (rolling spans, weekends) is put into its words here.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.date_range import Period, calendar_period, moment_period, read_iso, to_ms

if TYPE_CHECKING:
    from aforesaid.ports import Clock

MAX_CHARS = 60  #: longer texts are no dates
MIN_CHARS = 3
NIGHT_STARTS_HOUR = 18
_UNITS = "(day|week|month|year)s?"
_LEADING = re.compile(r"^(?:since|from|after|until|till|before|by|as of|during|over|the)\s+")
_ROLLING = re.compile(rf"^(?:in |within )?(?:the )?(?:last|past) (?:(\w+) )?{_UNITS}$")
_WEEKEND = re.compile(r"^(last|this|the) weekend$")
_END_OF = re.compile(r"^end of (?:the |this )?(week|month|year)$")
_MONTH_BEFORE = re.compile(
    r"^(?:last|past|previous|this) (?!(?:\w+day|day|night|morning)\b)([a-z]+)$"
)
_NEARLY_ISO = re.compile(r"\d{4}-\d|\d+$")
_COUNTS = ((re.compile(r"\ba few\b"), "3"), (re.compile(r"\ba couple(?: of)?\b"), "2"))
_parsing = Lock()  #: the parser keeps what it is at in its module: one thread at a time
_CALENDAR_UNITS = frozenset({"day", "week", "month", "year"})


class Dates:
    """Reads dates and times as people and programs write them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def read(self, text: str, what: str, *, ahead: bool = False, loose: bool = False) -> Period:
        """Return the period that a text names.

        Args:
            text: an ISO 8601 date or time, or plain English words.
            what: the parameter, for the error.
            ahead: "Friday" is the next one, not the last.
            loose: "two weeks ago" is that whole week, not that day.

        Raises:
            InvalidInputError: it names no time.
        """
        found = read_iso(text) or self._in_words(text, ahead=ahead, loose=loose)
        if found is None:
            raise InvalidInputError(
                f"{what} {text[:MAX_CHARS]!r} is no date: write 2026-11-22, 2026-11, "
                "2026-11-22T14:00:00Z, or words: yesterday, last week, 3 days ago, in October"
            )
        return found

    def _in_words(self, text: str, *, ahead: bool, loose: bool) -> Period | None:
        words = " ".join(text.lower().split())
        if not MIN_CHARS <= len(words) <= MAX_CHARS or _NEARLY_ISO.match(words):
            return None  # the parser would take 2026-13-01 for the 13th of January
        words = _LEADING.sub("", words).replace("previous ", "last ")
        for pattern, count in _COUNTS:
            words = pattern.sub(count, words)
        now = datetime.fromtimestamp(self._clock.now() / 1000)  # noqa: DTZ006 - the machine's zone
        rolling = _ROLLING.match(words)
        if rolling and (rolling[1] or "past" in words):
            found = self._parsed(f"{rolling[1] or 1} {rolling[2]}s ago", now, ahead=False)
            start = None if found is None else calendar_period(found[0], "day").start
            return None if start is None else Period(start=start, end=to_ms(now) + 1)
        ending = _END_OF.match(words)
        if ending:
            last = calendar_period(now, ending[1]).last
            return calendar_period(datetime.fromtimestamp(last / 1000), "day")  # noqa: DTZ006 - as above
        weekend = _WEEKEND.match(words)
        if weekend:
            week = now - timedelta(days=7 if weekend[1] == "last" else 0)
            saturday = week + timedelta(days=5 - week.weekday())
            first, second = (
                calendar_period(day, "day") for day in (saturday, saturday + timedelta(days=1))
            )
            return Period(start=first.start, end=second.end)
        named = _MONTH_BEFORE.match(words)
        if named and named[1] not in _CALENDAR_UNITS:
            words = named[1]
        found = self._parsed(words, now, ahead=ahead)
        return None if found is None else _period(*found, words, loose=loose)

    def _parsed(self, words: str, now: datetime, *, ahead: bool) -> tuple[datetime, str] | None:
        """Return the time that words name, and how finely they do."""
        from dateparser.date import DateDataParser  # costs more than a recall

        options: Any = {
            "PREFER_DATES_FROM": "future" if ahead else "past",
            "RELATIVE_BASE": now,
            "RETURN_TIME_AS_PERIOD": True,
            # else it looks for the zone's name, which a rule in TZ (JST-9) or none of /etc has
            "TIMEZONE": now.astimezone().strftime("%z"),
        }
        try:
            with _parsing:
                data = DateDataParser(languages=["en"], settings=options).get_date_data(words)
        except (OverflowError, ValueError):
            return None
        return None if data.date_obj is None else (data.date_obj, data.period)


def _period(moment: datetime, unit: str, words: str, *, loose: bool) -> Period:
    """Return the stretch of time that the parser's answer stands for."""
    if unit in _CALENDAR_UNITS:
        day_named = "ago" in words.split() or (words.startswith("in ") and words[-1] == "s")
        return calendar_period(moment, "day" if day_named and not loose else unit)
    if unit == "part_of_day" and "night" in words:
        evening = calendar_period(moment, "day").start + NIGHT_STARTS_HOUR * 3_600_000
        return Period(start=evening, end=evening + 12 * 3_600_000)
    if unit == "part_of_day":
        return calendar_period(moment, "day")
    return moment_period(moment.replace(microsecond=0))
