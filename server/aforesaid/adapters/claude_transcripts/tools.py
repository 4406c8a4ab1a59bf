"""What the tools of Claude Code do, in the words of domain/transcript.py.

Here: calls and their results. Not here: lines and their order (lines.py, thread.py).
"""

from __future__ import annotations

import json
import re

from aforesaid.domain import transcript as said
from aforesaid.domain.privacy import clean_text
from aforesaid.domain.transcript import Choice, Prompt, Todos, ToolUse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    Words = Callable[[str, int], str]
    Turn = (
        said.Prompt | said.Answer | ToolUse | Choice | Todos | said.Interruption | said.Compaction
    )

_FILE_TOOLS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_TODO_TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate"})
#: Memory of any make: what it shows or keeps is not something that this session found out.
_MEMORY = r"(?i)^mcp__(?:.*(?:aforesaid|memory|memories|mem0|recall|remember))"
_MEMORY_COMMAND = r"(?:\S*/)?aforesaid\s"
#: Fields of a memory tool's answer that speak of the question and of the answer itself.
_OF_ANSWER = frozenset({"why", "note"})
_SHOWN_CHARS = 20_000  #: of one text that memory showed
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
        kind = said.MEMORY
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
    text = result_text(block)
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


def result_text(block: dict[str, Any]) -> str:
    """Return the text of a tool_result block."""
    return "\n".join(_result_texts(block))


def _result_texts(block: dict[str, Any]) -> list[str]:
    content = block.get("content")
    if isinstance(content, str):
        return [content]
    if not isinstance(content, list):
        return []
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return [part for part in parts if isinstance(part, str)]


def shown_by(turn: Turn, block: dict[str, Any]) -> list[str]:
    """Return what memory showed by a tool use, each memory's text apart; nothing of other tools."""
    asked = isinstance(turn, ToolUse) and (
        turn.kind == said.MEMORY or re.match(_MEMORY_COMMAND, turn.command)
    )
    if not asked:
        return []
    found: list[str] = []
    for text in _result_texts(block):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = text
        found += [clean_text(one[:_SHOWN_CHARS]) for one in _texts_in(value)]
    return found


def _texts_in(value: object, levels: int = 20) -> Iterator[str]:
    """Yield the texts of a value of JSON that are more than a word."""
    if isinstance(value, str):
        if " " in value.strip():
            yield value
    elif isinstance(value, dict):
        for key, one in value.items():
            if levels and key not in _OF_ANSWER:
                yield from _texts_in(one, levels - 1)
    elif isinstance(value, list):
        for one in value:
            if levels:
                yield from _texts_in(one, levels - 1)


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
        Choice(question=words(question, 300), answer=words(answer, 300), at_ms=at_ms)
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
