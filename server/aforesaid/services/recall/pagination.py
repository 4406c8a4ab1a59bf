"""Cursors: text that stands for the end of one page, with which the next page is requested."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Memory, PageCursor

MAX_DAY_DIGITS = 9  #: SQLite cannot hold a number with many more
_OFFSET = "place-"  #: prefix of a cursor into results of one depth
_MAX_OFFSET_CHARS = 12


def cursor_after(memory: Memory) -> str:
    """Return the cursor for the page after the one that ends with this memory."""
    position = PageCursor.of(memory)
    return f"{position.pinned:d}_{position.day}_{position.importance!r}_{position.id}"


def read_cursor(cursor: str) -> PageCursor:
    """Return the position that a cursor stands for.

    Raises:
        InvalidInputError: it is not a valid cursor.
    """
    try:
        pinned, day, importance, identity = cursor.strip().split("_")
        return PageCursor(
            pinned=pinned == "1",
            day=int(day[:MAX_DAY_DIGITS]),
            importance=float(importance),
            id=identity,
        )
    except ValueError:
        raise _invalid(cursor) from None


def cursor_at(offset: int) -> str:
    """Return the cursor for results of one depth, from an offset on."""
    return f"{_OFFSET}{offset}"


def read_offset(cursor: str | None) -> int:
    """Return the offset that a cursor into results of one depth stands for; 0 without a cursor.

    Raises:
        InvalidInputError: it is not a valid cursor.
    """
    if cursor is None:
        return 0
    digits = cursor.removeprefix(_OFFSET)
    well_formed = digits != cursor and len(cursor) <= _MAX_OFFSET_CHARS
    if not (well_formed and digits.isascii() and digits.isdigit()):
        raise _invalid(cursor)
    return int(digits)


def _invalid(cursor: str) -> InvalidInputError:
    return InvalidInputError(f"invalid cursor {cursor[:80]!r}: pass next_cursor unchanged")
