"""A conversation between a person and a coding agent, as no client in particular writes it.

Here: its values, and how text is cleaned and bounded before anything keeps it. Not here: any
client's file format (adapters/claude_transcripts), what it all means (domain/digest/).
"""

from __future__ import annotations

import re

from aforesaid.domain.text.sanitize import clean_text, strip_private
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: What a tool use did, whatever the client calls the tool.
RUN, EDIT, PLAN, AGENT, MEMORY, OTHER = "run", "edit", "plan", "agent", "memory", "other"
#: How it ended. No answer in the transcript is the empty string.
OK, FAILED, DENIED = "ok", "failed", "denied"

_TAG = r"<([A-Za-z][A-Za-z0-9]*(?:[-_:][A-Za-z0-9_:-]+)+)(?:\s[^<>]{0,400})?>"
_UNCLOSED_HIDES = ("aforesaid-", "system-reminder")
_TELLING = r"(?i)\berror|exception|\bfail|^E  |panic|fatal|traceback|passed|\bnot found|denied"

_PART_END = "\x1e"  #: no cleaned text holds it
#: Distinct unclosed tags after which a text is taken as it is.
_UNCLOSED_TRIED = 50
_SPOKEN, _OUTPUT_READ, _OUTPUT_KEPT = 1_000_000, 60_000, 1600
_FIRST_LINES, _LAST_LINES, _LINE_KEPT = 6, 14, 200


class Prompt(Value):
    """What the person typed. `command` names the slash command, if it is one."""

    text: str
    at_ms: int
    command: str = ""


class AssistantTurn(Value):
    """What the agent wrote to the person (its thinking is not here)."""

    text: str
    at_ms: int


class ToolUse(Value):
    """One action of the agent; texts are bounded, of results only what tells how it ended."""

    kind: str
    name: str
    at_ms: int
    path: str = ""
    command: str = ""
    result: str = ""
    status: str = ""
    exit_code: int | None = None
    created: bool = False


class UserChoice(Value):
    """A question that the agent put, and what the person picked."""

    question: str
    answer: str
    at_ms: int


class Todos(Value):
    """The agent's list of steps, as (id, state, text); `whole` replaces what was listed before."""

    items: tuple[tuple[str, str, str], ...]
    at_ms: int
    whole: bool = True


class Interruption(Value):
    """The person stopped the agent."""

    at_ms: int


class CompactionMarker(Value):
    """The client shortened what the agent sees; what was said before still counts."""

    at_ms: int


Turn = Prompt | AssistantTurn | ToolUse | UserChoice | Todos | Interruption | CompactionMarker

#: Under what ``skipped`` counts private spans.
PRIVATE = "private span"


class Conversation(Value):
    """One session, oldest turn first, abandoned branches left out.

    `recalled` is what memory showed the agent (never content of a new memory). `skipped` counts
    the lines that are not conversation, and private spans, by reason. `bytes_read` is the offset
    after the last complete line: what a later pass has not seen starts there; `seen_ms` is the
    latest time in the part that an earlier pass read, 0 without one. `subagent` is set when the
    file is a subagent's; it has no turns then. `trimmed` counts turns left out to stay within
    memory. `first_line` is the id of the file's first line that has one. `erased` is what the
    memories said that the session had erased: nothing of it may come back.
    """

    session_id: str
    cwd: str
    branch: str
    version: str
    title: str
    subagent: str
    started_ms: int
    ended_ms: int
    turns: tuple[Turn, ...]
    recalled: tuple[str, ...]
    skipped: dict[str, int]
    bytes_read: int
    trimmed: int = 0
    seen_ms: int = 0
    first_line: str = ""
    erased: tuple[str, ...] = ()

    def since(self, at_ms: int) -> Conversation:
        """Return what was said from a time on.

        For a fork: its transcript begins with a copy of the session that it was forked from, and
        the lines themselves do not tell (seen with client 2.1.330).
        """
        turns = tuple(turn for turn in self.turns if turn.at_ms >= at_ms)
        return self.replace(turns=turns, started_ms=max(self.started_ms, at_ms))


def cut(text: str, limit: int) -> str:
    """Return at most `limit` characters, cut between words: half a secret is still a secret."""
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
    """Return the start and the end of a long text, cut between words."""
    if len(text) <= limit:
        return text
    head = cut(text, limit * 2 // 3)
    start = len(text) - limit // 3
    while start < len(text) and not text[start - 1].isspace():
        start += 1
    return f"{head}\n\n{text[start:].lstrip()}"


def telling_lines(text: str, private_tag: str = "private") -> tuple[str, int]:
    """Return of a tool's output what tells how it ended, and how many private spans went.

    First, last and telling lines; a span goes before any of its lines does.
    """
    text, spans = strip_private(clean_text(bounded(text, _OUTPUT_READ)), private_tag)
    lines = text.split("\n")
    if len(text) > _OUTPUT_KEPT:
        middle = lines[_FIRST_LINES:-_LAST_LINES]
        kept = [line for line in middle if re.search(_TELLING, line)][:_FIRST_LINES]
        lines = [*lines[:_FIRST_LINES], *kept, *lines[_FIRST_LINES:][-_LAST_LINES:]]
    return "\n".join(cut(line, _LINE_KEPT) for line in lines), spans


def without_private(texts: Sequence[str], private_tag: str = "private") -> tuple[list[str], int]:
    """Return the parts of one message without private spans, and how many went.

    A span may open in one part and close in a later one.
    """
    joined = _PART_END.join(clean_text(text) for text in texts)
    kept, spans = strip_private(joined, private_tag)
    return kept.split(_PART_END), spans


def spoken_words(text: str, private_tag: str = "private") -> tuple[str, int]:
    """Return what the person said, without blocks around it, and how many private spans went.

    Blocks are private spans, our own fence, and every block whose tag has a dash, underscore or
    colon in its name (`<system-reminder>`, `<ide_selection>`, other plugins' contexts). A fence
    that is not closed hides the rest: what was cut must not come to light.
    """
    text, spans = strip_private(clean_text(cut(text, _SPOKEN)), private_tag)
    if "<" in text:
        text = _without_blocks(text)
    return re.sub(r"\[(?:Image|Pasted text)[^\]\n]{0,60}\]", " ", text).strip(), spans


def _without_blocks(text: str) -> str:
    kept: list[str] = []
    position = 0
    unclosed: set[str] = set()
    tag = re.compile(_TAG)
    while len(unclosed) < _UNCLOSED_TRIED:
        found = tag.search(text, position)
        if found is None:
            break
        name = found.group(1).lower()
        kept.append(text[position : found.start()])
        position = found.end()
        closing = None
        if name not in unclosed:
            end = re.compile(rf"</{re.escape(name)}\s*>", re.IGNORECASE)
            closing = end.search(text, position)
        if closing:
            position = closing.end()
        elif name.startswith(_UNCLOSED_HIDES):
            position = len(text)
        else:
            unclosed.add(name)
    kept.append(text[position:])
    return " ".join(part for part in kept if part)
