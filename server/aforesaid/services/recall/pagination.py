"""Where a page of memories ended, as text that the next one is asked for with."""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import PageCursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory

MAX_DAY_DIGITS = 9  #: of a cursor: no number that the engine cannot hold


def cursor_after(memory: Memory) -> str:
    """Return what the next page is asked for with: where this one ended, by its last memory."""
    at = PageCursor.of(memory)
    return f"{at.pinned:d}_{at.day}_{at.importance!r}_{at.id}"


def read_cursor(cursor: str) -> PageCursor:
    """Return where a page ended.

    Raises:
        InvalidInputError: this is no cursor of ours.
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
        raise InvalidInputError(
            f"cursor {cursor[:80]!r} is none of ours: use next_cursor as it came"
        ) from None
