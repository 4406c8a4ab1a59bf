"""Converts tool calls and results of Claude Code to the types of domain/model/transcript.py.

Here too: the memories that a session was shown, and those that it erased, from the answers of
memory tools and the context that hooks added. Not here: lines and their order (line_parser.py,
conversation.py), how the digest uses them (domain/digest).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

from aforesaid.domain.model import transcript
from aforesaid.domain.model.transcript import Prompt, Todos, ToolUse, Turn, UserChoice
from aforesaid.domain.text.edit_text import added_lines
from aforesaid.domain.text.sanitize import clean_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Words = Callable[[str, int], str]


_FILE_TOOLS = frozenset({"Edit", "MultiEdit", "Write", "NotebookEdit"})
_TODO_TOOLS = frozenset({"TodoWrite", "TaskCreate", "TaskUpdate"})
#: Memory tools of any kind: what they show or store is not something the session found out.
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
    """Return the turn of a tool_use block."""
    name = _text(block.get("name"))[:120] or "unnamed"
    arguments = block.get("input")
    arguments = arguments if isinstance(arguments, dict) else {}
    if name in _TODO_TOOLS:
        todos = _todos(name, arguments, at_ms, words)
        if todos is not None:
            return todos
    kind, path, command, added = transcript.OTHER, "", "", ""
    if name == "Bash":
        kind, command = transcript.RUN, words(_text(arguments.get("command")), 2000)
    elif name in _FILE_TOOLS:
        kind = transcript.EDIT
        path = words(_text(arguments.get("file_path") or arguments.get("notebook_path")), 1000)
        added = words(added_lines(arguments), 2000)
    elif name == "ExitPlanMode":
        kind, command = transcript.PLAN, words(_text(arguments.get("plan")), 2000)
    elif name in {"Agent", "Task"}:
        kind, command = transcript.AGENT, words(_text(arguments.get("description")), 200)
    elif name == "TaskCreate":
        command = words(_text(arguments.get("subject")), 200)
    elif re.search(_MEMORY, _server_of(arguments) if name == "ReadMcpResourceTool" else name):
        kind, command = transcript.MEMORY, _memory_argument(name, arguments, words)
    return ToolUse(kind=kind, name=name, at_ms=at_ms, path=path, command=command, added=added)


def answered(
    turn: Turn,
    block: dict[str, Any],
    entry: dict[str, Any],
    at_ms: int,
    words: Words,
    output: Words,
) -> list[Turn]:
    """Return the turns of a tool use with its result, and of the user's reaction to it.

    Args:
        turn: the tool use.
        block: its result.
        entry: the line of the result.
        at_ms: the time of the result.
        words: cleans a text and truncates it.
        output: cleans a tool's output and returns the lines that show its outcome.
    """
    if not isinstance(turn, ToolUse):
        return [turn]
    text = "\n".join(result_texts(block))
    structured = entry.get("toolUseResult")
    if block.get("is_error") is not True:
        return _succeeded(turn, text, structured, at_ms, words, output)
    if not _denied(turn, text, entry):
        code = re.match(r"Exit code (\d{1,5})\n?", text)
        error = text[code.end() :] if code else text
        return [
            turn.replace(
                status=transcript.FAILED,
                result=output(error, 3200)
                if turn.kind in {transcript.RUN, transcript.EDIT}
                else "",
                exit_code=int(code.group(1)) if code else None,
            )
        ]
    turns: list[Turn] = [turn.replace(status=transcript.DENIED)]
    feedback = _feedback(text)
    if feedback:
        turns.append(Prompt(text=words(feedback, 2000), at_ms=at_ms))
    return turns


def _succeeded(
    turn: ToolUse, text: str, structured: object, at_ms: int, words: Words, output: Words
) -> list[Turn]:
    details = structured if isinstance(structured, dict) else {}
    if turn.name == "AskUserQuestion":
        choices = _choices(details, text, at_ms, words)
        return choices or [turn.replace(status=transcript.OK)]
    if turn.name == "TaskCreate":
        task_id = re.search(r"#(\w{1,12})", text)
        if task_id and turn.command:
            item = (task_id.group(1), "pending", turn.command)
            return [Todos(items=(item,), at_ms=turn.at_ms, replaces_earlier=False)]
    result = output(text, 3200) if turn.kind == transcript.RUN else ""
    return [
        turn.replace(
            status=transcript.OK,
            result=result,
            exit_code=0 if turn.kind == transcript.RUN else None,
            is_new_file=details.get("type") == "create",
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


def _memory_argument(name: str, arguments: dict[str, Any], words: Words) -> str:
    """Return the content to store, or the id of the memory to erase."""
    if name.endswith("__forget_memory") and arguments.get("erase") is True:
        return words(_text(arguments.get("id")), 80)
    return words(_text(arguments.get("content")), 2000) if name.endswith("__store_memory") else ""


def _server_of(arguments: dict[str, Any]) -> str:
    return f"mcp__{_text(arguments.get('server'))}"


def _denied(turn: ToolUse, text: str, entry: dict[str, Any]) -> bool:
    if isinstance(entry.get("toolDenialKind"), str):
        return True
    if turn.name.startswith("mcp__"):
        # a server controls the text of its error, so only the client's own mark counts
        return entry.get("toolUseResult") == "User rejected tool use"
    if text.startswith((_REJECTED, "Exit code")):
        return text.startswith(_REJECTED)
    return any(words in text[:600] for words in _NOT_ALLOWED)


def _feedback(text: str) -> str:
    """Return what the user wrote when rejecting a tool use."""
    start = text.find(_FEEDBACK)
    if start < 0 or not text.startswith(_REJECTED):
        return ""
    feedback = text[start + len(_FEEDBACK) :]
    for end in _FEEDBACK_ENDS:
        feedback = feedback.split(end)[0]
    return "" if feedback.startswith("The user wants to clarify") else feedback


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


def _todos(name: str, arguments: dict[str, Any], at_ms: int, words: Words) -> Todos | None:
    if name == "TaskUpdate":
        item = (
            _text(arguments.get("taskId"))[:12],
            _text(arguments.get("status"))[:20],
            words(_text(arguments.get("subject")), 200),
        )
        return Todos(items=(item,), at_ms=at_ms, replaces_earlier=False)
    todos = arguments.get("todos")
    if name != "TodoWrite" or not isinstance(todos, list):
        return None
    items = [
        (str(number), _text(todo.get("status"))[:20], words(_text(todo.get("content")), 200))
        for number, todo in enumerate(todos[:_MAX_TODOS])
        if isinstance(todo, dict)
    ]
    return Todos(items=tuple(items), at_ms=at_ms)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


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

    def add_answer(self, turn: Turn, block: dict[str, Any]) -> None:
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
