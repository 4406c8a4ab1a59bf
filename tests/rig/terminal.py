"""The interactive client on a pseudo-terminal: dialogs, ``/clear``, ``/resume``, the way out.

Here: keys in, output out. Not here: a screen. ``seen`` is the raw output without its escape
sequences, so blanks that were painted by moving the cursor are missing: wait for single words,
or until something else is true.
"""

from __future__ import annotations

import contextlib
import errno
import os
import pty
import re
import select
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

_ESCAPES = re.compile(
    r"\x1b\[[0-9;?<>=!]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|\x1b[PX^_].*?\x1b\\|\x1b[()][A-Z0-9]|\x1b[=>78cDEHM]",
    re.DOTALL,
)


class Terminal:
    """A running interactive client."""

    def __init__(self, argv: list[str], cwd: Path, env: dict[str, str], columns: int = 160) -> None:
        self.raw = ""
        self.code: int | None = None
        program = shutil.which(argv[0], path=env["PATH"]) or argv[0]
        self.pid, self.fd = pty.fork()
        if self.pid == 0:  # the child
            os.chdir(cwd)
            os.execve(program, argv, env)
        _resize(self.fd, rows=50, columns=columns)

    def read(self, seconds: float = 0.2) -> None:
        """Take in output for so long."""
        end = time.monotonic() + seconds
        if self.fd < 0:
            time.sleep(seconds)
        while (left := end - time.monotonic()) > 0 and self.fd >= 0:
            if not select.select([self.fd], [], [], left)[0]:
                return
            data = _read(self.fd)
            if not data:
                os.close(self.fd)
                self.fd = -1
                return
            if b"\x1b[c" in data:  # "what terminal are you?"
                self.send("\x1b[?62;22c")
            if b"\x1b[6n" in data:  # "where is the cursor?"
                self.send("\x1b[1;1R")
            self.raw += data.decode("utf-8", "replace")

    @property
    def seen(self) -> str:
        """All output so far, without escape sequences."""
        return _plain(self.raw)

    def wait_for(self, pattern: str, timeout: float = 60) -> None:
        """Wait until the output matches."""
        self.wait_until(lambda: self.shows(pattern), timeout, what=repr(pattern))

    def shows(self, pattern: str, since: int = 0) -> bool:
        """Whether the output after ``since`` characters of ``raw`` matches."""
        return bool(re.search(pattern, _plain(self.raw[since:])))

    def wait_for_prompt(self) -> None:
        """Wait until the client shows where to type."""
        self.wait_for("\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}")

    def wait_until(
        self, condition: Callable[[], bool], timeout: float = 60, what: str = "what is waited for"
    ) -> None:
        """Take in output until ``condition()`` is true."""
        end = time.monotonic() + timeout
        while not condition():
            if time.monotonic() > end or self.fd < 0:
                raise TimeoutError(f"{what} did not come; the end was:\n{self.seen[-3000:]}")
            self.read(0.2)

    def send(self, keys: str) -> None:
        """Press keys."""
        os.write(self.fd, keys.encode())

    def enter_until(
        self, condition: Callable[[], bool], timeout: float = 60, what: str = "what is waited for"
    ) -> None:
        """Press Return until ``condition()`` is true, every few seconds.

        The client paints a dialog or a typed line before it listens: a single press can be lost.
        At an empty prompt Return does nothing.
        """
        end = time.monotonic() + timeout
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError(f"{what} did not come; the end was:\n{self.seen[-3000:]}")
            with contextlib.suppress(OSError):  # the client may have just gone
                self.send("\r")
            pressed = time.monotonic()
            while not condition() and time.monotonic() - pressed < 3:
                self.read(0.2)

    def line(self, value: str, pause: float = 0.6) -> None:
        """Type a line, then Return as a key press of its own (else it counts as a paste)."""
        self.send(value)
        self.read(pause)
        self.send("\r")

    def wait(self, timeout: float = 30) -> int | None:
        """Wait for the client's end; return its exit code (negative: a signal)."""
        end = time.monotonic() + timeout
        while self.code is None and time.monotonic() < end:
            self.read(0.1)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def close(self) -> None:
        """Kill the client if it still runs, and close the terminal."""
        if self.code is None:
            try:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(fd: int) -> bytes:
    try:
        return os.read(fd, 65536)
    except OSError as error:
        if error.errno != errno.EIO:  # what Linux says at the other side's end
            raise
        return b""


def _plain(raw: str) -> str:
    moved = re.sub(r"\x1b\[(\d*)C", lambda m: " " * int(m[1] or 1), raw)
    return _ESCAPES.sub("", moved).replace("\r", "\n")


def _resize(fd: int, rows: int, columns: int) -> None:
    import fcntl
    import struct
    import termios

    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
