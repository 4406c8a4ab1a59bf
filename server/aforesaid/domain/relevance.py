"""How likely a memory answers a question, as a probability: named signals, weights in one place.

Here: signals of each candidate, the calibrated share in [0, 1] that is shown as ``relevance``, and
where an answer is cut. Not here: the order of results (ranking.py), which this never changes.
"""

from __future__ import annotations

from math import exp, log

from .value import Value
from .words import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .memory import Hit

_TEXT_CHARS = 4_000  #: of a candidate, that are looked at for words
_STEM_CHARS = 4  #: what an ending may not cut into
_INSIDE_CHARS = 5  #: stems from here on are also found inside longer words
_SLIP_CHARS = 5  #: words from here on are also found with one slip of the keyboard
_SLIP_SHARE = 0.5  #: of its weight that a word counts for, if found with a slip
_RARE = 2  #: a term is rare if so many candidates hold it
_NEIGHBOURS = 20  #: cosines that the margin is taken over
_USUAL, _USUAL_COUNT = 0.25, 5  #: what their mean is, and counts for, where there are few
_BREAKS = {code: " " for code in range(128) if not chr(code).isalnum()}
_ENDINGS = (
    "ations", "ation", "ings", "ing", "ments", "ment", "ied", "ies", "ers", "er", "ed", "es",
    "ly", "s", "e", "y",
)  # fmt: skip


#: Log-odds that a candidate answers: 1, and each signal. Made by ``python -m
#: bench.agent_memories.train`` on the development part. Source: docs/adr/0018-relevance.md.
BIAS = {"with vectors": -2.50, "words only": -3.82}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 10.20,
        "behind": -11.83,
        "coverage": 7.54,
        "uncovered": -3.42,
        "agreement": -10.61,
        "exact": 1.21,
        "foreign": -0.69,
    },
    "words only": {
        "coverage": 4.47,
        "uncovered": -5.68,
        "rare": 1.38,
        "foreign": -0.91,
    },
}
#: Where one result is so sure, those that are less likely than this share of it are left out.
SURE = 0.7
SHARE_OF_BEST = 0.05
#: What nobody asked for is shown only from here on.
INJECTION_FLOOR = 0.86


class Signals(Value):
    """What speaks for one candidate and against it, each by its name in the weights."""

    cosine: float = 0.0  #: of its best window; 0 where vectors did not find it
    margin: float = 0.0  #: cosine over the mean of the nearest
    behind: float = 0.0  #: how far its cosine is behind the best one
    coverage: float = 0.0  #: share of the question's weight in words that it holds, in [0, 1]
    uncovered: float = 0.0  #: how far its coverage is behind the best one
    agreement: float = 0.0  #: cosine times coverage: both say so
    rare: float = 0.0  #: rare words of the question that it holds, at most 3
    exact: float = 0.0  #: 1 if it holds a code, path, flag or number of the question
    foreign: float = 0.0  #: names in the question that it does not hold, at most 2


def measure(query: str, texts: dict[int, str], vectors: Sequence[Hit]) -> dict[int, Signals]:
    """Return the signals of every candidate, by head.

    Args:
        query: the question.
        texts: what each candidate says, by head.
        vectors: what meaning found; empty where only words were to be had.
    """
    words = Words(query, texts)
    cosines: dict[int, float] = {}
    for hit in vectors:
        if hit.score > cosines.get(hit.head, 0.0):
            cosines[hit.head] = hit.score
    nearest = sorted(cosines.values(), reverse=True)
    top = nearest[0] if nearest else 0.0
    near = nearest[1:_NEIGHBOURS]
    mean = (sum(near) + _USUAL * _USUAL_COUNT) / (len(near) + _USUAL_COUNT)
    most = max(words.coverage.values(), default=0.0)
    measured = {}
    for head in texts:
        cosine = cosines.get(head, 0.0)
        coverage = words.coverage[head]
        held = words.held[head]
        measured[head] = Signals(
            cosine=cosine,
            margin=cosine - mean,
            behind=top - cosine,
            coverage=coverage,
            uncovered=most - coverage,
            agreement=cosine * coverage,
            rare=float(min(sum(words.holders[term] <= _RARE for term in held), 3)),
            exact=float(any(term in held for term in words.codes)),
            foreign=float(min(sum(term not in held for term in words.names), 2)),
        )
    return measured


def relevance_of(signals: Signals, *, vectors: bool) -> float:
    """Return how likely a candidate answers, in [0, 1].

    Args:
        signals: what speaks for and against it.
        vectors: whether meaning was searched as well as words.
    """
    kind = "with vectors" if vectors else "words only"
    odds = BIAS[kind]
    for name, weight in WEIGHTS[kind].items():
        odds += weight * getattr(signals, name)
    return 1 / (1 + exp(-odds))


def lowest(best: float, wanted: float | None) -> float:
    """Return the least relevance that is returned.

    Args:
        best: of the most relevant candidate.
        wanted: what the caller asked for; None leaves out what falls far behind a sure one.
    """
    if wanted is not None:
        return wanted
    return SHARE_OF_BEST * best if best >= SURE else 0.0


class Words:
    """Which words of a question each text holds, and what each word weighs.

    A word weighs by how few of the candidates hold it. These were chosen by the very same words,
    so what none of them holds is nowhere in the store, and weighs most.
    """

    def __init__(self, query: str, texts: dict[int, str]) -> None:
        self.terms = query_terms(query)
        self.codes = [term for term in self.terms if _is_code(term)]
        self.names = _names(query, self.terms)
        padded = {
            head: f" {text[:_TEXT_CHARS].lower().translate(_BREAKS)} "
            for head, text in texts.items()
        }
        self.held: dict[int, dict[str, float]] = {head: {} for head in texts}
        self.holders: dict[str, int] = {}
        for term in self.terms:
            self.holders[term] = self._hold(term, padded)
        weight = {
            term: log((len(texts) + 1) / (count + 0.5)) for term, count in self.holders.items()
        }
        total = sum(weight.values()) or 1.0
        self.coverage = {
            head: sum(weight[term] * share for term, share in found.items()) / total
            for head, found in self.held.items()
        }

    def _hold(self, term: str, padded: dict[int, str]) -> int:
        """Note which texts hold a term; return how many do, a slip of the keyboard apart."""
        forms = _forms(term)
        found = [head for head, text in padded.items() if any(form in text for form in forms)]
        for head in found:
            self.held[head][term] = 1.0
        if not found and len(term) >= _SLIP_CHARS and term.isascii() and term.isalpha():
            slips = _slips(term)
            for head, text in padded.items():
                if any(start in text for start in slips) and _has_slip(term, text):
                    self.held[head][term] = _SLIP_SHARE
        return len(found)


def _forms(term: str) -> tuple[str, ...]:
    """Return what to look for in a text with a blank around each word, for one term."""
    words = term.lower().translate(_BREAKS).split()
    if len(words) != 1:
        return (f" {' '.join(words)} ",) if words else (f" {term} ",)
    word = words[0]
    if not word.isascii():
        return (word,)
    stem = word
    if not any(letter.isdigit() for letter in word):
        for ending in _ENDINGS:
            if word.endswith(ending) and len(word) - len(ending) >= _STEM_CHARS:
                stem = word[: -len(ending)]
                break
    if len(stem) >= _INSIDE_CHARS:
        return (stem,)
    if len(word) < _STEM_CHARS or not word.isalpha():
        return (f" {word} ", f" {word}s ")
    return (f" {stem}",)


def _slips(term: str) -> tuple[str, str]:
    """Return the halves of a word: with one slip, one of them is as it should be."""
    half = len(term) // 2
    return f" {term[:half]}", f"{term[half + 1 :]} "


def _has_slip(term: str, text: str) -> bool:
    """Tell whether a text has the term with one letter wrong, missing, added, or two swapped."""
    return any(
        abs(len(word) - len(term)) <= 1
        and (word[:2] == term[:2] or word[-2:] == term[-2:])
        and one_slip(term, word)
        for word in text.split()
    )


def one_slip(one: str, other: str) -> bool:
    """Tell whether two words differ by one letter wrong, missing, added, or two swapped."""
    if len(one) > len(other):
        one, other = other, one
    at = next((i for i, letter in enumerate(one) if letter != other[i]), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    return one[at + 1 :] == other[at + 1 :] or (
        one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    )


def _is_code(term: str) -> bool:
    """Tell whether a term is a code, path, flag, version or number."""
    return len(term) > 1 and not term.isalpha() and term.isascii()


def _names(query: str, terms: Sequence[str]) -> list[str]:
    """Return the terms that are written as names: a capital letter, not where a sentence begins."""
    names: dict[str, None] = {}
    begins = True
    for token in query.split():
        word = token.strip("\"'`()[]{}<>,;:!?.")
        if word[:1].isupper() and not begins and word.lower() in terms:
            names[word.lower()] = None
        begins = token[-1] in ".!?:"
    return list(names)
