"""Weights of error_lines.py, written by ``python -m bench.failures.train FILE...``."""

from __future__ import annotations

BIAS = -3.127
FEATURES = {
    "cause": 1.545,
    "negation": 1.511,
    "generic": -0.946,
    "tagged": 0.625,
    "error": 0.075,
    "done": -2.494,
    "level": -1.087,
    "advice": -0.439,
    "colon": 0.634,
    "first": 0.780,
    "before": -0.566,
    "after": -0.312,
    "words": 0.057,
    "letters": 1.433,
    "digits": -1.369,
}
