"""Statements of one kind while a session is read: each once, not too many.

Here: the pile and what is known already. Not here: which statement goes where (session_facts.py).
"""

from __future__ import annotations

import re

from aforesaid.domain.digest import message_text, sentence_classifier, statement_similarity
from aforesaid.domain.digest.model import SessionStatement

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Characters that a statement keeps.
LONGEST = 220
#: Words of meaning up to which a sentence says nothing by itself.
FEW_WORDS = 3
#: Share of words above which two statements say the same.
_SAME_AT = 0.75
#: Share of a sentence's words in one recalled line from which it is only repeated.
_KNOWN_AT = 0.65
#: The same of a user's sentence: who changes one word of a rule says something new.
_WHOLLY_KNOWN_AT = 0.9
_KNOWN_LINES = 1500
#: What a digest, its summary and a session's context say before what is left to do, and of a
#: session that did not come to its end. Source: render.py, domain/context/session_context.py.
_LEFT_OPEN = r"(?:^|\s)(?:[Oo]pen:(?=\s|$)|Open tasks$)"
_NOT_FINISHED = "; not finished"
#: Statements of one kind; in a longer session those of the middle that weigh least go.
_MAX_HELD = 120


class StatementSet:
    """Statements of one kind, oldest first, those alike only once: the weightier stays."""

    def __init__(self) -> None:
        self._held: list[tuple[frozenset[str], SessionStatement]] = []

    def add(self, text: str, at_ms: int, by: str, weight: float) -> SessionStatement:
        """Add a statement; return it as it is kept."""
        text = message_text.without_end(
            message_text.truncate(sentence_classifier.strip_label(text), LONGEST)
        )
        statement = SessionStatement(text=text, at_ms=at_ms, by=by, weight=weight)
        self.put(statement)
        return statement

    def put(self, statement: SessionStatement) -> None:
        """Add a statement that is worded already."""
        words = sentence_classifier.words_of(statement.text)
        if not words:
            return
        for place, (other, held) in enumerate(self._held):
            if sentence_classifier.overlap(words, other) >= _SAME_AT:
                if statement.weight > held.weight:
                    self._held[place] = (words, statement)
                return
        self._held.append((words, statement))
        if len(self._held) > _MAX_HELD:
            middle = range(_MAX_HELD // 4, _MAX_HELD // 2)
            del self._held[min(middle, key=lambda place: self._held[place][1].weight)]

    def extend(self, text: str, whole: str) -> None:
        """Put more words to the statement that says this."""
        words = sentence_classifier.words_of(text)
        for place, (other, held) in enumerate(self._held):
            if sentence_classifier.overlap(words, other) >= _SAME_AT:
                told = held.replace(
                    text=message_text.without_end(message_text.truncate(whole, LONGEST))
                )
                self._held[place] = (sentence_classifier.words_of(told.text), told)
                return

    def says(self, words: frozenset[str]) -> bool:
        """Tell whether a statement of the pile says this already."""
        return any(sentence_classifier.overlap(words, held) >= _SAME_AT for held, _ in self._held)

    @property
    def statements(self) -> tuple[SessionStatement, ...]:
        """The statements, oldest first."""
        held = [statement for _, statement in self._held]
        return tuple(sorted(held, key=lambda one: one.at_ms))


def split_recalled_lines(recalled: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the lines that memory showed: what they tell, and what they leave to do.

    What was left open is no knowledge: whoever does it says something new.
    """
    told: list[str] = []
    left: list[str] = []
    listed = False
    for line in (line for text in recalled for line in text.split("\n")):
        listed = listed and line.lstrip().startswith("- ")
        found = re.search(_LEFT_OPEN, line)
        if listed or re.search(_NOT_FINISHED, line):
            left.append(line)
        elif found:
            told.append(line[: found.start()])
            left.append(line[found.end() :])
            listed = not left[-1].strip()
        else:
            told.append(line)
    return told, left


class KnownLines:
    """What memory showed in this session: repeating it is nothing new."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._held = [line[:1000] for line in lines if line.strip()][:_KNOWN_LINES]
        self._lines: dict[str, list[int]] = {}
        for number, line in enumerate(self._held):
            for word in {
                sentence_classifier.stem(word) for word in sentence_classifier.words_of(line)
            }:
                self._lines.setdefault(word, []).append(number)

    def has(self, sentence: str, *, wholly: bool = False) -> bool:
        """Tell whether one recalled line says most of a sentence, with its values and polarity.

        Another number or a "never" where the line has none is new, however alike the rest is.

        Args:
            sentence: as it was said.
            wholly: whether the line must say all of it, nearly.
        """
        if not self._lines:
            return False
        told = sentence_classifier.strip_opening(sentence)
        words = {sentence_classifier.stem(word) for word in sentence_classifier.words_of(told)}
        if len(words) < FEW_WORDS:
            return False
        hits: dict[int, int] = {}
        for word in words:
            for number in self._lines.get(word, ()):
                hits[number] = hits.get(number, 0) + 1
        enough = (_WHOLLY_KNOWN_AT if wholly else _KNOWN_AT) * len(words)
        return any(
            count >= enough and statement_similarity.values_agree(self._held[number], told)
            for number, count in hits.items()
        )
