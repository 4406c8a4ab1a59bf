"""Deduplicating collections: the statements of one kind, and lines that memory showed.

Here too: whether one short statement entails or corrects another, by words, without a model. The
duplicate gate of the write path (domain/dedup) is stricter: in case of doubt it keeps both.
"""

from __future__ import annotations

import re

from .message_text import truncate, without_end
from .model import SessionStatement
from .sentence_classifier import (
    matches,
    overlap,
    phrase_pattern,
    states,
    stems_of,
    strip_label,
    strip_opening,
    uses,
    words_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

#: Not "one", "un", "ein": they are articles, too.
_NUMBERS = frozenset(
    """two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty
    sixty hundred thousand twice zwei drei vier fünf sechs sieben acht neun zehn zwölf zwanzig
    dreißig dos tres cuatro cinco seis siete ocho nueve diez veinte treinta deux trois quatre cinq
    sept huit neuf dix vingt trente dois duas três sete oito nove dez vinte trinta""".split()  # noqa: SIM905
)
#: Share of a statement's words that another must have to entail it; the lower share is for two of
#: one session, where the assistant may have reworded it.
_ENTAILS, _ENTAILS_LOOSELY = 0.75, 0.6
#: Minimum share of words, apart from the value, that statements on one subject have in common.
_SUBJECT, _SUBJECT_LOOSELY = 0.7, 0.5
_MIN_SUBJECT_WORDS = 2
#: Minimum letters of a word that counts as the beginning of another form of it.
_PREFIX_CHARS = 4
#: Words beside the value of a memory that a correction without a subject may deny.
_MAX_BARE_WORDS = 2
#: Maximum number of content words, and of all words, in a sentence that only names a value.
_MAX_VALUE_WORDS, _MAX_FRAGMENT_WORDS = 3, 4


def entails(known: str, statement: str, *, loosely: bool = False) -> bool:
    """Tell whether a known statement says all of another: words, values and polarity.

    What either rejects ("5433, not 5432") is left out of the comparison.

    Args:
        known: what is stored.
        statement: what may be stored.
        loosely: whether both come from one session.
    """
    known, statement = _without_rejected(known), _without_rejected(statement)
    words, known_words = words_of(statement), words_of(known)
    if not words or not values_agree(known, statement):
        return False
    share = sum(_contains(known_words, word) for word in words) / len(words)
    return share >= (_ENTAILS_LOOSELY if loosely else _ENTAILS)


def values_agree(known: str, statement: str) -> bool:
    """Tell whether a known statement has the values, polarity and order of another."""
    agree = values_of(statement) <= values_of(known)
    agree = agree and matches(statement, "negation") == matches(known, "negation")
    return agree and not _is_reversed(known, statement)


def _is_reversed(known: str, statement: str) -> bool:
    """Tell whether each rejects what the other chooses ("uv over pip", "pip instead of uv")."""
    rejected, known_rejected = _rejected_or_passed_over(statement), _rejected_or_passed_over(known)
    return bool(rejected & (words_of(known) - known_rejected)) and bool(
        known_rejected & (words_of(statement) - rejected)
    )


def _rejected_or_passed_over(text: str) -> frozenset[str]:
    passed_over = re.findall(r"\bover ([\w.:/-]+)", text.lower())
    return _rejected(text).union(*map(words_of, passed_over))


def shares_subject(known: str, statement: str) -> bool:
    """Tell whether two statements are about one thing, whatever value each gives it."""
    words, known_words = _words_without_values(statement), words_of(known)
    return sum(_contains(known_words, word) for word in words) >= _SUBJECT_LOOSELY * len(words)


def corrects(correction: str, known: str, *, loosely: bool = False) -> bool:
    """Tell whether a correction gives a known statement another value.

    Both name a value (a number, a version, a name with a digit), the values differ, and the words
    beside them share a subject; or the correction rejects the old value of its subject.

    Args:
        correction: the later statement.
        known: what it may correct.
        loosely: whether both come from one session.
    """
    new, old = values_of(correction), values_of(known)
    rejected = _rejected(correction)
    subject = _words_without_values(correction) - rejected
    known_subject = _words_without_values(known)
    shared = sum(_contains(known_subject, word) for word in subject)
    if names_rejected_value(known, correction):
        if _names_one_value(correction):
            return loosely or len(known_subject - rejected) <= _MAX_BARE_WORDS
        return shared >= (1 if loosely else max(1, _SUBJECT_LOOSELY * len(subject)))
    if not new or not old or new & old or not subject or not known_subject:
        return False
    if loosely:
        return shared >= max(1, _SUBJECT_LOOSELY * len(subject))
    smaller = min(len(subject), len(known_subject))
    return shared >= _MIN_SUBJECT_WORDS and shared >= _SUBJECT * smaller


def find_corrected_sentence(correction: str, sentences: Sequence[str]) -> str:
    """Return the sentence that a correction corrects, empty if none or several may be meant.

    A bare value ("it's 5433") corrects the only sentence that has a value of the same form.
    """
    for sentence in sentences:
        if corrects(correction, sentence, loosely=True):
            return sentence
    if not _names_one_value(correction):
        return ""
    possible = [sentence for sentence in sentences if not entails(sentence, correction)]
    matching = [sentence for sentence in possible if names_rejected_value(sentence, correction)]
    for digits in ("\\d", "\\d+"):
        forms = _forms(correction, digits)
        matching = matching or [
            sentence for sentence in possible if forms & _forms(sentence, digits)
        ]
    return matching[0] if len(matching) == 1 else ""


def with_new_value(known: str, correction: str) -> str:
    """Return a known statement with the value that a correction gives it ("it's 5433").

    Empty if it is not clear which value is meant, or the correction says more than a value.
    """
    new, old = values_of(correction) - _rejected(correction), values_of(known)
    beside = words_of(correction) - values_of(correction) - _rejected(correction)
    written = re.findall(rf"(?i)(?<![\w.]){re.escape(next(iter(old), ''))}(?!\w)", known)
    if len(new) != 1 or len(old) != 1 or new == old or len(written) != 1:
        return ""
    if not beside <= words_of(known) or matches(known, "done") or known.startswith("I "):
        return ""
    if _forms(next(iter(new)), "\\d+") != _forms(written[0], "\\d+"):
        return ""
    return known.replace(written[0], next(iter(new)))


def names_rejected_value(known: str, correction: str) -> bool:
    """Tell whether a correction rejects a value of a known statement ("5433, not 5432")."""
    parts = {part for word in words_of(known) for part in (word, *re.split(r"[-_/]", word))}
    return bool(_rejected(correction) & parts) and not entails(known, correction)


def is_value_only(correction: str) -> bool:
    """Tell whether a correction names only a new value: not of what, not instead of which."""
    short = (
        len(words_of(correction)) <= _MAX_VALUE_WORDS
        and len(correction.split()) <= _MAX_FRAGMENT_WORDS
    )
    if short and not uses(correction) and not states(correction):
        return True
    return _names_one_value(correction) and not (
        _rejected(correction) and (uses(correction) or values_of(correction))
    )


def only_denies(correction: str) -> bool:
    """Tell whether a correction says only what is not so ("not Redis")."""
    return words_of(correction) <= _rejected(correction)


def _names_one_value(correction: str) -> bool:
    """Tell whether a correction names no more than a value, beside one that it rejects."""
    use = phrase_pattern("use").search(correction)
    verb = words_of(use[0].split()[-1]) if use else frozenset()
    words = _without_letters(words_of(correction) - verb - _rejected(correction))
    return words <= values_of(correction) or len(words) == 1


def _forms(text: str, digits: str) -> frozenset[str]:
    """Return the forms of names that have one: 5433 is 0, eu-west-1 is a-a-0, npm is a tool."""
    forms = {re.sub(r"[^\W\d]+", "a", re.sub(digits, "0", word)) for word in words_of(text)}
    tool = {"tool"} if matches(text, "tool") else set()
    return frozenset(forms - {"a"} | tool)


def _without_rejected(text: str) -> str:
    """Return a statement without what it rejects, if more than a name is left."""
    rejected = phrase_pattern("rejected_value").pattern
    pattern = rf"[,;] (?:and |but )?(?:{rejected})|^(?:{rejected})[,;]"
    rest = re.sub(pattern, "", text, flags=re.IGNORECASE)
    return rest if len(words_of(rest)) > 1 else text


def _rejected(text: str) -> frozenset[str]:
    """Return the words of the values that a statement rejects."""
    phrases = phrase_pattern("rejected_value").finditer(text)
    return _without_letters(word for phrase in phrases for word in words_of(phrase[0]))


def _without_letters(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if len(word) > 1 or word.isdigit())


def values_of(text: str) -> frozenset[str]:
    """Return the values in a statement: words with a digit in them, and numbers in words."""
    return frozenset(
        word.strip(".")
        for word in words_of(text)
        if word in _NUMBERS or any(char.isdigit() for char in word)
    )


def _words_without_values(text: str) -> frozenset[str]:
    return words_of(text) - values_of(text)


def _contains(words: frozenset[str], word: str) -> bool:
    """Tell whether some words contain a word, or another form of it."""
    return word in words or (
        len(word) >= _PREFIX_CHARS
        and any(
            len(known) >= _PREFIX_CHARS and (word.startswith(known) or known.startswith(word))
            for known in words
        )
    )


STATEMENT_CHARS = 220
#: A sentence with no more content words than this states nothing by itself.
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
        """Replace the text of the statement that says this with a longer one."""
        index = self._find(words_of(text))
        if index is not None:
            statement = self._items[index][1].replace(
                text=without_end(truncate(longer_text, STATEMENT_CHARS))
            )
            self._items[index] = (words_of(statement.text), statement)

    def drop(self, text: str) -> None:
        """Drop a statement by its text."""
        plain = text.rstrip(" .")
        self._items = [item for item in self._items if item[1].text.rstrip(" .") != plain]

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
            for stem in stems_of(line):
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
        stems = stems_of(bare)
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
