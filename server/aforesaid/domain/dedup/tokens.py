"""Splits a text into terms: words, numbers, code, paths and quotations, each folded by its kind.

Words fold to one form: number words, synonyms, plurals, spellings, contractions.
"""

from __future__ import annotations

import re
import unicodedata
from collections import namedtuple

from aforesaid.lexicon import vocabulary
from aforesaid.lexicon.calendar import MONTHS
from aforesaid.lexicon.vocabulary import (
    BARE_CONTRACTIONS,
    CONTRACTIONS,
    IRREGULAR_CONTRACTIONS,
    NO_PLURAL,
    NUMBER_WORDS,
    SYNONYMS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import NamedTuple

    class Term(NamedTuple):
        """A word, number or sign of a text; a strict one is compared letter by letter."""

        kind: str
        exact: str
        folded: str
        strict: bool

else:  # the sweep must not import typing
    Term = namedtuple("Term", ("kind", "exact", "folded", "strict"))  # noqa: PYI024


def unfold_contraction(word: str) -> tuple[str, ...]:
    """Return the words that a contraction stands for, or the word alone. Expects lower case."""
    if word in IRREGULAR_CONTRACTIONS:
        return IRREGULAR_CONTRACTIONS[word]
    if word in BARE_CONTRACTIONS:
        return (word[:-2], "not")
    for ending, stands_for in CONTRACTIONS:
        if word.endswith(ending) and word != ending:
            return (word[: -len(ending)], stands_for)
    return (word,)


def fold_word(word: str, *, plural: bool = True) -> str:
    """Return the spelling that stands for a word (lower case): number, synonym, singular."""
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    if word in SYNONYMS:
        return SYNONYMS[word]
    if plural:
        word = fold_plural(word)
        word = SYNONYMS.get(word, word)
    if len(word) > len("advise") and word.endswith("ise"):
        return word[:-3] + "ize"
    return word.replace("isation", "ization") if word.endswith("isation") else word


def fold_plural(word: str) -> str:
    """Return a word without the s of plural or third person, where no other word results."""
    if len(word) < len("logs") or word in NO_PLURAL or not word.endswith("s"):
        return word
    if word.endswith(("ss", "us", "is", "'s")):
        return word
    if word.endswith("ies") and len(word) > len("ties"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1]


_TYPOGRAPHY = str.maketrans(
    {
        "\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"',
        "\u2013": "-", "\u2014": "-", "\u00a0": " ", "\u202f": " ", "\u200b": None,
        "\ufeff": None, "\r": "\n",
    }
)  # fmt: skip
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PAUSES = ",;:\uff0c\u3001\uff1b\uff1a"
_ENDS = ".!\u3002\uff01"
_QUESTIONS = "?\uff1f"

BREAK = Term("break", ".", ".", False)
PAUSE = Term("pause", ",", ",", False)
QUESTION = Term("word", "?", "?", True)

_patterns: dict[str, re.Pattern[str]] = {}
_SOURCES = {
    # Code spans, quoted strings, line ends, and chunks between spaces.
    "chunks": r"`{1,2}([^`\n]{1,300})`{1,2}|\"([^\"\n]{1,300})\"|(?<!\w)'([^'\n]{1,300})'(?!\w)"
    r"|(\n\s*)|([^\s\"`]+|[\"`])",
    "word": r"[^\W\d_]+(?:'[^\W\d_]+)*",
    "number": r"[+-]?\d+(?:\.\d+)?",
    "grouped": r"[+-]?\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?",
    "measure": r"([+-]?\d+(?:\.\d+)?)([A-Za-z]{1,3}|%)",
    "version": r"[vV](\d+(?:\.\d+)*)",
    "clock": r"(\d{1,2}):(\d{2})",
    "half_day": r"\b(0?[1-9]|1[0-2])(?::([0-5]\d))? ?([ap])(?:m\b|\.m\.)",
    "month_first": r"\b(MONTH) (\d{1,2})(?:st|nd|rd|th)?,? (\d{4})\b",
    "day_first": r"\b(\d{1,2})(?:st|nd|rd|th)? (MONTH),? (\d{4})\b",
}


def _pattern(name: str) -> re.Pattern[str]:
    """Return a pattern, compiled at first use."""
    pattern = _patterns.get(name)
    if pattern is None:
        months = "|".join(f"{month}|{month[:3]}" for month in MONTHS)
        source = _SOURCES[name].replace("MONTH", months)
        pattern = _patterns[name] = re.compile(source, re.IGNORECASE)
    return pattern


def is_plain_english(text: str) -> bool:
    """Tell whether the tables for English apply: ASCII letters, and no foreign small word."""
    if not text.isascii() and any(char.isalpha() and not char.isascii() for char in text):
        return False
    return vocabulary.FOREIGN.isdisjoint(text.lower().split())


def _fold_dates(text: str) -> str:
    """Return the text with written-out dates as ISO dates and half-day times as 24 hours."""
    if any(char.isdigit() for char in text):
        text = _pattern("month_first").sub(lambda m: _iso(m[3], m[1], m[2]), text)
        text = _pattern("day_first").sub(lambda m: _iso(m[3], m[2], m[1]), text)
        text = _pattern("half_day").sub(_clock, text)
    return text


def _iso(year: str, month: str, day: str) -> str:
    number = [name[:3] for name in MONTHS].index(month[:3].lower()) + 1
    return f"{year}-{number:02}-{int(day):02}"


def _clock(match: re.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3] in "pP" else 0)
    return f"{hour:02}:{match[2] or '00'}"


def read_terms(text: str, english: bool) -> Iterator[Term]:
    """Yield the terms of a text: code and quotes letter by letter, the rest folded."""
    text = unicodedata.normalize("NFC", text).translate(_TYPOGRAPHY).strip()
    if english:
        text = _fold_dates(text)
    at_line_start, ended = True, -1
    for match in _pattern("chunks").finditer(text):
        quoted = match[1] or match[2] or match[3]
        if quoted:
            parts = quoted.split()
            if " ".join(parts) != quoted:  # white space is part of the quotation
                parts = [quoted]
            yield from (Term("quoted", part, part, True) for part in parts)
        elif match[4]:
            yield BREAK
            indent = match[4].rpartition("\n")[2]
            if indent:  # may be code: there the depth of a line carries meaning
                yield Term("sign", indent, indent, True)
        else:
            chunk = match[5]
            if match.start() == ended:  # punctuation right after a quotation
                bare = chunk.lstrip(_PAUSES + _ENDS + _QUESTIONS + ")")
                yield from _read_marks(chunk[: len(chunk) - len(bare)])
                chunk = bare
            if chunk == "-" and _is_range(text, match.start()):
                yield Term("sign", "-", "-", True)
            elif chunk:
                yield from _read_chunk(chunk, english, at_line_start)
        at_line_start, ended = bool(match[4]), match.end()


def _is_range(text: str, at: int) -> bool:
    """Tell whether the dash at a position stands beside a number."""
    around = text[max(0, at - 2) : at].strip() + text[at + 1 : at + 3].strip()
    return any(char.isdigit() for char in around)


def _read_chunk(chunk: str, english: bool, at_line_start: bool) -> Iterator[Term]:
    """Yield the terms of a chunk between two spaces."""
    if at_line_start and chunk in "-*\u2022":
        return
    core, before, after = _strip_marks(chunk)
    if not core:
        bare = chunk if len(chunk) == 1 else chunk.rstrip(".")
        yield PAUSE if chunk == "-" else Term("sign", bare or chunk, bare or chunk, True)
        return
    if before:
        yield PAUSE
    yield from _read_core(core, english)
    yield from _read_marks(after)


def _read_marks(marks: str) -> Iterator[Term]:
    """Yield pauses and breaks for the punctuation after a word."""
    for mark in marks:
        if mark in _PAUSES or mark in "()":
            yield PAUSE
        elif mark in _QUESTIONS:
            yield QUESTION
            yield BREAK
        elif mark in _ENDS:
            yield BREAK


def _strip_marks(chunk: str) -> tuple[str, str, str]:
    """Return a chunk without the punctuation of its sentence, and that before and after it."""
    core, before, after = chunk, "", ""
    if core.startswith("**") and core[2:3].isalpha():
        core = core[2:]
    while core:
        last = core[-1]
        if last == ")" and "(" in core[1:-1]:
            break
        if last == ")" and core[0] == "(" and not any(char.isalnum() for char in core):
            break
        if last not in ")'" and last not in _PAUSES + _ENDS + _QUESTIONS:
            break
        if core[0] == "(" and last == ")":
            core, before = core[1:], "("
        core, after = core[:-1], last + after
    if core.startswith("(") and ")" not in core:
        core, before = core[1:], "("
    if core.endswith("**") and core[-3:-2].isalpha():
        core = core[:-2]
    return core.removeprefix("'"), before, after


def _read_core(core: str, english: bool) -> Iterator[Term]:
    """Yield the terms of a chunk without punctuation around it."""
    if _pattern("word").fullmatch(core):
        yield from _read_word(core, english)
    elif english and (folded := _read_english(core)):
        yield from folded
    elif _pattern("number").fullmatch(core):
        yield Term("number", core, core, False)
    elif _pattern("grouped").fullmatch(core):
        yield Term("number", core, core.replace(",", "").replace("_", ""), False)
    elif match := _pattern("clock").fullmatch(core):
        yield Term("time", core, f"{match[1]:0>2}:{match[2]}", False)
    elif "-" in core and all(_pattern("word").fullmatch(part) for part in core.split("-")):
        # Parts of a compound keep their plural: it may be the name of a flag or a service.
        yield from (Term("part", part, part.casefold(), False) for part in core.split("-"))
    else:
        yield Term(_kind_of_code(core), core, core, True)


def _read_english(core: str) -> tuple[Term, ...]:
    """Return the terms of a chunk that the tables for English know, or none."""
    match = _pattern("measure").fullmatch(core)
    if match and match[2] in vocabulary.UNITS:
        unit = vocabulary.UNITS[match[2]]
        return (Term("number", match[1], match[1], False), Term("unit", match[2], unit, False))
    if match := _pattern("version").fullmatch(core):
        return (Term("version", core, match[1], False),)
    if core == "&":
        return (Term("word", "and", "and", False),)
    lowered = core.casefold()
    if lowered in vocabulary.BRANDS or lowered in vocabulary.SYNONYMS:
        return (Term("name", core, vocabulary.SYNONYMS.get(lowered, lowered), False),)
    return ()


def _kind_of_code(core: str) -> str:
    if "://" in core:
        return "address"
    if "/" in core or "\\" in core:
        return "path"
    return "number" if core[:1].isdigit() else "identifier"


def _read_word(word: str, english: bool) -> Iterator[Term]:
    lowered = word.casefold()
    if not english:
        yield Term("word", word, lowered, False)
        return
    tail = word.lstrip(_CAPITALS)
    if tail != tail.lower() and lowered not in vocabulary.BRANDS:
        yield Term("identifier", word, word, True)
        return
    if word in vocabulary.CAPITALS_MATTER or (len(word) == 1 and lowered not in "ai"):
        yield Term("name", word, word, True)
        return
    if word == "A":  # "Server A", "A calls B": a name, unless proven an article
        yield Term("name", word, "A", False)
        return
    parts = unfold_contraction(lowered)
    kind = "name" if word[:1].isupper() else "word"
    for part in parts:
        exact = word if len(parts) == 1 else part
        yield Term(kind, exact, part, False)
