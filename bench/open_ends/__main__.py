"""Which sentences of the assistant leave something open: how well that carries over.

Run from the root of the repository: ``python -m bench.open_ends``. Phrases alone stand beside
phrases with a model, by which each author is judged with weights that the others taught.
``--write`` writes the weights that all authors teach into domain/digest/open_end_weights.py.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = os.path.join(HERE, "..", "..", "server")
sys.path.insert(0, SERVER)

from bench.sentence_model import (  # noqa: E402
    Labelled,
    average_precision,
    judge_held_out,
    write_table,
)

from aforesaid.domain.digest.open_ends import (  # noqa: E402
    MIN_PROBABILITY,
    open_features,
)
from aforesaid.domain.digest.sentence_classifier import (  # noqa: E402
    is_open,
    is_proposal,
    strip_open_label,
)
from aforesaid.domain.digest.sentence_model import SLOT_COUNT, token_slots  # noqa: E402

TEXTS = os.path.join(HERE, "texts")
WEIGHTS = os.path.join(SERVER, "aforesaid", "domain", "digest", "open_end_weights.py")
RIDGES = (1.0, 50.0, 400.0)  #: of vectors, of which there are none, features and slots


def read() -> tuple[Labelled, np.ndarray, np.ndarray]:
    """Return the sentences; whether the phrases say that each leaves something open, or a label."""
    authors, labels, features, slots, by_rule, labelled = [], [], [], [], [], []
    for file in sorted(os.listdir(TEXTS)):
        with open(os.path.join(TEXTS, file), encoding="utf-8") as lines:
            messages = [json.loads(line) for line in lines]
        for message in messages:
            if message["role"] != "assistant":
                continue
            count = len(message["sentences"])
            for index, (text, label) in enumerate(message["sentences"]):
                authors.append(file.removesuffix(".jsonl"))
                labels.append(float(label))
                features.append(open_features(text, index, count))
                row = np.zeros(SLOT_COUNT, np.float32)
                row[token_slots(text)] = 1.0
                slots.append(row)
                by_rule.append(is_open(text) and not is_proposal(text))
                labelled.append(strip_open_label(text) != text)
    names = tuple(features[0])
    table = np.array([[one[name] for name in names] for one in features], np.float32)
    blocks = (np.zeros((len(labels), 0), np.float32), table, np.array(slots))
    sentences = Labelled(np.array(authors), np.array(labels), blocks, names, RIDGES)
    return sentences, np.array(by_rule), np.array(labelled)


def main() -> int:
    """Print precision and recall by author, and write the weights if asked."""
    parser = argparse.ArgumentParser(prog="python -m bench.open_ends", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args()
    sentences, by_rule, labelled = read()
    likely = judge_held_out(sentences)
    both = by_rule & (labelled | (likely >= MIN_PROBABILITY))
    print("author  sentences  open  phrases: precision, recall   with the model   AP of the model")
    groups = {name: sentences.authors == name for name in sorted(set(sentences.authors))}
    groups["written"] = np.char.startswith(sentences.authors, "o")
    groups["sessions"] = np.char.startswith(sentences.authors, "w")
    for name, chosen in groups.items():
        labels = sentences.labels[chosen]
        figures = [
            f"{labels[kept].mean() if kept.any() else 1.0:.3f}, "
            f"{labels[kept].sum() / labels.sum():.3f}"
            for kept in (by_rule[chosen], both[chosen])
        ]
        average = average_precision(likely[chosen], labels)
        print(
            f"{name:9}{chosen.sum():9}{int(labels.sum()):6}{figures[0]:>28}"
            f"{figures[1]:>17}{average:18.3f}"
        )
    if options.write:
        text = '''"""Weights of open_ends.py, written by ``python -m bench.open_ends --write``.

The table has the bias, the weights of the features, no vector, and for the slots a step and
weights in units of it (int8, base64).
"""

from __future__ import annotations

'''
        with open(WEIGHTS, "w", encoding="utf-8") as file:
            file.write(text + write_table("OPEN_END", sentences))
    return 0


if __name__ == "__main__":
    sys.exit(main())
