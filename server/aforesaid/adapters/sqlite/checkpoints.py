"""A thread that writes the log back into the file soon after each commit.

What stands in the log alone is lost with it: so that is the last second at most, as long as no
other process reads for longer. Hooks do without; a process that ends writes back by itself.
"""

from __future__ import annotations

import os
from _thread import allocate_lock, start_new_thread

from aforesaid.domain.errors import AforesaidError

from .engine import wait_patiently

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Database

_CUT_WAIT_MS = 50  #: how long readers are waited for, and writers wait, where the log is cut
DELAY_SECONDS = 0.6  #: from a commit to the checkpoint that takes it in
_QUIET_SECONDS = 0.05  #: after a checkpoint without a commit, the log is cut
_RETRY_SECONDS = (0.1, 0.5, *[1.0] * 60, *[30.0] * 60)  #: while others read what stands in the log


def write_back(database: Database, *, empty: bool) -> bool:
    """Write the log back into the file; tell whether nothing is in the log alone.

    Args:
        database: the file's.
        empty: also cut the log to nothing: a part of it would hide what the file has since.

    Raises:
        UnavailableError: the file cannot be written.
    """
    _busy, frames, done = database.rows("PRAGMA wal_checkpoint(PASSIVE)")[0]
    if frames != done or not empty:
        return bool(frames == done)
    return cut_log(database, _CUT_WAIT_MS)


def cut_log(database: Database, max_ms: int) -> bool:
    """Write the log back and cut it; False if others were in the way for so long."""
    connection = database.connection()
    wait_patiently(connection, min(max_ms, database.busy_timeout_ms))
    try:
        return not database.rows("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
    finally:
        wait_patiently(connection, database.busy_timeout_ms)


class Checkpointer:
    """Writes the log of one database back, in a thread that sleeps while nothing is committed."""

    def __init__(self, database: Database) -> None:
        """Start the thread."""
        self._database = database
        self._pid = os.getpid()
        self._commits = 0
        self._stopping = False
        self._wake = allocate_lock()  #: free while there is something to do
        self._wake.acquire()
        self._stop = allocate_lock()  #: free once it is to end
        self._stop.acquire()
        self._running = allocate_lock()
        self._running.acquire()
        start_new_thread(self._run, ())

    @property
    def is_here(self) -> bool:
        """Whether the thread is of this process: a fork has none of it."""
        return self._pid == os.getpid()

    def committed(self) -> None:
        """Note that something stands in the log."""
        self._commits += 1
        if self._wake.locked():
            try:
                self._wake.release()
            except RuntimeError:
                pass  # another thread was faster

    def stop(self) -> None:
        """End the thread, after the checkpoint that it is at."""
        self._stopping = True
        self._stop.release()
        self.committed()  # so that it wakes up
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
        """Write the log back, and cut it unless it is written from its start anyway."""
        for seconds in _RETRY_SECONDS:
            seen = self._commits
            try:
                done = self._database.checkpoint(empty=False)
                if done and not self._pause(_QUIET_SECONDS) and self._commits == seen:
                    done = self._database.checkpoint()
            except AforesaidError:
                return  # the disk is full, or the file was moved: the next caller is told
            if done or self._pause(seconds) or self._commits != seen:
                return

    def _pause(self, seconds: float) -> bool:
        """Sleep; tell whether it is time to end."""
        ending = self._stop.acquire(timeout=seconds)
        if ending:
            self._stop.release()  # for the next one
        return ending
