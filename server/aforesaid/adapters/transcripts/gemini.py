"""Reads the chats of Gemini CLI: ``~/.gemini/tmp/PROJECT/chats/session-TIME-ID.jsonl``.

A line is a header, a message, ``{"$set": ...}`` or ``{"$rewindTo": ID}``. A message with an id that
was there before replaces it. A resumed session goes on in its first file and may leave a second,
empty one. Source: files of Gemini CLI 0.61.
"""

from __future__ import annotations

import glob
import html
import itertools
import os
import re

from aforesaid.adapters.transcripts.lines import (
    REJECTED,
    LineChain,
    exit_code_in,
    objects,
    read_records,
    text,
    texts,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from aforesaid.domain.model.transcript import Conversation

_HEAD_LINES = 20
_ID_CHARS = 8  #: of a session's id in a file's name
_HOOK_CONTEXT = re.compile(r"<hook_context>(.*?)</hook_context>", re.DOTALL)
_WORKSPACE = re.compile(r"\*\*Workspace Directories:\*\*\s+- (.+)")
_MCP_TOOL = re.compile(r"(\S+) \((.+) MCP Server\)")
_EDITS = {"write_file": "Write", "replace": "Edit"}


class _Chat:
    """The messages of a chat by id, in order, and the file's offset after each."""

    def __init__(self) -> None:
        self.header: dict[str, Any] = {}
        self.folder = ""
        self.messages: dict[str, tuple[dict[str, Any], int]] = {}
        self.end = 0

    def add(self, record: dict[str, Any], end: int) -> None:
        """Apply one line."""
        self.end = end
        changes = record.get("$set")
        if isinstance(changes, dict):
            for message in objects(changes.get("messages")):
                self.add(message, end)
        elif "$rewindTo" in record:
            self._rewind(record["$rewindTo"])
        elif record.get("id"):
            words = "\n".join(texts(record.get("content")))
            if words.lstrip().startswith("<session_context>"):
                match = _WORKSPACE.search(words)
                self.folder = self.folder or (match.group(1).strip() if match else "")
            else:
                self.messages[str(record["id"])] = record, end
        elif record.get("sessionId"):
            self.header = self.header or record

    def _rewind(self, message_id: object) -> None:
        """Remove a message and all after it."""
        ids = list(self.messages)
        if message_id in ids:
            for later in ids[ids.index(str(message_id)) :]:
                del self.messages[later]


def read_chat(
    path: str, *, redact: Callable[[str], str] | None, private_tag: str, seen_bytes: int
) -> Conversation:
    """Return the conversation of a session; parameters and errors as of ``read_conversation``."""
    path = _file_with_messages(path)
    chat = _Chat()
    for record, end in read_records(path):
        chat.add(record, end)
    chain = LineChain(redact, private_tag)
    if text(chat.header.get("kind")) == "subagent":
        chain.subagent = "subagent"
    chain.describe(
        text(chat.header.get("startTime")),
        sessionId=text(chat.header.get("sessionId")),
        cwd=chat.folder,
    )
    for message, end in chat.messages.values():
        _add(chain, message)
        if end <= seen_bytes:
            chain.mark_seen()
    return chain.build(path, chat.end)


def read_folder(path: str) -> str:
    """Return the folder in which a session started; empty if its first lines do not tell."""
    chat = _Chat()
    for record, _ in itertools.islice(read_records(path), _HEAD_LINES):
        chat.add(record, 0)
    return chat.folder


def _file_with_messages(path: str) -> str:
    """Return the largest file of the same session: a resumed one has an empty file beside it."""
    folder, name = os.path.split(path)
    ending = name[-_ID_CHARS - len(".jsonl") :]
    paths = [
        *glob.glob(os.path.join(glob.escape(folder), f"session-*-{glob.escape(ending)}")),
        path,
    ]
    return max(paths, key=lambda each: os.path.getsize(each) if os.path.isfile(each) else -1)


def _add(chain: LineChain, message: dict[str, Any]) -> None:
    kind, stamp = message.get("type"), text(message.get("timestamp"))
    words = texts(message.get("content"))
    if kind == "user":
        for context in _HOOK_CONTEXT.findall("\n".join(words)):
            chain.injected(stamp, html.unescape(context))
        chain.prompt(stamp, [_HOOK_CONTEXT.sub("", part) for part in words])
    elif kind == "gemini":
        chain.answer(stamp, "\n".join(words))
        for call in objects(message.get("toolCalls")):
            _add_call(chain, call, text(call.get("timestamp")) or stamp)
    elif kind == "info" and "\n".join(words).startswith("Request cancelled"):
        chain.interruption(stamp)


def _add_call(chain: LineChain, call: dict[str, Any], stamp: str) -> None:
    call_id, name = text(call.get("id")), text(call.get("name"))
    arguments = call.get("args")
    arguments = arguments if isinstance(arguments, dict) else {}
    status = call.get("status")
    result = REJECTED if status == "cancelled" else _result(call)
    failed = status in {"cancelled", "error"}
    if name == "run_shell_command" and not failed:
        output = text(call.get("resultDisplay"))
        chain.run(stamp, call_id, text(arguments.get("command")), output, exit_code_in(result))
    elif name == "run_shell_command":
        chain.call(stamp, call_id, "Bash", arguments, result, failed=True)
    elif name == "write_todos":
        chain.todos(stamp, call_id, arguments.get("todos"), "description")
    else:
        display = call.get("resultDisplay")
        is_new = isinstance(display, dict) and display.get("isNewFile") is True
        chain.call(
            stamp, call_id, _EDITS.get(name, _mcp_name(name, call)), arguments, result,
            failed=failed, is_new_file=is_new,
        )  # fmt: skip


def _mcp_name(name: str, call: dict[str, Any]) -> str:
    match = _MCP_TOOL.fullmatch(text(call.get("displayName"))) if name.startswith("mcp_") else None
    return f"mcp__{match.group(2)}__{match.group(1)}" if match else name


def _result(call: dict[str, Any]) -> str:
    parts = []
    for block in objects(call.get("result")):
        response = block.get("functionResponse")
        answer = response.get("response") if isinstance(response, dict) else None
        if isinstance(answer, dict):
            parts.append(text(answer.get("output")) or text(answer.get("error")))
    words = "\n".join(parts).removeprefix("<untrusted_context>\n")
    return words.removesuffix("\n</untrusted_context>")
