"""Finds secrets that span lines: private keys (PEM, PuTTY), pgpass lines, cells of Markdown tables.

Also defines ``Span`` and merges overlapping spans.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator, Sequence

from .table import KEYS, NAMES, PASSWORD_WORDS, pattern
from .values import is_key, is_passphrase, is_password, is_reference


class Span(namedtuple("Span", ("start", "end", "rank", "kind"))):  # noqa: PYI024 - no typing in the sweep
    """A secret from ``start`` to ``end``; the more specific the rule, the lower its rank."""

    __slots__ = ()


def find_literal(text: str, literal: str) -> Iterator[int]:
    """Yield each index at which a literal occurs in a text."""
    index = text.find(literal)
    while index >= 0:
        yield index
        index = text.find(literal, index + 1)


def merge_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the spans in order; overlapping ones are joined and keep the lowest rank's kind."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            best = min(last, span, key=lambda candidate: candidate.rank)
            merged[-1] = best._replace(start=last.start, end=max(last.end, span.end))
        else:
            merged.append(span)
    return merged


_PEM_CHARS = 16_000  #: searched for a private key whose header was cut off
_PUTTY_LINES = "Private-Lines:"
_PGPASS_PORTS = (":5432:", ":5433:", ":6432:", ":*:")


def find_blocks(text: str, lowered: str) -> Iterator[Span]:
    """Yield private keys, and the passwords in pgpass lines."""
    yield from _find_pem(text)
    yield from _find_putty(text)
    if "pgpass" in lowered or any(port in text for port in _PGPASS_PORTS):
        for match in pattern("pgpass").finditer(text):
            host = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
            is_entry = "pgpass" in lowered or pattern("host").fullmatch(host)
            if is_entry and not is_reference(match[1], quoted=True):
                yield Span(match.start(1), match.end(1), 2, "password")


def _find_putty(text: str) -> Iterator[Span]:
    """Yield the private parts of PuTTY key files, to the end of the text if cut off."""
    end = 0
    for start in find_literal(text, _PUTTY_LINES):
        if start < end or not pattern("putty").match(text, start):
            continue
        closing = pattern("putty_end").search(text, start)
        end = closing.end() if closing else len(text)
        yield Span(start + len(_PUTTY_LINES), end, 0, "private-key")


def _find_pem(text: str) -> Iterator[Span]:
    """Yield private keys in PEM armour, complete or cut off at either end."""
    end = 0
    for begin in find_literal(text, "-----BEGIN "):
        if begin < end:
            continue
        head = pattern("pem").match(text, begin)
        if not head or not pattern("pem_body").match(text, head.end()):
            continue
        closing = text.find("-----END ", head.end())
        closed = text.find("-----", closing + len("-----END ")) if closing >= 0 else -1
        end = closed + len("-----") if closed >= 0 else len(text)
        yield Span(begin, end, 0, "private-key")
    for footer in find_literal(text, "-----END "):
        tail = pattern("pem_end").match(text, footer) if footer >= end else None
        if tail:
            start = _pem_start(text, max(end, footer - _PEM_CHARS), footer)
            end = tail.end()
            if start < footer:
                yield Span(start, end, 0, "private-key")


def _pem_start(text: str, min_start: int, footer: int) -> int:
    """Return where the remaining lines of a key without its header begin."""
    start = footer
    for line in reversed([*pattern("pem_line").finditer(text, min_start, footer)]):
        gap = pattern("pem_gap" if start < footer else "pem_last")
        if not gap.fullmatch(text, line.end(), start):
            break
        start = line.start()
    return start


_MAX_CELLS = 40  #: of a row; the last one holds the rest
_MAX_LABEL_CHARS = 40  #: of the text that names a secret
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
                yield Span(start, stop, _RANK, "password" if name in PASSWORD_WORDS else "api-key")


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
    """Return the secret's name, such as "token", if a cell is or ends with one; otherwise empty."""
    lowered = cell.lower().rstrip(":")
    if len(lowered) > _MAX_LABEL_CHARS or not pattern("label").fullmatch(lowered):
        return ""
    words = lowered.replace("_", " ").replace("-", " ").split()
    last = words[-1]
    if (
        last in PASSWORD_WORDS
        or last.removesuffix("s") in PASSWORD_WORDS
        or lowered in PASSWORD_WORDS
    ):
        return last if last in PASSWORD_WORDS else PASSWORD_WORDS[0]
    if last in ("token", "secret") or (last == "key" and len(words) > 1 and words[-2] in KEYS):
        return last
    return last if last.endswith("key") and last.removesuffix("key") in KEYS else ""


def _is_secret(name: str, value: str) -> bool:
    if name not in PASSWORD_WORDS:
        return is_key(value, quoted=False)
    if is_passphrase(value):
        return True
    return any(map(str.isalpha, value)) and is_password(value, spoken=False, quoted=False)
