"""Measure how storing, recalling, memory, file and start grow with the number of memories.

Run from the root of the repository: ``python -m bench.scale``. Files are made once in ``--folder``
(a million take about 5 minutes and 2.6 GB); each is measured in a process of its own, on a store
that is left as it was but for what ``store`` adds. Vectors are mixtures of real ones (filling.py).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.scale.filling import (  # noqa: E402
    PROJECT,
    YEAR_MS,
    fill,
    make_named_questions,
    statements_of,
)
from bench.store.__main__ import TimedEmbedder  # noqa: E402
from bench.stores import make_place, open_core, private_places  # noqa: E402
from bench.timing import describe_machine, percentile  # noqa: E402

from aforesaid.adapters.embedding.onnx import open_shipped  # noqa: E402
from aforesaid.domain.model.memory import Filters  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.services.recall.query import RecallQuery  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.domain.model.memory import CallContext
    from aforesaid.wiring.container import ServiceContainer

SIZES = (1_000, 10_000, 100_000, 1_000_000)
BULK = 256
MOST_SCANNED = 100_000  #: vectors that sqlite-vec's own table is filled with, for comparison
_EXACT = (
    "SELECT v.chunk FROM chunks c JOIN vectors v ON v.chunk = c.key WHERE c.project IN (0, ?2) "
    "ORDER BY vec_distance_cosine(v.embedding, ?1) LIMIT 10"
)
_TABLE = (
    "CREATE VIRTUAL TABLE temp.scanned USING vec0 (project INTEGER PARTITION KEY, "
    "embedding FLOAT[384] DISTANCE_METRIC=cosine, chunk_size=1024)"
)
_FILL = (
    "INSERT INTO temp.scanned (project, embedding) SELECT c.project, v.embedding "
    "FROM chunks c JOIN vectors v ON v.chunk = c.key"
)
_SCAN = "SELECT rowid FROM scanned WHERE embedding MATCH ? AND k = 10 AND project IN (0, ?)"


def measure(path: str, calls: int) -> dict[str, Any]:
    """Return the figures of one store; runs in a process of its own."""
    figures: dict[str, Any] = {"file_mb": round(os.path.getsize(path) / 1e6, 1)}
    embedder = TimedEmbedder(open_shipped())
    embedder.embed_query("warm")
    figures["model_mb"] = _resident_mb()
    began = time.perf_counter()
    core = open_core(path, embedder)
    place = make_place(core, PROJECT)
    figures["open_ms"] = round((time.perf_counter() - began) * 1e3, 1)
    questions = make_named_questions(calls + 1)
    began = time.perf_counter()
    core.recall.recall(RecallQuery(query=questions[0]), place.visible)
    figures["first_recall_ms"] = round((time.perf_counter() - began) * 1e3, 1)
    now = core.clock.now()
    kinds: dict[str, Filters] = {
        "recall": Filters(),
        "recall, one type": Filters(types=("procedural",)),
        "recall, one tag": Filters(tags=("release",)),
        "recall, last month": Filters(since=now - YEAR_MS // 12),
    }
    for name, filters in kinds.items():
        figures[name] = _timed(
            lambda turn, wanted=filters: core.recall.recall(
                RecallQuery(query=questions[turn], filters=wanted), place.visible
            ),
            calls,
        )
    figures["resident_mb"] = _resident_mb()  # before the comparison fills a table of its own
    figures |= _against_exact(core, place, questions[1:21])
    figures["statistics"] = _timed(lambda _turn: core.store.memories.statistics(place.visible), 5)
    figures["missing"] = _timed(
        lambda _turn: core.store.search.without_vectors(embedder.model, 16), 5
    )
    figures |= _storing(core, place, embedder)
    core.close()
    return figures


def _against_exact(
    core: ServiceContainer, place: CallContext, questions: list[str]
) -> dict[str, float | None]:
    """Return what one embedding and sqlite-vec's own scan take, and how much of all we find."""
    embedder = core.embedder.get()
    assert embedder is not None
    database = core.store.database
    index = core.store.vectors
    serving = index.find_model()
    whole = database.value("SELECT count(*) FROM chunks") <= MOST_SCANNED + BULK
    if whole:
        database.rows(_TABLE)
        database.rows(_FILL)
    scans = []
    found = 0
    for question in questions:
        vector = embedder.embed_query(question)
        exact = {key for (key,) in database.rows(_EXACT, (vector, place.project.key))}
        if whole:
            began = time.perf_counter()
            embedder.embed_query(question)
            database.rows(_SCAN, (vector, place.project.key))
            scans.append((time.perf_counter() - began) * 1e3)
        ours = index.nearest(vector, place.visible.projects, 10, serving)
        found += len(exact & {key for key, _cosine in ours})
    return {
        "embedding_and_exact_scan_ms": round(percentile(scans, 0.5), 2) if scans else None,
        "vector_recall_at_10": round(found / len(questions) / 10, 4),
    }


def _storing(core: ServiceContainer, place: CallContext, embedder: TimedEmbedder) -> dict[str, Any]:
    """Return how fast new statements are stored, one at a time and in bulk."""
    told = [Statement(content=text) for text in statements_of(BULK * 2 + 50)]
    single = _timed(lambda turn: core.writer.store(told[turn], place), 49)
    embedder.spent_ms = 0.0
    began = time.perf_counter()
    core.writer.store_many(told[50 : 50 + BULK], place)
    core.writer.store_many(told[50 + BULK :], place)
    taken = (time.perf_counter() - began) * 1e3
    return {
        "store": single,
        "bulk_per_second": round(BULK * 2 / taken * 1e3, 1),
        "bulk_to_embedding_alone": round(embedder.spent_ms / taken, 3),
    }


def _timed(call: Callable[[int], object], calls: int) -> dict[str, float]:
    """Return p50 and p95 of a call, by the clock and of this process alone (``cpu``)."""
    call(0)
    walls = []
    shares = []
    for turn in range(1, calls + 1):
        began, spent = time.perf_counter(), time.process_time()
        call(turn)
        shares.append((time.process_time() - spent) * 1e3)
        walls.append((time.perf_counter() - began) * 1e3)
    return {
        f"p{share}{kind}_ms": round(percentile(taken, share / 100), 2)
        for kind, taken in (("", walls), ("_cpu", shares))
        for share in (50, 95)
    }


def _resident_mb() -> float | None:
    """Return what this process holds in memory now, None where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return round(int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    except OSError:
        return None


def _flat(figures: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, value in figures.items():
        if isinstance(value, dict):
            told |= {f"{name} {key}": one for key, one in value.items()}
        else:
            told[name] = value
    return told


def _in_a_process(path: str, calls: int) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.scale", "--one", path, "--calls", str(calls)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"measuring {path} ended with {done.returncode}: {done.stderr}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="memories in a store")
    parser.add_argument("--calls", type=int, default=100, help="recalls of each kind")
    parser.add_argument("--folder", help="where files are made, and kept; else a temporary one")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with private_places(), tempfile.TemporaryDirectory() as temporary:
        if options.one:
            print(json.dumps(measure(options.one, options.calls)))
            return 0
        folder = options.folder or temporary
        os.makedirs(folder, exist_ok=True)
        report = {}
        for size in options.sizes:
            path = os.path.join(folder, f"{size}.db")
            seconds = None
            if not os.path.exists(path):
                seconds = round(fill(f"{path}.filling", size, open_shipped()), 1)
                os.rename(f"{path}.filling", path)
            report[size] = {"filled_seconds": seconds, **_in_a_process(path, options.calls)}
    if options.json:
        print(json.dumps({"machine": describe_machine(), "sizes": report}))
        return 0
    print(describe_machine())
    rows = {size: _flat(figures) for size, figures in report.items()}
    print(f"{'':34}" + "".join(f"{size:>12,}" for size in rows))
    for name in next(iter(rows.values())):
        print(f"{name:34}" + "".join(f"{_told(row.get(name)):>12}" for row in rows.values()))
    return 0


def _told(value: object) -> str:
    return "-" if value is None else f"{value:,}"


if __name__ == "__main__":
    sys.exit(main())
