"""Weights of error_lines.py, written by ``python -m bench.failures.train FILE...``."""

from __future__ import annotations

BIAS = -2.461
FEATURES = {
    "cause": 1.251,
    "negation": 1.313,
    "generic": -0.719,
    "tagged": 0.502,
    "error": 0.198,
    "done": -1.373,
    "level": -0.524,
    "advice": -0.389,
    "colon": 0.488,
    "first": 0.617,
    "before": -0.417,
    "after": -0.200,
    "words": 0.055,
    "letters": 0.920,
    "digits": -1.436,
}
