"""SQLite as this store uses it: version check, translated errors, waits for a busy store.

SQLite's own waits grow to 100 ms, so of many writers the one that has waited longest asks least
often: with 16 writers half of the calls took 15 ms and some over 10 s. Here the waits are random
and get shorter over time. SQLite does not call the busy handler in every case, and not where a
retry would read newer data: then the whole statement is repeated until the deadline.
"""

from __future__ import annotations

import os
import time

import apsw

from aforesaid.domain.errors import (
    AforesaidError,
    BusyError,
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

#: Older versions can lose acknowledged commits when connections checkpoint at the same time.
#: Source: SQLite release notes, WAL-reset bug.
OLDEST_ENGINE = (3, 51, 3)

#: Raised when another process or connection holds a lock.
BUSY = (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)

_TRANSLATIONS: tuple[tuple[type[apsw.Error], Callable[[str], AforesaidError], str], ...] = (
    (
        apsw.FullError,
        UnavailableError,
        "cannot grow because the disk is full: nothing was written; free some space and try again",
    ),
    (
        apsw.ReadOnlyError,
        UnavailableError,
        "is read-only: nothing was written; make the file and its folder writable",
    ),
    (
        apsw.CantOpenError,
        UnavailableError,
        "cannot be opened: check that it exists and that its permissions allow it",
    ),
    (
        apsw.IOError,
        UnavailableError,
        "cannot be read or written: check the disk and its free space",
    ),
    (apsw.PermissionsError, UnavailableError, "cannot be accessed: check its permissions"),
    (
        apsw.NotADBError,
        CorruptError,
        "is not a database: name another file, or replace it with a backup (`aforesaid restore`)",
    ),
    (
        apsw.CorruptError,
        CorruptError,
        "is damaged: nothing was changed; `aforesaid restore` lists the backups to replace it with",
    ),
    (apsw.ConstraintError, ConflictError, "rejects this row because it breaks a constraint"),
    (apsw.TooBigError, InvalidInputError, "cannot store a value this large: shorten it"),
)

_MIN_WAIT_US = 500
_MAX_WAIT_US = 20_000
_HALVED_AFTER_SECONDS = 0.5  #: the maximum wait is 1/2 after this, 1/3 after twice this


def check_engine_version(version: str | None = None) -> None:
    """Refuse a SQLite version that can lose acknowledged data.

    Raises:
        UnavailableError: SQLite is older than 3.51.3.
    """
    installed = version or apsw.sqlite_lib_version()
    if tuple(int(part) for part in installed.split(".")[:3]) < OLDEST_ENGINE:
        required = ".".join(map(str, OLDEST_ENGINE))
        raise UnavailableError(
            f"SQLite {installed} can lose data; Aforesaid needs {required} or newer: run "
            "`aforesaid setup --rebuild`"
        )


def translate_error(error: apsw.Error, path: str, *, waited_seconds: float = 0) -> AforesaidError:
    """Translate an error of SQLite: what it means for this store and what to do.

    Args:
        error: as apsw raised it.
        path: of the store.
        waited_seconds: how long the caller waited for another process, if known.
    """
    if isinstance(error, BUSY):
        return _busy(path, waited_seconds)
    for kind, family, message in _TRANSLATIONS:
        if isinstance(error, kind):
            return family(f"{path} {message} ({error})")
    return UnavailableError(
        f"{path} failed ({type(error).__name__}: {error}): run `aforesaid doctor`"
    )


def _busy(path: str, waited_seconds: float) -> BusyError:
    verb = f"has held it for {waited_seconds:.0f} s" if waited_seconds >= 1 else "holds it"
    return BusyError(
        f"The store {path} is busy: another process {verb}. Try again; `aforesaid doctor` lists "
        "the processes that have it open"
    )


def set_busy_wait(connection: apsw.Connection, max_ms: int) -> None:
    """Have a connection retry a lock with random pauses, for this long at most."""
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


def retry_while_busy(
    work: Callable[[], Result],
    path: str,
    max_ms: int,
    translate: Callable[[apsw.Error], AforesaidError] | None = None,
) -> Result:
    """Call ``work`` again while the store is busy, until the time is up; return its result.

    Args:
        work: one statement, or the start of a transaction.
        path: of the store.
        max_ms: how long busy errors are retried.
        translate: converts other errors; by default ``translate_error``.

    Raises:
        UnavailableError: the store was busy all that time, or SQLite failed in another way.
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
                raise translate_error(error, path, waited_seconds=waited) from error
            _pause(waited)


def _pause(waited_seconds: float) -> None:
    """Sleep for a random few milliseconds, so that processes do not retry at the same time."""
    max_us = _MAX_WAIT_US / (1 + waited_seconds / _HALVED_AFTER_SECONDS)
    fraction = int.from_bytes(os.urandom(2), "little") / 65_536
    time.sleep((_MIN_WAIT_US + fraction * max_us) / 1e6)


class Transaction:
    """A write transaction as a ``with`` block."""

    __slots__ = ("_commits", "_database", "_wait")

    def __init__(self, database: Database, *, wait: bool, commits: bool) -> None:
        self._database = database
        self._wait = wait
        self._commits = commits

    def __enter__(self) -> None:
        self._database.begin(wait=self._wait)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._database.end(commit=kind is None and self._commits)
