"""Fitting text to a terminal: display width, truncation, wrapping, column widths, sizes, times."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

from aforesaid.domain.text.sanitize import remove_invisible

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = 2  #: blanks between two columns
_MIN_COLUMN_WIDTHS = (16, 8)  #: the second is used if columns do not fit at the first
_MIN_TERMINAL_WIDTH = 20  #: assumed on narrower terminals
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def is_dumb() -> bool:
    """Return whether the terminal supports neither colours nor clearing a line (Emacs's shell)."""
    return os.environ.get("TERM") == "dumb"


def terminal_width(stream: TextIO | None = None) -> int:
    """Return the width of a stream's terminal (default: standard output); 0 for a pipe."""
    stream = stream or sys.stdout
    try:
        if not stream.isatty():
            return 0
    except ValueError:  # closed
        return 0
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, _MIN_TERMINAL_WIDTH)


def display_width(text: str) -> int:
    """Return how many terminal cells a text takes: 2 per wide character, 0 per combining mark."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text
    )


def truncate(text: str, limit: int) -> str:
    """Return a text cut to ``limit`` cells, ending in ``…`` if anything was cut."""
    if display_width(text) <= limit:
        return text
    width = 0
    for index, char in enumerate(text):
        width += display_width(char)
        if width > limit - 1:
            return text[:index].rstrip() + "…"
    return text


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return a text padded with blanks to ``width`` cells, aligned left or ``right``."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def wrap(text: str, limit: int, hang: int = 0) -> list[str]:
    """Return the lines of a text, broken at blanks; continuation lines are indented by ``hang``.

    A word longer than a line is kept whole, because it may be a path or a command; a word of wide
    characters may break anywhere. With a limit of 0, lines stay as they are.
    """
    lines: list[str] = []
    for line in remove_invisible(text).splitlines() or [""]:
        lines += _wrap_line(line, limit, hang) if limit and display_width(line) > limit else [line]
    return lines


def _wrap_line(line: str, limit: int, hang: int) -> list[str]:
    indent = len(line) - len(line.lstrip())
    start = " " * min(indent + hang, limit // 2)
    lines, width = [""], 0
    for blanks, word in re.findall(r"(\s*)(\S+)", line):
        if width + len(blanks) > len(start) and width + len(blanks) + display_width(word) > limit:
            lines.append(start)
            width = len(start)
        else:
            lines[-1] += blanks
            width += len(blanks)
        for part in _split_word(word, limit - width, limit - len(start)):
            if part is not word and lines[-1].strip():
                lines.append(start)
                width = len(start)
            lines[-1] += part
            width += display_width(part)
    return lines


def _split_word(word: str, first_limit: int, limit: int) -> list[str]:
    """Return the parts of a word that fit on lines, or the whole word if it must not break."""
    if display_width(word) <= first_limit or display_width(word) == len(word):
        return [word]
    parts, width = [""], 0
    for char in word:
        if width + display_width(char) > (first_limit if len(parts) == 1 else limit):
            parts.append("")
            width = 0
        parts[-1] += char
        width += display_width(char)
    return parts


def column_widths(
    rows: Sequence[Sequence[str]], limit: int, whole: Sequence[int] = ()
) -> list[int]:
    """Return the width of each column so that a table fits into ``limit`` cells (0: no limit).

    The widest column shrinks first, so that ids, dates and counts stay whole. The first row is the
    heading, which may be wrapped. The columns at the indexes in ``whole`` do not shrink.
    """
    widths = [max(display_width(row[index]) for row in rows) for index in range(len(rows[0]))]
    available = limit - GAP * (len(widths) - 1)
    if not limit or sum(widths) <= available:
        return widths
    minimums = [max(map(display_width, title.split()), default=0) for title in rows[0]]
    widths = [
        max([minimum, *(display_width(row[index]) for row in rows[1:])])
        for index, minimum in enumerate(minimums)
    ]
    for index in whole:
        minimums[index] = widths[index]
    for min_width in _MIN_COLUMN_WIDTHS:
        while sum(widths) > available:
            shrinkable = [
                width if width > max(minimum, min_width) else 0
                for width, minimum in zip(widths, minimums, strict=True)
            ]
            if not any(shrinkable):
                break
            widths[shrinkable.index(max(shrinkable))] -= 1
    return widths


def table_line(
    cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool], limit: int
) -> str:
    """Return the cells of a row as a line; numbers are right-aligned."""
    padded = [
        pad(truncate(text, width), width, right=right)
        for text, width, right in zip(cells, widths, numeric, strict=True)
    ]
    line = (" " * GAP).join(padded).rstrip()
    return truncate(line, limit) if limit else line


def size_text(size_bytes: int) -> str:
    """Return a size for people."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6)):
        if size_bytes >= factor / 10:
            return f"{size_bytes / factor:.1f} {unit}"
    return f"{size_bytes / 1e3:.0f} kB"


def time_text(text: str) -> str:
    """Return an ISO 8601 time (UTC) to the minute in the local time zone; other text unchanged."""
    if not _ISO.fullmatch(text):
        return text
    from datetime import datetime  # click has imported it

    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
