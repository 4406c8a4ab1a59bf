"""One store file: its connections and transactions.

Here: opening with the right pragmas and the version check. Not here: file permissions
(file_permissions.py), translated errors (engine.py), tables (schema.py), queries.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, get_ident

import apsw

from aforesaid.domain.errors import AforesaidError, CorruptError, NewerSchemaError, UnavailableError

from . import ledger, unchanged
from .engine import (
    Transaction,
    check_engine_version,
    retry_while_busy,
    set_busy_wait,
    translate_error,
)
from .file_permissions import empty_store_message, keep_private, refuse_unusable_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    from .checkpoints import Checkpointer

    Result = TypeVar("Result")

__all__ = ["Database", "Transaction", "check_engine_version", "translate_error"]

APPLICATION_ID = 0x41464F52  #: "AFOR"
BUSY_TIMEOUT_MS = 30_000  #: after that the caller gets a "store is busy" error
_STATEMENT_CACHE = 256  #: prepared statements of one connection

#: Set on every connection in this order, each read back.
PRAGMAS: tuple[tuple[str, object], ...] = (
    ("journal_mode", "wal"),
    ("synchronous", 2),  # FULL: an acknowledged write survives a power cut
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

#: Connections are opened one at a time, so that none exists while the file is being created.
_opening = allocate_lock()


class Database:
    """Connections to one file: one for each thread, never shared across a fork."""

    def __init__(
        self,
        path: str,
        *,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        vec_extension: str | None = None,
        read_only: bool = False,
        writes_back: bool = False,
        durable: bool = True,
    ) -> None:
        """Prepare; each thread opens the file at its first use.

        Args:
            path: the file, which must exist.
            busy_timeout_ms: how long a write waits for another process.
            vec_extension: path of sqlite-vec's loadable library, if installed.
            read_only: refuse every write.
            writes_back: checkpoint soon after each commit, in a thread (checkpoints.py).
            durable: commits survive a power cut, and the ledger counts them. If false, a power
                cut may undo the last ones; the file stays sound.
        """
        # NOFOLLOW refuses a link anywhere in the path; only the file itself must not be one
        folder, name = os.path.split(os.path.abspath(path))
        self.path = os.path.join(os.path.realpath(folder), name)
        self.busy_timeout_ms = busy_timeout_ms
        self.vec_extension = vec_extension
        self.read_only = read_only
        self.read_only_because = "it was opened for reading"
        self.missing: list[ledger.LedgerEntry] = []  #: lost commits, not yet recorded in the store
        self._writes_back = writes_back
        self._durable = durable
        self._checkpointer: Checkpointer | None = None
        self._changes: dict[tuple[int, int], int] = {}
        self._connections: dict[tuple[int, int], apsw.Connection] = {}
        self._depths: dict[tuple[int, int], int] = {}
        self._files: dict[tuple[int, int], tuple[int, int]] = {}
        self.version = 0  #: of the schema
        self.newer = ""  #: error message if a newer Aforesaid made the file, else empty
        self.on_other_version: Callable[[int], None] | None = None  #: called once it has changed
        self._begun = 0  #: number of this process's last write transaction
        self._numbers: dict[tuple[int, int], int] = {}

    # -- connections

    def connection(self) -> apsw.Connection:
        """Return this thread's connection, opened if necessary."""
        holder = (os.getpid(), get_ident())
        connection = self._connections.get(holder)
        if connection is None:
            with _opening:
                connection = retry_while_busy(self._open, self.path, self.busy_timeout_ms)
            self._connections[holder] = connection
            self._files[holder] = self._current_inodes()
        return connection

    def _open(self) -> apsw.Connection:
        check_engine_version()
        if not self.read_only:
            refuse_unusable_file(self.path)
        flags = apsw.SQLITE_OPEN_READONLY if self.read_only else apsw.SQLITE_OPEN_READWRITE
        connection = apsw.Connection(
            self.path, flags | apsw.SQLITE_OPEN_NOFOLLOW, statementcachesize=_STATEMENT_CACHE
        )
        try:
            set_busy_wait(connection, self.busy_timeout_ms)
            self._refuse_other_programs(connection)
            if not self.read_only:
                keep_private(self.path)
            self._set_pragmas(connection)
            if not self.read_only:
                unchanged.watch(connection, self.path)
            if self.vec_extension is not None:
                connection.enable_load_extension(True)
                connection.load_extension(self.vec_extension)
                connection.enable_load_extension(False)
        except (apsw.Error, AforesaidError):
            connection.close()
            raise
        return connection

    def _refuse_other_programs(self, connection: apsw.Connection) -> None:
        """Refuse a database of another program before changing its content or permissions."""
        if connection.pragma("application_id") == APPLICATION_ID:
            return
        tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]
        # read again: another process may have created all tables in between
        application_id = connection.pragma("application_id")
        if application_id != APPLICATION_ID:
            if not application_id and not tables:
                raise CorruptError(empty_store_message(self.path))
            raise UnavailableError(
                f"{self.path} is a database of another program (application id "
                f"{application_id:#x}): nothing was changed; set AFORESAID_DB to another file"
            )

    def _set_pragmas(self, connection: apsw.Connection) -> None:
        normal = (("synchronous", 1),)  # NORMAL: the log is synced at checkpoints only
        for name, value in PRAGMAS if self._durable else (*PRAGMAS, *normal):
            if self.read_only and name in {"journal_mode", "secure_delete"}:
                continue
            if connection.pragma(name) != value:
                connection.pragma(name, value)
                read_back = connection.pragma(name)
                if read_back != value:
                    raise UnavailableError(
                        f"{self.path} cannot be used safely (SQLite keeps pragma {name} at "
                        f"{read_back} instead of {value}): move it to a local disk"
                    )

    def close(self) -> None:
        """Checkpoint, then close all connections of this process."""
        if self._checkpointer is not None and self._checkpointer.is_here:
            self._checkpointer.stop()
            self._checkpointer = None
            try:
                self.checkpoint()  # SQLite does not while other processes have it open
            except AforesaidError:
                pass  # disk full or file moved; acknowledged commits are in the log
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
            UnavailableError: the file is locked, full, read-only or unreadable.
            CorruptError: the file is damaged.
        """
        try:
            return self._run(lambda: self.connection().execute(sql, bindings).fetchall())
        except UnicodeDecodeError as error:
            raise CorruptError(
                f"{self.path} contains damaged text: `aforesaid doctor --deep` finds it and says "
                "which backup to restore"
            ) from error

    def _run(self, work: Callable[[], Result]) -> Result:
        """Run one statement; outside a transaction, retry while the store is busy."""
        max_ms = 0 if self.writing else self.busy_timeout_ms
        return retry_while_busy(work, self.path, max_ms, self._translate_error)

    def row(self, sql: str, bindings: Any = ()) -> tuple[Any, ...] | None:
        """Run one statement and return its first row."""
        rows = self.rows(sql, bindings)
        return rows[0] if rows else None

    def value(self, sql: str, bindings: Any = ()) -> Any:
        """Run one statement; return the first column of its first row, or None."""
        row = self.row(sql, bindings)
        return None if row is None else row[0]

    def vacuum(self) -> bool:
        """Rewrite the whole file; False while other processes use it."""
        try:
            self.connection().execute("VACUUM")
        except (apsw.BusyError, apsw.LockedError):
            return False
        except apsw.Error as error:
            raise translate_error(error, self.path) from error
        return True

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
        self._run(lambda: self.connection().executemany(sql, rows))

    def insert(self, sql: str, bindings: Any = ()) -> int:
        """Run an INSERT and return the new row's key."""
        self.rows(sql, bindings)
        return self.connection().last_insert_rowid()

    def transaction(self, *, wait: bool = True, commits: bool = True) -> Transaction:
        """Return a write transaction; inside another one it joins that.

        Args:
            wait: for other writers; if false, beginning fails at once while one writes.
            commits: at its end; if false, it rolls back, and only keeps others from writing.
        """
        return Transaction(self, wait=wait, commits=commits)

    def begin(self, *, wait: bool = True) -> None:
        """Start a write transaction, or go one level deeper."""
        holder = (os.getpid(), get_ident())
        depth = self._depths.get(holder, 0)
        if depth == 0:
            if self.read_only:
                raise UnavailableError(
                    f"{self.path} is open for reading only ({self.read_only_because}): nothing was "
                    "written"
                )
            self._begin(wait=wait)
            try:
                self._refuse_other_files(holder)
                self._notice_version()
            except AforesaidError:
                self._roll_back()
                raise
            self._changes[holder] = self.connection().total_changes()
            self._begun += 1
            self._numbers[holder] = self._begun
        self._depths[holder] = depth + 1

    def _begin(self, *, wait: bool) -> None:
        if wait:
            self.rows("BEGIN IMMEDIATE")
            return
        connection = self.connection()
        set_busy_wait(connection, 0)
        try:
            retry_while_busy(lambda: connection.execute("BEGIN IMMEDIATE"), self.path, 0)
        finally:
            set_busy_wait(connection, self.busy_timeout_ms)

    @property
    def writing(self) -> int:
        """The number of this thread's write transaction, 0 outside one."""
        holder = (os.getpid(), get_ident())
        return self._numbers[holder] if self._depths.get(holder) else 0

    def end(self, *, commit: bool) -> None:
        """End one level; the outermost one commits or rolls back."""
        holder = (os.getpid(), get_ident())
        depth = self._depths[holder] - 1
        self._depths[holder] = depth
        if depth == 0:
            if commit:
                self._commit(holder)
            else:
                self._roll_back()

    def _commit(self, holder: tuple[int, int]) -> None:
        """Commit the changes with the next ledger number, then note it in the ledger."""
        connection = self.connection()
        entry = None
        try:
            if self.missing:
                ledger.record_loss(self, self.missing)
            if self._durable and connection.total_changes() != self._changes[holder]:
                entry = ledger.count_commit(self)
            connection.execute("COMMIT")
        except (apsw.Error, AforesaidError) as error:
            self._roll_back()
            if isinstance(error, apsw.Error):
                raise translate_error(error, self.path) from error
            raise
        self.missing = []
        if entry is not None:
            ledger.append(self.path, entry)
            if self._writes_back:
                if self._checkpointer is None or not self._checkpointer.is_here:
                    from .checkpoints import Checkpointer

                    self._checkpointer = Checkpointer(self)
                self._checkpointer.committed()

    def _roll_back(self) -> None:
        connection = self.connection()
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except apsw.Error:
            pass  # SQLite has already rolled back

    def checkpoint(self, *, empty: bool = True) -> bool:
        """Write the log back into the file; False while other processes read from it.

        Args:
            empty: also truncate the log.

        Raises:
            UnavailableError: the file cannot be written, or is no longer at its path.
        """
        from .checkpoints import write_back

        self.connection()
        self._refuse_other_files((os.getpid(), get_ident()))
        return write_back(self, empty=empty)

    def _notice_version(self) -> None:
        """Call back if another process migrated the file."""
        if self.on_other_version is not None:
            version = int(self.value("PRAGMA user_version"))
            if version != self.version:
                self.on_other_version(version)

    def _translate_error(self, error: apsw.Error) -> AforesaidError:
        """Translate an error; one caused by a newer schema says so."""
        if isinstance(error, apsw.SQLError):
            self._notice_version()
            if self.newer:
                return NewerSchemaError(self.newer)
        return translate_error(error, self.path)

    def _current_inodes(self) -> tuple[int, int]:
        """Return the inodes of the file and its log at their paths, 0 for a missing one."""
        return _inode(self.path), _inode(f"{self.path}-wal")

    def _refuse_other_files(self, holder: tuple[int, int]) -> None:
        """Refuse to write to a file, or a log, that is no longer at its path.

        SQLite would keep writing to the old, unlinked file: acknowledged and lost.
        """
        file, log = expected = self._files[holder]
        current = self._current_inodes()
        if not log:  # this connection's first transaction created it
            self._files[holder] = expected = (file, current[1])
        if current != expected:
            raise UnavailableError(
                f"{self.path} or its log was moved or replaced while in use: nothing was written; "
                "restart the client"
            )


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
