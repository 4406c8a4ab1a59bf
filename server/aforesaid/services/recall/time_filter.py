"""Time expressions in queries: a clear one becomes a filter, and the answer says so.

Which expressions are clear is decided in domain/text/time_expressions.py, what they mean by the
DateReader port.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.text.time_expressions import find_time_phrase
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.domain.value import Value
from aforesaid.lexicon.stop_words import TIME_QUESTION_FILLERS
from aforesaid.ports import Clock, DateReader

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
