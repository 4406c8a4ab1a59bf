"""Parses dates in plain English ("last week", "3 days ago", "in October") with dateparser.

dateparser is imported only for texts that are not ISO dates: its import takes longer than a recall.
Expressions that it does not know (rolling spans, weekends) are handled here.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.date_range import Period, calendar_period, moment_period, read_iso, to_ms
from aforesaid.domain.text.relative_dates import weekday_named
from aforesaid.domain.text.timestamps import HOUR_MS
from aforesaid.lexicon.calendar import MONTHS, ORDINALS, SEASONS
from aforesaid.ports import Clock

MAX_CHARS = 60  #: longer texts are not dates
MIN_CHARS = 3
NIGHT_STARTS_HOUR = 18
_UNITS = "(day|week|month|year)s?"
_LEADING = re.compile(r"^(?:since|from|after|until|till|before|by|as of|during|over|the)\s+")
_ROLLING = re.compile(rf"^(?:in |within )?(?:the )?(?:last|past) (?:(\w+) )?{_UNITS}$")
_WEEKEND = re.compile(r"^(last|this|the) weekend$")
_END_OF = re.compile(r"^end of (?:the |this )?(week|month|year)$")
_SEASON = re.compile(rf"^(?:in )?(?:the )?({'|'.join(SEASONS)})(?: of)? ([12]\d\d\d)$")
_WEEK_OF_MONTH = re.compile(
    rf"^(?:in )?(?:the )?(last|{'|'.join(sum(ORDINALS, ()))}) week (?:of|in) "
    r"([a-z]+(?: [12]\d{3})?)$"
)
_MONTH_BEFORE = re.compile(
    r"^(?:last|past|previous|this) (?!(?:\w+day|day|night|morning)\b)([a-z]+)$"
)
#: A date in figures that begins with the day or the month. The year is optional after a slash or
#: a dot: 5-6 is a range, and 17.30 a time.
_FIGURES = re.compile(
    r"(?<![\w/.-])(?P<first>\d{1,2})(?:"
    r"(?P<mark>[/-])(?P<second>\d{1,2})(?P=mark)(?P<year>\d{4}|\d\d)"
    r"|/(?P<second_only>\d{1,2})"
    r"|\.\s?(?P<month>\d{1,2})\.\s?(?P<dotted_year>\d{4}|\d\d)?)(?![\w/-]|\.\d)"
)
_NEARLY_ISO = re.compile(r"\d{4}-\d|\d+$")
_COUNTS = ((re.compile(r"\ba few\b"), "3"), (re.compile(r"\ba couple(?: of)?\b"), "2"))
_PAST_EXAMPLES = "yesterday, last week, 3 days ago, in October"
_FUTURE_EXAMPLES = "tomorrow, Friday, in 2 weeks, end of the month"
_parser_lock = Lock()  #: the parser has module-level state
_CALENDAR_UNITS = frozenset({"day", "week", "month", "year"})


class Dates:
    """Parses dates and times in ISO 8601 or in words."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def read(self, text: str, what: str, *, ahead: bool = False, loose: bool = False) -> Period:
        """Return the period that a text names.

        Args:
            text: an ISO 8601 date or time, or plain English words.
            what: the parameter's name, for the error.
            ahead: "Friday" means the next Friday, not the last one.
            loose: "two weeks ago" means that whole week, not that day.

        Raises:
            InvalidInputError: the text is not a date, or may be one of two.
        """
        period = read_iso(text)
        if period is None:
            now = datetime.fromtimestamp(self._clock.now() / 1000)  # noqa: DTZ006 - the machine's zone
            words = _with_named_month(text, what, now.year)
            period = self._in_words(words, now, ahead=ahead, loose=loose)
        if period is None:
            words = _FUTURE_EXAMPLES if ahead else _PAST_EXAMPLES
            raise InvalidInputError(
                f"{what} {text[:MAX_CHARS]!r} is not a date: write 2026-11-22, 2026-11, "
                f"2026-11-22T14:00:00Z, or words: {words}"
            )
        return period

    def _in_words(self, text: str, now: datetime, *, ahead: bool, loose: bool) -> Period | None:
        words = " ".join(text.lower().split())
        if not MIN_CHARS <= len(words) <= MAX_CHARS or _NEARLY_ISO.match(words):
            return None  # the parser would take 2026-13-01 for the 13th of January
        words = _LEADING.sub("", words).replace("previous ", "last ")
        for pattern, count in _COUNTS:
            words = pattern.sub(count, words)
        rolling = _ROLLING.match(words)
        if rolling and (rolling[1] or "past" in words):
            parsed = self._parsed(f"{rolling[1] or 1} {rolling[2]}s ago", now, ahead=False)
            start = None if parsed is None else calendar_period(parsed[0], "day").start
            return None if start is None else Period(start=start, end=to_ms(now) + 1)
        ending = _END_OF.match(words)
        if ending:
            last = calendar_period(now, ending[1]).last
            return calendar_period(datetime.fromtimestamp(last / 1000), "day")  # noqa: DTZ006 - as above
        day = weekday_named(words, now.date())
        if day is not None:
            return calendar_period(datetime.combine(day, datetime.min.time()), "day")
        part = self._part_of(words, now, ahead=ahead)
        if part is not None:
            return part
        month = _MONTH_BEFORE.match(words)
        if month and month[1] not in _CALENDAR_UNITS:
            words = month[1]
        parsed = self._parsed(words, now, ahead=ahead)
        return None if parsed is None else _period(*parsed, words, loose=loose)

    def _part_of(self, words: str, now: datetime, *, ahead: bool) -> Period | None:
        """Return the part of a week, a month or a year that words name: a weekend, a season."""
        if weekend := _WEEKEND.match(words):
            week = now - timedelta(days=7 if weekend[1] == "last" else 0)
            saturday = week + timedelta(days=5 - week.weekday())
            first, second = (
                calendar_period(day, "day") for day in (saturday, saturday + timedelta(days=1))
            )
            return Period(start=first.start, end=second.end)
        if season := _SEASON.match(words):
            return _season(int(season[2]), SEASONS[season[1]])
        if week_of := _WEEK_OF_MONTH.match(words):
            parsed = self._parsed(week_of[2], now, ahead=ahead)
            if parsed is not None and parsed[1] == "month":
                return _week(parsed[0], week_of[1])
        return None

    def _parsed(self, words: str, now: datetime, *, ahead: bool) -> tuple[datetime, str] | None:
        """Return the time and its unit."""
        from dateparser.date import DateDataParser  # costs more than a recall

        options: Any = {
            "PREFER_DATES_FROM": "future" if ahead else "past",
            "RELATIVE_BASE": now,
            "RETURN_TIME_AS_PERIOD": True,
            # without it, dateparser looks up the zone's name, which fails for a rule in TZ (JST-9)
            "TIMEZONE": now.astimezone().strftime("%z"),
        }
        try:
            with _parser_lock:
                data = DateDataParser(languages=["en"], settings=options).get_date_data(words)
        except (OverflowError, ValueError):
            return None
        return None if data.date_obj is None else (data.date_obj, data.period)


def _with_named_month(text: str, what: str, this_year: int) -> str:
    """Return a text with the month's name in its date in figures: 13/12/2026 as 13 december 2026.

    Dots mean that the day comes first; with slashes or hyphens, only a number above 12 shows it.

    Empty if neither number is a month.

    Raises:
        InvalidInputError: either number may be the month.
    """
    figures = _FIGURES.search(text)
    if figures is None or len(text) > MAX_CHARS:
        return text
    day, month = int(figures["first"]), int(figures["month"] or 0)
    year = figures["year"] or figures["dotted_year"] or ""
    year = year if len(year) != 2 else f"20{year}"  # noqa: PLR2004 - two figures
    if not month:
        month = int(figures["second"] or figures["second_only"])
        if month > len(MONTHS):
            day, month = month, day
        elif day != month and 1 <= day <= len(MONTHS):
            first, second = (
                f"{year or this_year}-{number:02}-{other:02}"
                for number, other in ((month, day), (day, month))
            )
            raise InvalidInputError(
                f"{what} {text!r} may be {day} {_name(month)} or {month} {_name(day)}: "
                f"write {first} or {second}"
            )
    if not 1 <= month <= len(MONTHS):
        return ""  # no date
    named = f"{day} {MONTHS[month - 1]} {year}".rstrip()
    return text[: figures.start()] + named + text[figures.end() :]


def _name(month: int) -> str:
    return MONTHS[month - 1].capitalize()


def _season(year: int, month: int) -> Period:
    """Return the three months from the first month of a season on."""
    start = datetime(year, month, 1)  # noqa: DTZ001 - the machine's zone
    third = calendar_period(start + timedelta(days=70), "month")
    return Period(start=to_ms(start), end=third.end)


def _week(moment: datetime, which: str) -> Period:
    """Return the first, second, third, fourth or last seven days of the month of a moment."""
    month = calendar_period(moment, "month")
    numbers = [number for number, words in enumerate(ORDINALS) if which in words]
    weeks = timedelta(days=7 * numbers[0]) if numbers else timedelta(days=-7)
    day = datetime.fromtimestamp((month.start if numbers else month.end) / 1000) + weeks  # noqa: DTZ006 - the machine's zone
    return Period(start=to_ms(day), end=to_ms(day + timedelta(days=7)))


def _period(moment: datetime, unit: str, words: str, *, loose: bool) -> Period:
    """Return the period that the parser's answer covers."""
    if unit in _CALENDAR_UNITS:
        day_named = "ago" in words.split() or (words.startswith("in ") and words[-1] == "s")
        return calendar_period(moment, "day" if day_named and not loose else unit)
    if unit == "part_of_day" and "night" in words:
        evening = calendar_period(moment, "day").start + NIGHT_STARTS_HOUR * HOUR_MS
        return Period(start=evening, end=evening + 12 * HOUR_MS)
    if unit == "part_of_day":
        return calendar_period(moment, "day")
    return moment_period(moment.replace(microsecond=0))
