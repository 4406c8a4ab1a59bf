"""Score a reader of the first results: ``python -m bench.models.reranker FOLDER --data FILES``.

FOLDER is what ``retrieval.reranker`` would name, such as ms-marco-MiniLM-L-6-v2 with its ONNX file.
Each question is put to the product without a reader, then with one that reads so many results;
time is told beside it, and not limited. Parts: our own test questions, those of projects that
train_reranker.py never saw apart, and the folds held out from it; ``--all`` adds what it learned
from, for readers from elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", ".."), os.path.join(HERE, "..", "..", "server")]

from bench.models.asked import OWN, TRAIN, Labelled, add_options, read_sets  # noqa: E402
from bench.stores import private_places  # noqa: E402
from bench.timing import describe_machine, percentile  # noqa: E402

from aforesaid.adapters.embedding.reranker import OnnxReranker  # noqa: E402
from aforesaid.services.recall.rerank import MAX_RERANKED  # noqa: E402

if TYPE_CHECKING:
    from aforesaid.ports.reranker import Reranker

SHOWN = ("recall@1", "hit@3", "ndcg@10")
DEPTHS = (5, 10, 15, MAX_RERANKED)
WITHOUT = "without"


class Watched:
    """A ``Reranker`` that reads to a depth, each pair once, and writes down what that took."""

    def __init__(self, reader: Reranker) -> None:
        self._reader = reader
        self._known: dict[tuple[str, str], tuple[float, float, float]] = {}
        self.depth = MAX_RERANKED
        self.taken: dict[int, list[tuple[float, float]]] = defaultdict(list)  #: (clock, processor)

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:  # noqa: ARG002
        """Return the scores of the first texts; ms by depth are written down."""
        read = [self._read(query, text) for text in texts[: self.depth]]
        clock, processor = (sum(one[at] for one in read) for at in (1, 2))
        self.taken[self.depth].append((clock, processor))
        return [one[0] for one in read]

    def _read(self, query: str, text: str) -> tuple[float, float, float]:
        if (query, text) not in self._known:
            began, busy = time.perf_counter(), time.process_time()
            (score,) = self._reader.scores(query, [text], 60.0)
            taken = time.perf_counter() - began, time.process_time() - busy
            self._known[query, text] = score, taken[0] * 1e3, taken[1] * 1e3
        return self._known[query, text]


class Figures:
    """Scores of one part, by how many results were read."""

    def __init__(self) -> None:
        self._scores: dict[str, list[dict[str, float]]] = defaultdict(list)
        self.characters: list[int] = []

    def add(self, one: Labelled, reader: Watched, depths: Sequence[int]) -> None:
        """Ask one question, each way."""
        plain = one.ask(None)
        self._scores[WITHOUT].append(one.score([key for key, _text in plain]))
        self.characters += [len(text) for _key, text in plain[:MAX_RERANKED]]
        for reader.depth in depths:
            found = [key for key, _text in one.ask(reader)]
            self._scores[str(reader.depth)].append(one.score(found))

    def told(self) -> dict[str, Any]:
        """Return means, and how many questions each way did better and worse than without."""
        before = self._scores[WITHOUT]
        return {
            "questions": len(before),
            "characters of a text": round(statistics.mean(self.characters or [0])),
            "read": {
                way: {
                    **{
                        name: round(statistics.mean(one[name] for one in each), 4) for name in SHOWN
                    },
                    "better": sum(a["mrr"] > b["mrr"] for a, b in zip(each, before, strict=True)),
                    "worse": sum(a["mrr"] < b["mrr"] for a, b in zip(each, before, strict=True)),
                }
                for way, each in self._scores.items()
            },
        }


def measure(reader: Watched, options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of each part, and what reading took."""
    parts: dict[str, Figures] = {}
    with private_places() as folder:
        for one in read_sets(folder, options):
            if one.part != TRAIN or options.all:
                whole = options.all and one.set_name != OWN
                name = one.set_name if whole else f"{one.set_name}, {one.part}"
                part = parts.setdefault(name, Figures())
                part.add(one, reader, options.depths)
    return {
        "parts": {name: part.told() for name, part in parts.items()},
        "ms": {
            str(depth): {
                f"{what} {name}": round(percentile([one[at] for one in taken], share), 1)
                for at, what in enumerate(("clock", "processor"))
                for name, share in (("p50", 0.5), ("p95", 0.95))
            }
            for depth, taken in reader.taken.items()
        },
    }


def show(report: dict[str, Any]) -> None:
    """Print the figures as tables."""
    for name, part in report["parts"].items():
        print(
            f"\n{name}: {part['questions']} questions, texts of {part['characters of a text']} "
            f"characters\n{'read':>8}"
            + "".join(f"{one:>10}" for one in (*SHOWN, "better", "worse"))
        )
        for way, found in part["read"].items():
            print(f"{way:>8}" + "".join(f"{found[one]:10.3f}" for one in SHOWN), end="")
            print(f"{found['better']:10}{found['worse']:10}")
    print("\nms of reading, by results read")
    for depth, taken in report["ms"].items():
        print(f"{depth:>8}  " + ", ".join(f"{what} {ms}" for what, ms in taken.items()))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.models.reranker", description=__doc__)
    parser.add_argument("folder", help="the reader's")
    add_options(parser)
    parser.add_argument("--depths", nargs="+", type=int, default=DEPTHS, help="results to read")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    reader = Watched(OnnxReranker(options.folder))
    report = {"machine": describe_machine(), **measure(reader, options)}
    if options.json:
        print(json.dumps(report))
        return 0
    print(report["machine"])
    show(report)
    return 0


if __name__ == "__main__":
    sys.exit(main())
