"""Which sentences last, and which of those are about the person: how well that carries over.

Run from the root of the repository: ``python -m bench.remarks``. Each author is judged by weights
that the others taught; beside it the rules alone. Of all sentences, it then judges which are wishes
that hold in all projects of the person. ``--write`` writes
the weights that all authors teach into domain/digest/lasting_weights.py and wish_weights.py. A
logistic regression with ridges, by Adam.
"""

from __future__ import annotations

import argparse
import base64
import json
import os
import sys
import textwrap
from dataclasses import dataclass

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.path.join(HERE, "..", "..", "server")
sys.path.insert(0, SERVER)

from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.digest.lasting import (  # noqa: E402
    MIN_GLOBAL_WISH,
    MIN_LASTING_WISH,
    MIN_PROBABILITY,
    MIN_SURE_WISH,
    MIN_WISH,
    SLOT_COUNT,
    lasting_features,
    token_slots,
)

TEXTS = os.path.join(HERE, "texts")
WEIGHTS = os.path.join(SERVER, "aforesaid", "domain", "digest")
RIDGES = (200.0, 20.0, 300.0)  #: of vectors, features and slots
STEPS, RATE = 250, 0.01
PRECISIONS = (0.8, 0.85, 0.9)
_LEVELS = 127
_SPREAD = 0.05  #: added to the spread of each slot, so that a rare word weighs little


@dataclass(frozen=True)
class Sentences:
    """Labelled sentences, and what they are judged by.

    Attributes:
        authors: of each.
        lasting: whether each lasts.
        personal: whether each holds in all projects of its author.
        blocks: vectors, features and slots, each (n, width).
        names: of the features.
    """

    authors: np.ndarray
    lasting: np.ndarray
    personal: np.ndarray
    blocks: tuple[np.ndarray, ...]
    names: tuple[str, ...]


def read() -> Sentences:
    """Return all sentences with their inputs; an event does not last."""
    embedder = open_cached()
    authors, lasting, personal, vectors, features, slots = [], [], [], [], [], []
    for file in sorted(os.listdir(TEXTS)):
        with open(os.path.join(TEXTS, file), encoding="utf-8") as lines:
            messages = [json.loads(line) for line in lines]
        for message in messages:
            count = len(message["sentences"])
            for index, one in enumerate(message["sentences"]):
                authors.append(file.removesuffix(".jsonl"))
                lasting.append(float(one["memory"] is not None and one["label"] != "event"))
                personal.append(float(one["scope"] == "user"))
                vectors.append(np.frombuffer(embedder.embed_document(one["s"])[0], "<f4"))
                answers = bool(message["before"])
                features.append(lasting_features(one["s"], index, count, answers=answers))
                row = np.zeros(SLOT_COUNT, np.float32)
                row[token_slots(one["s"])] = 1.0
                slots.append(row)
    names = tuple(features[0])
    table = np.array([[one[name] for name in names] for one in features], np.float32)
    blocks = (np.array(vectors, np.float32), table, np.array(slots))
    labels = np.array(lasting), np.array(personal)
    return Sentences(np.array(authors), *labels, blocks, names)


def as_wishes(sentences: Sentences) -> Sentences:
    """Return all sentences, labelled by whether they last and hold in all projects."""
    wishes = sentences.lasting * sentences.personal
    return Sentences(sentences.authors, wishes, wishes, sentences.blocks, sentences.names)


def fit(sentences: Sentences, chosen: np.ndarray) -> tuple[float, list[np.ndarray]]:
    """Return the bias and the weights of each block that the chosen sentences teach."""
    lasting = sentences.lasting[chosen].astype(np.float32)
    inputs, spreads, means, ridges = [], [], [], []
    for block, ridge in zip(sentences.blocks, RIDGES, strict=True):
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


def predict(sentences: Sentences, model: tuple[float, list[np.ndarray]]) -> np.ndarray:
    """Return the probability that each sentence lasts."""
    bias, weights = model
    odds = sum(block @ part for block, part in zip(sentences.blocks, weights, strict=True))
    return 1 / (1 + np.exp(-(odds + bias)))


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


def judge_held_out(sentences: Sentences) -> np.ndarray:
    """Return the probability of each sentence by weights that the other authors taught."""
    likely = np.zeros(len(sentences.lasting))
    for name in sorted(set(sentences.authors)):
        of_author = sentences.authors == name
        likely[of_author] = predict(sentences, fit(sentences, ~of_author))[of_author]
    return likely


def write_table(name: str, sentences: Sentences) -> str:
    """Return the weights that all authors teach as the source of a table."""
    every = np.full(len(sentences.lasting), fill_value=True)
    bias, (vector, features, slots) = fit(sentences, every)
    tables = []
    for part in (vector, slots):
        step = float(np.abs(part).max()) / _LEVELS
        raw = np.round(part / step).astype(np.int8).tobytes()
        lines = textwrap.wrap(base64.b64encode(raw).decode(), 88)
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


def write(sentences: Sentences) -> None:
    """Write the weights as two modules."""
    modules = {
        "lasting": (("LASTING", sentences),),
        "wish": (("WISH", as_wishes(sentences)),),
    }
    for name, tables in modules.items():
        model = f'MODEL = "{open_cached().model}"\n' if name == "lasting" else ""
        text = '''"""Weights of lasting.py, written by ``python -m bench.remarks --write``.

Each table has the bias, the weights of the features, and for the vector and the slots a step and
weights in units of it (int8, base64).
"""

from __future__ import annotations

'''
        text += model + "".join(write_table(*table) for table in tables)
        with open(os.path.join(WEIGHTS, f"{name}_weights.py"), "w", encoding="utf-8") as file:
            file.write(text)


def print_wishes(sentences: Sentences, likely: np.ndarray) -> None:
    """Print how many wishes are found by the first model, and with the help of that for wishes.

    Args:
        sentences: all of them.
        likely: the probability that each lasts.
    """
    wishes = as_wishes(sentences)
    by_wish = judge_held_out(wishes)
    wished, alone = wishes.lasting > 0, likely >= MIN_PROBABILITY
    print(
        f"wishes for all projects: {wished.sum()}; average precision "
        f"{average_precision(by_wish, wishes.lasting):.3f}; as global ones (from "
        f"{MIN_GLOBAL_WISH}) {wishes.lasting[by_wish >= MIN_GLOBAL_WISH].mean():.3f} right, recall "
        f"{(wished & (by_wish >= MIN_GLOBAL_WISH)).sum() / wished.sum():.3f}"
    )
    likely_wish = by_wish >= np.where(likely >= MIN_LASTING_WISH, MIN_WISH, MIN_SURE_WISH)
    for name, kept in (("alone", alone), ("with wishes", alone | likely_wish)):
        print(
            f"{name:12} precision {sentences.lasting[kept].mean():.3f}, recall "
            f"{sentences.lasting[kept].sum() / sentences.lasting.sum():.3f}, "
            f"of wishes {kept[wished].mean():.3f}"
        )


def main() -> int:
    """Print recall at each precision by author, and write the weights if asked."""
    parser = argparse.ArgumentParser(prog="python -m bench.remarks", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args()
    sentences = read()
    likely = judge_held_out(sentences)
    by_rule = sentences.blocks[1][:, sentences.names.index("by rule")] > 0
    print(
        "author  sentences  lasting  rules: recall, precision"
        "   average precision   recall at .80, .85, .90"
    )
    for name in [*sorted(set(sentences.authors)), "all"]:
        chosen = (sentences.authors == name) | (name == "all")
        kept, lasting = by_rule[chosen], sentences.lasting[chosen]
        recalls = [recall_at(likely[chosen], lasting, one) for one in PRECISIONS]
        print(
            f"{name:8}{chosen.sum():9}{int(lasting.sum()):9}"
            f"{(lasting * kept).sum() / lasting.sum():15.3f}{lasting[kept].mean():11.3f}"
            f"{average_precision(likely[chosen], lasting):20.3f}        "
            + " ".join(f"{recall:.3f} (from {at:.2f})" for recall, at in recalls)
        )
    print_wishes(sentences, likely)
    if options.write:
        write(sentences)
    return 0


if __name__ == "__main__":
    sys.exit(main())
