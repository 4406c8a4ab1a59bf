"""The calibrated probability that a memory answers a query: features, relevance and cutoff.

Shown as ``relevance``. Weights: relevance_weights.py.
"""

from __future__ import annotations

from aforesaid.domain.logistic import logistic
from aforesaid.domain.value import Value

from .answer_type import could_answer, expected_answer_type
from .relevance_weights import BIAS, SHARE_OF_BEST, SURE, WEIGHTS
from .term_matching import TermMatcher, is_query_filler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Hit

_RARE = 2  #: a term is rare if at most this many candidates contain it
_NEIGHBOURS = 20  #: number of best cosines whose mean the margin refers to
_PRIOR_COSINE, _PRIOR_COUNT = 0.25, 5  #: prior for that mean, and its weight


class RelevanceFeatures(Value):
    """Features of a candidate, named as in ``WEIGHTS``."""

    cosine: float = 0.0  #: of its best chunk; 0 if not found by vectors
    margin: float = 0.0  #: cosine minus the mean of the best ones
    behind: float = 0.0  #: difference of its cosine to the best
    coverage: float = 0.0  #: share of the query's term weight that it contains, in [0, 1]
    uncovered: float = 0.0  #: difference of its coverage to the best
    agreement: float = 0.0  #: cosine times coverage
    alone: float = 0.0  #: lead of its cosine over the second best
    rare: float = 0.0  #: number of rare query terms that it contains, at most 3
    wordless: float = 0.0  #: 1 if it contains no term of the query
    exact: float = 0.0  #: 1 if it contains a code, path, flag or number of the query
    missed: float = 0.0  #: 1 if it lacks one of these
    foreign: float = 0.0  #: number of names in the query that it lacks, at most 2
    first: float = 0.0  #: 1 if it ranks first
    score: float = 0.0  #: its ranking score, in [0, 1]
    lead: float = 0.0  #: lead of its score over the best other; negative unless it ranks first
    lacking: float = 0.0  #: weight of the heaviest term that it lacks, as a share of all
    akin: float = 0.0  #: share of the query's term weight that it contains as synonyms
    unfit: float = 0.0  #: 1 if it lacks the expected number, time, reason or person
    names: tuple[str, ...] = ()  #: query terms that it contains, rarest first


def relevance_features(
    query: str,
    texts: dict[int, str],
    vectors: Sequence[Hit],
    months: dict[int, str] | None = None,
    scores: dict[int, float] | None = None,
) -> dict[int, RelevanceFeatures]:
    """Return the features of every candidate, by head.

    Args:
        query: the query.
        texts: the text of each candidate, by head.
        vectors: the vector results; empty without vectors.
        months: the month of a candidate's event, such as "June 2026", by head.
        scores: ranking scores in [0, 1], by head.
    """
    matcher = TermMatcher(query, texts, months)
    answer_type = expected_answer_type(query)
    cosines: dict[int, float] = {}
    for hit in vectors:
        if hit.score > cosines.get(hit.head, 0.0):
            cosines[hit.head] = hit.score
    nearest = sorted(cosines.values(), reverse=True)
    top, second = (*nearest, 0.0, 0.0)[:2]
    runners_up = nearest[1:_NEIGHBOURS]
    mean = (sum(runners_up) + _PRIOR_COSINE * _PRIOR_COUNT) / (len(runners_up) + _PRIOR_COUNT)
    max_coverage = max(matcher.coverage.values(), default=0.0)
    scores = scores or {}
    first = max(scores, key=scores.__getitem__, default=None)
    best, next_best = (*sorted(scores.values(), reverse=True), 0.0, 0.0)[:2]
    heaviest_lacking = _lacking(matcher)
    synonym_coverage = matcher.synonym_coverage(list(texts))
    measured = {}
    for head, text in texts.items():
        cosine = cosines.get(head, 0.0)
        coverage = matcher.coverage[head]
        shares = matcher.shares[head]
        measured[head] = RelevanceFeatures(
            cosine=cosine,
            margin=cosine - mean,
            behind=top - cosine,
            alone=max(cosine - second, 0.0),
            coverage=coverage,
            uncovered=max_coverage - coverage,
            agreement=cosine * coverage,
            rare=float(min(sum(matcher.text_counts[word] <= _RARE for word in shares), 3)),
            wordless=float(not shares),
            exact=float(any(shares.get(word) == 1.0 for word in matcher.codes)),
            missed=float(any(shares.get(word, 0.0) < 1.0 for word in matcher.codes)),
            foreign=float(min(sum(word not in shares for word in matcher.names), 2)),
            first=float(head == first),
            score=scores.get(head, 0.0),
            lead=best - next_best if head == first else scores.get(head, 0.0) - best,
            lacking=heaviest_lacking[head],
            akin=synonym_coverage[head],
            unfit=float(not could_answer(answer_type, text)),
            names=tuple(sorted(matcher.matched_terms(head), key=matcher.text_counts.__getitem__)),
        )
    return measured


def _lacking(matcher: TermMatcher) -> dict[int, float]:
    """Return the weight of the heaviest term that each text lacks, as a share of all."""
    weights = {word: weight for word, weight in matcher.weight.items() if not is_query_filler(word)}
    total = sum(weights.values()) or 1.0
    return {
        head: max(
            (weight * (1 - shares.get(word, 0.0)) for word, weight in weights.items()), default=0.0
        )
        / total
        for head, shares in matcher.shares.items()
    }


def relevance_of(features: RelevanceFeatures, *, vectors: bool) -> float:
    """Return the probability, in [0, 1], that a candidate answers the query.

    Args:
        features: its features.
        vectors: whether vectors were searched, not only full text.
    """
    mode = "with vectors" if vectors else "words only"
    odds = BIAS[mode]
    for name, weight in WEIGHTS[mode].items():
        odds += weight * getattr(features, name)
    return logistic(odds)


def relevance_cutoff(best: float, min_relevance: float | None) -> float:
    """Return the minimum relevance of results.

    Args:
        best: relevance of the most relevant candidate.
        min_relevance: the caller's minimum. With None, results far below a near-certain one are
            left out.
    """
    if min_relevance is not None:
        return min_relevance
    return SHARE_OF_BEST * best if best >= SURE else 0.0
