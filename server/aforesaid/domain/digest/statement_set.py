"""Deduplicating collections: the statements of one kind, and lines that memory showed."""

from __future__ import annotations

import re

from aforesaid.domain.digest.message_text import truncate, without_end
from aforesaid.domain.digest.model import SessionStatement
from aforesaid.domain.digest.sentence_classifier import (
    five_letter_stem,
    overlap,
    strip_label,
    strip_opening,
    words_of,
)
from aforesaid.domain.digest.statement_similarity import values_agree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STATEMENT_CHARS = 220
#: A sentence of no more words with meaning says nothing by itself.
FEW_WORDS = 3
#: Overlap of words from which two statements say the same.
_SAME_AT = 0.75
#: Share of a sentence's words in one recalled line from which it only repeats that line.
_KNOWN_AT = 0.65
#: The same for a user's sentence: one changed word of a rule makes it new.
_WHOLLY_KNOWN_AT = 0.9
_MAX_KNOWN_LINES, _KNOWN_LINE_CHARS = 1500, 1000
#: What precedes open items in a digest, its summary and a session's context, and what marks a
#: session that did not finish. Written by render.py and domain/context/session_context.py.
_OPEN_HEADING = r"(?:^|\s)(?:[Oo]pen:(?=\s|$)|Open tasks$)"
_NOT_FINISHED = "; not finished"
#: Statements of one kind; beyond it the least important one of the middle is dropped.
_MAX_STATEMENTS = 120


class StatementSet:
    """Statements of one kind, oldest first; of similar ones the most important."""

    def __init__(self) -> None:
        self._items: list[tuple[frozenset[str], SessionStatement]] = []

    def add(self, text: str, at_ms: int, by: str, weight: float) -> SessionStatement:
        """Add a text as a statement and return that."""
        text = without_end(truncate(strip_label(text), STATEMENT_CHARS))
        statement = SessionStatement(text=text, at_ms=at_ms, by=by, weight=weight)
        self.put(statement)
        return statement

    def put(self, statement: SessionStatement) -> None:
        """Add a statement as it is."""
        words = words_of(statement.text)
        if not words:
            return
        index = self._find(words)
        if index is not None:
            if statement.weight > self._items[index][1].weight:
                self._items[index] = (words, statement)
            return
        self._items.append((words, statement))
        if len(self._items) > _MAX_STATEMENTS:
            middle = range(_MAX_STATEMENTS // 4, _MAX_STATEMENTS // 2)
            del self._items[min(middle, key=lambda index: self._items[index][1].weight)]

    def extend(self, text: str, longer_text: str) -> None:
        """Replace the text of the statement that says this by a longer one."""
        index = self._find(words_of(text))
        if index is not None:
            statement = self._items[index][1].replace(
                text=without_end(truncate(longer_text, STATEMENT_CHARS))
            )
            self._items[index] = (words_of(statement.text), statement)

    def says(self, words: frozenset[str]) -> bool:
        """Tell whether a statement says this already."""
        return self._find(words) is not None

    def _find(self, words: frozenset[str]) -> int | None:
        return next(
            (i for i, (known, _) in enumerate(self._items) if overlap(words, known) >= _SAME_AT),
            None,
        )

    @property
    def statements(self) -> tuple[SessionStatement, ...]:
        """The statements, oldest first."""
        return tuple(sorted((item[1] for item in self._items), key=lambda item: item.at_ms))


def split_recalled_lines(recalled: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the lines that memory showed into knowledge and open items.

    Open items are separate because completing one of them is new information.
    """
    knowledge: list[str] = []
    open_items: list[str] = []
    in_list = False
    for line in (line for text in recalled for line in text.split("\n")):
        in_list = in_list and line.lstrip().startswith("- ")
        heading = re.search(_OPEN_HEADING, line)
        if in_list or _NOT_FINISHED in line:
            open_items.append(line)
        elif heading:
            knowledge.append(line[: heading.start()])
            open_items.append(line[heading.end() :])
            in_list = not open_items[-1].strip()
        else:
            knowledge.append(line)
    return knowledge, open_items


class KnownLines:
    """Lines that memory showed in this session: repeating one adds nothing."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = [line[:_KNOWN_LINE_CHARS] for line in lines if line.strip()]
        del self._lines[_MAX_KNOWN_LINES:]
        self._by_stem: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines):
            for stem in set(map(five_letter_stem, words_of(line))):
                self._by_stem.setdefault(stem, []).append(number)

    def has(self, sentence: str, *, wholly: bool = False) -> bool:
        """Tell whether one line says most of a sentence, with its values and polarity.

        Another number, or a "never" that the line lacks, is new, however similar the rest is.

        Args:
            sentence: a sentence of the session.
            wholly: whether the line must say nearly all of it.
        """
        if not self._by_stem:
            return False
        bare = strip_opening(sentence)
        stems = set(map(five_letter_stem, words_of(bare)))
        if len(stems) < FEW_WORDS:
            return False
        hits: dict[int, int] = {}
        for stem in stems:
            for number in self._by_stem.get(stem, ()):
                hits[number] = hits.get(number, 0) + 1
        enough = (_WHOLLY_KNOWN_AT if wholly else _KNOWN_AT) * len(stems)
        return any(
            count >= enough and values_agree(self._lines[number], bare)
            for number, count in hits.items()
        )
