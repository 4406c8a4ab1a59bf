"""The log: lines in a private file of the state folder.

Log error types and code locations, never the text of a memory or a prompt.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator

NAME = "aforesaid.log"
LOG_BYTES = 256_000  #: beyond this size the file is rotated; one older file is kept
LINE_CHARS = 500
LEVELS = ("debug", "info", "warning", "error")


class Log:
    """Logs lines of a minimum level to standard error and to the file."""

    __slots__ = ("_folder", "_min_level")

    def __init__(self, folder: str, min_level: str = "info") -> None:
        self._folder = folder
        self._min_level = LEVELS.index(min_level)

    def write(self, level: str, text: str, *, file_only: bool = False) -> None:
        """Write a line.

        Args:
            level: one of LEVELS; warning for problems that were recovered from, error for failures.
            text: the message.
            file_only: write it to the file only.
        """
        if LEVELS.index(level) < self._min_level:
            return
        try:
            if not file_only:
                sys.stderr.write(f"aforesaid {level}: {' '.join(text.split())[:LINE_CHARS]}\n")
        except OSError:
            pass  # a closed pipe, or a full disk
        write_line(self._folder, level, text)


def write_line(folder: str, level: str, text: str) -> None:
    """Append one line to the log of a state folder; errors are ignored."""
    path = os.path.join(folder, NAME)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{now} {level} {' '.join(text.split())[:LINE_CHARS]}\n"
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8", "replace"))
            full = os.fstat(descriptor).st_size > LOG_BYTES
        finally:
            os.close(descriptor)
        if full:
            os.replace(path, f"{path}.1")
    except OSError:
        pass  # a log that cannot be written must not be the next failure


def last_lines(folder: str, level: str, max_lines: int) -> list[str]:
    """Return the last lines of one level, oldest first."""
    return [line for line in _lines(folder) if line.split(" ", 2)[1:2] == [level]][-max_lines:]


def _lines(folder: str) -> Iterator[str]:
    for name in (f"{NAME}.1", NAME):
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                yield from (line.rstrip("\n") for line in file)
        except OSError:
            continue  # not written yet


def type_and_location(error: BaseException) -> str:
    """Return the type and origin of an error, without its message, which may quote a value."""
    trace = error.__traceback__
    location = ""
    while trace is not None:
        _, separator, module = trace.tb_frame.f_code.co_filename.rpartition("/aforesaid/")
        if separator:
            location = f" at {module}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}{location}"
