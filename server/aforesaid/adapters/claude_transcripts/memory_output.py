"""Collects the memories that a session was shown, and those that it erased.

Sources are the answers of memory tools and the context that hooks added. Not here: other tools
(tool_calls.py), how the digest uses it (domain/digest).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from aforesaid.domain.model import transcript
from aforesaid.domain.model.transcript import ToolUse, Turn
from aforesaid.domain.text.sanitize import clean_text

from .tool_calls import result_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_RECALLED = 200_000  #: characters of a session
_MAX_TEXT_CHARS = 20_000
_COMMAND = r"(?:\S*/)?aforesaid\s"
_NOT_MEMORY = frozenset({"why", "note"})  #: fields about the query or the answer
_MAX_DEPTH = 20


class MemoryToolOutput:
    """The texts of memories that a session was shown, and those that it erased."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._size = 0
        self._by_id: dict[str, list[str]] = {}
        self._erased: list[str] = []

    def add(self, text: str, owner: str = "") -> None:
        """Add a text that was shown.

        Args:
            text: the text of a memory, or lines of several that end with their ids.
            owner: the id of the memory, if the text does not contain it.
        """
        if not text or self._size >= MAX_RECALLED:
            return
        self.texts.append(text)
        self._size += len(text)
        if owner:
            self._by_id.setdefault(owner, []).append(text)

    def take(self, turn: Turn, block: dict[str, Any]) -> None:
        """Add the texts in the answer of a memory tool; other tools are ignored."""
        if not isinstance(turn, ToolUse) or block.get("is_error") is True:
            return
        if turn.kind != transcript.MEMORY and not re.match(_COMMAND, turn.command):
            return
        if turn.name.endswith("__forget_memory") and turn.command:
            self._erased.append(turn.command)
        for text in result_texts(block):
            try:
                value = json.loads(text)
            except (ValueError, RecursionError):
                value = text
            if turn.name.endswith("__store_memory") and isinstance(value, dict):
                self._by_id.setdefault(str(value.get("id")), []).append(turn.command)
            for owner, memory_text in _texts_in(value):
                self.add(clean_text(memory_text[:_MAX_TEXT_CHARS]), owner)

    @property
    def erased(self) -> tuple[str, ...]:
        """The texts of the erased memories that the session was shown."""
        texts: list[str] = []
        for memory_id in self._erased:
            texts += self._by_id.get(memory_id, [])
            mark = re.compile(rf"\[{re.escape(memory_id)}\b")
            lines = (line for text in self.texts for line in text.split("\n"))
            texts += [line[: match.start()] for line in lines if (match := mark.search(line))]
        return tuple(texts)


def _texts_in(
    value: object, owner: str = "", levels: int = _MAX_DEPTH
) -> Iterator[tuple[str, str]]:
    """Yield the texts of more than one word in a JSON value, each with its memory's id."""
    if isinstance(value, str):
        if " " in value.strip():
            yield owner, value
    elif isinstance(value, dict) and levels:
        memory_id = value.get("id")
        owner = memory_id if isinstance(memory_id, str) else owner
        for key, item in value.items():
            if key not in _NOT_MEMORY:
                yield from _texts_in(item, owner, levels - 1)
    elif isinstance(value, list) and levels:
        for item in value:
            yield from _texts_in(item, owner, levels - 1)
