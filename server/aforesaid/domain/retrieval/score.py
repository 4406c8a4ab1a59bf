"""All signals made one score: the order in which candidates answer.

Not here: what the signals are (ranking_features.py), what they weigh (ranking_weights.py).
"""

from __future__ import annotations

from .fusion import SearchCandidate
from .ranking_features import NAMES, RankingContext, measure_signals
from .ranking_weights import WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aforesaid.domain.model.memory import SessionNeighbours

    from .ranking_weights import Weights

_OF_WORDS = ("coverage", "window")
_OF_MEANING = ("meaning",)


def in_order(
    query: str,
    fused: Sequence[SearchCandidate],
    surroundings: Sequence[SessionNeighbours],
    texts: Mapping[int, str],
    limit: int,
    weights: Weights = WEIGHTS,
) -> list[SearchCandidate]:
    """Return the best candidates by all their signals, best first, ties by head.

    Neighbours that neither words nor meaning found become candidates too.

    Args:
        query: the question.
        fused: what words and meaning found, best first.
        surroundings: of those whose neighbours may answer as well.
        texts: what each says that may answer, by head; what has none is left out.
        limit: how many to return.
        weights: what the signals weigh.
    """
    found = {one.head: one for one in fused}
    measured = measure_signals(query, fused, RankingContext(surroundings), texts, weights)
    share = _shares(fused, weights)
    linked = weights.about if any(one.about for one in fused) else 0.0
    scored = []
    for head, row in measured.items():
        score = sum(weight * value for weight, value in zip(share, row, strict=True))
        if linked:
            about = head in found and found[head].about
            score = score * (1 - linked) + (linked if about else 0.0)
        scored.append((-score, head))
    scored.sort()
    return [
        (found.get(head) or SearchCandidate(head=head, matched=head)).replace(
            score=-score, signals=measured[head]
        )
        for score, head in scored[:limit]
    ]


def _shares(fused: Sequence[SearchCandidate], weights: Weights) -> list[float]:
    """Return the weight of each signal; where one side found nothing the other counts whole."""
    by_words = sum(getattr(weights, name) for name in _OF_WORDS)
    by_meaning = sum(getattr(weights, name) for name in _OF_MEANING)
    scale = dict.fromkeys(NAMES, 1.0)
    if not any(one.meaning for one in fused):
        scale.update(dict.fromkeys(_OF_WORDS, (by_words + by_meaning) / by_words))
    elif not any(one.words for one in fused):
        scale.update(dict.fromkeys(_OF_MEANING, (by_words + by_meaning) / by_meaning))
    return [scale[name] * getattr(weights, name) for name in NAMES]
