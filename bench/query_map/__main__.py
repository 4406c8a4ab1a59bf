"""Learn the query map and tell what it is worth: ``--write`` puts it beside the shipped model.

Run from the root of the repository: ``python -m bench.query_map --data FILES``. Each question is
judged by a map learned without its corpus (our own: without its project; where a set is one corpus:
without a fifth of its questions), by meaning alone; those maps are kept for what is trained upon
mapped questions (leave_one_out.py). Name only sets whose licence lets what is learned from them
ship.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Sequence

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.query_map.examples import FOLDS, Example, read_examples  # noqa: E402
from bench.query_map.fit import fit_map, identity  # noqa: E402
from bench.query_map.leave_one_out import keep_left_out  # noqa: E402
from bench.retrieval.data import find_sets  # noqa: E402
from bench.vectors import open_cached  # noqa: E402

from aforesaid.adapters.embedding.onnx import SHIPPED_FOLDER  # noqa: E402
from aforesaid.adapters.embedding.query_projection import CONSTANT, FILE  # noqa: E402

SHOWN = (1, 3, 5, 10)


def hits(
    examples: Sequence[Example], map_of: Callable[[int], np.ndarray]
) -> dict[str, list[float]]:
    """Return, for each set, the share of questions that are answered among the first k."""
    ranks: dict[str, list[int]] = {}
    for one in examples:
        turned = np.append(one.question, np.float32(CONSTANT)) @ map_of(one.fold)
        order = np.argsort(-(one.texts @ turned), kind="stable")
        ranks.setdefault(one.set_name, []).append(int(np.argmax(one.answers[order])))
    return {
        name: [float(np.mean([rank < count for rank in each])) for count in SHOWN]
        for name, each in ranks.items()
    }


def write(learned: np.ndarray, folder: str) -> None:
    """Put the map beside the model and its hash into the card."""
    content = learned.astype("<f2").tobytes()
    with open(os.path.join(folder, FILE), "wb") as file:
        file.write(content)
    path = os.path.join(folder, "card.json")
    with open(path, encoding="utf-8") as file:
        card = json.load(file)
    card["files"][FILE] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    with open(path, "w", encoding="utf-8") as file:
        file.write(json.dumps(card, indent=2) + "\n")


def main() -> int:
    """Learn, tell, keep."""
    parser = argparse.ArgumentParser(prog="python -m bench.query_map", description=__doc__)
    parser.add_argument("--data", nargs="*", default=[], help="files, or folders of files")
    parser.add_argument("--write", action="store_true", help="replace the shipped map")
    options = parser.parse_args()
    embedder = open_cached()
    examples = read_examples(list(find_sets(options.data)), embedder)
    without = [fit_map([one for one in examples if one.fold != fold]) for fold in range(FOLDS)]
    keep_left_out(embedder, without)
    plain = identity(embedder.dimensions)
    before, after = hits(examples, lambda _fold: plain), hits(examples, without.__getitem__)
    print(f"answered among the first {', '.join(map(str, SHOWN))}, by meaning alone: plain, mapped")
    for name in before:
        told = "   ".join(" ".join(f"{one:.3f}" for one in each[name]) for each in (before, after))
        print(f"{name:20}{told}")
    if options.write:
        write(fit_map(examples), SHIPPED_FOLDER)
    return 0


if __name__ == "__main__":
    sys.exit(main())
