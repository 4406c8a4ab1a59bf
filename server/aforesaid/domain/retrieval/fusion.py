"""Fusion of full-text and vector results into candidates with one score.

A convex combination of normalised scores; docs/adr/0012-ranking.md says why not reciprocal rank
fusion. It decides which candidates are ranked; ranking.py orders them.
"""

from __future__ import annotations

from aforesaid.domain.model.decay import FACTORS, retention
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.memory import Hit, Memory


class Weights(Value):
    """Weights and minimum cosines of fusion and of the final score; of features: ranking.py."""

    dense: float = 0.5  #: share of vectors in the fused score; the rest is full text
    floor: float = 0.2  #: cosines of the shipped model below it are not evidence
    near: float = 0.1  #: minimum cosine of a candidate
    about: float = 0.3  #: it is linked to an entity in the query (docs/adr/0016)
    retention: float = 0.05
    pinned: float = 0.02


WEIGHTS = Weights()
#: For prompts, the minimum cosine of a candidate is the floor.
PROMPT_WEIGHTS = WEIGHTS.replace(near=WEIGHTS.floor)

CANDIDATES = 100  #: results taken from each of full text and vectors
MAX_TEXTS_READ = 64  #: the best of these, whose texts and neighbours are read
NEIGHBOURS_EACH_SIDE = 1  #: of a candidate, in its session
SHORTLIST = 64  #: candidates for a prompt
RELEVANCE_SCORED = 32  #: the best after ranking, whose relevance is computed


class SearchCandidate(Value):
    """A memory that may answer a query, with the components of its score."""

    head: int  #: key of the version in force, which is returned
    matched: int  #: key of the version that matched best
    words: float = 0.0  #: BM25 as a share of the best, in [0, 1]
    meaning: float = 0.0  #: cosine; 0 if not found by vectors
    words_rank: int = 0  #: rank in the full-text results from 1; 0 if not found
    meaning_rank: int = 0  #: rank in the vector results, likewise
    signals: tuple[float, ...] = ()  #: each in [0, 1], in the order of ``ranking.NAMES``
    about: str = ""  #: name of the entity in the query that the memory is linked to
    retained: float = 0.0  #: contribution of retention to the score
    pinned: float = 0.0  #: contribution of the pin to the score
    score: float = 0.0  #: sort key; in [0, 1] after fusion, then features are added


def fuse(
    words: Sequence[Hit], vectors: Sequence[Hit], weights: Weights = WEIGHTS
) -> list[SearchCandidate]:
    """Return one candidate per head, best first, ties by cosine, then head.

    If one of the two searches found nothing, the other has full weight.

    Args:
        words: full-text results, best first.
        vectors: vector results, best first.
        weights: share of vectors, and minimum cosines.
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
    """Return the rank of each head in results, from 1."""
    heads = dict.fromkeys(hit.head for hit in hits)
    return {head: rank for rank, head in enumerate(heads, start=1)}


def boost(
    candidate: SearchCandidate,
    memory: Memory,
    now: int,
    weights: Weights = WEIGHTS,
    factors: Factors = FACTORS,
) -> SearchCandidate:
    """Return the candidate with retention and pin added to its score."""
    retained = weights.retention * retention(memory, now, factors)
    pinned = weights.pinned if memory.pinned else 0.0
    score = candidate.score * (1 - weights.retention) + retained + pinned
    return candidate.replace(score=score, retained=retained, pinned=pinned)


def best_first(candidate: SearchCandidate) -> tuple[float, float, int]:
    """Return the sort key of a candidate: score and cosine descending, then head."""
    return (-candidate.score, -candidate.meaning, candidate.head)
