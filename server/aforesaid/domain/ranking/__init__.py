"""In which order memories answer: named signals, pure functions, weights in one place.

Here: fusing what words and meaning found (fusion.py), what the texts and their sessions say
(signals.py), all of it as one score (order.py), what each signal weighs (weights.py), why in words
(reasons.py). Not here: how signals are gathered (services/recalling/by_query.py) or what chose the
weights (bench/retrieval/learn.py, docs/adr/0024-signals.md).
"""

from __future__ import annotations

from .fusion import Candidate, best_first, boost, fuse
from .order import in_order
from .reasons import explain
from .weights import WEIGHTS, Weights

__all__ = [
    "WEIGHTS",
    "Candidate",
    "Weights",
    "best_first",
    "boost",
    "explain",
    "fuse",
    "in_order",
]
