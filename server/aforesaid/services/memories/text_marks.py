"""Marks what a statement's own text shows: the days that it names, and that it says nothing."""

from __future__ import annotations

from aforesaid.domain.model.memory import NAMED_DAYS, SAYS_NOTHING
from aforesaid.domain.model.statement import Statement
from aforesaid.lexicon.calendar import RELATIVE

MAX_DAYS = 3  #: of one text
_MAX_CHARS = 100  #: of a text that may say nothing
_MARKS = (NAMED_DAYS, SAYS_NOTHING)


def mark_text(statement: Statement, now: int) -> Statement:
    """Return a statement with marks for what its text shows.

    If it names days ("tomorrow"), the first becomes its event date, unless that is stated. If it
    says nothing ("ok"), sessions are not shown it, unless it was marked important.
    """
    metadata = {name: value for name, value in statement.metadata.items() if name not in _MARKS}
    if _may_say_nothing(statement):
        from aforesaid.domain.maintenance.low_value import says_nothing

        if says_nothing(statement.content):
            metadata[SAYS_NOTHING] = True
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


def _may_say_nothing(statement: Statement) -> bool:
    is_short = statement.type == "semantic" and len(statement.content) <= _MAX_CHARS
    is_said = statement.provenance in {"user", "assistant", "import"}
    has_subject = statement.entity is not None or statement.assignment.task_id is not None
    return is_short and is_said and not has_subject and statement.importance is None
