"""Train the model that finds the lines of an output that say what went wrong.

Run from the root of the repository: ``python -m bench.failures.train FILE...``, with the files of
``python -m bench.failures``. A line counts as saying so if it has most words of the planted error.
Prints how often one of the three best lines does, for each author with the weights of the others,
then writes the weights of all into ``domain/digest/error_line_weights.py``. The present weights
hold for what the files do not show; so the texts that these were made with need not be at hand.
"""

from __future__ import annotations

import argparse
import json
import sys

import numpy as np
from bench.failures.__main__ import is_about, relevant_lines
from bench.logistic import fit_logistic

from aforesaid.domain.digest import error_line_weights as weights
from aforesaid.domain.digest import error_lines
from aforesaid.domain.digest.error_signature import describe_error

_RIDGE = 40.0

#: Lines of an output, and which of them say what went wrong.
Labelled = tuple[list[str], np.ndarray]


def read_outputs(path: str) -> list[Labelled]:
    """Return the outputs of an author that contain a planted error."""
    outputs = []
    with open(path, encoding="utf-8") as file:
        sessions = [json.loads(line) for line in file if line.strip()]
    for session in sessions:
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


def fit(outputs: list[Labelled]) -> tuple[float, dict[str, float]]:
    """Return the bias and the weights; in each output, both kinds of lines count the same."""
    rows, says, counts = [], [], []
    for lines, labels in outputs:
        rows += error_lines.line_features(lines)
        says.append(labels)
        counts.append(np.where(labels, 1 / labels.sum(), 1 / max(1, (~labels).sum())))
    inputs = np.array([list(row.values()) for row in rows], float)
    known = np.array([weights.FEATURES.get(name, 0.0) for name in rows[0]])
    bias, fitted = fit_logistic(
        inputs, np.concatenate(says).astype(float), np.concatenate(counts), _RIDGE, known
    )
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


def use(bias: float, features: dict[str, float]) -> None:
    """Let the code under test use these weights."""
    error_lines.BIAS, error_lines.FEATURES = bias, features


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.failures.train", description=__doc__)
    parser.add_argument("files", nargs="+", help="sessions of one author each")
    authors = {path: read_outputs(path) for path in parser.parse_args().files}
    for path, outputs in authors.items():
        others = [one for other, each in authors.items() if other != path for one in each]
        if others:
            use(*fit(others))
            print(f"{path}: {share_described(outputs):.2f} of {len(outputs)} outputs described")
    bias, features = fit([one for each in authors.values() for one in each])
    with open(str(weights.__file__), "w", encoding="utf-8") as file:
        file.write(f'"""{weights.__doc__}"""\n\nfrom __future__ import annotations\n\n')
        file.write(f"BIAS = {bias:.3f}\nFEATURES = {{\n")
        file.writelines(f'    "{name}": {value:.3f},\n' for name, value in features.items())
        file.write("}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
