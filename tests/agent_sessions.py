"""Sessions of Codex, Gemini CLI and OpenCode, written as these clients write them.

A turn is a tuple: ``("user", text)``, ``("agent", text)``, ``("run", command, output, exit_code)``,
``("edit", path, is_new)``, ``("store", content, id)``, ``("shown", text)`` for what a hook added,
``("steps", [(status, text), ...])``, ``("rejected", command)``, ``("interrupted",)``,
``("compacted",)``. tests/e2e/test_agents.py reads what the real clients write.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

Turns = Sequence[tuple[Any, ...]]
CODEX_SESSION = "01a20ba6-87fc-7f61-b6dc-57f953782e48"
GEMINI_SESSION = "1c16b5d4-b5c7-4cc7-9251-5622618cbaeb"
OPENCODE_SESSION = "ses_df4590f7effeGJmyd4IyCE6TyE"
FOLDER = "/home/dev/shop"
START_MS = 1_795_491_793_000


def stamp(number: int) -> str:
    """Return the time of a turn: one a second."""
    return f"2026-11-24T03:{43 + number // 60:02}:{number % 60:02}.500Z"


def codex(home: Path, turns: Turns, *, subagent: bool = False) -> str:
    """Write a session of Codex; return its path."""
    path = (
        home / ".codex/sessions/2026/11/24" / f"rollout-2026-11-24T03-43-12-{CODEX_SESSION}.jsonl"
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    meta = {
        "id": CODEX_SESSION, "cwd": FOLDER, "cli_version": "0.169.0", "git": {"branch": "main"},
        "source": {"subagent": "review"} if subagent else "cli",
        "thread_source": "subagent" if subagent else "user",
    }  # fmt: skip
    lines = [("session_meta", meta), ("turn_context", {"cwd": FOLDER})]
    lines.append(("response_item", _codex_message("user", "<environment_context>linux")))
    for number, turn in enumerate(turns):
        lines += _codex(number, turn)
    with path.open("w") as file:
        for number, (kind, payload) in enumerate(lines):
            record = {
                "timestamp": stamp(number), "ordinal": number, "type": kind, "payload": payload,
            }  # fmt: skip
            file.write(json.dumps(record) + "\n")
    return str(path)


def _codex_message(role: str, text: str, kind: str = "user.text") -> dict[str, Any]:
    return {
        "type": "message", "role": role, "content": [{"type": "input_text", "text": text}],
        "internal_chat_message_metadata_passthrough": {"content_item_kinds": [kind]},
    }  # fmt: skip


def _codex(number: int, turn: tuple[Any, ...]) -> Iterator[tuple[str, dict[str, Any]]]:
    kind, *rest = turn
    item: dict[str, Any]
    if kind == "shown":
        yield "response_item", _codex_message("developer", rest[0], "hooks.additional_context")
        return
    if kind == "compacted":
        yield "compacted", {"message": "summary"}
        return
    if kind == "interrupted":
        yield "event_msg", {"type": "turn_aborted", "reason": "interrupted"}
        return
    if kind == "steps":
        plan = {"plan": [{"status": status, "step": text} for status, text in rest[0]]}
        yield "response_item", {
            "type": "function_call", "name": "update_plan", "call_id": f"call_{number}",
            "arguments": json.dumps(plan),
        }  # fmt: skip
        return
    if kind == "user":
        item = {"type": "UserMessage", "content": [{"type": "text", "text": rest[0]}]}
    elif kind == "agent":
        item = {"type": "AgentMessage", "content": [{"type": "Text", "text": rest[0]}]}
    elif kind == "edit":
        change = {"type": "add" if rest[1] else "update"}
        item = {"type": "FileChange", "changes": {rest[0]: change}, "status": "completed"}
    elif kind == "store":
        answer = json.dumps({"id": rest[1], "message": f"Remembered {rest[1]}: {rest[0]}"})
        item = {
            "type": "McpToolCall", "server": "memory", "tool": "store_memory",
            "arguments": {"content": rest[0]}, "status": "completed",
            "result": {"content": [{"type": "text", "text": answer}], "isError": False},
        }  # fmt: skip
    else:
        output, code = ("", None) if kind == "rejected" else rest[1:]
        item = {
            "type": "CommandExecution", "command": ["/bin/bash", "-lc", rest[0]],
            "status": "declined" if kind == "rejected" else "failed" if code else "completed",
            "aggregated_output": output, "exit_code": code,
        }  # fmt: skip
    yield "event_msg", {"type": "item_completed", "item": {"id": f"item_{number}", **item}}


def gemini(home: Path, turns: Turns, *, subagent: bool = False) -> str:
    """Write a chat of Gemini CLI; return its path."""
    name = f"session-2026-11-24T03-43-{GEMINI_SESSION[:8]}.jsonl"
    path = home / ".gemini/tmp/shop/chats" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    kind = "subagent" if subagent else "main"
    start = f"<session_context>\n- **Workspace Directories:**\n  - {FOLDER}\n</session_context>"
    first = {"id": "0", "timestamp": stamp(0), "type": "user", "content": [{"text": start}]}
    records: list[dict[str, Any]] = [
        {"sessionId": GEMINI_SESSION, "startTime": stamp(0), "kind": kind},
        {"$set": {"messages": [first]}},
    ]
    for number, turn in enumerate(turns, 1):
        records.append(_gemini(number, turn))
        records.append({"$set": {"lastUpdated": stamp(number)}})
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def _gemini(number: int, turn: tuple[Any, ...]) -> dict[str, Any]:
    kind, *rest = turn
    message: dict[str, Any] = {"id": f"m{number}", "timestamp": stamp(number)}
    if kind == "user":
        return {**message, "type": "user", "content": [{"text": rest[0]}]}
    if kind == "shown":
        escaped = rest[0].replace("<", "&lt;").replace(">", "&gt;")
        parts = [{"text": f"<hook_context>{escaped}</hook_context>"}]
        return {**message, "type": "user", "content": parts}
    if kind == "interrupted":
        return {**message, "type": "info", "content": "Request cancelled."}
    if kind == "compacted":
        return {**message, "type": "info", "content": "Chat history compressed"}
    if kind == "agent":
        return {**message, "type": "gemini", "content": rest[0]}
    name, display, arguments, output, more = _gemini_call(kind, rest)
    response = {"functionResponse": {"name": name, "response": {"output": output}}}
    call = {
        "id": f"call-{number}", "name": name, "displayName": display, "args": arguments,
        "result": [response], "status": "success", "timestamp": stamp(number), **more,
    }  # fmt: skip
    return {**message, "type": "gemini", "content": "", "toolCalls": [call]}


def _gemini_call(kind: str, rest: list[Any]) -> tuple[str, str, Any, str, dict[str, Any]]:
    if kind == "edit":
        shown = {"resultDisplay": {"isNewFile": rest[1]}}
        return "write_file", "WriteFile", {"file_path": rest[0], "content": "x"}, "written", shown
    if kind == "store":
        answer = json.dumps({"id": rest[1], "message": f"Remembered {rest[1]}: {rest[0]}"})
        answer = f"<untrusted_context>\n{answer}\n</untrusted_context>"
        title = "store_memory (memory MCP Server)"
        return "mcp_memory_store_memory", title, {"content": rest[0]}, answer, {}
    if kind == "steps":
        todos = [{"status": status, "description": text} for status, text in rest[0]]
        return "write_todos", "WriteTodos", {"todos": todos}, "ok", {}
    command = {"command": rest[0]}
    if kind == "rejected":
        return "run_shell_command", "Shell", command, "", {"status": "cancelled"}
    code = f"\nExit Code: {rest[2]}" if rest[2] else ""
    output = f"<untrusted_context>\nOutput: {rest[1]}{code}\n</untrusted_context>"
    return "run_shell_command", "Shell", command, output, {"resultDisplay": rest[1]}


def opencode(home: Path, turns: Turns, *, subagent: bool = False) -> str:
    """Write a session into OpenCode's database; return its path."""
    database = home / ".local/share/opencode/opencode.db"
    database.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(database)
    connection.executescript(
        """CREATE TABLE IF NOT EXISTS session (id text PRIMARY KEY, parent_id text,
          directory text, title text, version text, revert text, time_created integer);
        CREATE TABLE IF NOT EXISTS message (id text PRIMARY KEY, session_id text,
          time_created integer, time_updated integer, data text);
        CREATE TABLE IF NOT EXISTS part (id text PRIMARY KEY, message_id text, session_id text,
          time_created integer, time_updated integer, data text);"""
    )
    connection.execute(
        "INSERT OR IGNORE INTO session VALUES (?, ?, ?, '', '1.18.33', NULL, ?)",
        (OPENCODE_SESSION, "ses_parent" if subagent else None, FOLDER, START_MS),
    )
    for number, turn in enumerate(turns):
        at_ms = START_MS + 1000 * number
        message, part = _opencode(turn)
        message["time"] = {"created": at_ms}
        ids = (f"msg_{number:03}", f"prt_{number:03}")
        connection.execute(
            "INSERT OR REPLACE INTO message VALUES (?, ?, ?, ?, ?)",
            (ids[0], OPENCODE_SESSION, at_ms, at_ms, json.dumps(message)),
        )
        connection.execute(
            "INSERT OR REPLACE INTO part VALUES (?, ?, ?, ?, ?, ?)",
            (ids[1], ids[0], OPENCODE_SESSION, at_ms, at_ms, json.dumps(part)),
        )
    connection.commit()
    connection.close()
    return f"{database}#{OPENCODE_SESSION}"


def _opencode(turn: tuple[Any, ...]) -> tuple[dict[str, Any], dict[str, Any]]:
    kind, *rest = turn
    if kind in {"user", "shown"}:
        return {"role": "user"}, {"type": "text", "text": rest[0], "synthetic": kind == "shown"}
    if kind == "agent":
        return {"role": "assistant"}, {"type": "text", "text": rest[0]}
    if kind == "compacted":
        return {"role": "assistant"}, {"type": "compaction"}
    if kind == "interrupted":
        error = {"name": "MessageAbortedError"}
        return {"role": "assistant", "error": error}, {"type": "step-start"}
    state: dict[str, Any] = {"status": "completed", "output": "", "metadata": {}}
    if kind == "run":
        tool = "bash"
        state |= {"input": {"command": rest[0]}, "output": rest[1], "metadata": {"exit": rest[2]}}
    elif kind == "rejected":
        tool = "bash"
        state = {
            "status": "error", "input": {"command": rest[0]},
            "error": "The user rejected permission to use this specific tool call.",
        }  # fmt: skip
    elif kind == "edit":
        tool = "write"
        state |= {"input": {"filePath": rest[0]}, "metadata": {"exists": not rest[1]}}
    elif kind == "steps":
        tool = "todowrite"
        todos = [{"status": status, "content": text} for status, text in rest[0]]
        state |= {"input": {"todos": todos}}
    else:
        tool = "memory_store_memory"
        answer = json.dumps({"id": rest[1], "message": f"Remembered {rest[1]}: {rest[0]}"})
        state |= {"input": {"content": rest[0]}, "output": answer}
    return {"role": "assistant"}, {"type": "tool", "tool": tool, "callID": "call", "state": state}


WRITERS = {"codex": codex, "gemini": gemini, "opencode": opencode}
