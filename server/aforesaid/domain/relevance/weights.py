"""What each signal of relevance weighs, and where an answer is cut: the one place.

Made by ``python -m bench.agent_memories.train`` on the development part: copy what it prints.
Source of every figure: docs/adr/0025-precision-and-silence.md.
"""

from __future__ import annotations

#: Log-odds that a candidate answers: 1, and each signal. Made by ``python -m
#: bench.agent_memories.train`` on the development part. Source: docs/adr/0025.
BIAS = {"with vectors": -4.58, "words only": -4.92}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 9.27,
        "behind": -9.08,
        "alone": 5.47,
        "coverage": 7.35,
        "uncovered": -2.25,
        "agreement": -8.76,
        "rare": 0.63,
        "wordless": 1.69,
        "exact": 1.94,
        "missed": -1.61,
        "foreign": -0.61,
        "unfit": -2.49,
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
INJECTION_FLOOR = 0.83
