"""Which sentences last, and which of those are about the person: how well that carries over.

Run from the root of the repository: ``python -m bench.remarks``. Each author is judged by weights
that the others taught; beside it the rules alone. Of all sentences, it then judges which are wishes
that hold in all projects of the person. ``--write`` writes
the weights that all authors teach into domain/digest/lasting_weights.py and wish_weights.py. A
logistic regression with ridges, by Adam.
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
    recall_at,
    write_table,
)
from bench.vectors import open_cached  # noqa: E402

from aforesaid.domain.digest.lasting import (  # noqa: E402
    MIN_GLOBAL_WISH,
    MIN_LASTING_WISH,
    MIN_PROBABILITY,
    MIN_SURE_WISH,
    MIN_WISH,
)
from aforesaid.domain.digest.sentence_model import (  # noqa: E402
    SLOT_COUNT,
    sentence_features,
    token_slots,
)

TEXTS = os.path.join(HERE, "texts")
WEIGHTS = os.path.join(SERVER, "aforesaid", "domain", "digest")
PRECISIONS = (0.8, 0.85, 0.9)
RIDGES = (200.0, 20.0, 300.0)  #: of vectors, features and slots


def read() -> tuple[Labelled, Labelled]:
    """Return all sentences, labelled by whether they last, and by whether they are wishes.

    An event does not last. A wish lasts and holds in all projects of its author.
    """
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
                features.append(sentence_features(one["s"], index, count, answers=answers))
                row = np.zeros(SLOT_COUNT, np.float32)
                row[token_slots(one["s"])] = 1.0
                slots.append(row)
    names = tuple(features[0])
    table = np.array([[one[name] for name in names] for one in features], np.float32)
    blocks = (np.array(vectors, np.float32), table, np.array(slots))
    labels = np.array(lasting), np.array(lasting) * np.array(personal)
    first, second = (Labelled(np.array(authors), each, blocks, names, RIDGES) for each in labels)
    return first, second


def write(sentences: Labelled, wishes: Labelled) -> None:
    """Write the weights as two modules."""
    modules = {
        "lasting": (("LASTING", sentences),),
        "wish": (("WISH", wishes),),
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


def print_wishes(sentences: Labelled, wishes: Labelled, likely: np.ndarray) -> None:
    """Print how many wishes are found by the first model, and with the help of that for wishes.

    Args:
        sentences: all of them.
        wishes: the same, labelled by whether they are wishes.
        likely: the probability that each lasts.
    """
    by_wish = judge_held_out(wishes)
    wished, alone = wishes.labels > 0, likely >= MIN_PROBABILITY
    print(
        f"wishes for all projects: {wished.sum()}; average precision "
        f"{average_precision(by_wish, wishes.labels):.3f}; as global ones (from "
        f"{MIN_GLOBAL_WISH}) {wishes.labels[by_wish >= MIN_GLOBAL_WISH].mean():.3f} right, recall "
        f"{(wished & (by_wish >= MIN_GLOBAL_WISH)).sum() / wished.sum():.3f}"
    )
    likely_wish = by_wish >= np.where(likely >= MIN_LASTING_WISH, MIN_WISH, MIN_SURE_WISH)
    for name, kept in (("alone", alone), ("with wishes", alone | likely_wish)):
        print(
            f"{name:12} precision {sentences.labels[kept].mean():.3f}, recall "
            f"{sentences.labels[kept].sum() / sentences.labels.sum():.3f}, "
            f"of wishes {kept[wished].mean():.3f}"
        )


def main() -> int:
    """Print recall at each precision by author, and write the weights if asked."""
    parser = argparse.ArgumentParser(prog="python -m bench.remarks", description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the weights")
    options = parser.parse_args()
    sentences, wishes = read()
    likely = judge_held_out(sentences)
    by_rule = sentences.blocks[1][:, sentences.names.index("by rule")] > 0
    print(
        "author  sentences  lasting  rules: recall, precision"
        "   average precision   recall at .80, .85, .90"
    )
    for name in [*sorted(set(sentences.authors)), "all"]:
        chosen = (sentences.authors == name) | (name == "all")
        kept, lasting = by_rule[chosen], sentences.labels[chosen]
        recalls = [recall_at(likely[chosen], lasting, one) for one in PRECISIONS]
        print(
            f"{name:8}{chosen.sum():9}{int(lasting.sum()):9}"
            f"{(lasting * kept).sum() / lasting.sum():15.3f}{lasting[kept].mean():11.3f}"
            f"{average_precision(likely[chosen], lasting):20.3f}        "
            + " ".join(f"{recall:.3f} (from {at:.2f})" for recall, at in recalls)
        )
    print_wishes(sentences, wishes, likely)
    if options.write:
        write(sentences, wishes)
    return 0


if __name__ == "__main__":
    sys.exit(main())
