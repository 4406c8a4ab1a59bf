"""How well stated probabilities agree with truth, and how well a value parts two groups."""

from __future__ import annotations

from collections.abc import Sequence

BINS = 10


def reliability(pairs: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    """Return for each tenth of [0, 1]: results, mean probability stated, share that is true."""
    bins: list[list[tuple[float, bool]]] = [[] for _ in range(BINS)]
    for said, right in pairs:
        bins[min(int(said * BINS), BINS - 1)].append((said, right))
    return [
        {
            "results": len(one),
            "relevance": sum(said for said, _ in one) / len(one),
            "answers": sum(right for _, right in one) / len(one),
        }
        for one in bins
        if one
    ]


def expected_error(pairs: Sequence[tuple[float, bool]]) -> float:
    """Return the expected calibration error. Source: Naeini et al. 2015."""
    bins = reliability(pairs)
    gaps = sum(one["results"] * abs(one["relevance"] - one["answers"]) for one in bins)
    return gaps / len(pairs)


def area(above: Sequence[float], below: Sequence[float]) -> float:
    """Return the area under the ROC curve: how often one is above the other, ties half."""
    won = sum((one > other) + 0.5 * (one == other) for one in above for other in below)
    return won / (len(above) * len(below))
