"""In which order memories answer: named signals, pure functions, weights in one place.

Here: fusing what words and meaning found (fusion.py), what a memory's session adds (session.py),
what the texts themselves tell (reading.py), how each weighs (weights.py), why in words
(reasons.py). Not here: how signals are gathered (services/recall.py) or chosen
(bench/retrieval/choose.py, docs/adr/0012-ranking.md).
"""

from __future__ import annotations

from .fusion import Candidate, best_first, boost, fuse
from .reasons import explain
from .session import in_session
from .weights import WEIGHTS, Weights

__all__ = [
    "WEIGHTS",
    "Candidate",
    "Weights",
    "best_first",
    "boost",
    "explain",
    "fuse",
    "in_session",
]
