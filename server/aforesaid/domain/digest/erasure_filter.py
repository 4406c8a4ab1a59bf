"""Removes texts from a conversation that were erased in it, so that no digest repeats them.

The transcript's reader knows what was erased.
"""

from __future__ import annotations

from aforesaid.domain.digest.message_text import sentences
from aforesaid.domain.digest.sentence_classifier import five_letter_stem, overlap, words_of
from aforesaid.domain.model.transcript import MEMORY, AssistantTurn, Prompt, ToolUse, UserChoice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.transcript import Conversation, Turn

#: Overlap of words from which a sentence repeats an erased text.
_REPEATS_AT = 0.4
_FORGET_COMMAND = "aforesaid:forget"


def without_erased(conversation: Conversation) -> Conversation:
    """Return a conversation without sentences that repeat a text erased in it.

    A prompt that contains nothing else is removed with the memory calls that it led to. The
    command that erases is removed with its answers.
    """
    erased = [stems for text in conversation.erased if (stems := _stems(text))]
    turns: list[Turn] = []
    prompt_removed = is_forget_command = False
    for turn in conversation.turns:
        if isinstance(turn, Prompt):
            is_forget_command = turn.command == _FORGET_COMMAND
            text = "" if is_forget_command else _without_repeats(turn.text, erased)
            prompt_removed = not text
            turns += [turn.replace(text=text)] if text else []
        elif isinstance(turn, AssistantTurn):
            text = "" if is_forget_command else _without_repeats(turn.text, erased)
            turns += [turn.replace(text=text)] if text or not prompt_removed else []
        elif isinstance(turn, UserChoice):
            turns += [] if _repeats(f"{turn.question} {turn.answer}", erased) else [turn]
        elif not (prompt_removed and isinstance(turn, ToolUse) and turn.kind == MEMORY):
            turns.append(turn)
    title = _without_repeats(conversation.title, erased)
    return conversation.replace(turns=tuple(turns), title=title)


def _without_repeats(text: str, erased: Sequence[frozenset[str]]) -> str:
    if not erased:
        return text
    lines = []
    for line in text.split("\n"):
        line_sentences = sentences([line])
        remaining = [sentence for sentence in line_sentences if not _repeats(sentence, erased)]
        if len(remaining) == len(line_sentences):
            lines.append(line)
        elif remaining:
            lines.append(" ".join(remaining))
    return "\n".join(lines).strip()


def _repeats(sentence: str, erased: Sequence[frozenset[str]]) -> bool:
    stems = _stems(sentence)
    return any(overlap(stems, erased_stems) >= _REPEATS_AT for erased_stems in erased)


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(five_letter_stem, words_of(text)))
