"""Logistic regression with a ridge, by Newton's method: what weights are made with."""

from __future__ import annotations

import numpy as np

_STEPS = 60
_SETTLED = 1e-9


def fit_logistic(
    inputs: np.ndarray,
    answers: np.ndarray,
    counts: np.ndarray,
    ridge: float,
    known: np.ndarray | None = None,
) -> tuple[float, np.ndarray]:
    """Return the bias and the weights that make the answers likeliest.

    Args:
        inputs: (n, signals).
        answers: (n,), each 0 or 1.
        counts: (n,), how much each row counts.
        ridge: pulls the weights of the standardised inputs towards the known ones.
        known: weights, (signals,); 0 if None.
    """
    mean, spread = inputs.mean(0), inputs.std(0) + 1e-9
    rows = np.c_[np.ones(len(inputs)), (inputs - mean) / spread]
    pull = ridge * np.eye(rows.shape[1])
    pull[0, 0] = 0.0
    start = np.zeros(rows.shape[1]) if known is None else np.r_[0.0, known * spread]
    weights = start.copy()
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (counts * (likely - answers)) + pull @ (weights - start)
        bend = (rows * (counts * likely * (1 - likely))[:, None]).T @ rows + pull
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < _SETTLED:
            break
    scaled = weights[1:] / spread
    return float(weights[0] - (scaled * mean).sum()), scaled
