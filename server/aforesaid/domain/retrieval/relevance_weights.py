"""What each signal of relevance weighs, and where an answer is cut: the one place.

Made by ``python -m bench.agent_memories.train`` on the development part: copy what it prints.
Source of every figure: docs/adr/0025-precision-and-silence.md.
"""

from __future__ import annotations

#: Log-odds that a candidate answers: 1, and each signal. Made by ``python -m
#: bench.agent_memories.train`` on the development part. Source: docs/adr/0025.
BIAS = {"with vectors": -3.61, "words only": -5.16}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 12.06,
        "behind": -7.31,
        "alone": 1.36,
        "coverage": 7.43,
        "uncovered": -0.68,
        "agreement": -8.92,
        "rare": 0.38,
        "wordless": 1.80,
        "exact": 1.01,
        "missed": -0.80,
        "foreign": -0.79,
        "score": -2.26,
        "lead": 3.13,
        "lacking": -1.29,
        "unfit": -2.10,
        "akin": 6.81,
    },
    "words only": {
        "coverage": 4.47,
        "uncovered": -2.19,
        "rare": 1.09,
        "exact": 0.60,
        "missed": -3.42,
        "foreign": -0.62,
        "first": 0.86,
        "lead": 1.99,
        "unfit": -2.58,
        "akin": 3.99,
    },
}
#: Where one result is so sure, those that are less likely than this share of it are left out.
SURE = 0.7
SHARE_OF_BEST = 0.05
#: What nobody asked for is shown only from here on.
INJECTION_FLOOR = 0.7
