"""The conversation of a session, independent of the client, and the cleaning of its texts.

File formats of clients: adapters/transcripts. Interpretation: domain/digest.
"""

from __future__ import annotations

import re

from aforesaid.domain.text.sanitize import clean_text, strip_private
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Kinds of tool use, whatever the client calls the tool.
RUN, EDIT, PLAN, AGENT, MEMORY, OTHER = "run", "edit", "plan", "agent", "memory", "other"
#: How a tool use ended; empty if the transcript has no result.
OK, FAILED, DENIED = "ok", "failed", "denied"

_TAG = r"<([A-Za-z][A-Za-z0-9]*(?:[-_:][A-Za-z0-9_:-]+)+)(?:\s[^<>]{0,400})?>"
_HIDE_REST_IF_UNCLOSED = ("aforesaid-", "system-reminder")
_OUTCOME = r"(?i)\berror|exception|\bfail|^E  |panic|fatal|traceback|passed|\bnot found|denied"

_PART_END = "\x1e"  #: a separator that no cleaned text contains
#: Number of distinct unclosed tags after which the rest of a text is kept as it is.
_MAX_UNCLOSED_TAGS = 50
_MAX_PROMPT_CHARS, _MAX_OUTPUT_CHARS, _SHORT_OUTPUT_CHARS = 1_000_000, 60_000, 1600
_MAX_FIRST_LINES, _MAX_LAST_LINES, _MAX_LINE_CHARS = 6, 14, 800


class Prompt(Value):
    """A message that the user typed; ``command`` is the name of the slash command, if it is one."""

    text: str
    at_ms: int
    command: str = ""


class AssistantTurn(Value):
    """A message of the agent to the user, without its thinking."""

    text: str
    at_ms: int


class ToolUse(Value):
    """A tool call of the agent; texts are truncated, results reduced to their relevant lines."""

    kind: str
    name: str
    at_ms: int
    path: str = ""
    command: str = ""
    added: str = ""  #: lines that an edit added
    result: str = ""
    status: str = ""
    exit_code: int | None = None
    is_new_file: bool = False


class UserChoice(Value):
    """A question of the agent, and the option that the user chose."""

    question: str
    answer: str
    at_ms: int


class Todos(Value):
    """The agent's list of steps as (id, state, text), or an addition to the list before it."""

    items: tuple[tuple[str, str, str], ...]
    at_ms: int
    replaces_earlier: bool = True


class Interruption(Value):
    """The user interrupted the agent."""

    at_ms: int


class CompactionMarker(Value):
    """The client compacted the agent's context; earlier turns still count."""

    at_ms: int


Turn = Prompt | AssistantTurn | ToolUse | UserChoice | Todos | Interruption | CompactionMarker

#: Key of private spans in ``Conversation.skipped``.
PRIVATE = "private span"


class Conversation(Value):
    """The conversation of one session, oldest turn first, without abandoned branches.

    Times are ms since the epoch.
    """

    session_id: str
    cwd: str
    branch: str
    version: str  #: of the client
    title: str
    subagent: str  #: not empty for the transcript of a subagent, which has no turns
    started_ms: int
    ended_ms: int
    turns: tuple[Turn, ...]
    recalled: tuple[str, ...]  #: memories shown to the agent; never content of new memories
    skipped: dict[str, int]  #: number of private spans and non-conversation lines, by reason
    bytes_read: int  #: where the next pass starts: an offset, or another number that only grows
    trimmed: int = 0  #: number of turns dropped to limit memory use
    seen_ms: int = 0  #: latest time in the part that an earlier pass read; 0 without one
    first_line: str = ""  #: id of the first line in the file that has one
    erased: tuple[str, ...] = ()  #: texts of memories that the session had erased: never stored

    def since(self, at_ms: int) -> Conversation:
        """Return the conversation from a time (ms) on.

        Used for forks, whose transcripts begin with an unmarked copy of the parent session
        (observed with client 2.1.330).
        """
        turns = tuple(turn for turn in self.turns if turn.at_ms >= at_ms)
        return self.replace(turns=turns, started_ms=max(self.started_ms, at_ms))


def cut(text: str, limit: int) -> str:
    """Return at most ``limit`` characters, cut between words: half a secret is still a secret."""
    if len(text) <= limit:
        return text
    head = text[: max(limit - 1, 0)]
    if text[len(head)].isspace():
        return head.rstrip() + "…"
    end = len(head)
    while end and not head[end - 1].isspace():
        end -= 1
    return head[:end].rstrip() + "…"


def bounded(text: str, limit: int) -> str:
    """Return the beginning and the end of a long text, cut between words."""
    if len(text) <= limit:
        return text
    head = cut(text, limit * 2 // 3)
    start = len(text) - limit // 3
    while start < len(text) and not text[start - 1].isspace():
        start += 1
    return f"{head}\n\n{text[start:].lstrip()}"


def relevant_lines(text: str, private_tag: str = "private") -> tuple[str, int]:
    """Return the relevant lines of a tool's output, and the number of private spans removed.

    These are the first and last lines and those that report an outcome. Spans are removed before
    lines are selected.
    """
    text, spans = strip_private(clean_text(bounded(text, _MAX_OUTPUT_CHARS)), private_tag)
    lines = text.split("\n")
    if len(text) > _SHORT_OUTPUT_CHARS:
        middle = lines[_MAX_FIRST_LINES:-_MAX_LAST_LINES]
        relevant = [line for line in middle if re.search(_OUTCOME, line)][:_MAX_FIRST_LINES]
        lines = [*lines[:_MAX_FIRST_LINES], *relevant, *lines[_MAX_FIRST_LINES:][-_MAX_LAST_LINES:]]
    return "\n".join(cut(line, _MAX_LINE_CHARS) for line in lines), spans


def without_private(texts: Sequence[str], private_tag: str = "private") -> tuple[list[str], int]:
    """Return the parts of a message without private spans, and the number of these.

    A span may begin in one part and end in a later one.
    """
    joined = _PART_END.join(clean_text(text) for text in texts)
    stripped, spans = strip_private(joined, private_tag)
    return stripped.split(_PART_END), spans


def user_words(text: str, private_tag: str = "private") -> tuple[str, int]:
    """Return the user's own words in a message, and the number of private spans removed.

    Removes private spans, Aforesaid's own fence, and every element whose tag has a dash, underscore
    or colon in its name (``<system-reminder>``, ``<ide_selection>``, contexts of other plugins). An
    unclosed fence removes the rest, as its content was truncated.
    """
    text, spans = strip_private(clean_text(cut(text, _MAX_PROMPT_CHARS)), private_tag)
    if "<" in text:
        text = _without_blocks(text)
    return re.sub(r"\[(?:Image|Pasted text)[^\]\n]{0,60}\]", " ", text).strip(), spans


def _without_blocks(text: str) -> str:
    parts: list[str] = []
    position = 0
    unclosed: set[str] = set()
    tag = re.compile(_TAG)
    while len(unclosed) < _MAX_UNCLOSED_TAGS:
        opening = tag.search(text, position)
        if opening is None:
            break
        name = opening.group(1).lower()
        parts.append(text[position : opening.start()])
        position = opening.end()
        closing = None
        if name not in unclosed:
            end = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE)
            closing = end.search(text, position)
        if closing:
            position = closing.end()
        elif name.startswith(_HIDE_REST_IF_UNCLOSED):
            position = len(text)
        else:
            unclosed.add(name)
    parts.append(text[position:])
    return " ".join(part for part in parts if part)
