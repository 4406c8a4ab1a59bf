"""Time expressions in queries: a clear one becomes a filter, and the answer says so.

Only clear ones ("what did we discuss last week") count, in questions about the past, since a wrong
filter hides the answer. What they mean is decided by the DateReader port.
"""

from __future__ import annotations

import re

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.domain.value import Value
from aforesaid.lexicon.calendar import MONTHS, WEEKDAYS
from aforesaid.lexicon.stop_words import TIME_QUESTION_FILLERS
from aforesaid.ports import Clock, DateReader

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


SEARCH_ALL = 'since="1970" searches all time'


class TimeFilteredQuery(Value):
    """A query narrowed to the period that it names."""

    query: str | None  #: without the time expression; None if nothing else is left
    filters: Filters
    note: str  #: how the query was narrowed, and how to undo it
    empty_note: str  #: the note if nothing in the period matches


def extract_time_filter(
    query: str, filters: Filters, dates: DateReader, clock: Clock
) -> TimeFilteredQuery | None:
    """Return the query narrowed to the period that it names; None if it clearly names none.

    An explicit time filter of the caller is left alone.
    """
    if filters.since is not None or filters.until is not None or filters.as_of is not None:
        return None
    phrase = find_time_phrase(query)
    if phrase is None:
        return None
    try:
        period = dates.read(phrase.text, "query", loose=True)
    except InvalidInputError:
        return None
    if period.start > clock.now():
        return None  # about the future
    until = None if phrase.open else period.end
    terms = [term for term in query_terms(phrase.rest) if term not in TIME_QUESTION_FILLERS]
    days = f"since {period.label[:10]}" if phrase.open else f"from {period.label}"
    return TimeFilteredQuery(
        query=phrase.rest if terms else None,
        filters=filters.replace(since=period.start, until=until),
        note=f'only memories {days}, because the query says "{phrase.full_text}"; {SEARCH_ALL}',
        empty_note=f'no match {days} ("{phrase.full_text}"): searched all time',
    )
