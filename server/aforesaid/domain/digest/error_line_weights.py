"""Weights of error_lines.py, written by ``python -m bench.failures.train FILE...``."""

from __future__ import annotations

BIAS = -3.166
FEATURES = {
    "cause": 1.482,
    "negation": 1.605,
    "generic": -0.977,
    "tagged": 0.620,
    "error": -0.001,
    "done": -2.589,
    "level": -0.783,
    "advice": -0.623,
    "colon": 0.645,
    "first": 0.648,
    "before": -0.631,
    "after": -0.346,
    "words": 0.063,
    "letters": 1.573,
    "digits": -1.756,
}
