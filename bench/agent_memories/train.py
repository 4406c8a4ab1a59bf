"""Fit the weights of relevance on the development part: prints what domain/relevance.py holds.

Run from the root of the repository: ``python -m bench.agent_memories.train``. Logistic regression
with a ridge over the signals of the candidates that are shown first, by Newton's method; what is
left out of each fold says how sure the weights are. Reads no question of the test part.
"""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories.shelf import Shelf  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.services.recall import MOST_TOKENS, Question  # noqa: E402

if TYPE_CHECKING:
    from bench.agent_memories import AgentQuestion

#: Which signals each setting uses; others were tried and gained nothing on the folds.
SIGNALS = {
    "with vectors": (
        "margin", "behind", "coverage", "uncovered", "agreement", "exact", "foreign",
    ),
    "words only": ("coverage", "uncovered", "rare", "foreign"),
}  # fmt: skip
FIRST = 20  #: results of each question that are learned from
RIDGE = 1.0
FOLDS = 5


@dataclass(frozen=True)
class Seen:
    """One result of one question: its signals, and whether it answers."""

    question: AgentQuestion
    signals: dict[str, float]
    answers: bool


def collect(shelf: Shelf, part: str, *, words_only: bool) -> list[Seen]:
    """Return the first results of every question of a part, as recall gives them uncut."""
    asked = Question(
        max_results=FIRST, token_budget=MOST_TOKENS, summary_only=True, min_relevance=0.0
    )
    seen = []
    for question in shelf.questions:
        if question.part != part:
            continue
        for result in shelf.ask(question, asked, words_only=words_only).results:
            if result.signals is not None:
                ids = shelf.ids([result.memory.key])
                answers = any(one in question.gold for one in ids)
                seen.append(Seen(question, result.signals.as_dict(), answers))
    return seen


def fit(seen: list[Seen], names: tuple[str, ...]) -> tuple[float, dict[str, float]]:
    """Return the bias and the weight of each signal that make what was seen likeliest."""
    inputs, answers = _arrays(seen, names)
    mean, spread = inputs.mean(0), inputs.std(0) + 1e-9
    rows = np.c_[np.ones(len(inputs)), (inputs - mean) / spread]
    ridge = RIDGE * np.eye(rows.shape[1])
    ridge[0, 0] = 0.0
    weights = np.zeros(rows.shape[1])
    for _ in range(50):
        likely = 1 / (1 + np.exp(-rows @ weights))
        slope = rows.T @ (likely - answers) + ridge @ weights
        bend = (rows * (likely * (1 - likely))[:, None]).T @ rows + ridge
        step = np.linalg.solve(bend, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    scaled = weights[1:] / spread
    bias = float(weights[0] - (scaled * mean).sum())
    return bias, {name: float(one) for name, one in zip(names, scaled, strict=True)}


def predict(seen: list[Seen], bias: float, weights: dict[str, float]) -> np.ndarray:
    """Return how likely each result answers."""
    inputs, _ = _arrays(seen, tuple(weights))
    return 1 / (1 + np.exp(-(bias + inputs @ np.array(list(weights.values())))))


def log_loss(likely: np.ndarray, seen: list[Seen]) -> float:
    """Return the mean negative log-likelihood: lower is better."""
    answers = np.array([one.answers for one in seen])
    return float(-np.log(np.where(answers, likely, 1 - likely) + 1e-12).mean())


def left_out(seen: list[Seen], names: tuple[str, ...]) -> float:
    """Return the log-loss on questions that the weights were not fitted to, over the folds."""
    fold_of = [hashlib.sha256(one.question.id.encode()).digest()[1] % FOLDS for one in seen]
    total = 0.0
    for fold in range(FOLDS):
        inside = [one for one, its in zip(seen, fold_of, strict=True) if its != fold]
        outside = [one for one, its in zip(seen, fold_of, strict=True) if its == fold]
        total += log_loss(predict(outside, *fit(inside, names)), outside) * len(outside)
    return total / len(seen)


def _arrays(seen: list[Seen], names: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    inputs = np.array([[one.signals[name] for name in names] for one in seen])
    return inputs, np.array([float(one.answers) for one in seen])


def main() -> int:
    """Print the weights."""
    with private_places() as folder:
        shelf = Shelf(folder, open_cached())
        for kind, names in SIGNALS.items():
            seen = collect(shelf, "dev", words_only=kind == "words only")
            bias, weights = fit(seen, names)
            loss = log_loss(predict(seen, bias, weights), seen)
            print(
                f"{kind}: {len(seen)} results, {sum(one.answers for one in seen)} answer; "
                f"log-loss {loss:.4f}, left out {left_out(seen, names):.4f}"
            )
            print(f"    bias {bias:.2f}")
            for name, weight in weights.items():
                rest = tuple(one for one in names if one != name)
                print(f"    {name:10} {weight:7.2f}   without it {left_out(seen, rest):.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
