"""Fit what tells that a statement was overtaken, and judge it on authors left out.

Run from the root of the repository: ``python -m bench.overtaken``; with ``--write`` it also writes
domain/digest/overtaken_weights.py. With ``--errors`` it lists what is hidden wrongly and what is
shown although it was overtaken. A statement counts as overtaken in a session if at least one
sentence overtakes it; which one is learnt, not labelled.
"""

from __future__ import annotations

import argparse
import glob
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.logistic import fit_logistic  # noqa: E402
from bench.vectors import CachedEmbedder, open_cached  # noqa: E402

from aforesaid.domain.digest.memory_candidates import FACT  # noqa: E402
from aforesaid.domain.digest.overtaken import (  # noqa: E402
    STATED,
    USER,
    Claim,
    Later,
    least_log_odds,
    overtaken_features,
)

RIDGE = 3.0
ROUNDS = 4
NEAREST = 3  #: sentences of a session that count, if the statement still holds after it
FOREIGN = -1  #: instead of a session's index
FOREIGN_COUNT = 0.2  #: how much a case of two authors counts
PAIR_COUNT = 0.03  #: how much a pair of bench/relations counts
#: How a sentence is chosen in the first round.
FIRST_GUESS = {"like with context": 6.0, "shared": 0.6, "like and changes": 1.0}
WEIGHTS = os.path.join(
    HERE, "..", "..", "server", "aforesaid", "domain", "digest", "overtaken_weights.py"
)
Model = tuple[float, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A statement and one session, with the features of each sentence that may overtake it."""

    author: str
    statement: str
    kind: str
    session: int
    overtaken: bool
    features: np.ndarray
    sentences: list[tuple[str, str]]  #: each with who said it


def read_rows(author: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the statements and the sentences of an author."""
    path = os.path.join(HERE, "texts", f"{author}.jsonl")
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    kinds = ("statement", "sentence")
    statements, sentences = ([row for row in rows if row["type"] == kind] for kind in kinds)
    return statements, sentences


def read_foreign(author: str, other: str, cosine: Callable[[str, str], float]) -> Iterator[Case]:
    """Yield the cases of one author's statements and another one's sessions: none is overtaken.

    What is asked for is left out, since two people may ask for opposite things.
    """
    sentences = read_rows(other)[1]
    for row in read_rows(author)[0]:
        if row["kind"] == STATED and row["category"] != FACT:
            continue
        for session in sorted({sentence["session"] for sentence in sentences}):
            foreign = {**row, "session": -1, "everywhere": True}
            found = list(_found(foreign, sentences, session, cosine))
            if found:
                inputs = np.array([list(features.values()) for features, *_ in found])
                texts = [text for _, *text in found]
                yield Case(author, row["text"], row["kind"], FOREIGN, False, inputs, texts)


def read(author: str, cosine: Callable[[str, str], float]) -> tuple[list[Case], list[str]]:
    """Return the cases of an author and the names of the features."""
    statements, sentences = read_rows(author)
    names: list[str] = []
    cases = []
    for row in statements:
        end = min(row["overtaken"], default=10**6)
        for session in sorted({sentence["session"] for sentence in sentences}):
            if session < row["session"] or session in row["unclear"]:
                continue
            if session > end and session not in row["overtaken"]:
                continue
            found = list(_found(row, sentences, session, cosine))
            if found:
                names = list(found[0][0])
                inputs = np.array([list(features.values()) for features, *_ in found])
                texts = [text for _, *text in found]
                is_end = session in row["overtaken"]
                case = (author, row["text"], row["kind"], session, is_end, inputs, texts)
                cases.append(Case(*case))
    return cases, names


def _found(
    row: dict[str, Any],
    sentences: list[dict[str, Any]],
    session: int,
    cosine: Callable[[str, str], float],
) -> Any:
    is_earlier = row["session"] < session
    claim = Claim(
        text=row["text"], kind=row["kind"], category=row["category"], is_earlier=is_earlier
    )
    for sentence in sentences:
        if sentence["session"] != session or (
            sentence["project"] != row["project"] and not row["everywhere"]
        ):
            continue
        if not is_earlier and (row["at"] is None or sentence["at"] <= row["at"]):
            continue
        later = Later(text=sentence["text"], by=sentence["by"], at_ms=0, before=sentence["before"])
        features = overtaken_features(claim, later, cosine)
        if features is not None:
            yield features, sentence["text"], sentence["by"]


def read_pairs(cosine: Callable[[str, str], float]) -> tuple[np.ndarray, np.ndarray]:
    """Return the features of the pairs of bench/relations, and which replace the older one."""
    inputs, answers = [], []
    for path in sorted(glob.glob(os.path.join(HERE, "..", "relations", "pairs", "*.jsonl"))):
        with open(path, encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if row["relation"] == "unclear":
                    continue
                later = Later(text=row["newer"], by=USER, at_ms=0)
                features = overtaken_features(Claim(text=row["older"]), later, cosine)
                if features is not None:
                    inputs.append(list(features.values()))
                    answers.append(row["relation"] == "replaces")
    return np.array(inputs), np.array(answers, float)


def fit(
    cases: list[Case],
    foreign: list[Case],
    names: list[str],
    pairs: tuple[np.ndarray, np.ndarray],
) -> Model:
    """Return bias and weights; the best sentence counts where a session overtakes a statement."""
    model = (0.0, np.array([FIRST_GUESS.get(name, 0.0) for name in names]))
    for _ in range(ROUNDS):
        inputs, answers, counts = [], [], []
        for case in (*cases, *foreign):
            weight = FOREIGN_COUNT if case.session == FOREIGN else 1.0
            chosen = np.argsort(-(case.features @ model[1]))[: 1 if case.overtaken else NEAREST]
            inputs.append(case.features[chosen])
            answers += [float(case.overtaken)] * len(chosen)
            counts += [weight / len(chosen)] * len(chosen)
        model = fit_logistic(
            np.concatenate([*inputs, pairs[0]]),
            np.concatenate([answers, pairs[1]]),
            np.concatenate([counts, np.full(len(pairs[1]), PAIR_COUNT)]),
            RIDGE,
        )
    return model


def score(case: Case, model: Model) -> tuple[float, str]:
    """Return by how much the best sentence is likely enough, and that sentence."""
    least = [least_log_odds(case.kind, by) for _, by in case.sentences]
    margins = case.features @ model[1] + model[0] - np.array(least)
    best = int(margins.argmax())
    return float(margins[best]), case.sentences[best][0]


def write_table(author: str, scored: list[tuple[float, str, Case]]) -> str:
    """Return how well one author's statements are told apart by a model of the others."""
    ranked = sorted(scored, key=lambda row: -row[0])
    total = sum(case.overtaken for _, _, case in ranked)
    hits, precision = 0, 0.0
    for rank, (_, _, case) in enumerate(ranked, 1):
        if case.overtaken:
            hits += 1
            precision += hits / rank
    hidden = [case for margin, _, case in ranked if margin >= 0]
    right = sum(case.overtaken for case in hidden)
    return (
        f"{author}: {len(ranked)} cases, {total} overtaken; average precision "
        f"{precision / total:.3f}; hidden {right} rightly, {len(hidden) - right} wrongly"
    )


def write(names: list[str], model: Model) -> None:
    """Write the weights for the product."""
    lines = "".join(
        f'    "{name}": {weight:.2f},\n' for name, weight in zip(names, model[1], strict=True)
    )
    with open(WEIGHTS, "w", encoding="utf-8") as file:
        file.write(
            '"""Weights of overtaken.py, written by ``python -m bench.overtaken --write``."""\n\n'
            f"BIAS = {model[0]:.2f}\nWEIGHTS = {{\n{lines}}}\n"
        )


def make_cosine(embedder: CachedEmbedder) -> Callable[[str, str], float]:
    """Return the cosine of two texts by the shipped model."""
    vectors: dict[str, np.ndarray] = {}

    def vector(text: str) -> np.ndarray:
        if text not in vectors:
            vectors[text] = np.frombuffer(embedder.embed_document(text)[0], dtype=np.float32)
        return vectors[text]

    return lambda text, other: float(vector(text) @ vector(other))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.overtaken", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights")
    parser.add_argument("--errors", action="store_true", help="list what is judged wrongly")
    options = parser.parse_args()
    cosine = make_cosine(open_cached())
    paths = glob.glob(os.path.join(HERE, "texts", "*.jsonl"))
    authors = sorted(os.path.basename(path).partition(".")[0] for path in paths)
    cases: dict[str, list[Case]] = {}
    names: list[str] = []
    for author in authors:
        cases[author], names = read(author, cosine)
    pairs = read_pairs(cosine)
    foreign = {
        (author, other): list(read_foreign(author, other, cosine))
        for author in authors
        for other in authors
        if author != other
    }
    everything = []
    for author in authors:
        others = [case for other in authors if other != author for case in cases[other]]
        apart = [case for pair, found in foreign.items() if author not in pair for case in found]
        model = fit(others, apart, names, pairs)
        scored = [(*score(case, model), case) for case in cases[author]]
        everything += scored
        mixed = [case for pair, found in foreign.items() if author in pair for case in found]
        hidden = sum(score(case, model)[0] >= 0 for case in mixed)
        table = write_table(author, scored)
        print(f"{table}; {hidden} of {len(mixed)} with the sessions of others")
    print(write_table("all", everything))
    for margin, sentence, case in sorted(everything, key=lambda row: -row[0]):
        if options.errors and (margin >= 0) != case.overtaken:
            sign = "hidden wrongly" if not case.overtaken else "missed"
            print(f"{sign} {margin:.2f} {case.author} {case.session}: {case.statement[:90]}")
            print(f"    <- {sentence[:110]}")
    if options.write:
        own = [case for author in authors for case in cases[author]]
        write(names, fit(own, [case for found in foreign.values() for case in found], names, pairs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
