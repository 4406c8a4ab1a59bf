"""One file, its connections and its transactions.

Here: opening with the right pragmas, the engine gate. Not here: the file's rights
(file_permissions.py), errors in our words (engine.py), any table (schema.py) or query.
"""

from __future__ import annotations

import os
import sys
from _thread import allocate_lock, get_ident

import apsw

from aforesaid.domain.errors import AforesaidError, CorruptError, NewerSchemaError, UnavailableError

from . import ledger
from .engine import Transaction, check_engine_version, in_our_words, run_patiently, wait_patiently
from .file_permissions import keep_private, refuse_unusable_file, told_empty

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    from .checkpoints import Checkpointer

    Result = TypeVar("Result")

__all__ = ["Database", "Transaction", "check_engine_version", "in_our_words"]

APPLICATION_ID = 0x41464F52  #: "AFOR"
BUSY_TIMEOUT_MS = 30_000  #: then the caller is told that the store is busy
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
        writes_back: bool = False,
        durable: bool = True,
    ) -> None:
        """Prepare; the file is opened by the first use of each thread.

        Args:
            path: the file; its folder is made (0700) and the file too (0600).
            busy_timeout_ms: how long a write waits for another process.
            vec_extension: path of sqlite-vec's loadable library, if there is one.
            read_only: refuse every write (an engine or a schema that must not be written).
            writes_back: write the log back soon after each commit, in a thread (checkpoints.py).
            durable: commits survive a power cut, and the ledger counts them. Otherwise the last
                ones may be taken back by one; the file stays sound.
        """
        # SQLite refuses a link anywhere in the path; only the file itself must not be one
        folder, name = os.path.split(os.path.abspath(path))
        self.path = os.path.join(os.path.realpath(folder), name)
        self.busy_timeout_ms = busy_timeout_ms
        self.vec_extension = vec_extension
        self.read_only = read_only
        self.read_only_because = "it was opened for reading"
        self.missing: list[ledger.Commit] = []  #: acknowledged and gone, not written down yet
        self._writes_back = writes_back
        self._durable = durable
        self._checkpointer: Checkpointer | None = None
        self._changes: dict[tuple[int, int], int] = {}
        self._connections: dict[tuple[int, int], apsw.Connection] = {}
        self._depths: dict[tuple[int, int], int] = {}
        self._files: dict[tuple[int, int], tuple[int, int]] = {}
        self.version = 0  #: of its schema
        self.newer = ""  #: what to say where a newer Aforesaid made it
        self.on_other_version: Callable[[int], None] | None = None  #: called once it has changed
        self._begun = 0  #: write transactions, this process's; each has a number of its own
        self._numbers: dict[tuple[int, int], int] = {}

    # -- connections

    def connection(self) -> apsw.Connection:
        """Return this thread's connection, opening it if need be."""
        holder = (os.getpid(), get_ident())
        found = self._connections.get(holder)
        if found is None:
            with _opening:
                found = run_patiently(self._open, self.path, self.busy_timeout_ms)
            self._connections[holder] = found
            self._files[holder] = self._files_now()
        return found

    def _open(self) -> apsw.Connection:
        check_engine_version()
        if not self.read_only:
            refuse_unusable_file(self.path)
        flags = apsw.SQLITE_OPEN_READONLY if self.read_only else apsw.SQLITE_OPEN_READWRITE
        connection = apsw.Connection(
            self.path, flags | apsw.SQLITE_OPEN_NOFOLLOW, statementcachesize=_PREPARED
        )
        try:
            wait_patiently(connection, self.busy_timeout_ms)
            self._refuse_other_programs(connection)
            if not self.read_only:
                keep_private(self.path)
            self._set_pragmas(connection)
            if self.vec_extension is not None:
                connection.enable_load_extension(True)
                connection.load_extension(self.vec_extension)
                connection.enable_load_extension(False)
        except (apsw.Error, AforesaidError):
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
        if found != APPLICATION_ID:
            if not found and not tables:
                raise CorruptError(told_empty(self.path))
            raise UnavailableError(
                f"{self.path} is a database of another program (application id {found:#x}): "
                "set AFORESAID_DB to a file of its own"
            )

    def _set_pragmas(self, connection: apsw.Connection) -> None:
        normal = (("synchronous", 1),)  # the log is synced when it is written back
        for name, value in PRAGMAS if self._durable else (*PRAGMAS, *normal):
            if self.read_only and name in {"journal_mode", "secure_delete"}:
                continue
            if connection.pragma(name) != value:
                connection.pragma(name, value)
                read_back = connection.pragma(name)
                if read_back != value:
                    raise UnavailableError(
                        f"{self.path}: pragma {name} stays {read_back}, {value} is needed: "
                        "move the database to a local disk"
                    )

    def close(self) -> None:
        """Write back what was committed, and close the connections of this process."""
        if self._checkpointer is not None and self._checkpointer.is_here:
            self._checkpointer.stop()
            self._checkpointer = None
            try:
                self.checkpoint()  # the engine does not while others have it open
            except AforesaidError:
                pass  # it is full or was moved; what was acknowledged is in the log
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
            return self._run(lambda: self.connection().execute(sql, bindings).fetchall())
        except UnicodeDecodeError as error:
            raise CorruptError(
                f"{self.path} holds a text that is damaged: `aforesaid doctor --deep` says which, "
                "and what to restore"
            ) from error

    def _run(self, work: Callable[[], Result]) -> Result:
        """Do work of one statement; outside of a transaction again while the store is busy."""
        max_ms = 0 if self.writing else self.busy_timeout_ms
        return run_patiently(work, self.path, max_ms, self._in_our_words)

    def row(self, sql: str, bindings: Any = ()) -> tuple[Any, ...] | None:
        """Run one statement and return its first row."""
        found = self.rows(sql, bindings)
        return found[0] if found else None

    def value(self, sql: str, bindings: Any = ()) -> Any:
        """Run one statement and return the first column of its first row, None without rows."""
        found = self.row(sql, bindings)
        return None if found is None else found[0]

    def vacuum(self) -> bool:
        """Write the whole file anew; False while others use it."""
        try:
            self.connection().execute("VACUUM")
        except (apsw.BusyError, apsw.LockedError):
            return False
        except apsw.Error as error:
            raise in_our_words(error, self.path) from error
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
        wait_patiently(connection, 0)
        try:
            run_patiently(lambda: connection.execute("BEGIN IMMEDIATE"), self.path, 0)
        finally:
            wait_patiently(connection, self.busy_timeout_ms)

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
            if commit:
                self._commit(holder)
            else:
                self._roll_back()

    def _commit(self, holder: tuple[int, int]) -> None:
        """Commit what was changed under a number of its own, and note that it is durable."""
        connection = self.connection()
        noted = None
        try:
            if self.missing:
                ledger.record_loss(self, self.missing)
            if self._durable and connection.total_changes() != self._changes[holder]:
                noted = ledger.count_commit(self)
            connection.execute("COMMIT")
        except (apsw.Error, AforesaidError) as error:
            self._roll_back()
            if isinstance(error, apsw.Error):
                raise in_our_words(error, self.path) from error
            raise
        self.missing = []
        if noted is not None:
            ledger.keep(self.path, noted)
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
            pass  # the engine has taken all of it back by itself

    def checkpoint(self, *, empty: bool = True) -> bool:
        """Write the log back into the file; return False while others use what stands in it.

        Args:
            empty: also cut the log to nothing.

        Raises:
            UnavailableError: the file cannot be written, or is no longer at its path.
        """
        from .checkpoints import write_back

        self.connection()
        self._refuse_other_files((os.getpid(), get_ident()))
        return write_back(self, empty=empty)

    def _notice_version(self) -> None:
        """Notice that another process brought the file to another version."""
        if self.on_other_version is not None:
            found = int(self.value("PRAGMA user_version"))
            if found != self.version:
                self.on_other_version(found)

    def _in_our_words(self, error: apsw.Error) -> AforesaidError:
        """Return our error for the engine's; what a newer store lacks is told as such."""
        if isinstance(error, apsw.SQLError):
            self._notice_version()
            if self.newer:
                return NewerSchemaError(self.newer)
        return in_our_words(error, self.path)

    def _files_now(self) -> tuple[int, int]:
        """Return the inodes of the file and of its log at their places, 0 for one that is not."""
        return _inode(self.path), _inode(f"{self.path}-wal")

    def _refuse_other_files(self, holder: tuple[int, int]) -> None:
        """Refuse to write to a file, or a log, that is no longer at its path.

        SQLite would go on writing into the old, unlinked one: acknowledged and lost.
        """
        file, log = opened = self._files[holder]
        found = self._files_now()
        if not log:  # this connection's first transaction made it
            self._files[holder] = opened = (file, found[1])
        if found != opened:
            raise UnavailableError(
                f"{self.path} or its log was moved or replaced while in use: nothing was written; "
                "start the client again"
            )


def _inode(path: str) -> int:
    try:
        return os.stat(path).st_ino
    except OSError:
        return 0
