"""A conversation without what was erased from memory in it: said again, it would come back.

Here: which sentences say it. Not here: what was erased (the transcript's reader).
"""

from __future__ import annotations

from aforesaid.domain.digest import message_text, sentence_classifier
from aforesaid.domain.model.transcript import MEMORY, AssistantTurn, Prompt, ToolUse, UserChoice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.transcript import Conversation, Turn

#: Share of the shorter one's words from which a sentence speaks of what was erased.
_SPEAKS_AT = 0.4
#: Our own command that says what is to be forgotten.
_FORGETS = "aforesaid:forget"


def without_erased(conversation: Conversation) -> Conversation:
    """Return a conversation without what speaks of what was erased in it.

    Sentences of both sides go; a prompt that asks for nothing else goes with what memory did for
    it, and so does the command that says what to forget, with its answers.
    """
    gone = [words for text in conversation.erased if (words := _words(text))]
    turns: list[Turn] = []
    unsaid = commanded = False
    for turn in conversation.turns:
        if isinstance(turn, Prompt):
            commanded = turn.command == _FORGETS
            text = "" if commanded else _rest(turn.text, gone)
            unsaid = not text
            turns += [turn.replace(text=text)] if text else []
        elif isinstance(turn, AssistantTurn):
            text = "" if commanded else _rest(turn.text, gone)
            turns += [turn.replace(text=text)] if text or not unsaid else []
        elif isinstance(turn, UserChoice):
            turns += [] if _speaks(f"{turn.question} {turn.answer}", gone) else [turn]
        elif not (unsaid and isinstance(turn, ToolUse) and turn.kind == MEMORY):
            turns.append(turn)
    return conversation.replace(turns=tuple(turns), title=_rest(conversation.title, gone))


def _rest(text: str, gone: Sequence[frozenset[str]]) -> str:
    if not gone:
        return text
    lines = []
    for line in text.split("\n"):
        said = message_text.sentences([line])
        kept = [one for one in said if not _speaks(one, gone)]
        if len(kept) == len(said):
            lines.append(line)
        elif kept:
            lines.append(" ".join(kept))
    return "\n".join(lines).strip()


def _speaks(sentence: str, gone: Sequence[frozenset[str]]) -> bool:
    words = _words(sentence)
    return any(sentence_classifier.overlap(words, erased) >= _SPEAKS_AT for erased in gone)


def _words(text: str) -> frozenset[str]:
    return frozenset(sentence_classifier.stem(word) for word in sentence_classifier.words_of(text))
