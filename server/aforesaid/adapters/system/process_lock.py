"""One process of a kind for each user: a locked file that names it, and what it says of itself.

Here: the lock, which the kernel lets go of however the process ends. Not here: what it does.
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
_FACTS_BYTES = 4_096


class ProcessLock:
    """The one process that holds a file."""

    def __init__(self, path: str) -> None:
        """Name the file.

        Raises:
            UnavailableError: this platform has no such locks.
        """
        if fcntl is None:
            raise UnavailableError(
                "this platform has no file locks that end with their process: run it in the "
                "foreground, once"
            )
        self._path = path
        self._handle = -1

    def take(self) -> None:
        """Be the one process, until this one ends.

        Raises:
            ConflictError: another is.
        """
        os.makedirs(os.path.dirname(self._path), 0o700, exist_ok=True)
        handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        deadline = time.monotonic() + _TAKE_SECONDS  # whoever asks holds it for a moment, too
        while not _lock(handle):
            if time.monotonic() > deadline:
                os.close(handle)
                raise ConflictError(f"it runs already, as process {self.told().get('pid')}")
            time.sleep(_STEP_SECONDS)
        self._handle = handle
        self.tell()

    def release(self) -> None:
        """Let another be it."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def tell(self, **facts: Any) -> None:
        """Write down what others may ask about the process that holds the file."""
        text = json.dumps({"pid": os.getpid(), **facts}).encode()
        os.pwrite(self._handle, text.ljust(_FACTS_BYTES), 0)  # at once: readers see all or none

    def told(self) -> dict[str, Any]:
        """Return what the process that holds the file said of itself; nothing if none does."""
        try:
            handle = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
        except OSError:
            return {}
        try:
            if _lock(handle, shared=True):
                return {}  # nobody holds it: what stands there is of one that is gone
            facts = json.loads(os.read(handle, 2 * _FACTS_BYTES) or b"{}")
        except (OSError, ValueError):
            return {}
        finally:
            os.close(handle)
        return facts if isinstance(facts, dict) else {}

    def end(self) -> bool:
        """Ask the process that holds the file to end, and wait; False if there is none.

        Raises:
            UnavailableError: it did not end in time.
        """
        pid = self.told().get("pid")
        if not isinstance(pid, int):
            return False
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            if self.told().get("pid") != pid:
                return True
            time.sleep(_STEP_SECONDS)
        raise UnavailableError(f"process {pid} was asked to end and still runs: kill {pid}")


def _lock(handle: int, *, shared: bool = False) -> bool:
    try:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
