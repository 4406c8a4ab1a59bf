"""Dates among the arguments of a call: text outside, ms inside.

What is spoken relative to today is kept as the date it meant: read in a year, "yesterday" lies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Filters
    from aforesaid.ports import DateReader

_NOON_MS = 43_200_000
_DAY_MS = 86_400_000
#: What takes a date away again.
NEVER = frozenset({"", "none", "never", "null"})


def parse_date_arguments(
    given: dict[str, Any], dates: DateReader, kind: str | None
) -> dict[str, Any]:
    """Return the arguments of a store or update with every date read.

    ``valid_from``, ``valid_to`` and ``due`` become ms, 0 where they are to be taken away; what
    ``metadata.event_date`` says of an episodic memory also becomes ``event_at``.

    Args:
        given: the arguments.
        dates: reads dates.
        kind: the memory's type; None where it is not known here.

    Raises:
        InvalidInputError: one of them is no date, or ``valid_to`` lies before ``valid_from``.
    """
    read = dict(given)
    if given.get("valid_from") is not None:
        text = given["valid_from"]
        read["valid_from"] = 0 if _is_never(text) else dates.read(text, "valid_from").start
    if given.get("valid_to") is not None:
        text = given["valid_to"]
        period = None if _is_never(text) else dates.read(text, "valid_to", ahead=True)
        read["valid_to"] = 0 if period is None else period.bound - (not period.exact)
    if 0 < read.get("valid_to", 0) < read.get("valid_from", 0):
        raise InvalidInputError(
            f"valid_from {given['valid_from']!r} lies after valid_to {given['valid_to']!r}: "
            "it would be true at no time; exchange them, or leave one out"
        )
    if given.get("due") is not None:
        period = None if _is_never(given["due"]) else dates.read(given["due"], "due", ahead=True)
        read["due"] = 0 if period is None else period.bound - (not period.exact)
    metadata = given.get("metadata", {})
    event = metadata.get("event_date")
    if isinstance(event, str) and kind in {"episodic", None}:
        read["metadata"], read["event_at"] = _event(metadata, event, dates)
    return read


def _is_never(text: str) -> bool:
    return text.strip().lower() in NEVER


def _event(metadata: dict[str, Any], text: str, dates: DateReader) -> tuple[dict[str, Any], int]:
    """Return the metadata with an ISO date, and the time that stands for it.

    A day is stood for by its noon in UTC, which is that day almost everywhere on earth.
    """
    from aforesaid.domain.text.date_range import read_iso

    period = dates.read(text, "metadata.event_date")
    told = text if read_iso(text) else period.label[:10]
    if period.exact:
        return {**metadata, "event_date": told}, period.start
    noon = period.start + _NOON_MS
    at = noon - (noon % _DAY_MS) + _NOON_MS
    return {**metadata, "event_date": told}, at


def read_time_filters(given: dict[str, Any], filters: Filters, dates: DateReader) -> Filters:
    """Return the filters with ``since``, ``until`` and ``as_of`` of a call.

    A day or more counts whole: until and as_of mean its end.

    Raises:
        InvalidInputError: one of them is no date, or ``until`` lies before ``since``.
    """
    since, until, as_of = (given.get(name) for name in ("since", "until", "as_of"))
    start = None if since is None else dates.read(since, "since").start
    bound = None if until is None else dates.read(until, "until").bound
    if start is not None and bound is not None and bound <= start:
        raise InvalidInputError(
            f"since {since!r} lies after until {until!r}: nothing is between; exchange them"
        )
    return filters.replace(
        since=start,
        until=bound,
        as_of=None if as_of is None else dates.read(as_of, "as_of").last,
    )
