"""The calibrated probability that a memory answers a query, shown as ``relevance``.

Here: its features, with the type of answer that a query expects (English only: a query in another
language has no expected type), their weights, and the cutoff. Weights and thresholds are printed by
``python -m bench.agent_memories.train`` from the development part. Source of every figure:
docs/adr/0025-precision-and-silence.md.
"""

from __future__ import annotations

import re

from aforesaid.domain.logistic import logistic
from aforesaid.domain.value import Value
from aforesaid.lexicon import questions

from .term_matching import TermMatcher, is_query_filler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Hit

#: Log-odds that a candidate answers: bias and weight of each feature.
BIAS = {"with vectors": -3.92, "words only": -5.16}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 14.93,
        "behind": -8.07,
        "alone": 1.47,
        "coverage": 8.54,
        "uncovered": -1.02,
        "agreement": -13.56,
        "rare": 0.47,
        "wordless": 1.97,
        "exact": 1.35,
        "missed": -0.55,
        "foreign": -0.87,
        "score": -1.92,
        "lead": 2.80,
        "lacking": -1.50,
        "unfit": -2.09,
        "akin": 7.32,
    },
    "words only": {
        "coverage": 4.47,
        "uncovered": -2.19,
        "rare": 1.09,
        "exact": 0.60,
        "missed": -3.42,
        "foreign": -0.62,
        "first": 0.86,
        "lead": 1.99,
        "unfit": -2.58,
        "akin": 3.99,
    },
}
#: If the best relevance is at least SURE, results below SHARE_OF_BEST of it are left out.
SURE = 0.8
SHARE_OF_BEST = 0.05
#: Minimum relevance in the benches for showing a memory without a query of the user.
INJECTION_FLOOR = 0.7


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
