"""A conversation cut into batches: what a summariser is given to read.

Only what user and assistant said to each other, without code, logs and pasted files, and the
structure of what was done (which file, which command, how it ended). What a tool printed is never
in it: that may be anybody's words. Not here: what is asked about it (prompt.py).
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

#: Characters of one batch: with the question about 8,000 tokens at most.
BATCH_CHARS = 24_000
_USER_CHARS, _ASSISTANT_CHARS = 4_000, 2_500
_COMMAND_CHARS, _PATH_CHARS = 120, 200


class TurnBatch(Value):
    """Some turns in a row, as lines to read."""

    text: str
    user: str  #: the user's words alone
    assistant: str  #: the assistant's
    until_ms: int  #: time of its last turn
    spoken: int  #: how many turns of it were said

    @property
    def worth_asking(self) -> bool:
        """Whether the user said anything in it."""
        return bool(self.user.strip())


def cut_batches(
    turns: Iterable[object], after_ms: int, size: int, allowed: Callable[[str], bool]
) -> list[TurnBatch]:
    """Return the turns after a time in batches, oldest first.

    Args:
        turns: of a conversation, oldest first.
        after_ms: turns up to this time were in earlier batches.
        size: how many spoken turns a batch has: prompts, answers, choices.
        allowed: tells whether a sentence may be shown (False for what was erased).
    """
    batches: list[TurnBatch] = []
    held = _Lines()
    for turn in turns:
        at_ms = getattr(turn, "at_ms", 0)
        if at_ms <= after_ms:
            continue
        said = _said(turn, allowed)
        full = held.spoken >= size or held.chars + sum(len(text) for _, text in said) > BATCH_CHARS
        # turns of one moment stay together, since the watermark is a time
        if full and held.spoken and at_ms > held.until_ms:
            batches.append(held.batch())
            held = _Lines()
        held.add(said, at_ms)
    if held.until_ms:
        batches.append(held.batch())
    return batches


class _Lines:
    """The lines of the batch that is being filled."""

    def __init__(self) -> None:
        self._lines: list[tuple[str, str]] = []
        self.until_ms = 0
        self.spoken = 0
        self.chars = 0

    def add(self, said: Sequence[tuple[str, str]], at_ms: int) -> None:
        self.until_ms = max(self.until_ms, at_ms)
        self.spoken += any(who != "DID" for who, _ in said)
        for line in said:
            if not self._lines or self._lines[-1] != line:
                self._lines.append(line)
                self.chars += len(line[1])

    def batch(self) -> TurnBatch:
        return TurnBatch(
            text="\n".join(f"{who}: {text}" for who, text in self._lines),
            user="\n".join(text for who, text in self._lines if who == "USER"),
            assistant="\n".join(text for who, text in self._lines if who == "ASSISTANT"),
            until_ms=self.until_ms,
            spoken=self.spoken,
        )


def _said(turn: object, allowed: Callable[[str], bool]) -> list[tuple[str, str]]:
    """Return who said or did what in one turn; nothing for what is neither."""
    if isinstance(turn, Prompt):
        found = [("USER", _words(turn.text, _USER_CHARS, allowed))]
    elif isinstance(turn, AssistantTurn):
        found = [("ASSISTANT", _words(turn.text, _ASSISTANT_CHARS, allowed))]
    elif isinstance(turn, UserChoice):
        found = [
            ("ASSISTANT", _words(turn.question, _USER_CHARS, allowed)),
            ("USER", _words(turn.answer, _USER_CHARS, allowed)),
        ]
    elif isinstance(turn, ToolUse):
        found = [("DID", _did(turn))]
    else:
        return []
    return [(who, text) for who, text in found if text]


def _words(text: str, limit: int, allowed: Callable[[str], bool]) -> str:
    kept = [
        " ".join(one for one in sentences([line]) if allowed(one))
        for line in strip_non_prose(typed_part(text))
    ]
    return cut(" ".join(line for line in kept if line), limit)


def _did(use: ToolUse) -> str:
    if use.kind == EDIT and use.path:
        return f"{'made' if use.created else 'edited'} {cut(use.path, _PATH_CHARS)}"
    if use.kind == RUN and use.command:
        ending = use.status if use.exit_code is None else f"{use.status}, exit {use.exit_code}"
        return f"ran {cut(' '.join(use.command.split()), _COMMAND_CHARS)} ({ending or 'no answer'})"
    return ""
