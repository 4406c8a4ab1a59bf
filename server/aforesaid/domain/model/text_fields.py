"""Text fields of the store's tables, and their redaction."""

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
    """The value of one column in one row."""

    table: str
    column: str
    key: tuple[Any, ...]  #: values of the row's primary key
    text: str
    is_json: bool = False
    memory: int | None = None  #: key of the memory that it belongs to, if any

    @property
    def where(self) -> str:
        """``table.column``, for messages."""
        return f"{self.table}.{self.column}"


def texts_of(memory: Memory, paths: Sequence[str]) -> list[StoredText]:
    """Return every text field of a memory that may hold user text, as it is stored.

    Args:
        memory: the memory, with its tags.
        paths: paths of its anchors.
    """
    metadata = json.dumps(memory.metadata, ensure_ascii=False) if memory.metadata else ""
    fields = (
        ("memories", "content", memory.content, False),
        ("memories", "summary", memory.summary or "", False),
        ("memories", "metadata", metadata, True),
        *(("tags", "tag", tag, False) for tag in memory.tags),
        *(("anchors", "path", path, False) for path in paths),
    )
    return [
        StoredText(
            table=table, column=column, key=(memory.key,), text=text, is_json=is_json,
            memory=memory.key,
        )
        for table, column, text, is_json in fields
        if text
    ]  # fmt: skip


def redacted(
    field: StoredText, redact: Callable[[str], tuple[str, list[str]]]
) -> tuple[str, list[str]]:
    """Return a text field without secrets, and the kinds of these; JSON stays valid JSON.

    Args:
        field: the field.
        redact: does the same for a plain text.
    """
    if not field.is_json:
        return redact(field.text)
    kinds: list[str] = []

    def clean(text: str) -> str:
        cleaned, text_kinds = redact(text)
        kinds.extend(text_kinds)
        return cleaned

    try:
        value = json.loads(field.text)
    except (ValueError, RecursionError):
        return redact(field.text)
    cleaned = _cleaned(value, clean, _LEVELS)
    return (json.dumps(cleaned, ensure_ascii=False), kinds) if kinds else (field.text, [])


def around_mark(text: str) -> str:
    """Return the text around the first redaction mark, on one line."""
    line = " ".join(text.split())
    mark = search(MARK, line)
    start, end = mark.span() if mark else (0, 0)
    start, end = max(start - _AROUND, 0), end + _AROUND
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _cleaned(value: Any, clean: Callable[[str], str], levels: int) -> Any:
    if isinstance(value, str):
        return clean(value)
    if levels and isinstance(value, dict):
        items = [(clean(key), _cleaned(item, clean, levels - 1)) for key, item in value.items()]
        return {name: clean_under(name, item, clean) for name, item in items}
    if levels and isinstance(value, list):
        return [_cleaned(item, clean, levels - 1) for item in value]
    return value
