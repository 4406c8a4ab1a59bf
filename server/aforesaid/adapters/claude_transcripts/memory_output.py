"""What memory showed the agent in a session, and what was erased from it there.

Here: the answers of memory's tools, and context that hooks brought. Not here: other tools
(tool_calls.py), what is done with it (domain/digest).
"""

from __future__ import annotations

import json
import re

from aforesaid.domain.model import transcript as said
from aforesaid.domain.model.transcript import ToolUse
from aforesaid.domain.text.sanitize import clean_text

from .tool_calls import result_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from aforesaid.domain.model.transcript import Turn

MAX_RECALLED = 200_000
_SHOWN_CHARS = 20_000  #: of one text
_COMMAND = r"(?:\S*/)?aforesaid\s"
#: Fields of an answer that speak of the question and of the answer itself.
_OF_ANSWER = frozenset({"why", "note"})
_DEEPEST = 20


class MemoryToolOutput:
    """The texts of memories that a session saw, and which of them were erased in it."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._size = 0
        self._by_id: dict[str, list[str]] = {}
        self._erased: list[str] = []

    def add(self, text: str, owner: str = "") -> None:
        """Take a text that memory showed.

        Args:
            text: of one memory, or lines of several that end in their ids.
            owner: the id of the memory, if the text does not hold it.
        """
        if not text or self._size >= MAX_RECALLED:
            return
        self.texts.append(text)
        self._size += len(text)
        if owner:
            self._by_id.setdefault(owner, []).append(text)

    def take(self, turn: Turn, block: dict[str, Any]) -> None:
        """Take the answer to a tool use, each memory's text for itself; of other tools nothing."""
        if not isinstance(turn, ToolUse) or block.get("is_error") is True:
            return
        if turn.kind != said.MEMORY and not re.match(_COMMAND, turn.command):
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
            for owner, one in _texts_in(value):
                self.add(clean_text(one[:_SHOWN_CHARS]), owner)

    @property
    def erased(self) -> tuple[str, ...]:
        """What the memories said that were erased, as far as the session saw it."""
        found: list[str] = []
        for name in self._erased:
            found += self._by_id.get(name, [])
            mark = re.compile(rf"\[{re.escape(name)}\b")
            lines = (line for text in self.texts for line in text.split("\n"))
            found += [line[: at.start()] for line in lines if (at := mark.search(line))]
        return tuple(found)


def _texts_in(value: object, owner: str = "", levels: int = _DEEPEST) -> Iterator[tuple[str, str]]:
    """Yield the texts of a value of JSON that are more than a word, each with its memory's id."""
    if isinstance(value, str):
        if " " in value.strip():
            yield owner, value
    elif isinstance(value, dict) and levels:
        name = value.get("id")
        owner = name if isinstance(name, str) else owner
        for key, one in value.items():
            if key not in _OF_ANSWER:
                yield from _texts_in(one, owner, levels - 1)
    elif isinstance(value, list) and levels:
        for one in value:
            yield from _texts_in(one, owner, levels - 1)
