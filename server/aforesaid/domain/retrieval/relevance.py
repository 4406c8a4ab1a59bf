"""The calibrated probability that a memory answers a query, shown as ``relevance``.

It is the product of two: that anything in the store answers the query, from features of the query;
and, if so, that this memory does, from its features beside the other candidates. Both are fitted on
texts of several kinds and authors by ``python -m bench.relevance``, as if one query in three had no
answer. Here: the features, with the type of answer that a query expects (English only: a query
in another language has no expected type), the weights, and the cutoff. Source of every figure:
docs/adr/0048-notes-and-talk.md.
"""

from __future__ import annotations

import re
from math import log1p

from aforesaid.domain.logistic import logistic
from aforesaid.domain.value import Value
from aforesaid.lexicon import questions

from .term_matching import TermMatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Hit

#: Log-odds that the store has an answer: bias and weight of each feature of the query.
ANSWERED_BIAS = {"with vectors": 0.02, "words only": -2.47}
ANSWERED_WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "top": 9.91, "coverage": 1.33, "foreign": -1.49, "missed": -0.76, "candidates": -0.77,
    },
    "words only": {"coverage": 4.95, "foreign": -1.40, "missed": -0.76, "candidates": 0.22},
}  # fmt: skip
#: Log-odds that a candidate answers, if anything does.
BIAS = {"with vectors": -1.36, "words only": -0.48}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {"margin": 5.69, "uncovered": -0.69, "lead": 10.14, "unfit": -1.22},
    "words only": {"uncovered": -1.50, "lead": 6.91, "unfit": -1.11},
}
#: An answer whose results all have less relevance says that it has no good match.
NO_MATCH = 0.22
#: If the best relevance is at least SURE, results below SHARE_OF_BEST of it are left out.
SURE = 0.5
SHARE_OF_BEST = 0.05


NUMBER, TIME, REASON, PERSON, PAST = "number", "time", "reason", "person", "past"

#: Patterns of queries by expected type; the first match applies.
_ASKED = (
    (PAST, re.compile(r"\b(?:did|was|were|had)\b.*\bbefore\b|\b(?:previous|former)(?:ly)?\b")),
    (REASON, re.compile(r"\b(?:why|reasons?|how come)\b")),
    (PERSON, re.compile(r"\bwho(?:m|se)?\b")),
    (
        TIME,
        re.compile(
            r"^when\b|\bwhen (?:do|does|did|is|are|was|were|will)\b"
            r"|\bwh(?:at|ich) (?:time|day|date)s?\b"
        ),
    ),
    (
        NUMBER,
        re.compile(
            r"\bhow (?:many|much|long|often|big|large|old|fast|far|deep|high)\b"
            rf"|\b(?:{questions.QUANTITIES})\b"
        ),
    ),
)
#: Patterns of texts that could be answers, by type.
_HELD = {
    PAST: re.compile(rf"\b(?:{questions.PAST_WORDS})", re.IGNORECASE),
    NUMBER: re.compile(rf"\d|\b(?:{questions.NUMBER_WORDS})\b", re.IGNORECASE),
    TIME: re.compile(rf"\d|\b(?:{questions.TIME_WORDS})\b", re.IGNORECASE),
    REASON: re.compile(rf"\b(?:{questions.REASON_WORDS})\b|[:;(]", re.IGNORECASE),
    PERSON: re.compile(
        r"(?<![.!?:] )(?<!^)\b[A-Z][a-z]{2,}|^[A-Z][a-z]+ (?:\w+s|and|or)\b"
        r"|\b(?:user|team|desk|office|group)\b"
    ),
}


def expected_answer_type(query: str) -> str:
    """Return the type of answer that a query expects; empty for none in particular."""
    lowered = query.lower()
    return next((kind for kind, pattern in _ASKED if pattern.search(lowered)), "")


def could_answer(kind: str, text: str) -> bool:
    """Return whether a text has what an answer of this type needs; always true for no type."""
    return not kind or _HELD[kind].search(text) is not None


_NEIGHBOURS = 20  #: number of best cosines whose mean the margin refers to
_PRIOR_COSINE, _PRIOR_COUNT = 0.25, 5  #: prior for that mean, and its weight
_MAX_FOREIGN = 2
#: The weights come from stores with more candidates; fewer would make anything seem an answer.
_MIN_CANDIDATES = 40


class QueryFeatures(Value):
    """Features of a query and of all its candidates, named as in ``ANSWERED_WEIGHTS``."""

    top: float = 0.0  #: best cosine; 0 without vectors
    coverage: float = 0.0  #: best share of the query's term weight that a candidate contains
    foreign: float = (
        0.0  #: number of names in the query that every candidate lacks one of, at most 2
    )
    missed: float = 0.0  #: 1 if every candidate lacks a code, path, flag or number of the query
    candidates: float = 0.0  #: log(1 + results, 40 or more, of the vector, else of both searches)


class RelevanceFeatures(Value):
    """Features of a candidate, named as in ``WEIGHTS``; the others have no weight."""

    cosine: float = 0.0  #: 0 if not found by vectors
    margin: float = 0.0  #: cosine minus the mean of the best ones
    coverage: float = 0.0  #: share of the query's term weight that it contains, in [0, 1]
    uncovered: float = 0.0  #: difference of its coverage to the best
    lead: float = 0.0  #: lead of its score over the best other; negative unless it ranks first
    unfit: float = 0.0  #: 1 if it lacks the expected number, time, reason or person
    names: tuple[str, ...] = ()  #: query terms that it contains, rarest first


def relevance_features(
    query: str,
    texts: dict[int, str],
    vectors: Sequence[Hit],
    months: dict[int, str] | None = None,
    scores: dict[int, float] | None = None,
) -> tuple[QueryFeatures, dict[int, RelevanceFeatures]]:
    """Return the features of the query, and those of every candidate, by head.

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
    runners_up = nearest[1:_NEIGHBOURS]
    mean = (sum(runners_up) + _PRIOR_COSINE * _PRIOR_COUNT) / (len(runners_up) + _PRIOR_COUNT)
    max_coverage = max(matcher.coverage.values(), default=0.0)
    scores = scores or {}
    first = max(scores, key=scores.__getitem__, default=None)
    best, next_best = (*sorted(scores.values(), reverse=True), 0.0, 0.0)[:2]
    shares = matcher.shares.values()
    lacking = (sum(name not in share for name in matcher.names) for share in shares)
    missing = (any(share.get(code, 0.0) < 1.0 for code in matcher.codes) for share in shares)
    of_query = QueryFeatures(
        top=max(nearest, default=0.0),
        coverage=max_coverage,
        foreign=float(min(min(lacking, default=0), _MAX_FOREIGN)),
        missed=float(min(missing, default=False)),
        candidates=log1p(max(len(cosines) or len(texts), _MIN_CANDIDATES)),
    )
    measured = {}
    for head, text in texts.items():
        coverage = matcher.coverage[head]
        measured[head] = RelevanceFeatures(
            cosine=cosines.get(head, 0.0),
            margin=cosines.get(head, 0.0) - mean,
            coverage=coverage,
            uncovered=max_coverage - coverage,
            lead=best - next_best if head == first else scores.get(head, 0.0) - best,
            unfit=float(not could_answer(answer_type, text)),
            names=tuple(sorted(matcher.matched_terms(head), key=matcher.text_counts.__getitem__)),
        )
    return of_query, measured


def answer_probability(features: QueryFeatures, *, vectors: bool) -> float:
    """Return the probability, in [0, 1], that anything in the store answers the query.

    Args:
        features: of the query.
        vectors: whether vectors were searched, not only full text.
    """
    mode = "with vectors" if vectors else "words only"
    weights = ANSWERED_WEIGHTS[mode]
    return logistic(ANSWERED_BIAS[mode] + _weighted(features, weights))


def relevance_of(features: RelevanceFeatures, answered: float, *, vectors: bool) -> float:
    """Return the probability, in [0, 1], that a candidate answers the query.

    Args:
        features: its features.
        answered: the probability that anything answers.
        vectors: whether vectors were searched, not only full text.
    """
    mode = "with vectors" if vectors else "words only"
    return answered * logistic(BIAS[mode] + _weighted(features, WEIGHTS[mode]))


def _weighted(features: Value, weights: dict[str, float]) -> float:
    total = 0.0
    for name, weight in weights.items():
        total += weight * getattr(features, name)
    return total


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
