"""What happened where nobody looks: lines in a private file of the state folder.

Never the text of a memory or a prompt: whoever writes here names kinds and places.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "aforesaid.log"
LOG_BYTES = 256_000  #: beyond it the file becomes the older one, which is dropped
LINE_CHARS = 500
LEVELS = ("debug", "info", "warning", "error")


class Log:
    """The log of a process, from a level upwards: on standard error, and in the file."""

    __slots__ = ("_folder", "_least")

    def __init__(self, folder: str, least: str = "info") -> None:
        self._folder = folder
        self._least = LEVELS.index(least)

    def write(self, level: str, text: str) -> None:
        """Write a line.

        Args:
            level: debug for whoever looks for a mistake, info for what happened, warning for what
                went wrong and was got over, error for what failed.
            text: kinds and places.
        """
        if LEVELS.index(level) < self._least:
            return
        try:
            sys.stderr.write(f"aforesaid {level}: {' '.join(text.split())[:LINE_CHARS]}\n")
        except OSError:
            pass  # nobody reads it any more, or it is a file on a full disk
        write_line(self._folder, level, text)


def write_line(folder: str, level: str, text: str) -> None:
    """Append one line to the log of a state folder; what cannot be written is left out."""
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


def last_lines(folder: str, level: str, most: int) -> list[str]:
    """Return the last lines of one level, oldest first."""
    return [line for line in _lines(folder) if line.split(" ", 2)[1:2] == [level]][-most:]


def _lines(folder: str) -> Iterator[str]:
    for name in (f"{NAME}.1", NAME):
        try:
            with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
                yield from (line.rstrip("\n") for line in file)
        except OSError:
            continue  # none was written yet


def kind_and_place(error: BaseException) -> str:
    """Return what an unforeseen error is and where it came from, without a value it may quote."""
    trace = error.__traceback__
    place = ""
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        _before, found, inside = name.rpartition("/aforesaid/")
        if found:
            place = f" at {inside}:{trace.tb_lineno}"
        trace = trace.tb_next
    return f"{type(error).__name__}{place}"
