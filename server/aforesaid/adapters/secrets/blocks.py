"""Finds private keys (PEM, PuTTY) and the passwords in lines of a pgpass file."""

from __future__ import annotations

from collections.abc import Iterator

from .spans import Span, find_literal
from .table import pattern
from .values import is_reference

_PEM_CHARS = 16_000  #: searched for a private key whose header was cut off
_PUTTY_LINES = "Private-Lines:"
_PGPASS_PORTS = (":5432:", ":5433:", ":6432:", ":*:")


def find_blocks(text: str, lowered: str) -> Iterator[Span]:
    """Yield private keys and passwords of pgpass lines."""
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
