"""Dates in the arguments of tool calls: text outside, ms inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.timestamps import DAY_MS

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Filters
    from aforesaid.ports import DateReader

#: Values that clear a date.
NEVER = frozenset({"", "none", "never", "null"})
_NOON_MS = 43_200_000
_YEARS = range(1000, 10_000)  #: numbers that are an event date


def read_dates(
    arguments: dict[str, Any], dates: DateReader, kind: str | None, *, needs_event_date: bool = True
) -> dict[str, Any]:
    """Return the arguments of a store or an update with every date read.

    ``valid_from``, ``valid_to`` and ``due`` become ms, 0 where they are cleared. The
    ``event_date`` in the metadata of an episodic memory also sets ``event_at``; a relative one
    ("yesterday") is stored as the date that it means today.

    Args:
        arguments: of the call.
        dates: reads dates.
        kind: the memory's type; None where it is not known.
        needs_event_date: refuse an event date that cannot be read. Else it is left out, and its
            text is returned as ``unread_date``.

    Raises:
        InvalidInputError: a value is not a date, or ``valid_to`` is before ``valid_from``.
    """
    read = dict(arguments)
    if (text := arguments.get("valid_from")) is not None:
        read["valid_from"] = 0 if _is_never(text) else dates.read(text, "valid_from").start
    for name in ("valid_to", "due"):
        if (text := arguments.get(name)) is not None:
            period = None if _is_never(text) else dates.read(text, name, ahead=True)
            read[name] = 0 if period is None else period.bound - (not period.exact)
    if 0 < read.get("valid_to", 0) < read.get("valid_from", 0):
        raise InvalidInputError(
            f"valid_from {arguments['valid_from']!r} is after valid_to "
            f"{arguments['valid_to']!r}: swap them, or leave one out"
        )
    metadata = arguments.get("metadata", {})
    event_date = metadata.get("event_date")
    if event_date in _YEARS:
        event_date = str(event_date)
    if isinstance(event_date, str) and kind in {"episodic", None}:
        try:
            date, read["event_at"] = _read_event(event_date, dates)
            read["metadata"] = {**metadata, "event_date": date}
        except InvalidInputError:
            if needs_event_date:
                raise
            rest = {name: value for name, value in metadata.items() if name != "event_date"}
            read |= {"metadata": rest, "unread_date": event_date}
    return read


def _is_never(text: str) -> bool:
    return text.strip().lower() in NEVER


def _read_event(text: str, dates: DateReader) -> tuple[str, int]:
    """Return an event's date in ISO form, and its time (ms).

    A whole day is represented by noon UTC, which falls on that day almost everywhere on earth.
    """
    from aforesaid.domain.text.date_range import read_iso

    period = dates.read(text, "metadata.event_date")
    date = text if read_iso(text) else period.label[:10]
    if period.exact:
        return date, period.start
    noon = period.start + _NOON_MS
    return date, noon - (noon % DAY_MS) + _NOON_MS


def with_times(filters: Filters, arguments: dict[str, Any], dates: DateReader) -> Filters:
    """Return the filters with ``since``, ``until`` and ``as_of``; the last two mean a day's end."""
    since, until, as_of = (arguments.get(name) for name in ("since", "until", "as_of"))
    start = None if since is None else dates.read(since, "since").start
    bound = None if until is None else dates.read(until, "until").bound
    if start is not None and bound is not None and bound <= start:
        raise InvalidInputError(f"since {since!r} is after until {until!r}: swap them")
    return filters.replace(
        since=start,
        until=bound,
        as_of=None if as_of is None else dates.read(as_of, "as_of").last,
    )
