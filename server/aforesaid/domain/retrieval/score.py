"""The final ranking score: the weighted sum of all features."""

from __future__ import annotations

from .fusion import SearchCandidate
from .ranking_features import NAMES, RankingContext, measure_signals
from .ranking_weights import WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import SessionNeighbours

    from .ranking_weights import Weights

_TEXT_FEATURES = ("coverage", "window")
_VECTOR_FEATURES = ("meaning",)


def rank_candidates(
    query: str,
    fused: Sequence[SearchCandidate],
    session_neighbours: Sequence[SessionNeighbours],
    texts: Mapping[int, str],
    limit: int,
    weights: Weights = WEIGHTS,
) -> list[SearchCandidate]:
    """Return the best candidates by all their features, best first, ties by head.

    Neighbours in a session become candidates, too, even if neither search found them.

    Args:
        query: the query.
        fused: the fused candidates, best first.
        session_neighbours: the neighbours of the best candidates in their sessions.
        texts: the texts of candidates and neighbours, by head; without one, they are left out.
        limit: maximum number of results.
        weights: the weights of the features.
    """
    by_head = {candidate.head: candidate for candidate in fused}
    measured = measure_signals(query, fused, RankingContext(session_neighbours), texts, weights)
    effective = _effective_weights(fused, weights)
    linked = weights.about if any(candidate.about for candidate in fused) else 0.0
    scored = []
    for head, row in measured.items():
        score = sum(weight * value for weight, value in zip(effective, row, strict=True))
        if linked:
            about = head in by_head and by_head[head].about
            score = score * (1 - linked) + (linked if about else 0.0)
        scored.append((-score, head))
    scored.sort()
    return [
        (by_head.get(head) or SearchCandidate(head=head, matched=head)).replace(
            score=-score, signals=measured[head]
        )
        for score, head in scored[:limit]
    ]


def _effective_weights(fused: Sequence[SearchCandidate], weights: Weights) -> list[float]:
    """Return the weight of each feature; if one search found nothing, the other has full weight."""
    text_weight = sum(getattr(weights, name) for name in _TEXT_FEATURES)
    vector_weight = sum(getattr(weights, name) for name in _VECTOR_FEATURES)
    scale = dict.fromkeys(NAMES, 1.0)
    if not any(candidate.meaning for candidate in fused):
        scale.update(dict.fromkeys(_TEXT_FEATURES, (text_weight + vector_weight) / text_weight))
    elif not any(candidate.words for candidate in fused):
        scale.update(dict.fromkeys(_VECTOR_FEATURES, (text_weight + vector_weight) / vector_weight))
    return [scale[name] * getattr(weights, name) for name in NAMES]
