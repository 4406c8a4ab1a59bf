"""Words and meaning made one score, and how well a memory is kept.

Here: candidates and the convex combination of normalised scores. Not here: other signals
(ranking_features.py).
Why not reciprocal rank fusion: docs/adr/0012-ranking.md.
"""

from __future__ import annotations

from aforesaid.domain.model.decay import FACTORS, retention
from aforesaid.domain.value import Value

from .ranking_weights import WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.memory import Hit, Memory

    from .ranking_weights import Weights


class SearchCandidate(Value):
    """A memory that may answer, and what speaks for it."""

    head: int  #: the version in force, which is what is returned
    matched: int  #: the version that matched best
    words: float = 0.0  #: BM25 as a share of the best one's, in [0, 1]
    meaning: float = 0.0  #: cosine, 0 where vectors did not find it
    words_rank: int = 0  #: among what words found, 1 is best, 0 is none
    meaning_rank: int = 0  #: among what meaning found
    signals: tuple[float, ...] = ()  #: each in [0, 1], in the order of signals.NAMES
    about: str = ""  #: the entity that the question names and it is linked to
    kept: float = 0.0  #: added to the score for how well it is kept
    pinned: float = 0.0  #: added to the score for its pin
    score: float = 0.0  #: orders; the fused score is in [0, 1], signals add to it


def fuse(
    words: Sequence[Hit], vectors: Sequence[Hit], weights: Weights = WEIGHTS
) -> list[SearchCandidate]:
    """Return one candidate per head, best first, ties by meaning, then head.

    Convex combination of the normalised scores; where one side found nothing at all the other
    counts whole.
    """
    best_words = max((hit.score for hit in words), default=0.0)
    top_cosine = max((hit.score for hit in vectors), default=0.0)
    share = weights.dense if words and vectors else (0.0 if words else 1.0)
    lexical: dict[int, float] = {}
    semantic: dict[int, float] = {}
    matched: dict[int, tuple[float, int]] = {}
    for hits, best, unit, floor in (
        (words, lexical, best_words, -1.0),
        (vectors, semantic, 1.0, weights.near),
    ):
        for hit in hits:
            if hit.score < floor:
                continue
            value = hit.score / unit if unit > 0 else 0.0
            if value > best.get(hit.head, -1.0):
                best[hit.head] = value
            if hit.head not in matched or value > matched[hit.head][0]:
                matched[hit.head] = (value, hit.key)
    ranks = [_ranks(hits) for hits in (words, vectors)]
    span = max(top_cosine - weights.floor, 1e-9)
    candidates = []
    for head, (_, key) in matched.items():
        word, cosine = max(lexical.get(head, 0.0), 0.0), semantic.get(head, 0.0)
        score = (1 - share) * word + share * max(cosine - weights.floor, 0.0) / span
        candidates.append(
            SearchCandidate(
                head=head,
                matched=key,
                words=word,
                meaning=cosine,
                words_rank=ranks[0].get(head, 0),
                meaning_rank=ranks[1].get(head, 0) if cosine else 0,
                score=score,
            )
        )
    return sorted(candidates, key=best_first)


def _ranks(hits: Sequence[Hit]) -> dict[int, int]:
    """Return the rank of each head among these hits, from 1."""
    heads = dict.fromkeys(hit.head for hit in hits)
    return {head: rank for rank, head in enumerate(heads, start=1)}


def boost(
    candidate: SearchCandidate,
    memory: Memory,
    now: int,
    weights: Weights = WEIGHTS,
    factors: Factors = FACTORS,
) -> SearchCandidate:
    """Return the candidate with its score moved gently by how well the memory is kept."""
    kept = weights.retention * retention(memory, now, factors)
    pinned = weights.pinned if memory.pinned else 0.0
    score = candidate.score * (1 - weights.retention) + kept + pinned
    return candidate.replace(score=score, kept=kept, pinned=pinned)


def best_first(candidate: SearchCandidate) -> tuple[float, float, int]:
    """Return the sort key of a candidate: score and meaning downwards, then head."""
    return (-candidate.score, -candidate.meaning, candidate.head)
