"""From text to the words that are indexed and asked for.

The engine's tokenizer splits at punctuation and stems English; here is what it cannot see: parts
of CamelCase names, pairs of characters in scripts without spaces, and which words say nothing.
Query text never reaches the engine's syntax: each term is quoted.
"""

from __future__ import annotations

import re

QUERY_TERMS = 64
WORD_CHARS = 100  #: longer ones are no names
TERMS_CHARS = 16_000
#: Letters of a word that a slip is looked for in: shorter ones are one slip from many.
SPELT_CHARS, MAX_SPELT_CHARS = 5, 30

#: Words that match everything and mean nothing in a question. Dropping them is worth .04 recall@5
#: on LoCoMo (docs/adr/0012-ranking.md).
STOP_WORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being
    below between both but by can could did do does doing down during each few for from further
    had has have having he her here hers him his how i if in into is it its itself just me more
    most my no nor not of off on once only or other our ours out over own please same she should
    so some such tell than that the their theirs them then there these they this those through to
    too under until up us very was we were what when where which while who whom why will with
    would you your yours don doesn didn isn aren wasn weren couldn shouldn wouldn hasn haven
    hadn""".split()  # noqa: SIM905 - a list of words reads better as words
)

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
_CJK_RUN = re.compile(f"[{_CJK}]+")


def index_terms(content: str, summary: str | None, labels: tuple[str, ...]) -> str:
    """Return the extra words of a memory, one blank apart: what its text alone would not match.

    Args:
        content: its text.
        summary: its summary, if any.
        labels: tags, cues and names that recall should find it by; what is cut is not of them.
    """
    text = "\n".join((*labels, content, summary or ""))
    terms = dict.fromkeys(label.lower() for label in labels)
    for word in _WORD.findall(text):
        parts = _camel_parts(word)
        if not word.isascii() and _CJK_RUN.search(word):
            parts += _pieces(word)
        for part in parts:
            terms[part] = None
    for run in _CJK_RUN.findall(text):
        for pair in _pairs(run):
            terms[pair] = None
    return " ".join(terms)[:TERMS_CHARS]


def query_terms(query: str) -> list[str]:
    """Return the terms of a question, at most 64, stop words left out, in order.

    A term with punctuation inside (a path, a flag, a version, snake_case) is kept whole, to be
    asked for as a phrase, and given by its parts as well.
    """
    terms = dict.fromkeys(term for group in query_groups(query) for term in group)
    return list(terms)[:QUERY_TERMS]


def query_groups(query: str) -> list[tuple[str, ...]]:
    """Return the words of a question, each as a whole with its parts behind it, in order."""
    groups: dict[tuple[str, ...], None] = {}
    count = 0
    for token in _TOKEN.findall(_CLITIC.sub("", query)):
        words = _WORD.findall(token)
        forms = [_forms(word) for word in words]
        whole = [token.strip(_EDGES).lower()] if len(words) > 1 else []
        found: list[tuple[str, ...]]
        if _CJK_RUN.search(token):  # each pair is a word of its own
            found = [(term,) for term in (*whole, *(one for each in forms for one in each))]
        elif whole:
            found = [tuple(dict.fromkeys((*whole, *(one for each in forms for one in each))))]
        else:
            found = [tuple(each) for each in forms if each]
        groups.update(dict.fromkeys(found))
        count += sum(map(len, found))
        if count >= QUERY_TERMS:
            break
    return list(groups)


def spelt_words(text: str) -> set[str]:
    """Return the words of a text that one may spell wrongly: 5 to 30 letters, lower-case."""
    found = set()
    for word in _SPELT.findall(text):
        if not word.isascii() and _CJK_RUN.search(word):
            continue
        for one in (word.lower(), *_camel_parts(word)):
            if SPELT_CHARS <= len(one) <= MAX_SPELT_CHARS:
                found.add(one)
    return found


def _forms(word: str) -> list[str]:
    """Return what to ask for one word: itself and its parts, nothing for a stop word."""
    if _CJK_RUN.search(word):
        pairs = [pair for run in _CJK_RUN.findall(word) for pair in _pairs(run)]
        return [*(one for one in _pieces(word) if one not in STOP_WORDS), *pairs]
    low = word.lower()
    if low in STOP_WORDS:
        return []
    pieces = low.split("_") if "_" in word else []
    return [low, *(one for one in pieces if one and one not in STOP_WORDS), *_camel_parts(word)]


def _camel_parts(word: str) -> list[str]:
    """Return the lower-case parts of a CamelCase or letter-digit word, none if it has one only."""
    if word.islower() or word.isdigit() or len(word) > WORD_CHARS:
        return []
    parts = [part.lower() for part in _CAMEL.findall(word)]
    return [part for part in parts if len(part) > 1] if len(parts) > 1 else []


def _pieces(word: str) -> list[str]:
    """Return what stands between the CJK runs of a word: the tokenizer sees one word."""
    return [piece.lower() for piece in _CJK_RUN.split(word) if len(piece) > 1]


def _pairs(run: str) -> list[str]:
    """Return the overlapping pairs of characters of a run, or the run if it is one character."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
