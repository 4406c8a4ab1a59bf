"""One file, its connections and its transactions.

Here: opening with the right pragmas, the engine gate, errors in our words. Not here: the file's
rights (private_file.py), any table (schema.py) or query.
"""

from __future__ import annotations

import os
import sys
import time
from _thread import allocate_lock, get_ident

import apsw

from aforesaid.domain.errors import (
    AforesaidError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    UnavailableError,
)

from .private_file import keep_private, make_private_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Any

#: SQLite before this can lose acknowledged commits when connections checkpoint at once.
#: Source: SQLite release notes, WAL-reset bug.
OLDEST_ENGINE = (3, 51, 3)
APPLICATION_ID = 0x41464F52  #: "AFOR"
BUSY_TIMEOUT_MS = 10_000
HOOK_BUSY_TIMEOUT_MS = 1_000
_PREPARED = 256  #: statements that stay prepared

#: Set on every connection, in this order after busy_timeout, each read back.
PRAGMAS: tuple[tuple[str, object], ...] = (
    ("journal_mode", "wal"),
    ("synchronous", 2),  # FULL: an acknowledged store survives a power cut
    ("foreign_keys", 1),
    ("trusted_schema", 0),
    ("cell_size_check", 1),
    ("secure_delete", 1),
    ("mmap_size", 0),
    ("wal_autocheckpoint", 1000),
    ("journal_size_limit", 64 * 1024 * 1024),
    ("temp_store", 2),
    *((("fullfsync", 1),) if sys.platform == "darwin" else ()),
)

#: One connection is opened at a time, so that none exists while the file is being made.
_opening = allocate_lock()


class Database:
    """Connections to one file: one per thread, none kept across a fork."""

    def __init__(
        self,
        path: str,
        *,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        vec_extension: str | None = None,
        read_only: bool = False,
    ) -> None:
        """Prepare; the file is opened by the first use of each thread.

        Args:
            path: the file; its folder is made (0700) and the file too (0600).
            busy_timeout_ms: how long a write waits for another process.
            vec_extension: path of sqlite-vec's loadable library, if there is one.
            read_only: refuse every write (an engine or a schema that must not be written).
        """
        # SQLite refuses a link anywhere in the path; only the file itself must not be one
        folder, name = os.path.split(os.path.abspath(path))
        self.path = os.path.join(os.path.realpath(folder), name)
        self.busy_timeout_ms = busy_timeout_ms
        self.vec_extension = vec_extension
        self.read_only = read_only
        self.read_only_because = "it was opened for reading"
        self._connections: dict[tuple[int, int], apsw.Connection] = {}
        self._depths: dict[tuple[int, int], int] = {}
        self._files: dict[tuple[int, int], tuple[int, int]] = {}
        self._begun = 0  #: write transactions, this process's; each has a number of its own
        self._numbers: dict[tuple[int, int], int] = {}

    # -- connections

    def connection(self) -> apsw.Connection:
        """Return this thread's connection, opening it if need be."""
        holder = (os.getpid(), get_ident())
        found = self._connections.get(holder)
        if found is None:
            with _opening:
                found = self._open()
            self._connections[holder] = found
            self._files[holder] = self._files_now()
        return found

    def _open(self) -> apsw.Connection:
        gate_engine()
        if not self.read_only:
            make_private_file(self.path)
        flags = apsw.SQLITE_OPEN_READONLY if self.read_only else apsw.SQLITE_OPEN_READWRITE
        try:
            connection = apsw.Connection(
                self.path, flags | apsw.SQLITE_OPEN_NOFOLLOW, statementcachesize=_PREPARED
            )
        except apsw.Error as error:
            raise in_our_words(error, self.path) from error
        try:
            connection.set_busy_timeout(self.busy_timeout_ms)
            self._refuse_other_programs(connection)
            if not self.read_only:
                keep_private(self.path)
            self._set_pragmas(connection)
            if self.vec_extension is not None:
                connection.enable_load_extension(True)
                connection.load_extension(self.vec_extension)
                connection.enable_load_extension(False)
        except apsw.Error as error:
            connection.close()
            raise in_our_words(error, self.path) from error
        except AforesaidError:
            connection.close()
            raise
        return connection

    def _refuse_other_programs(self, connection: apsw.Connection) -> None:
        """Refuse a database that is not ours, before anything in it or its rights is changed."""
        if connection.pragma("application_id") == APPLICATION_ID:
            return
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]
        # read again: another process may have made all tables in between
        found = connection.pragma("application_id")
        if found != APPLICATION_ID and (found or tables):
            raise UnavailableError(
                f"{self.path} is a database of another program (application id {found:#x}): "
                "set AFORESAID_DB to a file of its own"
            )

    def _set_pragmas(self, connection: apsw.Connection) -> None:
        for name, value in PRAGMAS:
            if self.read_only and name in {"journal_mode", "secure_delete"}:
                continue
            if connection.pragma(name) != value:
                self._set_pragma(connection, name, value)
                read_back = connection.pragma(name)
                if read_back != value:
                    raise UnavailableError(
                        f"{self.path}: pragma {name} stays {read_back}, {value} is needed: "
                        "move the database to a local disk"
                    )

    def _set_pragma(self, connection: apsw.Connection, name: str, value: object) -> None:
        """Set a pragma; the engine does not itself wait for others where a file becomes WAL."""
        deadline = time.monotonic() + self.busy_timeout_ms / 1000
        while True:
            try:
                connection.pragma(name, value)
            except apsw.BusyError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)
            else:
                return

    def close(self) -> None:
        """Close the connections of this process."""
        for (pid, _thread), connection in self._connections.items():
            if pid == os.getpid():
                connection.close()
        self._connections.clear()
        self._files.clear()
        self._depths.clear()

    # -- statements

    def rows(self, sql: str, bindings: Any = ()) -> list[tuple[Any, ...]]:
        """Run one statement and return all its rows.

        Raises:
            UnavailableError: locked, full, read-only or unreadable, with what to do.
            CorruptError: the file is damaged.
        """
        try:
            return self.connection().execute(sql, bindings).fetchall()
        except apsw.Error as error:
            raise in_our_words(error, self.path) from error
        except UnicodeDecodeError as error:
            raise CorruptError(
                f"{self.path} holds a text that is damaged: `aforesaid doctor --deep` says which, "
                "and what to restore"
            ) from error

    def row(self, sql: str, bindings: Any = ()) -> tuple[Any, ...] | None:
        """Run one statement and return its first row."""
        found = self.rows(sql, bindings)
        return found[0] if found else None

    def value(self, sql: str, bindings: Any = ()) -> Any:
        """Run one statement and return the first column of its first row, None without rows."""
        found = self.row(sql, bindings)
        return None if found is None else found[0]

    def size(self) -> int:
        """Return the bytes of the file and its write-ahead log."""
        total = 0
        for name in (self.path, f"{self.path}-wal"):
            try:
                total += os.path.getsize(name)
            except OSError:
                continue
        return total

    def many(self, sql: str, rows: Iterable[Any]) -> None:
        """Run one statement for each row of bindings."""
        try:
            self.connection().executemany(sql, rows)
        except apsw.Error as error:
            raise in_our_words(error, self.path) from error

    def insert(self, sql: str, bindings: Any = ()) -> int:
        """Run an INSERT and return the new row's number."""
        self.rows(sql, bindings)
        return self.connection().last_insert_rowid()

    def transaction(self, *, wait: bool = True) -> Transaction:
        """Return a write transaction; inside another one it joins that.

        Args:
            wait: for others who write; else beginning fails at once while they do.
        """
        return Transaction(self, wait=wait)

    def begin(self, *, wait: bool = True) -> None:
        """Start a write transaction, or go one level deeper."""
        holder = (os.getpid(), get_ident())
        depth = self._depths.get(holder, 0)
        if depth == 0:
            if self.read_only:
                raise UnavailableError(
                    f"{self.path} is only read here: {self.read_only_because}; nothing was written"
                )
            self._begin(wait=wait)
            self._check_same_files(holder)
            self._begun += 1
            self._numbers[holder] = self._begun
        self._depths[holder] = depth + 1

    def _begin(self, *, wait: bool) -> None:
        if wait:
            self.rows("BEGIN IMMEDIATE")
            return
        connection = self.connection()
        connection.set_busy_timeout(0)
        try:
            self.rows("BEGIN IMMEDIATE")
        finally:
            connection.set_busy_timeout(self.busy_timeout_ms)

    @property
    def writing(self) -> int:
        """The number of this thread's write transaction, 0 outside of one."""
        holder = (os.getpid(), get_ident())
        return self._numbers[holder] if self._depths.get(holder) else 0

    def end(self, *, commit: bool) -> None:
        """End a level; the outermost one commits, or rolls all back."""
        holder = (os.getpid(), get_ident())
        depth = self._depths[holder] - 1
        self._depths[holder] = depth
        if depth == 0:
            connection = self.connection()
            try:
                connection.execute("COMMIT" if commit else "ROLLBACK")
            except apsw.Error as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if commit:
                    raise in_our_words(error, self.path) from error

    def _files_now(self) -> tuple[int, int]:
        """Return the inodes of the file and of its log at their places, 0 for one that is not."""
        return _inode(self.path), _inode(f"{self.path}-wal")

    def _check_same_files(self, holder: tuple[int, int]) -> None:
        """Refuse to write to a file, or a log, that is no longer at its path.

        SQLite would go on writing into the old, unlinked one: acknowledged and lost.
        """
        file, log = opened = self._files[holder]
        found = self._files_now()
        if not log:  # this connection's first transaction made it
            self._files[holder] = opened = (file, found[1])
        if found != opened:
            self.rows("ROLLBACK")
            raise UnavailableError(
                f"{self.path} or its log was moved or replaced while in use: nothing was written; "
                "start the client again"
            )


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0


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


def gate_engine(version: str | None = None) -> None:
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


_WORDS: tuple[tuple[type[apsw.Error], Callable[[str], AforesaidError], str], ...] = (
    (apsw.BusyError, UnavailableError, "is locked by another process: try again in a moment"),
    (apsw.LockedError, UnavailableError, "is locked by another connection: try again"),
    (apsw.FullError, UnavailableError, "cannot grow, the disk is full: free some space"),
    (apsw.ReadOnlyError, UnavailableError, "is read-only: nothing was written; check its rights"),
    (apsw.CantOpenError, UnavailableError, "cannot be opened: check that it exists and its rights"),
    (apsw.IOError, UnavailableError, "cannot be read or written: check disk and free space"),
    (apsw.PermissionsError, UnavailableError, "is not accessible: check its rights"),
    (
        apsw.NotADBError,
        CorruptError,
        "is no database: move it away, or `aforesaid restore latest` puts a backup there",
    ),
    (
        apsw.CorruptError,
        CorruptError,
        "is damaged: nothing was changed; `aforesaid restore latest` puts a backup back",
    ),
    (apsw.ConstraintError, ConflictError, "refuses this row"),
    (apsw.TooBigError, InvalidInputError, "cannot hold a value this large"),
)


def in_our_words(error: apsw.Error, path: str) -> AforesaidError:
    """Return the error of our families that says what this engine error means and what to do."""
    for kind, make, words in _WORDS:
        if isinstance(error, kind):
            return make(f"{path} {words} ({error})")
    return UnavailableError(f"{path}: {type(error).__name__}: {error}")
