"""How a response shows an error: its status, and its message in words for a person."""

from __future__ import annotations

from aforesaid.domain.errors import (
    AforesaidError,
    BusyError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
)

from .services import BUSY_TIMEOUT_MS

_STATUSES: tuple[tuple[type[AforesaidError], int], ...] = (
    (InvalidInputError, 400),
    (NotFoundError, 404),
    (ConflictError, 409),
    (AforesaidError, 503),
)
BUSY = (
    "Nothing was changed: another program is writing to the store and did not finish within "
    f"{BUSY_TIMEOUT_MS // 1000} seconds. Try again in a moment; `aforesaid doctor` lists the "
    "programs that have the store open."
)


def status_of(error: AforesaidError) -> int:
    """Return the status of a response that shows an error."""
    return next(status for family, status in _STATUSES if isinstance(error, family))


def message_of(error: AforesaidError) -> str:
    """Return what a page says about an error: a sentence, with a name first left as it is."""
    if isinstance(error, BusyError):
        return BUSY
    text = str(error)
    first = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text
