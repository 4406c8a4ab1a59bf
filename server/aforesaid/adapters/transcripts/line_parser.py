"""Parses one line of a Claude Code transcript: whether it is conversation, and who speaks.

Not here: the order of lines (conversation.py), what tools do (tool_calls.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from aforesaid.adapters.transcripts import tool_calls
from aforesaid.domain.model import transcript
from aforesaid.domain.model.transcript import AssistantTurn, CompactionMarker, Interruption, Prompt
from aforesaid.domain.text.sanitize import clean_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Line types with the session's title, and the field that contains it.
TITLES = {"ai-title": "aiTitle", "custom-title": "customTitle"}
#: Commands of the client itself, which the agent does not see.
_CLIENT_COMMANDS = frozenset(
    """add-dir agents bashes bug clear compact config context copy cost desktop doctor effort exit
    export extra-usage fast feedback fork help hooks ide install-github-app keybindings login
    logout mcp memory mobile model output-style permissions plugin plugins privacy-settings quit
    reload-plugins remote-control rename resume rewind sandbox skills stats status statusline
    stickers tasks terminal-setup theme todos upgrade usage vim voice""".split()  # noqa: SIM905 (sixty names read better so)
)
_PROMPT_LIMIT, _ANSWER_LIMIT = 6000, 8000
_WINDOW = 100_000
_STAMP = (
    r"((?:19[7-9]|2\d\d)\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"[T ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d{1,9}))?"
)
_MARCH = 3
_CONTINUED = "This session is being continued from a previous conversation"


class LineReader:
    """Converts lines to turns; every text is cleaned, redacted and truncated."""

    def __init__(self, *, redact: Callable[[str], str] | None, private_tag: str) -> None:
        self._redact = redact
        self._private_tag = private_tag
        self.private = 0  #: number of private spans that were removed

    def words(self, text: str, limit: int) -> str:
        """Return a text without private spans and secrets, truncated afterwards."""
        text, spans = transcript.user_words(text, self._private_tag)
        self.private += spans
        text = transcript.bounded(text, _WINDOW)
        if self._redact is not None:
            text = self._redact(text)
        return transcript.bounded(text, limit)

    def output(self, text: str, limit: int) -> str:
        """Return the relevant lines of a tool's output, without private spans and secrets."""
        text, spans = transcript.relevant_lines(text, self._private_tag)
        self.private += spans
        return self.words(text, limit)

    def turns(
        self, kind: str, entry: dict[str, Any], at_ms: int
    ) -> tuple[list[tuple[str, transcript.Turn]], str]:
        """Return the turns of a line, each with its tool call's id, or the reason for none."""
        if kind == "user":
            return self._from_user(entry, at_ms)
        if kind == "assistant":
            return self._from_assistant(entry, at_ms)
        if kind == "system":
            if entry.get("subtype") == "compact_boundary":
                return [("", CompactionMarker(at_ms=at_ms))], ""
            return [], "system"
        return self._from_attachment(entry, at_ms)

    def _from_user(
        self, entry: dict[str, Any], at_ms: int
    ) -> tuple[list[tuple[str, transcript.Turn]], str]:
        if entry.get("isCompactSummary") is True:
            return [], "summary"
        if entry.get("isMeta") is True or entry.get("isVisibleInTranscriptOnly") is True:
            return [], "meta"
        if _machine_made(entry.get("origin")) or entry.get("promptSource") == "system":
            return [], "not typed"
        message = entry.get("message")
        parts = _texts(message.get("content") if isinstance(message, dict) else None)
        turns = self._all_typed(parts, at_ms)
        return turns, "injected" if parts and not turns else ""

    def _all_typed(self, parts: list[str], at_ms: int) -> list[tuple[str, transcript.Turn]]:
        if len(parts) > 1:
            parts, spans = transcript.without_private(parts, self._private_tag)
            self.private += spans
        typed = (self._typed(text, at_ms) for text in parts)
        return [("", turn) for turn in typed if turn is not None]

    def _typed(self, text: str, at_ms: int) -> Prompt | Interruption | None:
        head = text.lstrip()[:200]
        if head.startswith("[Request interrupted by user"):
            return Interruption(at_ms=at_ms)
        if head.startswith(_CONTINUED):
            return None
        if head.startswith(("<command-name>", "<command-message>")):
            return self._slash(text, at_ms)
        words = self.words(text, _PROMPT_LIMIT)
        return Prompt(text=words, at_ms=at_ms) if words else None

    def _slash(self, text: str, at_ms: int) -> Prompt | None:
        name = _between(text, "command-name").strip().lstrip("/")[:80]
        if not name or name in _CLIENT_COMMANDS:
            return None
        arguments = self.words(_between(text, "command-args"), 2000)
        return Prompt(text=f"/{name} {arguments}".strip(), at_ms=at_ms, command=name)

    def _from_assistant(
        self, entry: dict[str, Any], at_ms: int
    ) -> tuple[list[tuple[str, transcript.Turn]], str]:
        message = entry.get("message")
        if not isinstance(message, dict):
            return [], "unreadable"
        if message.get("model") == "<synthetic>" or entry.get("isApiErrorMessage") is True:
            return [], "synthetic"
        content = message.get("content")
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        turns: list[tuple[str, transcript.Turn]] = []
        for block in blocks:
            if not isinstance(block, dict):
                continue
            if block.get("type") == "text":
                words = self.words(_text(block, "text"), _ANSWER_LIMIT)
                if words:
                    turns.append(("", AssistantTurn(text=words, at_ms=at_ms)))
            elif block.get("type") == "tool_use":
                turns.append(
                    (text_of(block, "id", 200), tool_calls.call_of(block, at_ms, self.words))
                )
        return turns, ""

    def _from_attachment(
        self, entry: dict[str, Any], at_ms: int
    ) -> tuple[list[tuple[str, transcript.Turn]], str]:
        """A prompt typed while the agent was busy is stored as an attachment."""
        attachment = entry.get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return [], "attachment"
        if attachment.get("commandMode", "prompt") != "prompt":
            return [], "not typed"
        if _machine_made(attachment.get("origin")):
            return [], "not typed"
        turns = self._all_typed(_texts(attachment.get("prompt")), at_ms)
        return turns, "" if turns else "injected"

    def answered(
        self, turn: transcript.Turn, block: dict[str, Any], entry: dict[str, Any], at_ms: int
    ) -> list[transcript.Turn]:
        """Return the turns that a tool use and its result become."""
        return tool_calls.answered(turn, block, entry, at_ms, self.words, self.output)

    def recalled(self, kind: str, entry: dict[str, Any]) -> list[str]:
        """Return the context that hooks added, which the session did not find out itself."""
        attachment = entry.get("attachment")
        if kind != "attachment" or not isinstance(attachment, dict):
            return []
        if attachment.get("type") != "hook_additional_context":
            return []
        content = attachment.get("content")
        texts = content if isinstance(content, list) else [content]
        return [clean_text(text[:20_000]) for text in texts if isinstance(text, str)]


def results_of(entry: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Return the tool_result blocks of a line, each with the id of its call."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    blocks = [part for part in content if isinstance(part, dict)]
    return [
        (text_of(block, "tool_use_id", 200), block)
        for block in blocks
        if block.get("type") == "tool_result"
    ]


def message_id(entry: dict[str, Any]) -> str:
    """Return the id that all lines of an answer share."""
    message = entry.get("message")
    return text_of(message, "id", 200) if isinstance(message, dict) else ""


def size(turn: transcript.Turn) -> int:
    """Return the approximate number of characters of a turn."""
    return sum(len(value) for value in turn.as_dict().values() if isinstance(value, str))


def text_of(entry: dict[str, Any], field: str, limit: int) -> str:
    """Return a text field, cleaned and truncated; empty if it is not text."""
    value = entry.get(field)
    return clean_text(value[:limit]) if isinstance(value, str) else ""


def milliseconds(stamp: object) -> int | None:
    """Return the milliseconds since the epoch of an ISO 8601 time in UTC; None if invalid."""
    match = re.match(_STAMP, stamp) if isinstance(stamp, str) and stamp.isascii() else None
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    # Days since the epoch, years beginning in March. Source: H. Hinnant, days_from_civil.
    shifted = year - (month < _MARCH)
    of_year = (153 * ((month - _MARCH) % 12) + 2) // 5 + day - 1
    of_era = shifted % 400 * 365 + shifted % 400 // 4 - shifted % 400 // 100 + of_year
    days = shifted // 400 * 146_097 + of_era - 719_468
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    return seconds * 1000 + int((match.group(7) or "0")[:3].ljust(3, "0"))


def _text(entry: dict[str, Any], field: str) -> str:
    value = entry.get(field)
    return value if isinstance(value, str) else ""


def _texts(content: object) -> list[str]:
    """Return the non-blank texts of a message's content."""
    if isinstance(content, str):
        return [content] if content.strip() else []
    if not isinstance(content, list):
        return []
    blocks = (part for part in content if isinstance(part, dict) and part.get("type") == "text")
    return [text for block in blocks if (text := _text(block, "text")).strip()]


def _between(text: str, tag: str) -> str:
    start = text.find(f"<{tag}>")
    end = text.find(f"</{tag}>", start)
    return text[start + len(tag) + 2 : end] if 0 <= start < end else ""


def _machine_made(origin: object) -> bool:
    return isinstance(origin, dict) and origin.get("kind", "human") != "human"
