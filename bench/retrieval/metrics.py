"""How good a ranking is, against what should have been found. Binary relevance throughout."""

from __future__ import annotations

import math
from collections.abc import Sequence

DEPTH = 10
NAMES = ("recall@1", "recall@5", "recall@10", "hit@5", "mrr", "ndcg@10")


def score_ranking(ranked: Sequence[str], gold: frozenset[str]) -> dict[str, float]:
    """Return every measure of one ranking, best first, without repeats; all in [0, 1].

    ``recall@k`` is the share of the gold among the first k, ``hit@5`` whether any of it is among
    the first 5, ``mrr`` one over the first gold's rank, ``ndcg@10`` as Järvelin and Kekäläinen
    (2002) with gains of 0 and 1.
    """
    places = [place for place, name in enumerate(ranked) if name in gold]
    gain = sum(1 / math.log2(place + 2) for place in places if place < DEPTH)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(len(gold), DEPTH)))
    return {
        "recall@1": _within(places, 1) / len(gold),
        "recall@5": _within(places, 5) / len(gold),
        "recall@10": _within(places, 10) / len(gold),
        "hit@5": float(_within(places, 5) > 0),
        "mrr": 1 / (places[0] + 1) if places else 0.0,
        "ndcg@10": gain / ideal,
    }


def mean_scores(scores: Sequence[dict[str, float]]) -> dict[str, float]:
    """Return the mean of each measure; empty for none."""
    if not scores:
        return {}
    return {name: sum(one[name] for one in scores) / len(scores) for name in NAMES}


def _within(places: Sequence[int], count: int) -> int:
    return sum(place < count for place in places)
