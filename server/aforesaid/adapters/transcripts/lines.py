"""Lines of Claude Code's shape, which the readers of other clients make of their own records.

Each line's parent is the line before it, so nothing is abandoned unless the reader leaves it out.
"""

from __future__ import annotations

import json
import os
import re

from aforesaid.adapters.transcripts import line_parser
from aforesaid.adapters.transcripts.conversation import (
    ConversationBuilder,
    TranscriptFile,
    open_transcript,
)
from aforesaid.domain.errors import UnavailableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from aforesaid.domain.model.transcript import Conversation

MAX_BYTES = 1 << 28  #: of one file
REJECTED = "The user doesn't want to proceed with this tool use"
INTERRUPTED = "[Request interrupted by user]"


class LineChain:
    """Adds lines to a conversation, each following the one before."""

    def __init__(self, redact: Callable[[str], str] | None, private_tag: str) -> None:
        self._builder = ConversationBuilder(
            line_parser.LineReader(redact=redact, private_tag=private_tag)
        )
        self._count = 0
        self.subagent = ""  #: of whose session these lines are; empty for the main agent
        self.facts: dict[str, str] = {}  #: sessionId, cwd, gitBranch, version

    def describe(self, stamp: str, **facts: str) -> None:
        """Set what is known about the session."""
        self.facts |= {name: value for name, value in facts.items() if value}
        self._add("system", stamp, {"subtype": "facts"})

    def prompt(self, stamp: str, texts: list[str]) -> None:
        """Add what the user typed."""
        content = [{"type": "text", "text": text} for text in texts]
        self._add("user", stamp, {"message": {"content": content}})

    def answer(self, stamp: str, text: str) -> None:
        """Add what the agent said to the user."""
        if text.strip():
            self._add(
                "assistant", stamp, {"message": {"content": [{"type": "text", "text": text}]}}
            )

    def call(
        self,
        stamp: str,
        call_id: str,
        name: str,
        arguments: object,
        result: str | None,
        *,
        failed: bool = False,
        is_new_file: bool = False,
    ) -> None:
        """Add a tool call with its result.

        Args:
            stamp: ISO 8601 time.
            call_id: Its id, unique in the session.
            name: Claude Code's name of such a tool, or ``mcp__SERVER__TOOL``.
            arguments: By Claude Code's names.
            result: What the tool returned; None while there is no result.
            failed: Whether it failed, or was not allowed (then the result is ``REJECTED``).
            is_new_file: Whether it created the file.
        """
        use = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        self._add("assistant", stamp, {"message": {"content": [use]}})
        if result is None:
            return
        block = {
            "type": "tool_result", "tool_use_id": call_id, "content": result, "is_error": failed,
        }  # fmt: skip
        more = {"toolUseResult": {"type": "create"}} if is_new_file else {}
        self._add("user", stamp, {"message": {"content": [block]}, **more})

    def run(self, stamp: str, call_id: str, command: str, output: str, exit_code: int) -> None:
        """Add a shell command that ended."""
        text = f"Exit code {exit_code}\n{output}" if exit_code else output
        self.call(stamp, call_id, "Bash", {"command": command}, text, failed=exit_code != 0)

    def todos(self, stamp: str, call_id: str, items: object, text_field: str) -> None:
        """Add the agent's list of steps, whose texts are in a field of each item."""
        steps = [
            {"content": item.get(text_field), "status": item.get("status")}
            for item in (items if isinstance(items, list) else [])
            if isinstance(item, dict)
        ]
        self.call(stamp, call_id, "TodoWrite", {"todos": steps}, "")

    def injected(self, stamp: str, text: str) -> None:
        """Add what a hook showed the agent, which the session did not find out itself."""
        attachment = {"type": "hook_additional_context", "content": [text]}
        self._add("attachment", stamp, {"attachment": attachment})

    def interruption(self, stamp: str) -> None:
        """Add that the user interrupted the agent."""
        self.prompt(stamp, [INTERRUPTED])

    def compaction(self, stamp: str) -> None:
        """Add that the client compacted the agent's context."""
        self._add("system", stamp, {"subtype": "compact_boundary"})

    def mark_seen(self) -> None:
        """Mark all lines so far as read by an earlier pass."""
        self._builder.mark_seen()

    def build(self, path: str, watermark: int) -> Conversation:
        """Return the conversation, with the watermark up to which it was read."""
        return self._builder.build(path, watermark).replace(first_line="")  # forks are not found

    def _add(self, kind: str, stamp: str, fields: dict[str, Any]) -> None:
        entry = {"type": kind, "timestamp": stamp, "uuid": f"line-{self._count}", **fields}
        if self._count:
            entry["parentUuid"] = f"line-{self._count - 1}"
        if self.subagent:
            entry |= {"isSidechain": True, "agentId": self.subagent}
        self._count += 1
        self._builder.add_entry(kind, {**entry, **self.facts})


def read_records(path: str) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the JSON objects of a file of lines, each with the offset after it.

    Raises:
        NotFoundError: The file does not exist.
        InvalidInputError: It is not a regular file.
        UnavailableError: It cannot be read.
    """
    descriptor = open_transcript(path)
    try:
        source = TranscriptFile(descriptor, MAX_BYTES)
        for line in source.lines():
            try:
                record = json.loads((line or b"").decode("utf-8"))
            except (ValueError, RecursionError):
                record = None
            yield record if isinstance(record, dict) else {}, source.complete_bytes
    except OSError as error:
        raise UnavailableError(f"cannot read {path} to its end: {error.strerror}") from error
    finally:
        os.close(descriptor)


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects of a list; empty if it is none."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def text(value: object) -> str:
    """Return a text; empty for anything else."""
    return value if isinstance(value, str) else ""


def texts(content: object) -> list[str]:
    """Return the texts of a message's content: a text, or blocks with a ``text`` field."""
    if isinstance(content, str):
        return [content]
    return [text(block["text"]) for block in objects(content) if block.get("text")]


def exit_code_in(output: str) -> int:
    """Return the exit code that a line of a shell tool's output names; 0 if there is none."""
    match = re.search(r"(?m)^Exit Code: (\d{1,5})$", output)
    return int(match.group(1)) if match else 0
