"""A lock file that allows one process of a kind per user, and holds that process's status.

The kernel releases the lock however the process ends.
"""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

from aforesaid.domain.errors import ConflictError, UnavailableError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

STOP_SECONDS = 10.0
_TAKE_SECONDS = 1.0
_STEP_SECONDS = 0.05
_STATUS_BYTES = 4_096


class ProcessLock:
    """A lock file with the status of its holder."""

    def __init__(self, path: str) -> None:
        """Name the file.

        Raises:
            UnavailableError: the platform has no such locks.
        """
        if fcntl is None:
            raise UnavailableError(
                "background processes need file locks (fcntl), which this platform lacks: run one "
                "in the foreground instead"
            )
        self._path = path
        self._handle = -1

    def acquire(self) -> None:
        """Hold the lock until this process ends.

        Raises:
            ConflictError: another process holds it.
        """
        os.makedirs(os.path.dirname(self._path), 0o700, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        deadline = time.monotonic() + _TAKE_SECONDS  # reading the status locks it for a moment
        while not _lock(handle):
            if time.monotonic() > deadline:
                os.close(handle)
                raise ConflictError(f"already running as process {self.read_status().get('pid')}")
            time.sleep(_STEP_SECONDS)
        self._handle = handle
        self.write_status()

    def release(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def write_status(self, **fields: Any) -> None:
        """Write the holder's pid and these fields to the file."""
        text = json.dumps({"pid": os.getpid(), **fields}).encode()
        os.pwrite(self._handle, text.ljust(_STATUS_BYTES), 0)  # one write, so readers see all of it

    def read_status(self) -> dict[str, Any]:
        """Return the holder's status; empty if no process holds the lock."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return {}
        try:
            if _lock(handle, shared=True):
                return {}  # the status was left by a process that has ended
            status = json.loads(os.read(handle, 2 * _STATUS_BYTES) or b"{}")
        except (OSError, ValueError):
            return {}
        finally:
            os.close(handle)
        return status if isinstance(status, dict) else {}

    def terminate(self) -> bool:
        """Terminate the holder and wait for its end; False if there is no holder.

        Raises:
            UnavailableError: it did not end in time.
        """
        pid = self.read_status().get("pid")
        if not isinstance(pid, int):
            return False
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            if self.read_status().get("pid") != pid:
                return True
            time.sleep(_STEP_SECONDS)
        raise UnavailableError(
            f"process {pid} still runs {STOP_SECONDS:.0f} s after SIGTERM: run kill -9 {pid}"
        )


def _lock(handle: int, *, shared: bool = False) -> bool:
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
