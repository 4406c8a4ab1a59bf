"""Fit the weights of relevance, for domain/retrieval/relevance.py, and report how they carry over.

Run from the root of the repository: ``python -m bench.relevance [--data FOLDER]``. Two logistic
regressions: whether anything answers a question, and whether a result does if anything does. Each
set is judged by weights fitted on all others; bench/human/ and most authors are never fitted on.
With --data, public sets of talk are added (see bench/README.md). All questions without an answer of
a set weigh half as much as those with one.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.agent_memories import load  # noqa: E402
from bench.authors import FITTED, author_names, foreign_questions, load_author  # noqa: E402
from bench.human import TUNE, load_corpora  # noqa: E402
from bench.human.scores import area  # noqa: E402
from bench.logistic import fit_logistic  # noqa: E402
from bench.relevance.questions import (  # noqa: E402
    ANSWERED,
    FOREIGN,
    NEAR,
    NONE,
    Asked,
    ask_corpora,
    ask_shelf,
)
from bench.retrieval.data import find_sets, read_set, set_name  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.adapters.system.machine import SystemClock  # noqa: E402
from aforesaid.domain.retrieval.relevance import ANSWERED_WEIGHTS, NO_MATCH, WEIGHTS  # noqa: E402

UNANSWERED_WEIGHT = 0.5  #: of all questions without an answer, beside those with one
RIDGE = 1.0
SHOWN = 5  #: results of each question whose relevance is compared with the truth
BINS = 10
RIGHT_LABELLED = 0.1  #: of right answers, that a line may label "no good match"
MIN_QUESTIONS = 50  #: that a set must have
HUMAN, TUNED = "human", "documents"
MEASURED_ONLY = {HUMAN, "beam-dev", *author_names()} - set(FITTED)  #: sets never fitted on

Model = tuple[float, np.ndarray]


@dataclass(frozen=True)
class Fitted:
    """Both regressions: bias, and weights in the order of the features' names."""

    answered: Model
    result: Model


def weights_of(asked: Sequence[Asked]) -> np.ndarray:
    """Return how much each question counts; those of one set add up to 1,000.

    Another memory may answer a near miss, so that it is left out.
    """
    answered = np.array([one.kind == ANSWERED for one in asked])
    counts = np.array([float(one.kind != NEAR) for one in asked])
    unanswered = max(counts[~answered].sum(), 1e-9)
    counts[~answered] *= UNANSWERED_WEIGHT * answered.sum() / unanswered
    return counts * 1000 / counts.sum()


def fit(sets: Sequence[Sequence[Asked]], mode: str) -> Fitted:
    """Return what all these sets teach, each counting as much as each other."""
    rows, labels, counts = [], [], []
    for asked in sets:
        for one, count in zip(asked, weights_of(asked), strict=True):
            if count and one.query:
                rows.append([one.query[name] for name in ANSWERED_WEIGHTS[mode]])
                labels.append(float(any(right for _, right, _ in one.results)))
                counts.append(count)
    answered = fit_logistic(np.array(rows), np.array(labels), np.array(counts), RIDGE)
    rows, labels, counts = [], [], []
    for asked in sets:
        taught = [one for one in asked if any(right for _, right, _ in one.results)]
        results = sum(len(one.results) for one in taught)
        for one in taught:
            for features, right, _ in one.results:
                rows.append([features[name] for name in WEIGHTS[mode]])
                labels.append(float(right))
                counts.append(20_000 / results)
    result = fit_logistic(np.array(rows), np.array(labels), np.array(counts), RIDGE)
    return Fitted(answered, result)


def predict(one: Asked, fitted: Fitted | None, mode: str) -> tuple[float, list[float]]:
    """Return the probability that anything answers, and each result's relevance."""
    if fitted is None:
        return one.answered, [relevance for _, _, relevance in one.results]
    if not one.results:
        return 0.0, []
    rows = [[features[name] for name in WEIGHTS[mode]] for features, _, _ in one.results]
    answered = _sigmoid(fitted.answered, [[one.query[name] for name in ANSWERED_WEIGHTS[mode]]])[0]
    return answered, list(answered * _sigmoid(fitted.result, rows))


def _sigmoid(model: Model, rows: list[list[float]]) -> np.ndarray:
    bias, weights = model
    return 1 / (1 + np.exp(-(np.array(rows) @ weights + bias)))


def report(asked: Sequence[Asked], fitted: Fitted | None, mode: str) -> dict[str, float]:
    """Return the calibration error and how well foreign questions are told from answered ones."""
    told: list[tuple[float, bool, float]] = []
    best: dict[str, dict[str, list[float]]] = {}
    right_first: list[float] = []
    for one, count in zip(asked, weights_of(asked), strict=True):
        answered, relevance = predict(one, fitted, mode)
        shown = sorted(zip(relevance, one.results, strict=True), key=lambda pair: -pair[0])[:SHOWN]
        told += [(value, right, count) for value, (_, right, _) in shown]
        values = best.setdefault(one.kind, {"relevance": [], "answered": [], "cosine": []})
        values["relevance"].append(max(relevance, default=0.0))
        if one.kind == ANSWERED and shown and shown[0][1][1]:
            right_first.append(shown[0][0])
        values["answered"].append(answered)
        values["cosine"].append(one.query.get("top", 0.0))
    figures = {"error": calibration_error(told)}
    for kind in sorted(best.keys() - {ANSWERED, NEAR}):
        for name in ("answered", "relevance", "cosine"):
            figures[f"{kind}, {name}"] = area(best[ANSWERED][name], best[kind][name])
    unanswered = [
        value for kind in best.keys() - {ANSWERED, NEAR} for value in best[kind]["relevance"]
    ]
    for name, values in (
        (ANSWERED, best[ANSWERED]["relevance"]), ("right", right_first), ("not", unanswered),
        *((kind, best[kind]["relevance"]) for kind in (FOREIGN, NONE) if kind in best),
    ):  # fmt: skip
        figures[f"{name}, below line"] = float(np.mean(np.array(values) < NO_MATCH))
    line = float(np.quantile(right_first, RIGHT_LABELLED))
    for kind in (FOREIGN, NONE):
        if kind in best:
            figures[f"{kind}, at .10"] = float(np.mean(np.array(best[kind]["relevance"]) < line))
    figures["line at .10"] = line
    return figures


def calibration_error(told: Sequence[tuple[float, bool, float]]) -> float:
    """Return the expected calibration error of (probability, truth, weight), in [0, 1].

    Source: Naeini et al. 2015.
    """
    bins = [0.0] * BINS
    for value, right, count in told:
        bins[min(int(value * BINS), BINS - 1)] += (value - right) * count
    return sum(abs(one) for one in bins) / sum(count for *_, count in told)


def gather(data: Sequence[str], *, words_only: bool) -> dict[str, list[Asked]]:
    """Return every set's questions by name."""
    embedder, clock = open_cached(), SystemClock()
    memories, questions = load()
    questions = tuple(one for one in questions if one.part == "dev")
    sets = {"agent_memories": ask_shelf(memories, questions, embedder, words_only=words_only)}
    authors = [load_author(name) for name in author_names()]
    for at, author in enumerate(authors):
        foreign = foreign_questions(author, authors[(at + 1) % len(authors)])
        asked = [*author.questions, *(foreign if len(authors) > 1 else ())]
        sets[author.name] = ask_shelf(author.memories, asked, embedder, words_only=words_only)
    corpora = {HUMAN: load_corpora(), TUNED: load_corpora(*TUNE)}
    corpora |= {set_name(path): list(read_set(path)) for path in find_sets(data)}
    for name, each in corpora.items():
        asked_there = ask_corpora(each, embedder, clock, words_only=words_only)
        if sum(one.kind == ANSWERED for one in asked_there) >= MIN_QUESTIONS:
            sets[name] = asked_there
    return sets


def show(label: str, figures: dict[str, dict[str, float]], names: Callable[[str], bool]) -> None:
    """Print one table: a row for each set."""
    columns = list(dict.fromkeys(name for each in figures.values() for name in each if names(name)))
    print(f"{label:24}" + "".join(f"{name:>22}" for name in columns))
    for name, each in figures.items():
        print(f"{name:24}" + "".join(f"{each.get(one, float('nan')):22.3f}" for one in columns))


def main() -> int:
    """Print what is in force, what carries over, and the weights fitted on all."""
    parser = argparse.ArgumentParser(prog="python -m bench.relevance", description=__doc__)
    parser.add_argument("--data", nargs="*", default=[], help="files, or folders of files")
    options = parser.parse_args()
    for mode in WEIGHTS:
        sets = gather(options.data, words_only=mode == "words only")
        fitted_on = {name: each for name, each in sets.items() if name not in MEASURED_ONLY}
        in_force = {name: report(each, None, mode) for name, each in sets.items()}
        left_out = {
            name: report(
                each, fit([rest for other, rest in fitted_on.items() if other != name], mode), mode
            )
            for name, each in sets.items()
        }
        wanted = {f"{FOREIGN}, {one}" for one in ("answered", "relevance", "cosine")}
        wanted |= {
            "error",
            "none, answered",
            "withheld, answered",
            "answered, below line",
            "not, below line",
        }
        lines = {"right, below line", "foreign, below line", "none, below line"}
        lines |= {"line at .10", "foreign, at .10", "none, at .10"}
        show(f"{mode}: in force", in_force, wanted.__contains__)
        show(f"{mode}: no good match", in_force, lines.__contains__)
        show(f"{mode}: left out", left_out, wanted.__contains__)
        fitted = fit(list(fitted_on.values()), mode)
        for name, (bias, weights), keys in (
            ("ANSWERED_WEIGHTS", fitted.answered, ANSWERED_WEIGHTS[mode]),
            ("WEIGHTS", fitted.result, WEIGHTS[mode]),
        ):
            values = ", ".join(
                f'"{key}": {value:.2f}' for key, value in zip(keys, weights, strict=True)
            )
            print(f"{name} {bias:.2f} {{{values}}}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
