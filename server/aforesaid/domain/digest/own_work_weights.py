"""Weights of own_work.py, written by ``python -m bench.failures.train FILE...``."""

from __future__ import annotations

BIAS = 3.848
FEATURES = {
    "soon": -2.230,
    "expected": -6.120,
    "own": -4.538,
    "rewrites": -2.886,
    "formats": -4.540,
    "left out": -0.860,
    "misspelt": -2.997,
}
