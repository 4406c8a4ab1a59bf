"""Finds the time expression of a question: "what did we discuss last week".

Only clear ones count, in questions about the past, since a wrong filter hides the answer.
adapters/date_parser.py parses them, services/recall/time_filter.py applies them.
"""

from __future__ import annotations

import re

from aforesaid.domain.value import Value
from aforesaid.lexicon.calendar import MONTHS, WEEKDAYS

_MONTH = f"(?:{'|'.join(MONTHS)})"
_WEEKDAY = f"(?:{'|'.join(WEEKDAYS)})"
_COUNT = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of)"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
#: Expressions that need no preposition.
_FREE = (
    "the day before yesterday|(?:yesterday|today)(?: (?:morning|afternoon|evening))?"
    "|last night|this (?:morning|afternoon|week|month|year)"
    f"|(?:last|past|previous) (?:week(?:end)?|month|year|{_MONTH})|last {_WEEKDAY}"
    f"|(?:the )?(?:last|past) {_COUNT} (?:days|weeks|months|years)"
    f"|{_COUNT} (?:day|week|month|year)s? ago"
)
#: Expressions that need one: "may" is a verb, and "friday" a plan.
_BOUND = (
    f"{_MONTH} {_DAY}(?:,? {_YEAR})?|{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?"
    f"|{_MONTH}(?:,? {_YEAR})?|{_WEEKDAY}|{_YEAR}(?:-\\d\\d(?:-\\d\\d)?)?"
)
_PHRASE = re.compile(
    rf"(?<![\w-])(?:(?P<since>(?:ever )?since) (?P<open>{_FREE}|{_BOUND})"
    rf"|(?:(?:in|on|during|from|over|within) )?(?P<free>{_FREE})"
    rf"|(?:in|on|during|from) (?P<bound>{_BOUND}))(?![\w'\u2019/-])",
    re.IGNORECASE,
)
#: Signs that a question is about the past, or about what is stored.
_PAST = re.compile(
    r"\b(?:did|was|were|had|has|have|been|happened|[a-z]{2,}ed|said|told|went|made|wrote|built"
    r"|chose|found|learnt|thought|knew|ran|broke|notes?|memories|sessions?|summary|recap|history"
    r"|since|ago|last|past|yesterday)\b",
    re.IGNORECASE,
)


class TimePhrase(Value):
    """A time expression in a question."""

    text: str  #: the expression, such as "last week"
    full_text: str  #: with its preposition
    open: bool  #: whether it means from then on: "since Monday"
    rest: str  #: the question without it


def find_time_phrase(question: str) -> TimePhrase | None:
    """Return the time expression of a question, None if it has none or several."""
    matches = list(_PHRASE.finditer(question))
    if len(matches) != 1 or not _PAST.search(question):
        return None
    match = matches[0]
    rest = " ".join(f"{question[: match.start()]} {question[match.end() :]}".split())
    return TimePhrase(
        text=match["open"] or match["free"] or match["bound"],
        full_text=match[0],
        open=match["since"] is not None,
        rest=rest.strip(" ,;:"),
    )
