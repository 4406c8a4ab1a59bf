"""What each signal of relevance weighs, and where an answer is cut: the one place.

Made by ``python -m bench.agent_memories.train`` on the development part: copy what it prints.
Source of every figure: docs/adr/0025-precision-and-silence.md.
"""

from __future__ import annotations

#: Log-odds that a candidate answers: 1, and each signal. Made by ``python -m
#: bench.agent_memories.train`` on the development part. Source: docs/adr/0025.
BIAS = {"with vectors": -4.62, "words only": -4.81}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 9.41,
        "behind": -8.65,
        "alone": 5.80,
        "coverage": 7.77,
        "uncovered": -2.00,
        "agreement": -9.53,
        "rare": 0.59,
        "wordless": 1.60,
        "exact": 1.87,
        "missed": -1.61,
        "foreign": -0.59,
        "unfit": -2.51,
    },
    "words only": {
        "coverage": 5.07,
        "uncovered": -4.28,
        "rare": 1.46,
        "exact": 1.32,
        "missed": -3.88,
        "foreign": -0.68,
        "unfit": -2.57,
    },
}
#: Where one result is so sure, those that are less likely than this share of it are left out.
SURE = 0.7
SHARE_OF_BEST = 0.05
#: What nobody asked for is shown only from here on.
INJECTION_FLOOR = 0.83
