"""Learn what each feature of the ranking weighs, for domain/retrieval/ranking.py.

Run from the root of the repository: ``python -m bench.retrieval.learn --data FILE_OR_FOLDER ...``.
A linear ranker over the product's own features: the likelihood of what answers among a question's
candidates (a softmax over their scores) is made greatest, each set counting as much as each other.
Talk and notes are learned apart. Each set is judged by what the other sets of its kind teach; talk
of one kind has too few sets, so that a half of each is judged by what the other halves teach. The
sets of ``MEASURED_ONLY`` teach nothing. Decisions: docs/adr/0024-signals.md (talk),
docs/adr/0048-notes-and-talk.md (notes).
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.authors import FITTED, author_names  # noqa: E402
from bench.human import MEMORIES, QUESTIONS, TUNE  # noqa: E402
from bench.retrieval.data import find_sets, set_name  # noqa: E402
from bench.retrieval.training_set import (  # noqa: E402
    OWN,
    Asked,
    gather_author,
    gather_documents,
    gather_own,
    gather_set,
)

from aforesaid.domain.retrieval.ranking import (  # noqa: E402
    NAMES,
    NOTE_WEIGHTS,
    TALK_WEIGHTS,
    talk_share,
)

RIDGE = 1e-3  #: keeps weights small that decide nothing
STEPS = 300
RATE = 0.05
#: Weights are given so that these sum to 1.
SUM_TO_ONE = {"talk": ("meaning", "coverage", "window"), "notes": ("closeness",)}
IN_FORCE = {"talk": TALK_WEIGHTS, "notes": NOTE_WEIGHTS}
MEASURED_ONLY = {"human", "beam-dev", *author_names()} - set(FITTED)
SHOWN = ("recall@1", "recall@5", "recall@10")
DEPTH = 50


@dataclass(frozen=True)
class Ranked:
    """The candidates of one question: their signals, and which of them answer."""

    asked: Asked
    half: int
    keys: list[int]
    rows: np.ndarray  #: (n, len(NAMES)) float64
    answers: np.ndarray  #: (n,) bool


def read(asked: Sequence[Asked]) -> list[Ranked]:
    """Return each question's candidates as the product would rank them."""
    groups = sorted({one.group for one in asked}, key=_digest)
    half_of = {group: place % 2 for place, group in enumerate(groups)}
    found = []
    for one in asked:
        keys, rows = one.signals()
        answers = np.array([one.answers(key) for key in keys], bool)
        shaped = np.array(rows, float).reshape(len(rows), len(NAMES))
        found.append(Ranked(one, half_of[one.group], keys, shaped, answers))
    return found


def fit(sets: Sequence[Sequence[Ranked]], columns: list[int]) -> np.ndarray:
    """Return the weights of these signals that make what answers likeliest, by Adam.

    Where sessions answer, any memory of theirs may stand for them, so their likelihoods add up;
    where messages do, each is wanted.
    """
    seen = [[one for one in ranked if one.answers.any()] for ranked in sets]
    every = [(one, 1.0 / len(ranked)) for ranked in seen for one in ranked]
    inputs = np.concatenate([one.rows[:, columns] for one, _ in every])
    answers = np.concatenate([one.answers for one, _ in every])
    sizes = [len(one.keys) for one, _ in every]
    question = np.repeat(np.arange(len(every)), sizes)
    starts = np.r_[0, np.cumsum(sizes)[:-1]]
    share = np.array([weight for _, weight in every])[question]
    alone = np.array([bool(one.asked.gold) for one, _ in every])[question]
    wanted_each = answers / np.add.reduceat(answers.astype(float), starts)[question]
    spread = inputs.std(0) + 1e-9
    inputs = inputs / spread
    weights, mean, square = (np.zeros(len(columns)) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = inputs @ weights
        odds = np.exp(scores - np.maximum.reduceat(scores, starts)[question])
        likely = odds / np.add.reduceat(odds, starts)[question]
        right = odds * answers
        wanted_any = right / np.add.reduceat(right, starts)[question]
        wanted = np.where(alone, wanted_each, wanted_any)
        slope = inputs.T @ ((likely - wanted) * share) + RIDGE * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        rate = RATE if step < 0.7 * STEPS else RATE / 5
        moved = (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-9)
        weights = weights - rate * moved
    return weights / spread


def score(ranked: Sequence[Ranked], weights: np.ndarray, columns: list[int]) -> np.ndarray:
    """Return the mean of each shown measure, shape (questions, measures)."""
    told = []
    for one in ranked:
        scores = one.rows[:, columns] @ weights
        order = sorted(range(len(one.keys)), key=lambda at: (-scores[at], one.keys[at]))
        measured = one.asked.score([one.keys[at] for at in order[:DEPTH]])
        told.append([measured[name] for name in SHOWN])
    return np.array(told)


def held_out(sets: dict[str, list[Ranked]], columns: list[int]) -> dict[str, np.ndarray]:
    """Return each set's means, every question judged by what the other half taught."""
    told: dict[str, list[np.ndarray]] = {name: [] for name in sets}
    for half in (0, 1):
        taught = [
            [one for one in ranked if one.half == half]
            for name, ranked in sets.items()
            if name not in MEASURED_ONLY
        ]
        weights = fit(taught, columns)
        for name, ranked in sets.items():
            rest = [one for one in ranked if one.half != half]
            told[name].append(score(rest, weights, columns))
    return {name: np.concatenate(each).mean(0) for name, each in told.items()}


def left_out(sets: dict[str, list[Ranked]], columns: list[int]) -> dict[str, np.ndarray]:
    """Return each set's means, judged by what all other sets taught."""
    means = {}
    for name, ranked in sets.items():
        taught = [
            each for other, each in sets.items() if other != name and other not in MEASURED_ONLY
        ]
        means[name] = score(ranked, fit(taught, columns), columns).mean(0)
    return means


def show(label: str, means: dict[str, np.ndarray]) -> None:
    """Print one way's means."""
    figures = "  ".join(" ".join(f"{one:.3f}" for one in each) for each in means.values())
    print(f"{label:20}{figures}", flush=True)


def is_talk(asked: Sequence[Asked]) -> bool:
    """Tell whether most texts of a set are talk."""
    return talk_share(list(asked[0].store.texts.values())) > 0.5


def learn(kind: str, sets: dict[str, list[Ranked]]) -> None:
    """Print how well the features of one kind of text hold, and their weights."""
    weights = IN_FORCE[kind]
    columns = [NAMES.index(name) for name in weights]
    judge = left_out if kind == "notes" else held_out
    print(f"{kind}: {', '.join(SHOWN)} of {', '.join(sets)}")
    in_force = np.array(list(weights.values()))
    show("in force", {name: score(each, in_force, columns).mean(0) for name, each in sets.items()})
    show("held out, all", judge(sets, columns))
    for at, name in enumerate(weights):
        show(f"without {name}", judge(sets, columns[:at] + columns[at + 1 :]))
    taught = [each for name, each in sets.items() if name not in MEASURED_ONLY]
    learned = dict(zip(weights, fit(taught, columns), strict=True))
    total = sum(learned[name] for name in SUM_TO_ONE[kind])
    for name, weight in learned.items():
        print(f"    {name}: {weight / total:.2f}")


def _digest(group: str) -> str:
    return hashlib.sha256(group.encode()).hexdigest()


def main() -> int:
    """Print what is learned on all, and how well it holds."""
    parser = argparse.ArgumentParser(prog="python -m bench.retrieval.learn", description=__doc__)
    parser.add_argument("--data", nargs="*", default=[], help="files, or folders of files")
    parser.add_argument("--least", type=int, default=50, help="questions a set must have")
    options = parser.parse_args()
    asked = {set_name(path): gather_set(path) for path in find_sets(options.data)}
    asked[OWN] = gather_own()
    asked |= {name: gather_author(name) for name in author_names()}
    asked |= {"documents": gather_documents("documents", TUNE)}
    asked |= {"human": gather_documents("human", (MEMORIES, QUESTIONS))}
    asked = {name: each for name, each in asked.items() if len(each) >= options.least}
    for kind in IN_FORCE:
        of_kind = {name: each for name, each in asked.items() if is_talk(each) == (kind == "talk")}
        if of_kind:
            learn(kind, {name: read(each) for name, each in of_kind.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main())
