"""Weights of error_lines.py, written by ``python -m bench.failures.train FILE...``."""

from __future__ import annotations

BIAS = -3.790
FEATURES = {
    "cause": 1.698,
    "negation": 1.207,
    "tagged": 0.254,
    "error": -0.043,
    "done": -0.984,
    "level": -0.476,
    "colon": 0.685,
    "code": 0.129,
    "quoted": 0.384,
    "generic": -1.520,
    "advice": -1.008,
    "options": -0.882,
    "first": 0.400,
    "before": -0.339,
    "after": -0.188,
    "words": 0.121,
    "letters": 1.158,
    "digits": -0.084,
    "position": 0.367,
    "above": 0.245,
    "explains": 0.145,
}
