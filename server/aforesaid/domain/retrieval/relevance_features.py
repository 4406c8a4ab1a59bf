"""How likely a memory answers a question, as a probability: named signals.

Here: signals of each candidate, the calibrated share in [0, 1] that is shown as ``relevance``, and
where an answer is cut. Not here: words (term_matching.py, answer_type.py), weights
(relevance_weights.py), the order of results (domain/retrieval), which this never changes.
"""

from __future__ import annotations

from math import exp

from aforesaid.domain.value import Value

from .answer_type import could_answer, expected_answer_type
from .relevance_weights import BIAS, SHARE_OF_BEST, SURE, WEIGHTS
from .term_matching import TermMatcher, is_query_filler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Hit

_RARE = 2  #: a term is rare if so many candidates hold it
_NEIGHBOURS = 20  #: cosines that the margin is taken over
_USUAL, _USUAL_COUNT = 0.25, 5  #: what their mean is, and counts for, where there are few


class RelevanceFeatures(Value):
    """What speaks for one candidate and against it, each by its name in the weights."""

    cosine: float = 0.0  #: of its best window; 0 where vectors did not find it
    margin: float = 0.0  #: cosine over the mean of the nearest
    behind: float = 0.0  #: how far its cosine is behind the best one
    coverage: float = 0.0  #: share of the question's weight in words that it holds, in [0, 1]
    uncovered: float = 0.0  #: how far its coverage is behind the best one
    agreement: float = 0.0  #: cosine times coverage: both say so
    alone: float = 0.0  #: how far its cosine is before the second best
    rare: float = 0.0  #: rare words of the question that it holds, at most 3
    wordless: float = 0.0  #: 1 if it holds no word of the question
    exact: float = 0.0  #: 1 if it holds a code, path, flag or number of the question
    missed: float = 0.0  #: 1 if it lacks one
    foreign: float = 0.0  #: names in the question that it does not hold, at most 2
    first: float = 0.0  #: 1 if it stands first in the order
    score: float = 0.0  #: what it is ordered by, in [0, 1]
    lead: float = 0.0  #: its score before the best other one's; below 0 for all but the first
    lacking: float = 0.0  #: weight of the heaviest word that it lacks, as a share of all words
    akin: float = 0.0  #: share of the question's weight in words that it says otherwise
    unfit: float = 0.0  #: 1 if a number, time, reason or person is asked for, and it holds none
    names: tuple[str, ...] = ()  #: words of the question that it holds, rarest first


def relevance_features(
    query: str,
    texts: dict[int, str],
    vectors: Sequence[Hit],
    months: dict[int, str] | None = None,
    scores: dict[int, float] | None = None,
) -> dict[int, RelevanceFeatures]:
    """Return the signals of every candidate, by head.

    Args:
        query: the question.
        texts: what each candidate says, by head.
        vectors: what meaning found; empty where only words were to be had.
        months: "June 2026": when each candidate is from, for questions that name it.
        scores: what each is ordered by, in [0, 1]; what is missing has none.
    """
    words = TermMatcher(query, texts, months)
    kind = expected_answer_type(query)
    cosines: dict[int, float] = {}
    for hit in vectors:
        if hit.score > cosines.get(hit.head, 0.0):
            cosines[hit.head] = hit.score
    nearest = sorted(cosines.values(), reverse=True)
    top, second = (*nearest, 0.0, 0.0)[:2]
    near = nearest[1:_NEIGHBOURS]
    mean = (sum(near) + _USUAL * _USUAL_COUNT) / (len(near) + _USUAL_COUNT)
    most = max(words.coverage.values(), default=0.0)
    scores = scores or {}
    first = max(scores, key=scores.__getitem__, default=None)
    best, next_best = (*sorted(scores.values(), reverse=True), 0.0, 0.0)[:2]
    lacking = _lacking(words)
    akin = words.synonym_coverage(list(texts))
    measured = {}
    for head, text in texts.items():
        cosine = cosines.get(head, 0.0)
        coverage = words.coverage[head]
        held = words.held[head]
        measured[head] = RelevanceFeatures(
            cosine=cosine,
            margin=cosine - mean,
            behind=top - cosine,
            alone=max(cosine - second, 0.0),
            coverage=coverage,
            uncovered=most - coverage,
            agreement=cosine * coverage,
            rare=float(min(sum(words.holders[word] <= _RARE for word in held), 3)),
            wordless=float(not held),
            exact=float(any(held.get(word) == 1.0 for word in words.codes)),
            missed=float(any(held.get(word, 0.0) < 1.0 for word in words.codes)),
            foreign=float(min(sum(word not in held for word in words.names), 2)),
            first=float(head == first),
            score=scores.get(head, 0.0),
            lead=best - next_best if head == first else scores.get(head, 0.0) - best,
            lacking=lacking[head],
            akin=akin[head],
            unfit=float(not could_answer(kind, text)),
            names=tuple(sorted(words.told(head), key=words.holders.__getitem__)),
        )
    return measured


def _lacking(words: TermMatcher) -> dict[int, float]:
    """Return the weight of the heaviest word that each text lacks, as a share of all words."""
    weight = {word: one for word, one in words.weight.items() if not is_query_filler(word)}
    total = sum(weight.values()) or 1.0
    return {
        head: max((one * (1 - held.get(word, 0.0)) for word, one in weight.items()), default=0.0)
        / total
        for head, held in words.held.items()
    }


def relevance_of(signals: RelevanceFeatures, *, vectors: bool) -> float:
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


def relevance_cutoff(best: float, wanted: float | None) -> float:
    """Return the least relevance that is returned.

    Args:
        best: of the most relevant candidate.
        wanted: what the caller asked for; None leaves out what falls far behind a sure one.
    """
    if wanted is not None:
        return wanted
    return SHARE_OF_BEST * best if best >= SURE else 0.0
