"""Train the models that find the lines that say what went wrong, and the failures to keep.

Run from the root of the repository: ``python -m bench.failures.train FILE...``, with the files of
``python -m bench.failures``. A line counts as saying so if it has most words of the planted error;
a failure is kept if it was planted. Prints for each author, with the weights of the others, how
often one of the best lines says so, and how often the second model is right. Then writes the
weights of all into ``domain/digest/{error_line,own_work}_weights.py``. The present weights hold for
what the files do not show; so the texts that these were made with need not be at hand.
"""

from __future__ import annotations

import argparse
import json
import sys
from types import ModuleType
from typing import Any

import numpy as np
from bench.failures.__main__ import (
    FOLDER,
    find_candidates,
    is_about,
    match_planted,
    read_uses,
    relevant_lines,
)
from bench.logistic import fit_logistic

from aforesaid.domain.digest import error_line_weights, error_lines, own_work, own_work_weights
from aforesaid.domain.digest.error_signature import describe_error

_LINES_RIDGE, _KEPT_RIDGE = 40.0, 2.0

#: Lines of an output, and which of them say what went wrong.
Labelled = tuple[list[str], np.ndarray]
#: What a model knows about each row, which rows are right, and how much they count.
Rows = tuple[list[dict[str, float]], np.ndarray, np.ndarray]
Weights = tuple[float, dict[str, float]]


def read_sessions(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


def read_outputs(path: str) -> list[Labelled]:
    """Return the outputs of an author that contain a planted error."""
    outputs = []
    for session in read_sessions(path):
        errors = [planted["error"] for planted in session["planted"]]
        pairs = [(each["output"], errors[each["of"]]) for each in session.get("again", ())]
        pairs += [
            (call["output"], error)
            for call in session["calls"]
            if call.get("failed")
            for error in errors
        ]
        for output, error in pairs:
            lines = error_lines.split_lines(relevant_lines(str(output))[0])
            says = np.array([is_about(line, error) for line in lines])
            if says.any():
                outputs.append((lines, says))
    return outputs


def line_rows(outputs: list[Labelled]) -> Rows:
    """Return the lines of outputs; in each output, both kinds of lines count the same."""
    rows, says, counts = [], [], []
    for lines, labels in outputs:
        rows += error_lines.line_features(lines)
        says.append(labels)
        counts.append(np.where(labels, 1 / labels.sum(), 1 / max(1, (~labels).sum())))
    return rows, np.concatenate(says).astype(float), np.concatenate(counts)


def failure_rows(paths: list[str]) -> Rows:
    """Return the failures that authors' sessions have; those that were planted are right."""
    rows, right = [], []
    for session in (each for path in paths for each in read_sessions(path)):
        for failure in find_candidates(read_uses(session), FOLDER):
            matches, _ = match_planted(session["planted"], [failure])
            rows.append(own_work.failure_features(failure))
            right.append(float(bool(matches)))
    return rows, np.array(right), np.ones(len(rows))


def fit(data: Rows, ridge: float, present: dict[str, float]) -> Weights:
    """Return the bias and the weights."""
    rows, answers, counts = data
    inputs = np.array([list(row.values()) for row in rows], float)
    known = np.array([present.get(name, 0.0) for name in rows[0]])
    bias, fitted = fit_logistic(inputs, answers, counts, ridge, known)
    return bias, dict(zip(rows[0], map(float, fitted), strict=True))


def share_described(outputs: list[Labelled]) -> float:
    """Return the share of outputs whose description says what went wrong."""
    hits = 0
    for lines, says in outputs:
        told = describe_error("\n".join(lines))
        hits += any(
            says[index] and " ".join(line.split()).replace("…", "")[:60] in told
            for index, line in enumerate(lines)
        )
    return hits / max(1, len(outputs))


def share_judged(data: Rows, fitted: Weights) -> float:
    """Return the share of failures that a model judges right."""
    bias, features = fitted
    rows, right, _ = data
    scores = [bias + sum(features[name] * row[name] for name in features) for row in rows]
    return float(((np.array(scores) > 0) == right).mean())


def write(module: ModuleType, fitted: Weights) -> None:
    bias, features = fitted
    with open(str(module.__file__), "w", encoding="utf-8") as file:
        file.write(f'"""{module.__doc__}"""\n\nfrom __future__ import annotations\n\n')
        file.write(f"BIAS = {bias:.3f}\nFEATURES = {{\n")
        file.writelines(f'    "{name}": {value:.3f},\n' for name, value in features.items())
        file.write("}\n")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.failures.train", description=__doc__)
    parser.add_argument("files", nargs="+", help="sessions of one author each")
    parser.add_argument("--only", choices=("lines", "kept"), help="the weights to write")
    options = parser.parse_args()
    paths = options.files
    outputs = {path: read_outputs(path) for path in paths}

    def fit_lines(used: list[str]) -> Weights:
        rows = line_rows([one for path in used for one in outputs[path]])
        return fit(rows, _LINES_RIDGE, error_line_weights.FEATURES)

    def fit_kept(used: list[str]) -> Weights:
        return fit(failure_rows(used), _KEPT_RIDGE, own_work_weights.FEATURES)

    for path in paths:
        if others := [other for other in paths if other != path]:
            error_lines.BIAS, error_lines.FEATURES = fit_lines(others)
            described = share_described(outputs[path])
            error_lines.BIAS = error_line_weights.BIAS
            error_lines.FEATURES = error_line_weights.FEATURES
            judged = share_judged(failure_rows([path]), fit_kept(others))
            print(f"{path}: {described:.2f} of outputs described, {judged:.2f} of failures judged")
    if options.only != "lines":
        write(own_work_weights, fit_kept(paths))  # with the present lines
    if options.only != "kept":
        write(error_line_weights, fit_lines(paths))
    return 0


if __name__ == "__main__":
    sys.exit(main())
