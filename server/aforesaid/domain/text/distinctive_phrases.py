"""What tells a text from others: its runs of five words, its identifiers and its numbers.

Here: finding them, where another text repeats them, and that text without what repeats. Pure.
Not here: which texts are looked at (services/memories/footprint.py).
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    Run = tuple[str, ...]

RUN_WORDS = 5  #: of a run; a text of fewer words is one run
_STRIDE = 3  #: every run of five words holds one of three that begins at a multiple of it
_MIN_IDENTIFIER_CHARS = 6
_MIN_DIGITS = 4
_ALONE = "぀-ヿ㐀-鿿"  #: written without blanks: each character is a word
_WORD = re.compile(f"[{_ALONE}]|[^\\W_{_ALONE}]+")
_IDENTIFIER = re.compile(r"[^\s\"'`<>()\[\]{},;|…]+")
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d(t[\d:.+z-]+)?")
_YEAR = re.compile(r"(19|20)\d\d")
_SENTENCE_END = re.compile(r"(?<=[.!?;\u3002\uff01\uff1f])\s+(?!\()")
_LABEL = re.compile(r"(- )?([^\W\d_][\w ()]{0,40}: )?")
_ITEM = "- "


def words_of(text: str) -> list[str]:
    """Return the words of a text, folded; marks and underscores part them."""
    return _WORD.findall(text.casefold())


def identifiers_of(text: str) -> set[str]:
    """Return the identifiers and numbers of a text, folded.

    An identifier has a letter and a digit, or is an address; a number has four digits and is no
    year. Dates are neither, and nor are paths: work of every kind names them.
    """
    found = set()
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
            found.add(token)
    return found


class Marks:
    """The runs, identifiers and numbers of texts, as far as nothing else has them."""

    __slots__ = ("_sizes", "identifiers", "runs", "texts")

    def __init__(self, texts: Iterable[str], details: Iterable[str] = ()) -> None:
        """Find them.

        Args:
            texts: whole statements; one of fewer than five words counts as a run.
            details: what stands beside them, such as metadata: shorter ones say nothing alone.
        """
        self.texts: list[list[str]] = []
        self.runs: set[Run] = set()
        self.identifiers: set[str] = set()
        for text, whole in (*((one, True) for one in texts), *((one, False) for one in details)):
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
        """Drop what another text, which is kept, has too."""
        folded = text.casefold()
        self.identifiers -= {one for one in self.identifiers if _stands_in(folded, one)}
        self.runs -= self._shared(text)

    def phrases(self) -> list[Run]:
        """Return word sequences of which every text that repeats something holds at least one."""
        found: set[Run] = {run for run in self.runs if len(run) < RUN_WORDS}
        for words in self.texts:
            if len(words) >= RUN_WORDS:
                found.update(_windows(words, _STRIDE, _STRIDE))
        found.update(tuple(words_of(one)) for one in self.identifiers)
        return sorted(found)

    def anchors(self) -> dict[str, list[str]]:
        """Return words of which every run has one, each with its runs, joined by blanks."""
        found: dict[str, list[str]] = {}
        for run in sorted(self.runs):
            known = next((word for word in run if word in found), None)
            found.setdefault(known or max(run, key=len), []).append(" ".join(run))
        return found

    def repeated_by(self, text: str) -> bool:
        """Tell whether a text has one of them."""
        folded = text.casefold()
        if any(_stands_in(folded, one) for one in self.identifiers):
            return True
        return bool(self._shared(text))

    def _shared(self, text: str) -> set[Run]:
        words = words_of(text) if self.runs else ()
        return {run for size in self._sizes for run in _windows(words, size) if run in self.runs}

    def holds(self, text: str) -> bool:
        """Tell whether the words of a text, two at least, stand in one of these in a row."""
        words = words_of(text)
        size = len(words)
        return size > 1 and any(
            tuple(words) in set(_windows(one, size)) for one in self.texts if len(one) >= size
        )

    def removed_from(self, text: str) -> tuple[str, list[str]]:
        """Return a text without the sentences that repeat something, and those sentences."""
        if not self.repeated_by(text):
            return text, []
        removed: list[str] = []
        lines = text.split("\n")
        left = [self._removed_from_line(line, removed) for line in lines]
        for at, line in enumerate(lines):
            if line.endswith(":") and left[at] == line:
                items = at + 1
                while items < len(lines) and lines[items].startswith(_ITEM):
                    items += 1
                if items > at + 1 and not any(left[at + 1 : items]):
                    left[at] = None  # a label whose items are all gone
        if not removed:  # a run that no single line has
            return "", [text]
        return "\n".join(line for line in left if line is not None), removed

    def _removed_from_line(self, line: str, removed: list[str]) -> str | None:
        if not self.repeated_by(line):
            return line
        label = _LABEL.match(line)
        start = label.end() if label else 0
        sentences = _SENTENCE_END.split(line[start:])
        kept = [one for one in sentences if not self.repeated_by(one)]
        if len(kept) == len(sentences):  # a run that spans two of them
            kept = []
        removed += [one for one in sentences if one not in kept]
        return line[:start] + " ".join(kept) if kept else None


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text, without labels of lines."""
    found = []
    for line in text.split("\n"):
        label = _LABEL.match(line)
        found += _SENTENCE_END.split(line[label.end() if label else 0 :])
    return [one for one in found if one.strip()]


def _stands_in(text: str, token: str) -> bool:
    """Tell whether a token stands in a text, and not as a part of a word."""
    at = text.find(token)
    while at >= 0:
        end = at + len(token)
        if not (text[:at][-1:].isalnum() or text[end : end + 1].isalnum()):
            return True
        at = text.find(token, at + 1)
    return False


def _windows(words: Sequence[str], size: int, step: int = 1) -> Iterable[Run]:
    return (tuple(words[at : at + size]) for at in range(0, len(words) - size + 1, step))
