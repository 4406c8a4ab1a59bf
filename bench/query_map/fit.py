"""The fit of the query map: what answers becomes likeliest among the texts that are nearest.

Where several texts answer, any may stand for them: their likelihoods add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from bench.query_map.examples import NEAREST, Example

from aforesaid.adapters.embedding.query_projection import CONSTANT

RIDGE = 0.5  #: pulls the map towards leaving questions as they are
SHARPNESS = 20.0  #: what cosines are multiplied by before they become likelihoods
STEPS = 100
RATE = 0.01
MOMENTUM = 0.8


def identity(dimensions: int) -> np.ndarray:
    """Return the map that leaves every question as it is."""
    return np.r_[np.eye(dimensions), np.zeros((1, dimensions))].astype(np.float32)


def fit_map(examples: Sequence[Example]) -> np.ndarray:
    """Return the map ``(dimensions + 1, dimensions)``, float32; each set counts as each other."""
    size = examples[0].question.shape[0]
    sizes = Counter(one.set_name for one in examples)
    share = np.array([1 / sizes[one.set_name] for one in examples], np.float32)
    questions = np.stack([np.append(one.question, np.float32(CONSTANT)) for one in examples])
    texts = np.zeros((len(examples), NEAREST, size), np.float32)
    answers = np.zeros((len(examples), NEAREST), bool)
    missing = np.ones((len(examples), NEAREST), bool)
    for at, one in enumerate(examples):
        count = len(one.answers)
        texts[at, :count], answers[at, :count], missing[at, :count] = one.texts, one.answers, False
    start = identity(size)
    turned, speed = start.copy(), np.zeros_like(start)
    for _ in range(STEPS):
        scores = SHARPNESS * np.einsum("nkd,nd->nk", texts, questions @ turned, optimize=True)
        scores[missing] = -np.inf
        odds = np.exp(scores - scores.max(1, keepdims=True))
        likely = odds / odds.sum(1, keepdims=True)
        right = likely * answers
        wanted = right / right.sum(1, keepdims=True)
        pull = np.einsum("nk,nkd->nd", likely - wanted, texts, optimize=True)
        slope = questions.T @ (SHARPNESS * share[:, None] * pull) + RIDGE * (turned - start)
        speed = MOMENTUM * speed + slope
        turned -= RATE * speed
    return turned
