"""From log-odds to a probability."""

from __future__ import annotations

from math import exp


def logistic(log_odds: float) -> float:
    """Return the probability, in [0, 1], that log-odds stand for."""
    return 1 / (1 + exp(-log_odds))
