"""The engine's errors in our words: what is wrong with the store, and what to do about it."""

from __future__ import annotations

import apsw

from aforesaid.domain.errors import (
    AforesaidError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    UnavailableError,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: What the engine raises when another process or connection is in the way.
BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)

_WORDS: tuple[tuple[type[apsw.Error], Callable[[str], AforesaidError], str], ...] = (
    (apsw.FullError, UnavailableError, "cannot grow, the disk is full: free some space"),
    (apsw.ReadOnlyError, UnavailableError, "is read-only: nothing was written; check its rights"),
    (apsw.CantOpenError, UnavailableError, "cannot be opened: check that it exists and its rights"),
    (apsw.IOError, UnavailableError, "cannot be read or written: check disk and free space"),
    (apsw.PermissionsError, UnavailableError, "is not accessible: check its rights"),
    (
        apsw.NotADBError,
        CorruptError,
        "is no database: move it away; `aforesaid restore` lists the backups",
    ),
    (
        apsw.CorruptError,
        CorruptError,
        "is damaged: nothing was changed; `aforesaid restore` lists the backups",
    ),
    (apsw.ConstraintError, ConflictError, "refuses this row"),
    (apsw.TooBigError, InvalidInputError, "cannot hold a value this large"),
)


def in_our_words(error: apsw.Error, path: str, *, waited_seconds: float = 0) -> AforesaidError:
    """Return the error of our families that says what this engine error means and what to do.

    Args:
        error: the engine's.
        path: of the store.
        waited_seconds: how long the caller waited for another process, where that is known.
    """
    if isinstance(error, BUSY):
        return _busy(path, waited_seconds)
    for kind, make, words in _WORDS:
        if isinstance(error, kind):
            return make(f"{path} {words} ({error})")
    return UnavailableError(f"{path}: {type(error).__name__}: {error}")


def _busy(path: str, waited_seconds: float) -> UnavailableError:
    held = f"has held it for {waited_seconds:.0f} s" if waited_seconds >= 1 else "holds it"
    return UnavailableError(
        f"The store {path} is busy: another process {held}. Try again; `aforesaid doctor` lists "
        "who holds it"
    )
