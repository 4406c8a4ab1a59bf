"""Attempts that did not work: the user said so, or the assistant reverted them."""

from __future__ import annotations

import re

from aforesaid.domain.model.transcript import EDIT, OK, RUN, AssistantTurn, ToolUse
from aforesaid.domain.value import Value

from .message_text import split_sentences, truncate, without_end
from .reply_resolution import Exchange, exchanges_of
from .run_log import relative
from .sentence_classifier import is_done, is_proposal, matches, words_of
from .shell_line import steps_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.model.transcript import Conversation

MAX_DEAD_ENDS = 5  #: of one session, the last ones
_ATTEMPT_CHARS, _REASON_CHARS = 180, 140
_MIN_WORDS = 3  #: content words of a sentence that says what was tried
_MAX_FILES = 4
_MAX_OPENING = 2  #: sentences of a prompt that may say that the attempt before did not work
_MAX_LATER = 4  #: further prompts in which the user may say that it works now
#: Commands that revert changes of files.
_REVERTS = re.compile(
    r"git (?:-C \S+ )?(?:restore (?!--staged\b)|checkout (?:\S+ )?-- |checkout \.(?:\s|$)"
    r"|reset (?:\S+ )*--hard\b|revert (?!--(?:abort|continue)))"
)


class DeadEnd(Value):
    """An attempt that did not work, and what worked in its place, if anything did."""

    attempt: str  #: what the assistant said it did; may be empty if a command reverted it
    reason: str  #: why it did not work, in the words of the user or the assistant
    changed: tuple[str, ...]  #: files
    at_ms: int
    until_ms: int  #: when it was rejected, or when something else worked
    remedy: str = ""  #: what worked, as the assistant said it

    command = ""  #: no command is known to fail: see ``Failure.command``
    will_repeat = False
    signatures = ()

    @property
    def is_fixed(self) -> bool:
        """Whether something else worked."""
        return bool(self.remedy)

    @property
    def signature(self) -> str:
        """What identifies the attempt; no error has these words."""
        return f"tried: {self.attempt or self.reason} ({', '.join(self.changed)})".casefold()

    @property
    def text(self) -> str:
        """The attempt as the text of a memory."""
        files = f" (changed {', '.join(self.changed)})" if self.changed else ""
        if self.attempt:
            lines = [f"Tried: {self.attempt}{files}. It did not work: {self.reason}."]
        else:
            lines = [f"Changes to {', '.join(self.changed)} were reverted: {self.reason}."]
        return " ".join([*lines, *([f"What worked: {self.remedy}."] if self.remedy else ())])


def find_dead_ends(conversation: Conversation) -> list[DeadEnd]:
    """Return the attempts of a session that did not work, oldest first."""
    dead_ends: list[DeadEnd] = []
    rejected: list[tuple[int, DeadEnd]] = []  # with the number of its exchange
    before: Exchange | None = None
    for number, exchange in enumerate(exchanges_of(conversation)):
        if before is not None and exchange.prompt is not None:
            opening = split_sentences(exchange.prompt.text)[:_MAX_OPENING]
            verdict = next((text for text in opening if matches(text, "rejection")), "")
            remedy = _report(before)
            if verdict and (dead_end := _rejected_by(verdict, exchange, before, conversation.cwd)):
                rejected.append((number, dead_end))
            elif remedy and any(matches(text, "acceptance") for text in opening[:1]):
                until_ms = exchange.prompt.at_ms
                dead_ends += [
                    each.replace(remedy=remedy, until_ms=until_ms)
                    if number - at <= _MAX_LATER
                    else each
                    for at, each in rejected
                ]
                rejected = []
        dead_ends += _reverted(exchange, conversation.cwd)
        before = exchange
    dead_ends += [each for _, each in rejected]
    return sorted(dead_ends, key=lambda dead_end: dead_end.at_ms)[-MAX_DEAD_ENDS:]


def _rejected_by(verdict: str, exchange: Exchange, before: Exchange, cwd: str) -> DeadEnd | None:
    """Return the attempt that a user's sentence rejects, if the assistant made and reported one."""
    attempt = _report(before)
    if not attempt or not before.did_work or exchange.prompt is None:
        return None
    at_ms = exchange.prompt.at_ms
    reason = f'"{_short(verdict, _REASON_CHARS)}"'
    changed = _changed(before.turns, cwd)
    return DeadEnd(attempt=attempt, reason=reason, changed=changed, at_ms=at_ms, until_ms=at_ms)


def _reverted(exchange: Exchange, cwd: str) -> Iterator[DeadEnd]:
    """Yield the changes that the assistant reverted on its own, with the reason that it gave."""
    explanation, edited = "", list[object]()
    for turn in exchange.turns:
        if isinstance(turn, AssistantTurn):
            explanation = next((text for text in split_sentences(turn.text) if _explains(text)), "")
        elif isinstance(turn, ToolUse) and turn.kind == EDIT:
            edited.append(turn)
        elif isinstance(turn, ToolUse) and turn.kind == RUN and turn.status == OK:
            changed = _changed(edited, cwd)
            if (
                explanation
                and changed
                and any(_REVERTS.match(s.text) for s in steps_of(turn.command))
            ):
                reason = without_end(_short(explanation, _ATTEMPT_CHARS))
                yield DeadEnd(
                    attempt="", reason=reason, changed=changed, at_ms=turn.at_ms,
                    until_ms=turn.at_ms,
                )  # fmt: skip
                explanation, edited = "", []


def _explains(sentence: str) -> bool:
    return matches(sentence, "takes_back") and len(words_of(sentence)) >= _MIN_WORDS


def _report(exchange: Exchange) -> str:
    """Return the sentence that says what was done in an exchange; empty if none does."""
    for answer in exchange.last_answers[:1]:
        statements = [
            sentence
            for sentence in split_sentences(answer)
            if len(words_of(sentence)) >= _MIN_WORDS
            and not is_proposal(sentence)
            and not matches(sentence, "narration")
        ]
        reports = [sentence for sentence in statements if is_done(sentence)] or statements
        if reports:
            return _short(reports[0], _ATTEMPT_CHARS)
    return ""


def _changed(turns: list[object], cwd: str) -> tuple[str, ...]:
    paths = [
        relative(turn.path, cwd)
        for turn in turns
        if isinstance(turn, ToolUse) and turn.kind == EDIT and turn.status == OK and turn.path
    ]
    return tuple(dict.fromkeys(paths))[:_MAX_FILES]


def _short(sentence: str, limit: int) -> str:
    return without_end(truncate(sentence.replace('"', "'"), limit))
