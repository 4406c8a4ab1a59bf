"""Phrases of a question that say when: "what did we discuss last week".

Only clear ones count, in questions about the past: a wrong filter hides the answer. What they mean
is read by adapters/date_parser.py; what becomes of them is decided in
services/recall/time_filter.py.
"""

from __future__ import annotations

import re

from aforesaid.domain.value import Value

_MONTH = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
_WEEKDAY = "(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
_COUNT = r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|a couple of)"
_YEAR = r"(?:19|20)\d\d"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
#: What may stand without a preposition.
_FREE = (
    "the day before yesterday|(?:yesterday|today)(?: (?:morning|afternoon|evening))?"
    "|last night|this (?:morning|afternoon|week|month|year)"
    f"|(?:last|past|previous) (?:week(?:end)?|month|year|{_MONTH})|last {_WEEKDAY}"
    f"|(?:the )?(?:last|past) {_COUNT} (?:days|weeks|months|years)"
    f"|{_COUNT} (?:day|week|month|year)s? ago"
)
#: What says when only after a preposition: "may" is a verb, and "friday" a plan.
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
#: What tells that a question is about what was, or about what is kept.
_PAST = re.compile(
    r"\b(?:did|was|were|had|has|have|been|happened|[a-z]{2,}ed|said|told|went|made|wrote|built"
    r"|chose|found|learnt|thought|knew|ran|broke|notes?|memories|sessions?|summary|recap|history"
    r"|since|ago|last|past|yesterday)\b",
    re.IGNORECASE,
)
#: Words that ask about a time and name no subject.
ASKING = frozenset(
    """add added anything bring chat chatted conversation conversations decided did discuss
    discussed discussion discussions do doing done everything get give go going happen
    happened happening history know learn learned learnt list look made make me memories
    memory mention mentioned need new note notes recall recap remember remind said save
    saved say session sessions show something speak spoke store stored summarise summarize
    summary talk talked tell thing things together up us we went work worked working""".split()  # noqa: SIM905 - a list of words reads better as words
)


class TimePhrase(Value):
    """A phrase that says when, found in a question."""

    text: str  #: what to read, such as "last week"
    said: str  #: as it stands in the question, preposition included
    open: bool  #: from then on: "since Monday"
    rest: str  #: the question without it


def find_time_phrase(question: str) -> TimePhrase | None:
    """Return the phrase that says when, None where there is none, or several."""
    found = list(_PHRASE.finditer(question))
    if len(found) != 1 or not _PAST.search(question):
        return None
    match = found[0]
    rest = " ".join(f"{question[: match.start()]} {question[match.end() :]}".split())
    return TimePhrase(
        text=match["open"] or match["free"] or match["bound"],
        said=match[0],
        open=match["since"] is not None,
        rest=rest.strip(" ,;:"),
    )
