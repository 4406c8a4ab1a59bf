"""How much room a text takes on a terminal, and how it is made to fit.

Here: widths in cells, cutting, wrapping, columns, sizes and times in a person's words. Not here:
printing (asking), what is said.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, TextIO

from aforesaid.domain.text.invisible import remove_invisible

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = 2  #: blanks between two columns
_MIN_CELLS = (16, 8)  #: cells that a column keeps, unless that is not enough, and then
_NARROWEST = 20  #: cells below which nothing is made to fit
_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def is_dumb() -> bool:
    """Tell whether the terminal knows neither colours nor how to clear a line, as Emacs's shell."""
    return os.environ.get("TERM") == "dumb"


def terminal_width(stream: TextIO | None = None) -> int:
    """Return how many cells a line of a stream (standard output) has; 0 for a pipe."""
    stream = stream or sys.stdout
    try:
        if not stream.isatty():
            return 0
    except ValueError:  # closed
        return 0
    from shutil import get_terminal_size

    return max(get_terminal_size().columns, _NARROWEST)


def display_width(text: str) -> int:
    """Return how many cells of a terminal a text takes: wide letters take two, marks none."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(one) else 2 if east_asian_width(one) in "WF" else 1 for one in text)


def truncate(text: str, room: int) -> str:
    """Return a text that takes at most so many cells, with ``…`` where the rest is missing."""
    if display_width(text) <= room:
        return text
    taken = 0
    for at, one in enumerate(text):
        taken += display_width(one)
        if taken > room - 1:
            return text[:at].rstrip() + "…"
    return text


def pad(text: str, width: int, *, right: bool = False) -> str:
    """Return a text with blanks up to so many cells, before it with ``right``."""
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def wrap(text: str, room: int, hang: int = 0) -> list[str]:
    """Return the lines of a text, broken at blanks; all but the first of each begin ``hang`` in.

    A word that no line holds stays whole, as a path or command must, unless its letters are wide
    ones, between which a line may break. Without room (0), lines stay as they are.
    """
    lines: list[str] = []
    for line in remove_invisible(text).splitlines() or [""]:
        lines += _wrapped(line, room, hang) if room and display_width(line) > room else [line]
    return lines


def _wrapped(line: str, room: int, hang: int) -> list[str]:
    indent = len(line) - len(line.lstrip())
    start = " " * min(indent + hang, room // 2)
    lines, taken = [""], 0
    for blanks, word in re.findall(r"(\s*)(\S+)", line):
        if taken + len(blanks) > len(start) and taken + len(blanks) + display_width(word) > room:
            lines.append(start)
            taken = len(start)
        else:
            lines[-1] += blanks
            taken += len(blanks)
        for part in _parts(word, room - taken, room - len(start)):
            if part is not word and lines[-1].strip():
                lines.append(start)
                taken = len(start)
            lines[-1] += part
            taken += display_width(part)
    return lines


def _parts(word: str, first: int, others: int) -> list[str]:
    """Return a word in the parts that lines hold; one that must not be broken as it is."""
    if display_width(word) <= first or display_width(word) == len(word):
        return [word]
    parts, taken = [""], 0
    for one in word:
        if taken + display_width(one) > (first if len(parts) == 1 else others):
            parts.append("")
            taken = 0
        parts[-1] += one
        taken += display_width(one)
    return parts


def columns_of(rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the width of each column of a table, made to fit into ``room`` cells (0: any).

    The widest gives way first, so that ids, dates and counts stay whole. The first row is the
    heading, which may be broken at blanks where there is no room.
    """
    widths = [max(display_width(row[at]) for row in rows) for at in range(len(rows[0]))]
    free = room - GAP * (len(widths) - 1)
    if not room or sum(widths) <= free:
        return widths
    least = [max((display_width(word) for word in name.split()), default=0) for name in rows[0]]
    widths = [
        max([needed, *(display_width(row[at]) for row in rows[1:])])
        for at, needed in enumerate(least)
    ]
    for keeping in _MIN_CELLS:
        while sum(widths) > free:
            spare = [
                width if width > max(needed, keeping) else 0
                for width, needed in zip(widths, least, strict=True)
            ]
            if not any(spare):
                break
            widths[spare.index(max(spare))] -= 1
    return widths


def size_text(size: int) -> str:
    """Return a size (bytes) as people say it."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6)):
        if size >= factor / 10:
            return f"{size / factor:.1f} {unit}"
    return f"{size / 1e3:.0f} kB"


def time_text(text: str) -> str:
    """Return a text; if it is a moment in ISO 8601 (UTC), to the minute in the machine's zone."""
    if not _ISO.fullmatch(text):
        return text
    from datetime import datetime  # the library of the shell has it already

    return datetime.fromisoformat(text).astimezone().strftime("%Y-%m-%d %H:%M")
