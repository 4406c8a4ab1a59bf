"""Matches the terms of a query with candidates' texts, and weights each term.

Which terms the store is searched for: domain/text/tokenize.py.
"""

from __future__ import annotations

from itertools import pairwise
from math import log

from aforesaid.domain.text.synonyms import synonyms_of
from aforesaid.domain.text.tokenize import STEM_CHARS, is_edit_distance_one, query_groups, stem
from aforesaid.lexicon.stop_words import (
    CJK_QUESTION_FILLERS,
    FOREIGN_QUESTION_FILLERS,
    QUESTION_FILLERS,
    STOP_WORDS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_TEXT_CHARS = 32_000  #: of a candidate that are searched for terms
_INSIDE_CHARS = 5  #: stems of this length also match inside longer words
_SLIP_CHARS = 5  #: words of this length also match with one typing error
_SLIP_SHARE = 0.5  #: share of its weight that a term counts for with a typing error
_PARTS_SHARE = 0.5  #: the same if only all its parts match
_FILLER_SHARE = 0.25  #: the same for a query filler such as "which"
_BREAKS = {code: " " for code in range(128) if not chr(code).isalnum()}
#: The same for bytes of ASCII, including lower-casing, in one fast pass.
_ASCII = bytes(range(256)).lower().translate(bytes.maketrans(bytes(_BREAKS), b" " * len(_BREAKS)))


class TermMatcher:
    """The terms of a query, their weights, and how far each text contains them.

    A term's weight grows with the number of candidates without it. As candidates were found by the
    same terms, one that none contains is not in the store at all, and has the largest weight. Query
    fillers have a small weight. A compound term (``useClientDate``) counts once.

    Attributes:
        terms: the terms of the query, in order.
        codes: those that are codes, paths, flags, versions or numbers.
        names: those that are capitalised as names.
        shares: for each head, the share in [0, 1] to which it contains each of its terms.
        text_counts: number of texts that contain a term.
        weight: weight of each term.
        coverage: for each head, the share in [0, 1] of the query's weight that it contains.
    """

    def __init__(
        self, query: str, texts: dict[int, str], months: dict[int, str] | None = None
    ) -> None:
        """Match a query with texts.

        Args:
            query: the query.
            texts: the text of each candidate, by head.
            months: the month of a candidate's event, such as "June 2026", by head.
        """
        months = months or {}
        self._padded = {
            head: _padded(f"{text[:_TEXT_CHARS]} {months.get(head, '')}")
            for head, text in texts.items()
        }
        self.groups = query_groups(query)
        self.terms = [group[0] for group in self.groups]
        self.codes = [word for word in self.terms if _is_code(word)]
        self.names = _names(query, self.terms)
        self.shares: dict[int, dict[str, float]] = {head: {} for head in texts}
        self.text_counts: dict[str, int] = {}
        for group in self.groups:
            self._match_group(group)
        self.weight = {
            word: log((len(texts) + 1) / (count + 0.5))
            * (_FILLER_SHARE if is_query_filler(word) else 1.0)
            for word, count in self.text_counts.items()
        }
        total = sum(self.weight.values()) or 1.0
        self.coverage = {
            head: sum(self.weight[word] * share for word, share in shares.items()) / total
            for head, shares in self.shares.items()
        }

    def holds(self, head: int, term: str) -> bool:
        """Return whether a text contains a term, also by all its parts or with a typing error."""
        return self.shares[head].get(term, 0.0) >= _SLIP_SHARE

    def matched_terms(self, head: int) -> list[str]:
        """Return the terms of the query that a text contains, without query fillers."""
        return [term for term in self.terms if self.holds(head, term) and not is_query_filler(term)]

    def synonym_coverage(self, heads: Sequence[int]) -> dict[int, float]:
        """Return the share of the query's weight that each text contains as synonyms only.

        A term counts more, the fewer of these texts contain a synonym of it.

        Args:
            heads: the candidates to compare.
        """
        synonyms = {
            term: term_synonyms for term in self.terms if (term_synonyms := synonyms_of(term))
        }
        coverage = dict.fromkeys(heads, 0.0)
        if not synonyms:
            return coverage
        all_synonyms = frozenset().union(*synonyms.values())
        synonyms_in = {
            head: all_synonyms.intersection(map(stem, self._padded[head].split())) for head in heads
        }
        total = sum(self.weight.values()) or 1.0
        max_weight = log((len(synonyms_in) + 1) / 0.5)
        for term, term_synonyms in synonyms.items():
            matching = [
                head
                for head, words in synonyms_in.items()
                if not term_synonyms.isdisjoint(words) and not self.holds(head, term)
            ]
            share = (
                self.weight[term]
                * log((len(synonyms_in) + 1) / (len(matching) + 0.5))
                / (max_weight * total)
            )
            for head in matching:
                coverage[head] += share
        return coverage

    def _match_group(self, group: tuple[str, ...]) -> None:
        """Record the share to which each text contains a term or its parts."""
        word, parts = group[0], group[1:]
        heads = self._heads_with(word)
        self.text_counts[word] = len(heads)
        for head in heads:
            self.shares[head][word] = 1.0
        if parts:
            with_all_parts = self._match_parts(word, parts)
            self.text_counts[word] = self.text_counts[word] or with_all_parts
        elif not heads and len(word) >= _SLIP_CHARS and word.isascii() and word.isalpha():
            halves = _halves(word)
            for head, text in self._padded.items():
                if any(half in text for half in halves) and _has_slip(word, text):
                    self.shares[head][word] = _SLIP_SHARE

    def _match_parts(self, word: str, parts: Sequence[str]) -> int:
        """Record the texts with parts of a term only; return the number with all parts."""
        counts: dict[int, int] = {}
        for part in parts:
            for head in self._heads_with(part):
                counts[head] = counts.get(head, 0) + 1
        for head, count in counts.items():
            self.shares[head].setdefault(word, _PARTS_SHARE * count / len(parts))
        return sum(count == len(parts) for count in counts.values())

    def _heads_with(self, term: str) -> list[int]:
        form, *others = _forms(term)
        if not others:
            return [head for head, text in self._padded.items() if form in text]
        return [
            head
            for head, text in self._padded.items()
            if form in text or any(other in text for other in others)
        ]


def _padded(text: str) -> str:
    """Return the words of a text in lower case, with one space around each."""
    if text.isascii():
        words = text.encode().translate(_ASCII).decode().split()
    else:
        words = text.lower().translate(_BREAKS).split()
    return f" {' '.join(words)} "


def number_phrases(query: str) -> list[str]:
    """Return the numbers of a query, each with the word before it: "server 2", "phase 3"."""
    words = _padded(query).split()
    return [
        f"{before} {number}"
        for before, number in pairwise(words)
        if number.isdigit() and before.isalpha() and before not in STOP_WORDS
    ]


def contained_phrases(phrases: Sequence[str], text: str) -> set[str]:
    """Return which phrases a text contains, in the same order of words."""
    padded = _padded(text)
    return {phrase for phrase in phrases if f" {phrase} " in padded}


def is_query_filler(word: str) -> bool:
    """Return whether a word is a query filler, which does not indicate the subject."""
    if word.isascii():
        return word in QUESTION_FILLERS or word in FOREIGN_QUESTION_FILLERS or is_year(word)
    return word in FOREIGN_QUESTION_FILLERS or any(
        "\u3041" <= letter <= "\u309f" or letter in CJK_QUESTION_FILLERS for letter in word
    )


def _forms(term: str) -> tuple[str, ...]:
    """Return the strings by which a term is found in a text that ``_padded`` returned."""
    words = term.lower().translate(_BREAKS).split()
    if len(words) != 1:
        return (f" {' '.join(words)} ",) if words else (f" {term} ",)
    word = words[0]
    if not word.isascii():
        return (word,)
    stemmed = word if any(letter.isdigit() for letter in word) else stem(word)
    if len(stemmed) >= _INSIDE_CHARS:
        return (stemmed,)
    if len(word) < STEM_CHARS or not word.isalpha():
        return (f" {word} ", f" {word}s ")
    return (f" {stemmed}",)


def _halves(term: str) -> tuple[str, str]:
    """Return the halves of a word: a word with one typing error still has one of them."""
    half = len(term) // 2
    return f" {term[:half]}", f"{term[half + 1 :]} "


def _has_slip(term: str, text: str) -> bool:
    """Return whether a text has the term with one letter wrong, missing, added, or two swapped."""
    return any(
        abs(len(word) - len(term)) <= 1
        and (word[:2] == term[:2] or word[-2:] == term[-2:])
        and is_edit_distance_one(term, word)
        for word in text.split()
    )


def _is_code(term: str) -> bool:
    """Return whether a term is a code, path, flag, version or number, but not a year."""
    if is_year(term):
        return False
    return len(term) > 1 and not term.isalpha() and term.isascii()


def is_year(term: str) -> bool:
    """Return whether a term is a year from 1900 to 2099."""
    return len(term) == len("2026") and term.isdigit() and term[:2] in ("19", "20")


def _names(query: str, terms: Sequence[str]) -> list[str]:
    """Return the terms with a capital letter that does not begin a sentence."""
    names: dict[str, None] = {}
    at_sentence_start = True
    for token in query.split():
        word = token.strip("\"'`()[]{}<>,;:!?.")
        if word[:1].isupper() and not at_sentence_start and word.lower() in terms:
            names[word.lower()] = None
        at_sentence_start = token[-1] in ".!?:"
    return list(names)
