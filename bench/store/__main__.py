"""Measure what storing and recalling cost, by the real services with the real model.

Run from the root of the repository: ``python -m bench.store``. A store of each size is filled
first (vectors come from the cache of bench/vectors.py, the first time they are made: about a
minute); what is measured then embeds for itself.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import TYPE_CHECKING, TypeVar

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.corpus import Made, make_memories, make_questions  # noqa: E402
from bench.stores import make_place, open_core, private_places, store_all  # noqa: E402
from bench.timing import describe_machine, percentile  # noqa: E402
from bench.vectors import CachedEmbedder  # noqa: E402

from aforesaid.domain.model.memory import Filters  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.services.recall.query import RecallQuery  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.ports import Embedder

_Made = TypeVar("_Made")

SIZES = (1_000, 10_000)
PROJECTS = 20


class TimedEmbedder:
    """An ``Embedder`` that keeps what its calls took."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self.spent_ms = 0.0

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a question."""
        return self._timed(lambda: self._embedder.embed_query(text))

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the vectors of each text's windows."""
        return self._timed(lambda: self._embedder.embed_documents(texts))

    def _timed(self, call: Callable[[], _Made]) -> _Made:
        began = time.perf_counter()
        made = call()
        self.spent_ms += (time.perf_counter() - began) * 1e3
        return made


def fill(path: str, size: int, embedder: Embedder) -> float:
    """Store so many memories in 20 projects, half of them where is measured; return seconds."""
    core = open_core(path, CachedEmbedder(embedder))
    began = time.perf_counter()
    made = make_memories(size)
    shares: dict[int, list[Statement]] = {}
    for number, one in enumerate(made):
        owner = 0 if number % 10 < 5 else 1 + number % (PROJECTS - 1)
        shares.setdefault(owner, []).append(_statement(one, everywhere=number % 10 < 2))
    for owner, statements in shares.items():
        store_all(core, make_place(core, _name(owner)), statements)
    core.close()
    return time.perf_counter() - began


def measure(path: str, calls: int, embedder: Embedder) -> dict[str, dict[str, float]]:
    """Return milliseconds at p50 and p95 of each kind of call."""
    timed = TimedEmbedder(embedder)
    core = open_core(path, timed)
    place = make_place(core, _name(0))
    new = make_memories(calls + 1, seed=99)
    statements = [_statement(one, everywhere=False) for one in new]
    questions = make_questions(calls + 1)
    kinds: dict[str, Callable[[int], object]] = {
        "recall": lambda turn: core.recall.recall(
            RecallQuery(query=questions[turn]), place.visible
        ),
        "store": lambda turn: core.writer.store(statements[turn], place),
        "recall by filters": lambda _turn: core.recall.recall(
            RecallQuery(filters=Filters(types=("procedural",))), place.visible
        ),
        "context": lambda _turn: core.context_builder.build_full(place),
        "statistics": lambda _turn: core.store.memories.statistics(place.visible),
        "look for missing vectors": lambda _turn: core.store.search.without_vectors(
            timed.model, 16
        ),
    }
    figures = {}
    for name, call in kinds.items():
        call(0)  # not counted: caches fill
        total, embedding = [], []
        for turn in range(1, calls + 1):
            timed.spent_ms = 0.0
            began = time.perf_counter()
            call(turn)
            total.append((time.perf_counter() - began) * 1e3)
            embedding.append(timed.spent_ms)
        rest = [all_of_it - part for all_of_it, part in zip(total, embedding, strict=True)]
        figures[name] = {
            "p50_ms": round(percentile(total, 0.5), 2),
            "p95_ms": round(percentile(total, 0.95), 2),
            "embedding_p50_ms": round(percentile(embedding, 0.5), 2),
            "rest_p50_ms": round(percentile(rest, 0.5), 2),
            "rest_p95_ms": round(percentile(rest, 0.95), 2),
        }
    core.close()
    return figures


def _statement(made: Made, *, everywhere: bool) -> Statement:
    return Statement(
        content=made.content,
        type=made.type if made.type != "entity" else "semantic",
        summary=made.summary,
        tags=made.tags,
        importance=made.importance,
        scope="global" if everywhere else "project",
    )


def _name(owner: int) -> str:
    return "acme/payments" if owner == 0 else f"acme/service-{owner}"


def _open_model() -> Embedder:
    from aforesaid.adapters.embedding.onnx import open_shipped  # noqa: PLC0415 - slow

    return open_shipped()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.store", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="memories in the store")
    parser.add_argument("--calls", type=int, default=200, help="calls of each kind")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    embedder = _open_model()
    report = {}
    with private_places() as folder:
        for size in options.sizes:
            path = os.path.join(folder, f"{size}.db")
            seconds = fill(path, size, embedder)
            report[size] = {
                "filled_seconds": round(seconds, 1),
                "file_mb": round(os.path.getsize(path) / 1e6, 1),
                "calls": measure(path, options.calls, embedder),
            }
    if options.json:
        print(json.dumps({"machine": describe_machine(), "sizes": report}))
        return 0
    print(describe_machine())
    for size, figures in report.items():
        print(f"\n{size:,} memories: filled in {figures['filled_seconds']} s, ", end="")
        print(f"{figures['file_mb']} MB; ms of {options.calls} calls of each kind")
        columns = ("p50_ms", "p95_ms", "embedding_p50_ms", "rest_p50_ms", "rest_p95_ms")
        print(f"{'':26}" + "".join(f"{column:>18}" for column in columns))
        for name, call in figures["calls"].items():
            print(f"{name:26}" + "".join(f"{call[column]:18.2f}" for column in columns))
    return 0


if __name__ == "__main__":
    sys.exit(main())
