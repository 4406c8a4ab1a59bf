"""Finds secrets in Markdown tables: beside or below a cell that names one, such as "password"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .spans import Span
from .table import KEYS, NAMES, STRONG, pattern
from .values import is_key, is_passphrase, is_password

_MAX_CELLS = 40
_MARKUP = " \t*_`'\""  #: Markdown around a cell's text
_RANK = 3

Cell = tuple[int, int, str]  # start, end, text


def find_in_tables(text: str, lowered: str) -> Iterator[Span]:
    """Yield the secrets in the tables of a text."""
    if "|" not in text or not any(name in lowered for name in NAMES):
        return
    heading: dict[int, str] = {}  #: column to the name in its header
    previous: Sequence[Cell] = ()
    end = -1  #: of the previous row
    for line in pattern("row").finditer(text):
        cells = _cells(text, line.start(), line.end())
        if line.start() != end + 1:
            heading, previous = {}, ()
        end = line.end()
        if all(pattern("rule").fullmatch(cell[2]) for cell in cells):
            heading = {
                column: name for column, cell in enumerate(previous) if (name := _name(cell[2]))
            }
            continue
        previous = cells
        for column, (start, stop, value) in enumerate(cells):
            name = heading.get(column, "")
            if not name and column and text[line.start() : line.end()].lstrip().startswith("|"):
                name = _name(cells[column - 1][2])
            if name and _is_secret(name, value):
                yield Span(start, stop, _RANK, "password" if name in STRONG else "api-key")


def _cells(text: str, start: int, end: int) -> list[Cell]:
    """Return the cells of a row, without the markup around their text."""
    cells: list[Cell] = []
    for part in text[start:end].strip(" \t").strip("|").split("|", _MAX_CELLS):
        at = text.index(part, start, end)
        start = at + len(part)
        shown = part.lstrip(_MARKUP)
        at += len(part) - len(shown)
        shown = shown.rstrip(_MARKUP)
        cells.append((at, at + len(shown), shown))
    return cells


def _name(cell: str) -> str:
    """Return the name of a secret that a cell is, or ends with; empty if there is none."""
    lowered = cell.lower().rstrip(":")
    if len(lowered) > _MAX_CELLS or not pattern("label").fullmatch(lowered):
        return ""
    words = lowered.replace("_", " ").replace("-", " ").split()
    last = words[-1]
    if last in STRONG or last.removesuffix("s") in STRONG or lowered in STRONG:
        return last if last in STRONG else STRONG[0]
    if last in ("token", "secret") or (last == "key" and len(words) > 1 and words[-2] in KEYS):
        return last
    return last if last.endswith("key") and last.removesuffix("key") in KEYS else ""


def _is_secret(name: str, value: str) -> bool:
    if name not in STRONG:
        return is_key(value, quoted=False)
    if is_passphrase(value):
        return True
    return any(map(str.isalpha, value)) and is_password(value, spoken=False, quoted=False)
