"""What each signal of relevance weighs, and where an answer is cut: the one place.

Made by ``python -m bench.agent_memories.train`` on the development part: copy what it prints.
Source of every figure: docs/adr/0025-precision-and-silence.md.
"""

from __future__ import annotations

#: Log-odds that a candidate answers: 1, and each signal. Made by ``python -m
#: bench.agent_memories.train`` on the development part. Source: docs/adr/0025.
BIAS = {"with vectors": -3.51, "words only": -5.04}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 11.16,
        "behind": -7.77,
        "alone": 3.44,
        "coverage": 7.41,
        "uncovered": -0.87,
        "agreement": -8.36,
        "rare": 0.34,
        "wordless": 1.72,
        "exact": 1.41,
        "missed": -1.04,
        "foreign": -0.71,
        "score": -2.45,
        "lead": 2.61,
        "lacking": -0.82,
        "unfit": -2.27,
    },
    "words only": {
        "coverage": 4.29,
        "uncovered": -2.27,
        "rare": 1.04,
        "exact": 0.96,
        "missed": -3.60,
        "foreign": -0.62,
        "first": 1.09,
        "lead": 1.88,
        "unfit": -2.66,
    },
}
#: Where one result is so sure, those that are less likely than this share of it are left out.
SURE = 0.7
SHARE_OF_BEST = 0.05
#: What nobody asked for is shown only from here on.
INJECTION_FLOOR = 0.8
