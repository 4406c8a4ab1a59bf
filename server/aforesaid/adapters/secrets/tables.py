"""Finds secrets in Markdown tables: in the row, or below the heading, of a telling name.

Here: rows and cells. Not here: what makes a value a secret (values.py).
"""

from __future__ import annotations

from .table import KEYS, NAMES, STRONG, pattern
from .values import is_key, is_passphrase, is_password

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .filter import Span

_MAX_CELLS = 40
_AROUND = " \t*_`'\""  #: what Markdown puts around a cell's text
_RANK = 3

Cell = tuple[int, int, str]  # start, end, text


def find_in_tables(text: str, lowered: str) -> Iterator[Span]:
    """Yield the secrets of a text's tables."""
    if "|" not in text or not any(name in lowered for name in NAMES):
        return
    heading: dict[int, str] = {}  #: column to telling name
    before: Sequence[Cell] = ()
    end = -1  #: of the row before
    for line in pattern("row").finditer(text):
        cells = _cells(text, line.start(), line.end())
        if line.start() != end + 1:
            heading, before = {}, ()
        end = line.end()
        if all(pattern("rule").fullmatch(cell[2]) for cell in cells):
            heading = {at: told for at, cell in enumerate(before) if (told := _name(cell[2]))}
            continue
        before = cells
        for at, (start, stop, value) in enumerate(cells):
            name = heading.get(at, "")
            if not name and at and text[line.start() : line.end()].lstrip().startswith("|"):
                name = _name(cells[at - 1][2])
            if name and _is_secret(name, value):
                yield start, stop, _RANK, "password" if name in STRONG else "api-key"


def _cells(text: str, start: int, end: int) -> list[Cell]:
    """Return the cells of a row that say something, without what surrounds their text."""
    cells: list[Cell] = []
    for part in text[start:end].strip(" \t").strip("|").split("|", _MAX_CELLS):
        at = text.index(part, start, end)
        start = at + len(part)
        shown = part.lstrip(_AROUND)
        at += len(part) - len(shown)
        shown = shown.rstrip(_AROUND)
        cells.append((at, at + len(shown), shown))
    return cells


def _name(cell: str) -> str:
    """Return the telling name that a cell consists of, or ends with; else nothing."""
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
