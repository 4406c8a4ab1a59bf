"""Weights and thresholds of relevance.

Printed by ``python -m bench.agent_memories.train`` from the development part. Source of every
figure: docs/adr/0025-precision-and-silence.md.
"""

from __future__ import annotations

#: Log-odds that a candidate answers: bias and weight of each feature.
BIAS = {"with vectors": -3.92, "words only": -5.16}
WEIGHTS: dict[str, dict[str, float]] = {
    "with vectors": {
        "margin": 14.93,
        "behind": -8.07,
        "alone": 1.47,
        "coverage": 8.54,
        "uncovered": -1.02,
        "agreement": -13.56,
        "rare": 0.47,
        "wordless": 1.97,
        "exact": 1.35,
        "missed": -0.55,
        "foreign": -0.87,
        "score": -1.92,
        "lead": 2.80,
        "lacking": -1.50,
        "unfit": -2.09,
        "akin": 7.32,
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
#: If the best relevance is at least SURE, results below SHARE_OF_BEST of it are left out.
SURE = 0.8
SHARE_OF_BEST = 0.05
#: Minimum relevance in the benches for showing a memory without a query of the user.
INJECTION_FLOOR = 0.7
