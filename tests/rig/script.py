"""The words that scripts of the mock model are written in, and the record of what it was asked.

Here: turns, their blocks, recorded requests. Not here: HTTP (mock_api.py). A script reads
``[turn(tool("mcp__plugin_aforesaid_memory__recall_memory", {"query": "x"})), turn("done")]``.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]


def text(value: str) -> Block:
    """Return a text block."""
    return {"type": "text", "text": value}


def tool(name: str, arguments: dict[str, Any] | None = None) -> Block:
    """Return a block in which the model calls ``name``."""
    call = "toolu_" + uuid.uuid4().hex[:24]
    return {"type": "tool_use", "id": call, "name": name, "input": arguments or {}}


def thinking(value: str) -> Block:
    """Return a thinking block with a dummy signature."""
    return {"type": "thinking", "thinking": value, "signature": "c2lnbmF0dXJl"}


@dataclass(kw_only=True)
class Turn:
    """One answer of the model."""

    blocks: list[Block]
    hold: threading.Event | None = None  #: answered only when it is set
    when: Callable[[Request], bool] | None = None  #: taken only by a request like this
    status: int = 200  #: another: an error of the API
    input_tokens: int = 1000  #: what the client is told that it used
    output_tokens: int = 20


def turn(*blocks: Block | str, **options: Any) -> Turn:
    """Return one answer of the model; a plain string is a text block."""
    return Turn(blocks=[text(b) if isinstance(b, str) else b for b in blocks], **options)


@dataclass(kw_only=True)
class Request:
    """One recorded request for an answer of the model."""

    body: dict[str, Any]
    kind: str  #: "main", "compact" (a compaction's summary) or "side" (without tools)
    time: float  #: monotonic seconds
    index: int = -1
    answer: Turn | None = None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The conversation so far."""
        return self.body.get("messages") or []

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The tools that were offered in full."""
        return self.body.get("tools") or []

    @property
    def tool_names(self) -> list[str]:
        """Their names."""
        return [tool.get("name") or tool.get("type", "") for tool in self.tools]

    @property
    def system(self) -> str:
        """The system prompt."""
        system = self.body.get("system") or ""
        if isinstance(system, str):
            return system
        return "\n\n".join(block.get("text", "") for block in system)

    def blocks(self, role: str | None = None) -> Iterator[Block]:
        """Yield the content blocks of all messages (of one role), in order."""
        for message in self.messages:
            if role and message.get("role") != role:
                continue
            content = message.get("content")
            yield from [text(content)] if isinstance(content, str) else content or []

    @property
    def user_text(self) -> str:
        """The text of the user's messages, tool results included."""
        return "\n".join(flat(block) for block in self.blocks("user"))

    @property
    def all_text(self) -> str:
        """Everything that the model is shown but the tools' schemas."""
        return self.system + "\n" + "\n".join(flat(block) for block in self.blocks())

    @property
    def tool_results(self) -> list[str]:
        """The results of the tools called so far, in order."""
        return [flat(b) for b in self.blocks("user") if b.get("type") == "tool_result"]

    @property
    def last_tool_result(self) -> str:
        """The newest of them; empty where there is none."""
        return (self.tool_results or [""])[-1]


def flat(block: Block) -> str:
    """Return what a block says, as text."""
    kind = block.get("type")
    if kind == "text":
        return str(block.get("text", ""))
    if kind == "tool_result":
        content = block.get("content") or ""
        return content if isinstance(content, str) else "\n".join(map(flat, content))
    if kind == "tool_use":
        return json.dumps({"tool": block.get("name"), "input": block.get("input")})
    if kind == "thinking":
        return str(block.get("thinking", ""))
    return json.dumps(block)


def kind_of(body: dict[str, Any]) -> str:
    """Return which of the three kinds of request this is."""
    users = [m for m in body.get("messages") or [] if m.get("role") == "user"]
    content = users[-1].get("content") or "" if users else ""
    asked = content if isinstance(content, str) else "\n".join(map(flat, content))
    if "<summary>" in asked and "detailed summary of" in asked:
        return "compact"
    return "main" if body.get("tools") else "side"
