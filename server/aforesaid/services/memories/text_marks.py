"""Dates a statement that names days relative to the day on which it was said: "tomorrow"."""

from __future__ import annotations

from aforesaid.domain.model.memory import NAMED_DAYS
from aforesaid.domain.model.statement import Statement
from aforesaid.lexicon.calendar import RELATIVE

MAX_DAYS = 3  #: of one text


def date_statement(statement: Statement, now: int) -> Statement:
    """Return a statement with the days that its text names, and the first as its event date.

    A stated event date stays.
    """
    metadata = {name: value for name, value in statement.metadata.items() if name != NAMED_DAYS}
    event_at = statement.event_at if statement.type == "episodic" else None
    text = statement.content.lower()
    if any(word in text for word in RELATIVE):
        # imported for few texts: the end of a session must not wait for it
        from aforesaid.domain.text.relative_dates import find_named_days, local_day

        said_at = statement.created_at if statement.created_at is not None else now
        days = find_named_days(statement.content, local_day(said_at))[:MAX_DAYS]
        if days:
            metadata[NAMED_DAYS] = {day.words: day.iso for day in days}
            event_at = days[0].noon if event_at is None else event_at
    return statement.replace(metadata=metadata, event_at=event_at)
