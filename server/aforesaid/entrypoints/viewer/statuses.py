"""The statuses of responses that show an error."""

from __future__ import annotations

from aforesaid.domain.errors import (
    AforesaidError,
    ConflictError,
    InvalidInputError,
    NotFoundError,
)

_STATUSES: tuple[tuple[type[AforesaidError], int], ...] = (
    (InvalidInputError, 400),
    (NotFoundError, 404),
    (ConflictError, 409),
    (AforesaidError, 503),
)


def status_of(error: AforesaidError) -> int:
    """Return the status of a response that shows an error."""
    return next(status for family, status in _STATUSES if isinstance(error, family))
