"""How likely a memory answers a question, as a probability, apart from the order of results.

signals.py measures what speaks for each candidate and against it, reading.py and demands.py read
the words, weights.py holds what the training made of them (docs/adr/0025-precision-and-silence.md).
"""

from __future__ import annotations

from .reading import Words, one_slip
from .signals import Signals, lowest, measure, relevance_of
from .weights import INJECTION_FLOOR, SHARE_OF_BEST, SURE, WEIGHTS

__all__ = [
    "INJECTION_FLOOR",
    "SHARE_OF_BEST",
    "SURE",
    "WEIGHTS",
    "Signals",
    "Words",
    "lowest",
    "measure",
    "one_slip",
    "relevance_of",
]
