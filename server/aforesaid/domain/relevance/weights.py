"""What each signal of relevance weighs, and where an answer is cut: the one place.

Made by ``python -m bench.agent_memories.train`` on the development part: copy what it prints.
Source of every figure: docs/adr/0025-precision-and-silence.md.
"""

from __future__ import annotations

#: Log-odds that a candidate answers: 1, and each signal. Made by ``python -m
#: bench.agent_memories.train`` on the development part. Source: docs/adr/0025.
BIAS = {"with vectors": -4.48, "words only": -4.92}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 9.36,
        "behind": -10.03,
        "alone": 7.25,
        "coverage": 6.80,
        "uncovered": -1.89,
        "agreement": -8.18,
        "rare": 0.51,
        "wordless": 1.85,
        "exact": 1.68,
        "missed": -1.28,
        "foreign": -0.64,
        "unfit": -2.41,
    },
    "words only": {
        "coverage": 5.02,
        "uncovered": -5.54,
        "rare": 1.52,
        "exact": 1.40,
        "missed": -3.85,
        "foreign": -0.68,
        "unfit": -2.49,
    },
}
#: Where one result is so sure, those that are less likely than this share of it are left out.
SURE = 0.7
SHARE_OF_BEST = 0.05
#: What nobody asked for is shown only from here on.
INJECTION_FLOOR = 0.88
