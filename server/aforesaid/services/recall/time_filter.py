"""Questions that say when: a clear phrase becomes a filter, and the answer says so.

Not here: which phrases are clear (domain/text/time_expressions.py), what they mean (the DateReader
port).
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Filters
from aforesaid.domain.text.time_expressions import ASKING, find_time_phrase
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.ports import Clock, DateReader

SEARCH_ALL = 'since="1970" searches all time'


class TimeFilteredQuery(Value):
    """A question narrowed to the time it speaks of."""

    query: str | None  #: without the phrase; None where it asks for nothing but a time
    filters: Filters
    note: str  #: what was narrowed, and how to undo it
    empty_note: str  #: what to say where nothing is from then


def extract_time_filter(
    query: str, filters: Filters, dates: DateReader, clock: Clock
) -> TimeFilteredQuery | None:
    """Return the question narrowed to the time that it names; None where it clearly names none.

    What the caller filtered by time stays as it is.
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
        return None  # a plan, not a past
    until = None if phrase.open else period.end
    terms = [term for term in query_terms(phrase.rest) if term not in ASKING]
    days = f"since {period.label[:10]}" if phrase.open else period.label
    return TimeFilteredQuery(
        query=phrase.rest if terms else None,
        filters=filters.replace(since=period.start, until=until),
        note=f'only {days}, since the question says "{phrase.said}"; {SEARCH_ALL}',
        empty_note=f'nothing that fits is of {days} ("{phrase.said}"): searched all time',
    )
