"""Splits text into the terms that are indexed and searched for; strips English endings.

SQLite's tokenizer (FTS5) splits at punctuation and stems English. This module adds what it cannot
see: parts of CamelCase names, character pairs of scripts without spaces, stop words. Each term is
quoted, so query text is never read as FTS5 syntax.
"""

from __future__ import annotations

import re

from aforesaid.lexicon.stop_words import STOP_WORDS

STEM_CHARS = 4  #: letters that always remain
_ENDINGS = (
    "ations", "ation", "ings", "ing", "ments", "ment", "ied", "ies", "ers", "er", "ed", "es",
    "ly", "s", "e", "y",
)  # fmt: skip
_MAX_STEMS = 20_000
_stems: dict[str, str] = {}  #: cache: the same words come again and again


def stem(word: str) -> str:
    """Return a lower-case word without a common English ending, at least four letters long."""
    stemmed = _stems.get(word)
    if stemmed is None:
        if len(_stems) >= _MAX_STEMS:
            _stems.clear()
        stemmed = _stems[word] = _cut(word)
    return stemmed


def _cut(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= STEM_CHARS:
            return word[: -len(ending)]
    return word


QUERY_TERMS = 64
WORD_CHARS = 100  #: a longer word is not split as a CamelCase name
TERMS_CHARS = 16_000
#: Letters of a word that is corrected: a shorter one is one edit from many others.
MIN_CORRECTED_CHARS, MAX_CORRECTED_CHARS = 5, 30

#: Han, kana, hangul, Thai: scripts that the engine's tokenizer does not cut into words.
_CJK = (
    "\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\u0e00-\u0e7f"
)
_TOKEN = re.compile(r"[^\s\"'`()\[\]{}<>,;!?]+")
#: What an apostrophe joins to a word: "don't", "the user's", "we'll".
_CLITIC = re.compile(r"(?<=\w)['\u2019](?:t|s|re|ve|ll|d|m)\b")
_EDGES = ".:-/\\"
_WORD = re.compile(r"\w+")
_SPELT = re.compile(r"[^\W\d_]+")
_CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def index_terms(content: str, summary: str | None, labels: tuple[str, ...]) -> str:
    """Return the extra terms to index a memory by, separated by spaces.

    Args:
        content: its text.
        summary: its summary, if any.
        labels: tags, cues and names; they come first, so the length limit never cuts them.
    """
    text = "\n".join((*labels, content, summary or ""))
    terms = dict.fromkeys(label.lower() for label in labels)
    for word in _WORD.findall(text):
        parts = _camel_parts(word)
        if _cjk_runs(word):
            parts += _between_cjk_runs(word)
        for part in parts:
            terms[part] = None
    for run in _cjk_runs(text):
        for pair in _pairs(run):
            terms[pair] = None
    return " ".join(terms)[:TERMS_CHARS]


def query_terms(query: str) -> list[str]:
    """Return at most 64 terms of a question, in order, without stop words.

    A term with punctuation inside (a path, a flag, a version, snake_case) is returned whole, to be
    searched for as a phrase, and again in parts.
    """
    terms = dict.fromkeys(term for group in query_groups(query) for term in group)
    return list(terms)[:QUERY_TERMS]


def query_groups(query: str) -> list[tuple[str, ...]]:
    """Return the words of a question in order, each as a tuple of itself and its parts."""
    groups: dict[tuple[str, ...], None] = {}
    count = 0
    for token in _TOKEN.findall(_CLITIC.sub("", query)):
        words = _WORD.findall(token)
        forms = [_forms(word) for word in words]
        whole = [token.strip(_EDGES).lower()] if len(words) > 1 else []
        terms = [*whole, *(form for word_forms in forms for form in word_forms)]
        token_groups: list[tuple[str, ...]]
        if _cjk_runs(token):  # each pair is a word of its own
            token_groups = [(term,) for term in terms]
        elif whole:
            token_groups = [tuple(dict.fromkeys(terms))]
        else:
            token_groups = [tuple(word_forms) for word_forms in forms if word_forms]
        groups.update(dict.fromkeys(token_groups))
        count += sum(map(len, token_groups))
        if count >= QUERY_TERMS:
            break
    return list(groups)


def spelt_words(text: str) -> set[str]:
    """Return the lower-case words of a text that spelling correction applies to."""
    words = set()
    for match in _SPELT.findall(text):
        if _cjk_runs(match):
            continue
        for word in (match.lower(), *_camel_parts(match)):
            if MIN_CORRECTED_CHARS <= len(word) <= MAX_CORRECTED_CHARS:
                words.add(word)
    return words


def is_edit_distance_one(first: str, second: str) -> bool:
    """Tell whether at most one edit separates two words.

    An edit adds, removes or replaces a letter, or swaps two neighbours.
    """
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    at = next((i for i, letter in enumerate(short) if letter != long[i]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    return short[at + 1 :] == long[at + 1 :] or (
        short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    )


def _forms(word: str) -> list[str]:
    """Return the terms to search for a word by; none for a stop word."""
    if runs := _cjk_runs(word):
        pairs = [pair for run in runs for pair in _pairs(run)]
        return [*(part for part in _between_cjk_runs(word) if part not in STOP_WORDS), *pairs]
    low = word.lower()
    if low in STOP_WORDS:
        return []
    parts = low.split("_") if "_" in word else []
    return [low, *(part for part in parts if part and part not in STOP_WORDS), *_camel_parts(word)]


def _camel_parts(word: str) -> list[str]:
    """Return the lower-case parts of a CamelCase or letter-digit word, none if it has only one."""
    if word.islower() or word.isdigit() or len(word) > WORD_CHARS:
        return []
    parts = [part.lower() for part in _CAMEL.findall(word)]
    return [part for part in parts if len(part) > 1] if len(parts) > 1 else []


def _cjk_run() -> re.Pattern[str]:
    # Not at import: compiling takes 2 ms of a hook, and ASCII text never needs it.
    return re.compile(f"[{_CJK}]+")


def _cjk_runs(text: str) -> list[str]:
    return [] if text.isascii() else _cjk_run().findall(text)


def _between_cjk_runs(word: str) -> list[str]:
    return [part.lower() for part in _cjk_run().split(word) if len(part) > 1]


def _pairs(run: str) -> list[str]:
    """Return the overlapping character pairs of a run, or a single character alone."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
