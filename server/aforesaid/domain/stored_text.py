"""A text that somebody's words may stand in, wherever the store keeps it."""

from __future__ import annotations

import json

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_LEVELS = 40


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


def _cleaned(value: Any, clean: Callable[[str], str], levels: int) -> Any:
    if isinstance(value, str):
        return clean(value)
    if levels and isinstance(value, dict):
        return {clean(key): _cleaned(held, clean, levels - 1) for key, held in value.items()}
    if levels and isinstance(value, list):
        return [_cleaned(held, clean, levels - 1) for held in value]
    return value
