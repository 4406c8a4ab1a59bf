"""What the tools of Claude Code do, in the words of domain/model/transcript.py.

Here: calls and their results. Not here: lines and their order (line_parser.py, conversation.py).
"""

from __future__ import annotations

import re

from aforesaid.domain.model import transcript as said
from aforesaid.domain.model.transcript import Prompt, Todos, ToolUse, Turn, UserChoice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Words = Callable[[str, int], str]

_FILE_TOOLS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_TODO_TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate"})
#: Memory of any make: what it shows or keeps is not something that this session found out.
_MEMORY = r"(?i)^mcp__(?:.*(?:aforesaid|memory|memories|mem0|recall|remember))"
_REJECTED = "The user doesn't want to proceed with this tool use"
_FEEDBACK = "the user said:\n"
_FEEDBACK_ENDS = ("\n\nNote: The user's next message may contain",)
_NOT_ALLOWED = (
    "needs approval",
    "was blocked",
    "requested permissions",
    "haven't granted it",
    "hasn't granted it",
    "Permission to use",
    "has been denied",
)
_MAX_TODOS = 40


def call_of(block: dict[str, Any], at_ms: int, words: Words) -> Turn:
    """Return the action that a tool_use block asks for."""
    name = _text(block.get("name"))[:120] or "unnamed"
    given = block.get("input")
    given = given if isinstance(given, dict) else {}
    if name in _TODO_TOOLS:
        todos = _todos(name, given, at_ms, words)
        if todos is not None:
            return todos
    kind, path, command = said.OTHER, "", ""
    if name == "Bash":
        kind, command = said.RUN, words(_text(given.get("command")), 2000)
    elif name in _FILE_TOOLS:
        kind = said.EDIT
        path = words(_text(given.get("file_path") or given.get("notebook_path")), 1000)
    elif name == "ExitPlanMode":
        kind, command = said.PLAN, words(_text(given.get("plan")), 2000)
    elif name in {"Agent", "Task"}:
        kind, command = said.AGENT, words(_text(given.get("description")), 200)
    elif name == "TaskCreate":
        command = words(_text(given.get("subject")), 200)
    elif re.search(_MEMORY, _server_of(given) if name == "ReadMcpResourceTool" else name):
        kind, command = said.MEMORY, _asked_of_memory(name, given, words)
    return ToolUse(kind=kind, name=name, at_ms=at_ms, path=path, command=command)


def answered(
    turn: Turn,
    block: dict[str, Any],
    entry: dict[str, Any],
    at_ms: int,
    words: Words,
    output: Words,
) -> list[Turn]:
    """Return what a tool use became by its result: itself, and what the person said to it.

    Args:
        turn: the tool use.
        block: its result.
        entry: the line of the result.
        at_ms: when.
        words: cleans a text that is kept whole, up to a limit.
        output: cleans a tool's output, and returns what of it tells how it ended.
    """
    if not isinstance(turn, ToolUse):
        return [turn]
    text = "\n".join(result_texts(block))
    structured = entry.get("toolUseResult")
    if block.get("is_error") is not True:
        return _succeeded(turn, text, structured, at_ms, words, output)
    if not _denied(turn, text, entry):
        code = re.match(r"Exit code (\d{1,5})\n?", text)
        shown = text[code.end() :] if code else text
        return [
            turn.replace(
                status=said.FAILED,
                result=output(shown, 3200) if turn.kind in {said.RUN, said.EDIT} else "",
                exit_code=int(code.group(1)) if code else None,
            )
        ]
    refused: list[Turn] = [turn.replace(status=said.DENIED)]
    feedback = _feedback(text)
    if feedback:
        refused.append(Prompt(text=words(feedback, 2000), at_ms=at_ms))
    return refused


def _succeeded(
    turn: ToolUse, text: str, structured: object, at_ms: int, words: Words, output: Words
) -> list[Turn]:
    details = structured if isinstance(structured, dict) else {}
    if turn.name == "AskUserQuestion":
        choices = _choices(details, text, at_ms, words)
        return choices or [turn.replace(status=said.OK)]
    if turn.name == "TaskCreate":
        made = re.search(r"#(\w{1,12})", text)
        if made and turn.command:
            item = (made.group(1), "pending", turn.command)
            return [Todos(items=(item,), at_ms=turn.at_ms, whole=False)]
    shown = output(text, 3200) if turn.kind == said.RUN else ""
    return [
        turn.replace(
            status=said.OK,
            result=shown,
            exit_code=0 if turn.kind == said.RUN else None,
            created=details.get("type") == "create",
        )
    ]


def result_texts(block: dict[str, Any]) -> list[str]:
    """Return the texts of a tool_result block."""
    content = block.get("content")
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return [part for part in parts if isinstance(part, str)]


def _asked_of_memory(name: str, given: dict[str, Any], words: Words) -> str:
    """Return what our own memory is to keep, or the id of what it is to erase."""
    if name.endswith("__forget_memory") and given.get("erase") is True:
        return words(_text(given.get("id")), 80)
    return words(_text(given.get("content")), 2000) if name.endswith("__store_memory") else ""


def _server_of(given: dict[str, Any]) -> str:
    return f"mcp__{_text(given.get('server'))}"


def _denied(turn: ToolUse, text: str, entry: dict[str, Any]) -> bool:
    if isinstance(entry.get("toolDenialKind"), str):
        return True
    if turn.name.startswith("mcp__"):
        # A server may put any words into its error: only the client's own mark counts here.
        return entry.get("toolUseResult") == "User rejected tool use"
    if text.startswith((_REJECTED, "Exit code")):
        return text.startswith(_REJECTED)
    return any(words in text[:600] for words in _NOT_ALLOWED)


def _feedback(text: str) -> str:
    """Return what the person wrote while refusing a tool use."""
    start = text.find(_FEEDBACK)
    if start < 0 or not text.startswith(_REJECTED):
        return ""
    said_so = text[start + len(_FEEDBACK) :]
    for end in _FEEDBACK_ENDS:
        said_so = said_so.split(end)[0]
    return "" if said_so.startswith("The user wants to clarify") else said_so


def _choices(details: dict[str, Any], text: str, at_ms: int, words: Words) -> list[Turn]:
    answers = details.get("answers")
    pairs = list(answers.items()) if isinstance(answers, dict) else []
    if not pairs and text.startswith("User has answered your questions:"):
        pairs = re.findall(r'"([^"]{1,400})"="([^"]{1,400})"', text[:4000])
    return [
        UserChoice(question=words(question, 300), answer=words(answer, 300), at_ms=at_ms)
        for question, answer in pairs[:8]
        if isinstance(question, str) and isinstance(answer, str) and answer.strip()
    ]


def _todos(name: str, given: dict[str, Any], at_ms: int, words: Words) -> Todos | None:
    if name == "TaskUpdate":
        item = (
            _text(given.get("taskId"))[:12],
            _text(given.get("status"))[:20],
            words(_text(given.get("subject")), 200),
        )
        return Todos(items=(item,), at_ms=at_ms, whole=False)
    listed = given.get("todos")
    if name != "TodoWrite" or not isinstance(listed, list):
        return None
    items = [
        (str(number), _text(todo.get("status"))[:20], words(_text(todo.get("content")), 200))
        for number, todo in enumerate(listed[:_MAX_TODOS])
        if isinstance(todo, dict)
    ]
    return Todos(items=tuple(items), at_ms=at_ms)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
