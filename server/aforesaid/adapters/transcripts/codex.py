"""Reads the sessions of Codex: ``$CODEX_HOME/sessions/YYYY/MM/DD/rollout-TIME-ID.jsonl``.

Each line is ``{timestamp, type, payload}``. Conversation is what ``item_completed`` events report;
messages of role user among the response items also hold instructions and the environment. Source:
files of Codex 0.169.
"""

from __future__ import annotations

import json
import shlex

from aforesaid.adapters.transcripts.lines import (
    REJECTED,
    LineChain,
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

_SHELL_ARGUMENTS = 3  #: of ``bash -lc COMMAND``


def read_rollout(
    path: str, *, redact: Callable[[str], str] | None, private_tag: str, seen_bytes: int
) -> Conversation:
    """Return the conversation of a session; parameters and errors as of ``read_conversation``."""
    chain = LineChain(redact, private_tag)
    end = 0
    for record, end in read_records(path):
        payload = record.get("payload")
        if isinstance(payload, dict):
            _add(chain, text(record.get("type")), payload, text(record.get("timestamp")))
        if end <= seen_bytes:
            chain.mark_seen()
    return chain.build(path, end)


def _add(chain: LineChain, kind: str, payload: dict[str, Any], stamp: str) -> None:
    item = payload.get("item")
    event = text(payload.get("type"))
    if kind == "session_meta":
        _describe(chain, payload, stamp)
    elif kind == "compacted":
        chain.compaction(stamp)
    elif event == "item_completed" and isinstance(item, dict):
        _add_item(chain, item, stamp)
    elif event == "turn_aborted" and payload.get("reason") == "interrupted":
        chain.interruption(stamp)
    elif event == "function_call" and payload.get("name") == "update_plan":
        _add_plan(chain, payload, stamp)
    elif payload.get("role") == "developer":
        _add_context(chain, payload, stamp)


def _add_plan(chain: LineChain, payload: dict[str, Any], stamp: str) -> None:
    try:
        arguments = json.loads(text(payload.get("arguments")))
    except ValueError:
        return
    if isinstance(arguments, dict):
        chain.todos(stamp, text(payload.get("call_id")), arguments.get("plan"), "step")


def _add_context(chain: LineChain, payload: dict[str, Any], stamp: str) -> None:
    """Add what hooks showed the agent."""
    details = payload.get("internal_chat_message_metadata_passthrough")
    kinds = details.get("content_item_kinds") if isinstance(details, dict) else None
    if isinstance(kinds, list) and "hooks.additional_context" in kinds:
        for words in texts(payload.get("content")):
            chain.injected(stamp, words)


def _describe(chain: LineChain, payload: dict[str, Any], stamp: str) -> None:
    source, git = payload.get("source"), payload.get("git")
    if isinstance(source, dict) or text(payload.get("thread_source")) == "subagent":
        chain.subagent = text(payload.get("agent_path")) or "subagent"
    chain.describe(
        stamp,
        sessionId=text(payload.get("id")),
        cwd=text(payload.get("cwd")),
        version=text(payload.get("cli_version")),
        gitBranch=text(git.get("branch")) if isinstance(git, dict) else "",
    )


def _add_item(chain: LineChain, item: dict[str, Any], stamp: str) -> None:
    kind, call_id = text(item.get("type")), text(item.get("id"))
    if kind == "UserMessage":
        chain.prompt(stamp, texts(item.get("content")))
    elif kind == "AgentMessage":
        chain.answer(stamp, "\n".join(texts(item.get("content"))))
    elif kind == "CommandExecution":
        _add_command(chain, item, call_id, stamp)
    elif kind == "FileChange":
        _add_changes(chain, item, call_id, stamp)
    elif kind == "McpToolCall":
        result = item.get("result")
        answer = result if isinstance(result, dict) else {}
        chain.call(
            stamp,
            call_id,
            f"mcp__{text(item.get('server'))}__{text(item.get('tool'))}",
            item.get("arguments"),
            "\n".join(texts(answer.get("content"))),
            failed=answer.get("isError") is True or item.get("status") == "failed",
        )


def _add_command(chain: LineChain, item: dict[str, Any], call_id: str, stamp: str) -> None:
    parts = [part for part in item.get("command") or [] if isinstance(part, str)]
    is_shell = len(parts) == _SHELL_ARGUMENTS and parts[1] in {"-c", "-lc"}
    command = parts[2] if is_shell else shlex.join(parts)
    if item.get("status") == "declined":
        chain.call(stamp, call_id, "Bash", {"command": command}, REJECTED, failed=True)
        return
    exit_code = item.get("exit_code")
    failed = 1 if item.get("status") == "failed" else 0
    output = text(item.get("aggregated_output"))
    chain.run(stamp, call_id, command, output, exit_code if isinstance(exit_code, int) else failed)


def _add_changes(chain: LineChain, item: dict[str, Any], call_id: str, stamp: str) -> None:
    """Add the files that a patch changed: an object by path, or a list of objects with paths."""
    changes = item.get("changes")
    pairs = (
        list(changes.items())
        if isinstance(changes, dict)
        else [(change.get("path"), change.get("kind")) for change in objects(changes)]
    )
    status = item.get("status")
    result = REJECTED if status == "declined" else ""
    for number, (path, change) in enumerate(pairs):
        how = change.get("type") if isinstance(change, dict) else change
        chain.call(
            stamp,
            f"{call_id}-{number}",
            "Edit",
            {"file_path": path},
            result,
            failed=status in {"declined", "failed"},
            is_new_file=how == "add",
        )
