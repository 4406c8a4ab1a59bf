"""Fit the weights of relevance on the development part, for domain/retrieval/relevance.py.

Run from the root of the repository: ``python -m bench.agent_memories.train``. Logistic regression
with a ridge over the signals of the candidates that are shown first, by Newton's method; what is
left out of each fold says how sure the weights are. Each question that has an answer is asked once
more with the answer forgotten: that is what a near miss looks like. Reads no question of the test
part.
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

from bench.agent_memories.dataset import Shelf  # noqa: E402
from bench.logistic import fit_logistic  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.services.recall.query import MAX_TOKENS, RecallQuery  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.agent_memories import AgentQuestion

#: Which signals each setting uses; others were tried and gained nothing on the folds.
SIGNALS = {
    "with vectors": (
        "margin", "behind", "alone", "coverage", "uncovered", "agreement", "rare", "wordless",
        "exact", "missed", "foreign", "score", "lead", "lacking", "unfit", "akin",
    ),
    "words only": (
        "coverage", "uncovered", "rare", "exact", "missed", "foreign", "first", "lead", "unfit",
        "akin",
    ),
}  # fmt: skip
FIRST = 20  #: results of each question that are learned from
RIDGE = 1.0
FOLDS = 5
WITHHELD = 0.5  #: weight of results of a question whose answer was forgotten
SILENT = 0.97  #: share of questions without an answer that get nothing at the floor


@dataclass(frozen=True)
class Seen:
    """One result of one question: its signals, and whether it answers."""

    question: AgentQuestion
    signals: dict[str, float]
    answers: bool
    withheld: bool  #: the answer was forgotten
    place: int  #: among the results, from 0


def collect(shelf: Shelf, part: str, *, words_only: bool) -> list[Seen]:
    """Return the first results of every question of a part, as recall gives them uncut."""
    asked = RecallQuery(
        max_results=FIRST, token_budget=MAX_TOKENS, summary_only=True, min_relevance=0.0
    )
    seen = []
    for question in shelf.questions:
        if question.part != part:
            continue
        answers = [(shelf.ask(question, asked, words_only=words_only), False)]
        if question.gold:
            without = shelf.ask_without_answer(question, asked, words_only=words_only)
            answers.append((without, True))
        for answer, withheld in answers:
            for place, result in enumerate(answer.results):
                if result.signals is not None:
                    ids = shelf.ids([result.memory.key])
                    right = any(one in question.gold for one in ids)
                    signals = result.signals.as_dict()
                    seen.append(Seen(question, signals, right, withheld, place))
    return seen


def fit(seen: list[Seen], names: tuple[str, ...]) -> tuple[float, dict[str, float]]:
    """Return the bias and the weight of each signal that make what was seen likeliest."""
    inputs, answers = _arrays(seen, names)
    counts = np.array([WITHHELD if one.withheld else 1.0 for one in seen])
    bias, scaled = fit_logistic(inputs, answers, counts, RIDGE)
    return bias, {name: float(one) for name, one in zip(names, scaled, strict=True)}


def predict(seen: list[Seen], bias: float, weights: dict[str, float]) -> np.ndarray:
    """Return how likely each result answers."""
    inputs, _ = _arrays(seen, tuple(weights))
    return 1 / (1 + np.exp(-(bias + inputs @ np.array(list(weights.values())))))


def log_loss(likely: np.ndarray, seen: list[Seen]) -> float:
    """Return the mean negative log-likelihood: lower is better."""
    answers = np.array([one.answers for one in seen])
    return float(-np.log(np.where(answers, likely, 1 - likely) + 1e-12).mean())


def left_out(seen: list[Seen], names: tuple[str, ...]) -> np.ndarray:
    """Return how likely each result answers, by weights that its question had no part in."""
    fold_of = np.array([_fold(one.question.id) for one in seen])
    likely = np.zeros(len(seen))
    for fold in range(FOLDS):
        inside = [one for one, its in zip(seen, fold_of, strict=True) if its != fold]
        outside = [one for one, its in zip(seen, fold_of, strict=True) if its == fold]
        likely[fold_of == fold] = predict(outside, *fit(inside, names))
    return likely


def _fold(question_id: str) -> int:
    return hashlib.sha256(question_id.encode()).digest()[1] % FOLDS


def show_floors(questions: Sequence[AgentQuestion], seen: list[Seen], likely: np.ndarray) -> None:
    """Print what answers and silence would be at floors, each question by its left-out weights."""
    best = {(one.id, withheld): 0.0 for one in questions for withheld in (False, True)}
    for one, share in zip(seen, likely, strict=True):
        asked = (one.question.id, one.withheld)
        best[asked] = max(best[asked], share)
    none = [best[one.id, False] for one in questions if not one.gold]
    withheld = [best[one.id, True] for one in questions if one.gold]
    print("    floor   silent   silent, answer withheld   hit@3")
    floors = [*range(5, 70, 5), *range(70, 100, 2)]
    for floor in (percent / 100 for percent in floors):
        silent = [np.mean([share < floor for share in each]) for each in (none, withheld)]
        hits = {one.id: 0.0 for one in questions if one.gold}
        shown: dict[str, int] = {}
        for one, share in zip(seen, likely, strict=True):
            if share >= floor and not one.withheld and one.question.gold:
                shown[one.question.id] = shown.get(one.question.id, 0) + 1
                if one.answers and shown[one.question.id] <= 3:
                    hits[one.question.id] = 1.0
        print(
            f"    {floor:5.2f} {silent[0]:8.3f} {silent[1]:25.3f} "
            f"{np.mean(list(hits.values())):7.3f}{'  *' if silent[0] >= SILENT else ''}"
        )


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
            outside = left_out(seen, names)
            print(
                f"{kind}: {len(seen)} results, {sum(one.answers for one in seen)} answer; log-loss "
                f"{log_loss(predict(seen, bias, weights), seen):.4f}, "
                f"left out {log_loss(outside, seen):.4f}"
            )
            print(f"    bias {bias:.2f}")
            for name, weight in weights.items():
                rest = tuple(one for one in names if one != name)
                without = log_loss(left_out(seen, rest), seen)
                print(f"    {name:10} {weight:7.2f}   without it {without:.4f}")
            dev = [one for one in shelf.questions if one.part == "dev"]
            show_floors(dev, seen, outside)
    return 0


if __name__ == "__main__":
    sys.exit(main())
