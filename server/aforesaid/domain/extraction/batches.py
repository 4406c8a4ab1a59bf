"""Cuts a conversation into batches for a summariser.

A batch has what the user and the assistant wrote to each other, without code, logs and pasted
files, and a line for each file changed and each command run. Output of tools is left out: anybody
may have written it.
"""

from __future__ import annotations

from aforesaid.domain.digest.message_text import sentences, strip_non_prose, typed_part
from aforesaid.domain.model.transcript import (
    EDIT,
    RUN,
    AssistantTurn,
    Prompt,
    ToolUse,
    UserChoice,
    cut,
)
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

#: Characters of one batch; with the prompt about 8,000 tokens.
BATCH_CHARS = 24_000
_USER_CHARS, _ASSISTANT_CHARS = 4_000, 2_500
_COMMAND_CHARS, _PATH_CHARS = 120, 200


class TurnBatch(Value):
    """Consecutive turns, as lines of text."""

    text: str
    user: str  #: lines of the user alone
    assistant: str  #: lines of the assistant alone
    until_ms: int  #: time of the last turn
    spoken: int  #: number of turns that are prompts, answers or choices

    @property
    def is_worth_asking(self) -> bool:
        """Whether the user wrote anything in it."""
        return bool(self.user.strip())


def cut_batches(
    turns: Iterable[object], after_ms: int, size: int, allowed: Callable[[str], bool]
) -> list[TurnBatch]:
    """Return the batches of the turns after a time, oldest first.

    Args:
        turns: of a conversation, oldest first.
        after_ms: turns up to this time were in earlier batches.
        size: prompts, answers and choices of a batch.
        allowed: tells whether a sentence may be shown; False for what was erased.
    """
    batches: list[TurnBatch] = []
    current = _BatchBuilder()
    for turn in turns:
        at_ms = getattr(turn, "at_ms", 0)
        if at_ms <= after_ms:
            continue
        lines = _lines(turn, allowed)
        chars = current.chars + sum(len(text) for _, text in lines)
        full = current.spoken >= size or chars > BATCH_CHARS
        # turns of one moment stay together, since progress is stored as a time
        if full and current.spoken and at_ms > current.until_ms:
            batches.append(current.build())
            current = _BatchBuilder()
        current.add(lines, at_ms)
    if current.until_ms:
        batches.append(current.build())
    return batches


class _BatchBuilder:
    def __init__(self) -> None:
        self._lines: list[tuple[str, str]] = []
        self.until_ms = 0
        self.spoken = 0
        self.chars = 0

    def add(self, lines: Sequence[tuple[str, str]], at_ms: int) -> None:
        self.until_ms = max(self.until_ms, at_ms)
        self.spoken += any(who != "DID" for who, _ in lines)
        for line in lines:
            if not self._lines or self._lines[-1] != line:
                self._lines.append(line)
                self.chars += len(line[1])

    def build(self) -> TurnBatch:
        return TurnBatch(
            text="\n".join(f"{who}: {text}" for who, text in self._lines),
            user="\n".join(text for who, text in self._lines if who == "USER"),
            assistant="\n".join(text for who, text in self._lines if who == "ASSISTANT"),
            until_ms=self.until_ms,
            spoken=self.spoken,
        )


def _lines(turn: object, allowed: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Return the lines of a turn, each with who wrote or did it."""
    if isinstance(turn, Prompt):
        lines = [("USER", _words(turn.text, _USER_CHARS, allowed))]
    elif isinstance(turn, AssistantTurn):
        lines = [("ASSISTANT", _words(turn.text, _ASSISTANT_CHARS, allowed))]
    elif isinstance(turn, UserChoice):
        lines = [
            ("ASSISTANT", _words(turn.question, _USER_CHARS, allowed)),
            ("USER", _words(turn.answer, _USER_CHARS, allowed)),
        ]
    elif isinstance(turn, ToolUse):
        lines = [("DID", _action(turn))]
    else:
        return []
    return [(who, text) for who, text in lines if text]


def _words(text: str, limit: int, allowed: Callable[[str], bool]) -> str:
    lines = [
        " ".join(sentence for sentence in sentences([line]) if allowed(sentence))
        for line in strip_non_prose(typed_part(text))
    ]
    return cut(" ".join(line for line in lines if line), limit)


def _action(use: ToolUse) -> str:
    if use.kind == EDIT and use.path:
        return f"{'made' if use.is_new_file else 'edited'} {cut(use.path, _PATH_CHARS)}"
    if use.kind == RUN and use.command:
        ending = use.status if use.exit_code is None else f"{use.status}, exit {use.exit_code}"
        return f"ran {cut(' '.join(use.command.split()), _COMMAND_CHARS)} ({ending or 'no answer'})"
    return ""
