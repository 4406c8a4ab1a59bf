"""Fits the logistic regressions of domain/digest/sentence_model.py, and judges them by author."""

from __future__ import annotations

import base64
import os
import sys
import textwrap
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "server"))

from aforesaid.domain.digest.sentence_model import SLOT_COUNT  # noqa: E402

STEPS, RATE = 250, 0.01
_LEVELS = 127
_SPREAD = 0.05  #: added to the spread of each slot, so that a rare word weighs little


@dataclass(frozen=True)
class Labelled:
    """Labelled sentences, and what they are judged by.

    Attributes:
        authors: of each.
        labels: of each, 0 or 1.
        blocks: vectors, features and slots, each (n, width); a width may be 0.
        names: of the features.
        ridges: of the blocks.
    """

    authors: np.ndarray
    labels: np.ndarray
    blocks: tuple[np.ndarray, ...]
    names: tuple[str, ...]
    ridges: tuple[float, ...]


def fit(sentences: Labelled, chosen: np.ndarray) -> tuple[float, list[np.ndarray]]:
    """Return the bias and the weights of each block that the chosen sentences teach."""
    lasting = sentences.labels[chosen].astype(np.float32)
    inputs, spreads, means, ridges = [], [], [], []
    for block, ridge in zip(sentences.blocks, sentences.ridges, strict=True):
        rows = block[chosen]
        spread = rows.std(0) + (_SPREAD if block.shape[1] == SLOT_COUNT else 1e-3)
        inputs.append((rows - rows.mean(0)) / spread)
        spreads.append(spread)
        means.append(rows.mean(0))
        ridges.append(np.full(rows.shape[1], ridge, np.float32))
    rows, ridge = np.c_[np.ones(len(lasting)), np.concatenate(inputs, 1)], np.concatenate(ridges)
    rows, ridge = rows.astype(np.float32), np.r_[0.0, ridge].astype(np.float32)
    weights = np.zeros(rows.shape[1], np.float32)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, STEPS + 1):
        likely = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (likely - lasting) + ridge * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        rate = RATE if step < 0.7 * STEPS else RATE / 5
        moved = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
        weights = weights - rate * moved
    bounds = np.cumsum([len(spread) for spread in spreads])[:-1]
    parts = np.split(weights[1:], bounds)
    scaled = [part / spread for part, spread in zip(parts, spreads, strict=True)]
    shift = sum(float(part @ mean) for part, mean in zip(scaled, means, strict=True))
    return float(weights[0]) - shift, scaled


def predict(sentences: Labelled, model: tuple[float, list[np.ndarray]]) -> np.ndarray:
    """Return the probability that each sentence lasts."""
    bias, weights = model
    odds = sum(block @ part for block, part in zip(sentences.blocks, weights, strict=True))
    return 1 / (1 + np.exp(-(odds + bias)))


def judge_held_out(sentences: Labelled) -> np.ndarray:
    """Return the probability of each sentence by weights that the other authors taught."""
    likely = np.zeros(len(sentences.labels))
    for name in sorted(set(sentences.authors)):
        of_author = sentences.authors == name
        likely[of_author] = predict(sentences, fit(sentences, ~of_author))[of_author]
    return likely


def recall_at(likely: np.ndarray, lasting: np.ndarray, precision: float) -> tuple[float, float]:
    """Return the highest recall at a precision, and the probability from which that holds."""
    order = np.argsort(-likely)
    right = np.cumsum(lasting[order])
    enough = np.where(right / np.arange(1, len(order) + 1) >= precision)[0]
    if not len(enough):
        return 0.0, 1.0
    return float(right[enough[-1]] / lasting.sum()), float(likely[order[enough[-1]]])


def average_precision(likely: np.ndarray, lasting: np.ndarray) -> float:
    """Return the mean precision at each lasting sentence, in [0, 1]."""
    found = lasting[np.argsort(-likely)]
    precision = np.cumsum(found) / np.arange(1, len(found) + 1)
    return float((precision * found).sum() / found.sum())


def write_table(name: str, sentences: Labelled) -> str:
    """Return the weights that all authors teach as the source of a table."""
    every = np.full(len(sentences.labels), fill_value=True)
    bias, (vector, features, slots) = fit(sentences, every)
    tables = []
    for part in (vector, slots):
        step = float(np.abs(part).max(initial=0.0)) / _LEVELS or 1.0
        raw = np.round(part / step).astype(np.int8).tobytes()
        lines = textwrap.wrap(base64.b64encode(raw).decode(), 88) or [""]
        tables.append((step, "\n".join(f'        "{line}"' for line in lines)))
    named = "\n".join(
        f'        "{feature}": {weight:.3f},'
        for feature, weight in zip(sentences.names, features, strict=True)
    )
    return f"""{name} = (
    {bias:.4f},
    {{
{named}
    }},
    {tables[0][0]:.6f},
    (
{tables[0][1]}
    ),
    {tables[1][0]:.6f},
    (
{tables[1][1]}
    ),
)
"""
