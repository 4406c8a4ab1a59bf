"""Distinctive phrases of a text: runs of five words, identifiers, numbers.

Finds texts that repeat them, and removes the repetition. services/memories/footprint.py chooses
the texts.
"""

from __future__ import annotations

import re

from aforesaid.lexicon.scripts import KANA_AND_HAN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Run = tuple[str, ...]

RUN_WORDS = 5  #: a shorter text is a run as a whole
_STRIDE = 3  #: every run of five words contains a run of three that starts at a multiple of it
_MIN_IDENTIFIER_CHARS = 6
_MIN_DIGITS = 4
#: Each character of a script without spaces is a word.
_WORD = re.compile(f"[{KANA_AND_HAN}]|[^\\W_{KANA_AND_HAN}]+")
_IDENTIFIER = re.compile(r"[^\s\"'`<>()\[\]{},;|…]+")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(t[\d:.+z-]+)?")
_YEAR = re.compile(r"(19|20)\d\d")
_SENTENCE_END = re.compile(r"(?<=[.!?;\u3002\uff01\uff1f])\s+(?!\()")
_LABEL = re.compile(r"(- )?([^\W\d_][\w ()]{0,40}: )?")
_BULLET = "- "


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded; punctuation and underscores separate them."""
    return _WORD.findall(text.casefold())


def identifiers_of(text: str) -> set[str]:
    """Return the identifiers and numbers of a text, folded.

    An identifier has a letter and a digit, or is an address; a number has four digits and is not a
    year. Dates and paths do not count, since all kinds of work name them.
    """
    identifiers = set()
    for raw in _IDENTIFIER.findall(text.casefold()):
        token = raw.strip(".:!?*_-=~&%$#^+")
        if "/" in token or _ISO_DATE.fullmatch(token) or _YEAR.fullmatch(token):
            continue
        digits = sum(char.isdigit() for char in token)
        letters = any(char.isalpha() for char in token)
        long_enough = len(token) >= _MIN_IDENTIFIER_CHARS
        if (
            (letters and digits and long_enough)
            or (not letters and digits >= _MIN_DIGITS)
            or ("@" in token.strip("@") and "." in token)
        ):
            identifiers.add(token)
    return identifiers


class Marks:
    """The runs, identifiers and numbers of some texts that no other text has."""

    __slots__ = ("_sizes", "identifiers", "runs", "texts")

    def __init__(self, texts: Iterable[str], details: Iterable[str] = ()) -> None:
        """Find them.

        Args:
            texts: whole statements; one of fewer than five words counts as a run.
            details: texts beside them, such as metadata; short ones do not count alone.
        """
        self.texts: list[list[str]] = []
        self.runs: set[Run] = set()
        self.identifiers: set[str] = set()
        for text, whole in (
            *((text, True) for text in texts),
            *((text, False) for text in details),
        ):
            words = words_of(text)
            self.identifiers |= identifiers_of(text)
            self.texts.append(words)
            if len(words) >= RUN_WORDS:
                self.runs.update(_windows(words, RUN_WORDS))
            elif whole and len(words) > 1:
                self.runs.add(tuple(words))
            elif whole and words:
                self.identifiers.add(words[0])
        self._sizes = sorted({len(run) for run in self.runs})

    def subtract(self, text: str) -> None:
        """Drop the phrases that a kept text also contains."""
        folded = text.casefold()
        self.identifiers -= {token for token in self.identifiers if _stands_in(folded, token)}
        self.runs -= self._shared(text)

    def phrases(self) -> list[Run]:
        """Return word sequences; every text that repeats something has at least one of them."""
        phrases: set[Run] = {run for run in self.runs if len(run) < RUN_WORDS}
        for words in self.texts:
            if len(words) >= RUN_WORDS:
                phrases.update(_windows(words, _STRIDE, _STRIDE))
        phrases.update(tuple(words_of(token)) for token in self.identifiers)
        return sorted(phrases)

    def anchors(self) -> dict[str, list[str]]:
        """Return words, each with the runs that contain it, so that every run has its word."""
        anchors: dict[str, list[str]] = {}
        for run in sorted(self.runs):
            known = next((word for word in run if word in anchors), None)
            anchors.setdefault(known or max(run, key=len), []).append(" ".join(run))
        return anchors

    def repeated_by(self, text: str) -> bool:
        """Tell whether a text has one of them."""
        folded = text.casefold()
        if any(_stands_in(folded, token) for token in self.identifiers):
            return True
        return bool(self._shared(text))

    def _shared(self, text: str) -> set[Run]:
        words = words_of(text) if self.runs else ()
        return {run for size in self._sizes for run in _windows(words, size) if run in self.runs}

    def holds(self, text: str) -> bool:
        """Tell whether one of these contains the words of a text, at least two, in a row."""
        words = words_of(text)
        size = len(words)
        return size > 1 and any(
            tuple(words) in set(_windows(text_words, size))
            for text_words in self.texts
            if len(text_words) >= size
        )

    def removed_from(self, text: str) -> tuple[str, list[str]]:
        """Return a text without the sentences that repeat something, and those sentences."""
        if not self.repeated_by(text):
            return text, []
        removed: list[str] = []
        lines = text.split("\n")
        remaining = [self._removed_from_line(line, removed) for line in lines]
        for index, line in enumerate(lines):
            if line.endswith(":") and remaining[index] == line:
                end = index + 1
                while end < len(lines) and lines[end].startswith(_BULLET):
                    end += 1
                if end > index + 1 and not any(remaining[index + 1 : end]):
                    remaining[index] = None  # a label without any item left
        if not removed:  # a run that spans several lines
            return "", [text]
        return "\n".join(line for line in remaining if line is not None), removed

    def _removed_from_line(self, line: str, removed: list[str]) -> str | None:
        if not self.repeated_by(line):
            return line
        label = _LABEL.match(line)
        start = label.end() if label else 0
        sentences = _SENTENCE_END.split(line[start:])
        remaining = [sentence for sentence in sentences if not self.repeated_by(sentence)]
        if len(remaining) == len(sentences):  # a run that spans two of them
            remaining = []
        removed += [sentence for sentence in sentences if sentence not in remaining]
        return line[:start] + " ".join(remaining) if remaining else None


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, without the labels of lines."""
    sentences = []
    for line in text.split("\n"):
        label = _LABEL.match(line)
        sentences += _SENTENCE_END.split(line[label.end() if label else 0 :])
    return [sentence for sentence in sentences if sentence.strip()]


def _stands_in(text: str, token: str) -> bool:
    """Tell whether a text contains a token, not as a part of a word."""
    at = text.find(token)
    while at >= 0:
        end = at + len(token)
        if not (text[:at][-1:].isalnum() or text[end : end + 1].isalnum()):
            return True
        at = text.find(token, at + 1)
    return False


def _windows(words: Sequence[str], size: int, step: int = 1) -> Iterable[Run]:
    return (tuple(words[at : at + size]) for at in range(0, len(words) - size + 1, step))
