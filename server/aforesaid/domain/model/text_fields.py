"""A text that somebody's words may stand in, wherever the store keeps it."""

from __future__ import annotations

import json
from re import search

from aforesaid.domain.text.sanitize import MARK
from aforesaid.domain.value import Value

from .statement import clean_under

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .memory import Memory

_LEVELS = 40
_AROUND = 40


class StoredText(Value):
    """One column of one row."""

    table: str
    column: str
    key: tuple[Any, ...]  #: values of the row's primary key
    text: str
    is_json: bool = False
    memory: int | None = None  #: key of the memory that it is of, if it is of one

    @property
    def where(self) -> str:
        """Return table and column, for people."""
        return f"{self.table}.{self.column}"


def texts_of(memory: Memory, paths: Sequence[str]) -> list[StoredText]:
    """Return every text of a memory that may hold somebody's words, as the store keeps them.

    Args:
        memory: with its tags.
        paths: of the files that it cites.
    """
    told = json.dumps(memory.metadata, ensure_ascii=False) if memory.metadata else ""
    named = (
        ("memories", "content", memory.content, False),
        ("memories", "summary", memory.summary or "", False),
        ("memories", "metadata", told, True),
        *(("tags", "tag", tag, False) for tag in memory.tags),
        *(("anchors", "path", path, False) for path in paths),
    )
    return [
        StoredText(
            table=table, column=column, key=(memory.key,), text=text, is_json=is_json,
            memory=memory.key,
        )
        for table, column, text, is_json in named
        if text
    ]  # fmt: skip


def redacted(
    one: StoredText, redact: Callable[[str], tuple[str, list[str]]]
) -> tuple[str, list[str]]:
    """Return a stored text without its secrets, and their kinds; JSON stays JSON.

    Args:
        one: the text.
        redact: of a plain text; nothing found gives no kinds.
    """
    if not one.is_json:
        return redact(one.text)
    kinds: list[str] = []

    def clean(text: str) -> str:
        told, found = redact(text)
        kinds.extend(found)
        return told

    try:
        value = json.loads(one.text)
    except (ValueError, RecursionError):
        return redact(one.text)
    cleaned = _cleaned(value, clean, _LEVELS)
    return (json.dumps(cleaned, ensure_ascii=False), kinds) if kinds else (one.text, [])


def around_mark(text: str) -> str:
    """Return what stands around the first mark of a secret, on one line."""
    line = " ".join(text.split())
    found = search(MARK, line)
    start, end = found.span() if found else (0, 0)
    start, end = max(start - _AROUND, 0), end + _AROUND
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _cleaned(value: Any, clean: Callable[[str], str], levels: int) -> Any:
    if isinstance(value, str):
        return clean(value)
    if levels and isinstance(value, dict):
        named = [(clean(key), _cleaned(held, clean, levels - 1)) for key, held in value.items()]
        return {name: clean_under(name, held, clean) for name, held in named}
    if levels and isinstance(value, list):
        return [_cleaned(held, clean, levels - 1) for held in value]
    return value
