"""Days that a text names relative to the day on which it was written: tomorrow, next Friday.

Only phrases that surely mean one day or week count: "on Friday" may be any Friday, or every one.
Dates of questions and options, in many more words: adapters/date_parser.py.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from aforesaid.domain.value import Value
from aforesaid.lexicon.calendar import HABITS, WEEKDAYS

_DAYS = "|".join(WEEKDAYS)
_NUMBERS = "two|three|four|five|six|\\d{1,3}"
_COUNTS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_PHRASE = re.compile(
    r"(?<![\w`'\"./-])(?:"
    r"(?:the )?day (?P<side>after tomorrow|before yesterday)|(?P<near>tomorrow|yesterday)|"
    rf"(?P<which>next|last|this|coming) (?P<day>{_DAYS}|week)|"
    rf"(?P<count>{_NUMBERS}) (?P<unit>day|week)s ago"
    r")(?![\w`'\"\u2019/-]|\.\w| of\b)",
    re.IGNORECASE,
)
_HABIT = re.compile(rf"\b(?:{'|'.join(HABITS)})\b", re.IGNORECASE)
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”")
_DAYS_OF = {"day": 1, "week": 7}


class NamedDay(Value):
    """A phrase of a text and the days that it means."""

    words: str
    first: date
    last: date

    @property
    def iso(self) -> str:
        """The day, or the first and the last, as ``2026-11-30/2026-12-06``."""
        first, last = self.first.isoformat(), self.last.isoformat()
        return first if first == last else f"{first}/{last}"

    @property
    def noon(self) -> int:
        """Noon UTC (ms) of the first day, which falls on that day almost everywhere on earth."""
        noon = datetime(self.first.year, self.first.month, self.first.day, 12, tzinfo=UTC)
        return int(noon.timestamp() * 1000)


def local_day(at: int) -> date:
    """Return the day of a time (ms) in the machine's zone."""
    return datetime.fromtimestamp(at / 1000).date()  # noqa: DTZ006 - the user's own day


def find_named_days(text: str, today: date) -> list[NamedDay]:
    """Return the days that a text names, in its order; none in a sentence about a habit.

    Args:
        text: as it was written.
        today: the day on which it was written.
    """
    found = []
    for sentence in re.split(r"(?<=[.!?])\s+|\n", _QUOTED.sub("``", text)):
        if not _HABIT.search(sentence):
            for match in _PHRASE.finditer(sentence):
                first, last = _days(match, today)
                found.append(NamedDay(words=match[0], first=first, last=last))
    return found


def weekday_named(words: str, today: date) -> date | None:
    """Return the day that ``next friday`` or ``this friday`` means; None for other words.

    The next Friday is that of the next week, as most people mean it.
    """
    which, _, day = words.partition(" ")
    if which not in {"next", "this", "coming"} or day not in WEEKDAYS:
        return None
    return _weekday(which, WEEKDAYS.index(day), today)


def _days(match: re.Match[str], today: date) -> tuple[date, date]:
    near = (match["near"] or match["side"] or "").lower()
    if near:
        distance = {"tomorrow": 1, "yesterday": -1, "after tomorrow": 2, "before yesterday": -2}
        day = today + timedelta(days=distance[near])
        return day, day
    if match["count"]:
        count = _COUNTS.get(match["count"].lower()) or int(match["count"])
        day = today - timedelta(days=count * _DAYS_OF[match["unit"].lower()])
        return day, day
    which, name = match["which"].lower(), match["day"].lower()
    if name == "week":
        weeks = {"next": 1, "coming": 1, "last": -1, "this": 0}[which]
        monday = today + timedelta(days=7 * weeks - today.weekday())
        return monday, monday + timedelta(days=6)
    day = _weekday(which, WEEKDAYS.index(name), today)
    return day, day


def _weekday(which: str, weekday: int, today: date) -> date:
    if which == "last":
        return today - timedelta(days=(today.weekday() - weekday) % 7 or 7)
    if which == "coming":
        return today + timedelta(days=(weekday - today.weekday()) % 7 or 7)
    monday = today - timedelta(days=today.weekday())
    return monday + timedelta(days=weekday + (7 if which == "next" else 0))
