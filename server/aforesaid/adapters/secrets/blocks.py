"""Finds secrets that a file format gives away: private keys, and the lines of a pgpass file.

Here: what spans lines. Not here: secrets within a line (filter.py), Markdown tables (tables.py).
"""

from __future__ import annotations

from .table import pattern
from .values import is_reference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .filter import Span

_PEM_CHARS = 16_000  #: of a private key whose head was cut off
_PUTTY_LINES = "Private-Lines:"
_PGPASS_PORTS = (":5432:", ":5433:", ":6432:", ":*:")


def places(text: str, literal: str) -> Iterator[int]:
    """Yield where a literal stands in a text."""
    at = text.find(literal)
    while at >= 0:
        yield at
        at = text.find(literal, at + 1)


def find_blocks(text: str, lowered: str) -> Iterator[Span]:
    """Yield private keys and passwords of pgpass lines."""
    yield from _find_pem(text)
    yield from _find_putty(text)
    if "pgpass" in lowered or any(port in text for port in _PGPASS_PORTS):
        for found in pattern("pgpass").finditer(text):
            host = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
            alone = "pgpass" in lowered or pattern("host").fullmatch(host)
            if alone and not is_reference(found[1], quoted=True):
                yield found.start(1), found.end(1), 2, "password"


def _find_putty(text: str) -> Iterator[Span]:
    """Yield the private parts of PuTTY's key files, to the end of the text if cut off."""
    end = 0
    for at in places(text, _PUTTY_LINES):
        if at < end or not pattern("putty").match(text, at):
            continue
        closing = pattern("putty_end").search(text, at)
        end = closing.end() if closing else len(text)
        yield at + len(_PUTTY_LINES), end, 0, "private-key"


def _find_pem(text: str) -> Iterator[Span]:
    """Yield private keys in PEM armour, whole or cut off at either end."""
    end = 0
    for at in places(text, "-----BEGIN "):
        if at < end:
            continue
        head = pattern("pem").match(text, at)
        if not head or not pattern("pem_body").match(text, head.end()):
            continue
        closing = text.find("-----END ", head.end())
        closed = text.find("-----", closing + len("-----END ")) if closing >= 0 else -1
        end = closed + len("-----") if closed >= 0 else len(text)
        yield at, end, 0, "private-key"
    for at in places(text, "-----END "):
        tail = pattern("pem_end").match(text, at) if at >= end else None
        if tail:
            start = _pem_start(text, max(end, at - _PEM_CHARS), at)
            end = tail.end()
            if start < at:
                yield start, end, 0, "private-key"


def _pem_start(text: str, least: int, at: int) -> int:
    """Return where the lines begin that are left of a key whose head was cut off."""
    start = at
    for line in reversed([*pattern("pem_line").finditer(text, least, at)]):
        if not pattern("pem_gap" if start < at else "pem_last").fullmatch(text, line.end(), start):
            break
        start = line.start()
    return start
