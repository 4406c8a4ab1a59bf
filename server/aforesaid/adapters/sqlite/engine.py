"""SQLite as we use it: its version, its errors in our words, waits for a busy store.

The engine's own waits grow to 100 ms, so that of many writers the one that has waited longest asks
the most rarely: of 16 writers' calls half took 15 ms and some over 10 s. Here waits are random and
become shorter with time. The engine does not wait by itself in every case; nor is it asked to where
it would read what changed since: then all is done again, until the deadline.
"""

from __future__ import annotations

import os
import time

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
    from types import TracebackType
    from typing import TypeVar

    from .database import Database

    Result = TypeVar("Result")

#: SQLite before this can lose acknowledged commits when connections checkpoint at once.
#: Source: SQLite release notes, WAL-reset bug.
OLDEST_ENGINE = (3, 51, 3)

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

_MIN_WAIT_US = 500
_MAX_WAIT_US = 20_000
_HALVED_AFTER_SECONDS = 0.5  #: the longest wait is half of it then, a third after twice that


def check_engine_version(version: str | None = None) -> None:
    """Refuse an engine that can lose what it acknowledged.

    Raises:
        UnavailableError: SQLite is older than 3.51.3.
    """
    found = version or apsw.sqlite_lib_version()
    if tuple(int(part) for part in found.split(".")[:3]) < OLDEST_ENGINE:
        needed = ".".join(map(str, OLDEST_ENGINE))
        raise UnavailableError(
            f"SQLite {found} can lose data and {needed} or newer is needed: "
            "remove the environment and let it be set up again"
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


def wait_patiently(connection: apsw.Connection, max_ms: int) -> None:
    """Have a connection ask for a lock again until it has it, or so much time is over."""
    began = 0.0

    def wait(tries: int) -> bool:
        nonlocal began
        if tries == 0:
            began = time.monotonic()
        waited = time.monotonic() - began
        if waited * 1000 > max_ms:
            return False
        _pause(waited)
        return True

    connection.set_busy_handler(wait if max_ms else None)


def run_patiently(
    work: Callable[[], Result],
    path: str,
    max_ms: int,
    translate: Callable[[apsw.Error], AforesaidError] | None = None,
) -> Result:
    """Return what work returns, begun again until nobody is in its way or time is over.

    Args:
        work: one statement, or the start of a transaction.
        path: of the store.
        max_ms: how long busy errors are retried.
        translate: makes our error of the engine's; by default ``in_our_words``.

    Raises:
        UnavailableError: the store was busy for all that time, or another error of the engine.
        CorruptError: it is damaged.
    """
    began = time.monotonic()
    while True:
        try:
            return work()
        except apsw.Error as error:
            waited = time.monotonic() - began
            if not isinstance(error, BUSY) and translate is not None:
                raise translate(error) from error
            if not isinstance(error, BUSY) or waited * 1000 >= max_ms:
                raise in_our_words(error, path, waited_seconds=waited) from error
            _pause(waited)


def _pause(waited_seconds: float) -> None:
    """Sleep a few milliseconds; two processes rarely sleep equally long."""
    longest = _MAX_WAIT_US / (1 + waited_seconds / _HALVED_AFTER_SECONDS)
    chance = int.from_bytes(os.urandom(2), "little") / 65_536
    time.sleep((_MIN_WAIT_US + chance * longest) / 1e6)


class Transaction:
    """``with`` block around a unit of work."""

    __slots__ = ("_database", "_wait")

    def __init__(self, database: Database, *, wait: bool) -> None:
        self._database = database
        self._wait = wait

    def __enter__(self) -> None:
        self._database.begin(wait=self._wait)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.end(commit=kind is None)
