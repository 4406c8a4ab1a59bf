"""What each signal of relevance weighs, and where an answer is cut: the one place.

Made by ``python -m bench.agent_memories.train`` on the development part: copy what it prints.
Source of every figure: docs/adr/0025-precision-and-silence.md.
"""

from __future__ import annotations

#: Log-odds that a candidate answers: 1, and each signal. Made by ``python -m
#: bench.agent_memories.train`` on the development part. Source: docs/adr/0025.
BIAS = {"with vectors": -3.50, "words only": -5.03}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 11.15,
        "behind": -7.80,
        "alone": 3.41,
        "coverage": 7.41,
        "uncovered": -0.82,
        "agreement": -8.31,
        "rare": 0.34,
        "wordless": 1.73,
        "exact": 1.41,
        "missed": -1.03,
        "foreign": -0.70,
        "score": -2.48,
        "lead": 2.64,
        "lacking": -0.86,
        "unfit": -2.28,
    },
    "words only": {
        "coverage": 4.28,
        "uncovered": -2.36,
        "rare": 1.05,
        "exact": 0.96,
        "missed": -3.60,
        "foreign": -0.62,
        "first": 1.08,
        "lead": 1.87,
        "unfit": -2.65,
    },
}
#: Where one result is so sure, those that are less likely than this share of it are left out.
SURE = 0.7
SHARE_OF_BEST = 0.05
#: What nobody asked for is shown only from here on.
INJECTION_FLOOR = 0.8
