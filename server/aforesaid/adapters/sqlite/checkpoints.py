"""A thread that writes the log back into the file soon after each commit.

If the log is lost, commits that are only in the log are lost too: with this thread at most the last
second, unless another process reads for longer. Hooks do without it; a closing connection
checkpoints by itself.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

from aforesaid.domain.errors import AforesaidError

from .engine import set_busy_wait

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Database

_TRUNCATE_WAIT_MS = 50  #: for readers; writers wait as long when the log is truncated
DELAY_SECONDS = 0.6  #: from a commit to its checkpoint
_QUIET_SECONDS = 0.05  #: without a commit after a checkpoint, before the log is truncated
_RETRY_SECONDS = (0.1, 0.5, *[1.0] * 60, *[30.0] * 60)  #: while others read from the log


def write_back(database: Database, *, empty: bool) -> bool:
    """Checkpoint; return whether the file now contains everything in the log.

    Args:
        database: of the file.
        empty: also truncate the log: an old log would hide later content of the file.

    Raises:
        UnavailableError: the file cannot be written.
    """
    _busy, frames, written = database.rows("PRAGMA wal_checkpoint(PASSIVE)")[0]
    if frames != written or not empty:
        return bool(frames == written)
    return truncate_log(database, _TRUNCATE_WAIT_MS)


def truncate_log(database: Database, wait_ms: int) -> bool:
    """Checkpoint and truncate the log; False if other processes prevented it for so long."""
    connection = database.connection()
    set_busy_wait(connection, min(wait_ms, database.busy_timeout_ms))
    try:
        return not database.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
    finally:
        set_busy_wait(connection, database.busy_timeout_ms)


class Checkpointer:
    """Checkpoints one database in a thread that sleeps while nothing is committed."""

    def __init__(self, database: Database) -> None:
        """Start the thread."""
        self._database = database
        self._pid = os.getpid()
        self._commits = 0
        self._stopping = False
        self._wake = allocate_lock()  #: free while there is work
        self._wake.acquire()
        self._stop = allocate_lock()  #: free once the thread must end
        self._stop.acquire()
        self._running = allocate_lock()
        self._running.acquire()
        start_new_thread(self._run, ())

    @property
    def is_here(self) -> bool:
        """Whether the thread runs in this process: a fork does not have it."""
        return self._pid == os.getpid()

    def committed(self) -> None:
        """Record a commit: the log has something to write back."""
        self._commits += 1
        if self._wake.locked():
            try:
                self._wake.release()
            except RuntimeError:
                pass  # another thread released it

    def stop(self) -> None:
        """End the thread after its current checkpoint."""
        self._stopping = True
        self._stop.release()
        self.committed()  # wakes it up
        self._running.acquire()

    def _run(self) -> None:
        try:
            while not self._stopping:
                self._wake.acquire()
                if self._pause(DELAY_SECONDS):
                    return
                self._write_back()
        finally:
            self._running.release()

    def _write_back(self) -> None:
        """Checkpoint; truncate the log too unless new commits arrive."""
        for seconds in _RETRY_SECONDS:
            commits = self._commits
            try:
                complete = self._database.checkpoint(empty=False)
                if complete and not self._pause(_QUIET_SECONDS) and self._commits == commits:
                    complete = self._database.checkpoint()
            except AforesaidError:
                return  # disk full or file moved: the next caller gets the error
            if complete or self._pause(seconds) or self._commits != commits:
                return

    def _pause(self, seconds: float) -> bool:
        """Sleep; return whether the thread must end."""
        ending = self._stop.acquire(timeout=seconds)
        if ending:
            self._stop.release()  # for the next pause
        return ending
