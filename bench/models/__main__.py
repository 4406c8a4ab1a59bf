"""What a change of the embedding model takes, and what clients notice: ``python -m bench.models``.

First a store of ``--size`` memories is embedded anew with the words' own hashes, which cost next to
nothing: what is left is ours. Then a store of ``--real`` memories by the shipped network under
another name, in the background as a user does it, while ``--clients`` processes store and recall.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import islice
from typing import TYPE_CHECKING, Any

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path[:0] = [ROOT, os.path.join(ROOT, "server")]

from bench.corpus import make_memories  # noqa: E402
from bench.hashed_embedder import HashedEmbedder  # noqa: E402
from bench.scale.filling import BATCH, fill, make_named_questions  # noqa: E402
from bench.stores import open_core, private_places  # noqa: E402
from bench.timing import LAUNCHER, describe_machine, percentile  # noqa: E402

from aforesaid.adapters.embedding.onnx import (  # noqa: E402
    SHIPPED_FOLDER,
    open_folder,
    open_shipped,
)
from aforesaid.adapters.sqlite.store import SqliteStore  # noqa: E402
from aforesaid.domain.model.memory import Filters  # noqa: E402
from aforesaid.operations.reembed import LOCAL_BATCH  # noqa: E402
from aforesaid.services.maintenance.reembed import ModelChanger  # noqa: E402
from aforesaid.services.recall.rerank import MAX_RERANKED  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.ports import Embedder

ASKED = 50  #: questions that both stores must answer alike
PREFIX = "note: "
CALM_SECONDS = 20.0  #: that clients are measured for before and after


def embed_anew(path: str) -> dict[str, Any]:
    """Return what a change to the hashes takes in a process of its own; this one is it."""
    core = open_core(path, HashedEmbedder())
    change = ModelChanger(core.store)
    change.start_reembedding(HashedEmbedder(), "hashed")
    resting = _resident_mb()
    spent = count = 0

    def told(done: int) -> None:
        nonlocal count
        count += done

    class Timed(HashedEmbedder):
        """Counts what embedding itself takes."""

        def embed_documents(self, texts: Any) -> Any:
            nonlocal spent
            began = time.perf_counter_ns()
            made = super().embed_documents(texts)
            spent += time.perf_counter_ns() - began
            return made

    began, cpu = time.perf_counter(), time.process_time()
    assert change.run(Timed(), LOCAL_BATCH, told)
    taken, busy = time.perf_counter() - began, time.process_time() - cpu
    core.close()
    return {
        "memories": count,
        "seconds": round(taken, 1),
        "seconds_cpu": round(busy, 1),
        "of_these_embedding": round(spent / 1e9, 1),
        "memory_before_mb": resting,
        "memory_peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
    }


def compare(path: str, fresh: str, embedder: Embedder) -> dict[str, Any]:
    """Return how far a changed store is as one that is made anew from the same memories.

    The fresh one gets the same rows in the same order, and vectors by the new model alone.
    """
    changed = _open(path)
    shutil.copyfile(path, fresh)
    anew = _open(fresh)
    with anew.transaction():
        for table in ("vectors", "chunks", "unembedded", "models"):
            anew.database.rows(f"DELETE FROM {table}")  # noqa: S608 - no port empties it
    same = count = 0
    rows = _vectors(changed)
    while batch := list(islice(rows, BATCH)):
        with anew.transaction():
            for key, content, vector, bits in batch:
                (expected,) = embedder.embed_document(content)
                anew.search.set_vectors(key, [expected], embedder.model)
                count += 1
                same += vector == expected and bool(bits)
    visible = parts_of(changed)
    alike = 0
    for question in make_named_questions(ASKED):
        vector = embedder.embed_query(question)
        found, expected_hits = (
            [
                (hit.key, round(hit.score, 6))
                for hit in store.search.by_vector(vector, visible, Filters(), 10, embedder.model)
            ]
            for store in (changed, anew)
        )
        low = [key for key, _score in found] == [key for key, _score in expected_hits]
        alike += low
    for store in (changed, anew):
        store.close()
    return {"vectors": count, "vectors_equal": same, "questions": ASKED, "answers_equal": alike}


def _vectors(store: SqliteStore) -> Iterator[tuple[int, str, bytes, int]]:
    yield from store.database.rows(
        "SELECT m.key, m.content, v.embedding, c.bits = vec_quantize_binary(v.embedding) "
        "FROM chunks c JOIN memories m ON m.key = c.memory JOIN vectors v ON v.chunk = c.key "
        "JOIN models t ON t.key = c.model WHERE t.state = 'serving' ORDER BY m.key"
    )


def _open(path: str) -> SqliteStore:
    from aforesaid.adapters.sqlite.extension import find_vec_extension  # noqa: PLC0415 - here alone

    return SqliteStore(path, vec_extension=find_vec_extension())


def parts_of(store: SqliteStore) -> Any:
    """Return the sight of every project."""
    from aforesaid.domain.model.memory import Visibility  # noqa: PLC0415 - here alone

    return Visibility(projects=(0, *(one.key for one in store.projects.list_all())))


def reading(rounds: int = 15) -> dict[str, Any]:
    """Return what a cross-encoder of the shipped network's size takes for the first results.

    That network itself reads question and text together: layers and widths are those of
    ms-marco-MiniLM-L-6, which has one more number to make.
    """
    network = open_shipped()
    texts = [one.content for one in make_memories(MAX_RERANKED, seed=41)]
    told: dict[str, Any] = {"results": MAX_RERANKED}
    for name, read in (("short", texts), ("long", [" ".join(texts)[:1_100]] * MAX_RERANKED)):
        taken = []
        for question in make_named_questions(rounds):
            began = time.process_time()
            for text in read:
                network.embed_document(f"{question} {text}")
            taken.append((time.process_time() - began) * 1e3)
        told[f"{name} texts, characters"] = round(sum(map(len, read)) / len(read))
        told[f"{name} texts, ms of processor p50"] = round(statistics.median(taken), 1)
    return told


# -- clients


def with_clients(folder: str, size: int, clients: int) -> dict[str, Any]:
    """Return what clients notice while a store is embedded anew in the background."""
    path, model = os.path.join(folder, "clients.db"), make_folder(os.path.join(folder, "prefixed"))
    fill(path, size, open_shipped())
    environment = {**os.environ, "AFORESAID_DB": path}
    stop = os.path.join(folder, "stop")
    ledgers = [os.path.join(folder, f"ledger{number}") for number in range(clients)]
    running = [
        start_client(path, ledger, chr(ord("a") + number), stop)
        for number, ledger in enumerate(ledgers)
    ]
    while not all(_lines(ledger) for ledger in ledgers):
        time.sleep(0.5)
    time.sleep(CALM_SECONDS)
    began, ended, peak = change(model, environment)
    time.sleep(CALM_SECONDS)
    with open(stop, "w", encoding="utf-8"):
        pass
    codes = [one.wait() for one in running]
    lines = [line for ledger in ledgers for line in _lines(ledger)]
    told = [line["content"] for line in lines if "content" in line]
    core = open_core(path, open_folder(model))
    core.writer.embed_missing(sys.maxsize)
    core.close()
    kept = _open(path)
    contents = {row[0] for row in kept.database.rows("SELECT content FROM memories")}
    kept.close()
    return {
        "memories": size,
        "clients": clients,
        "changed_seconds": round(ended - began, 1),
        "worker_peak_mb": round(peak, 1),
        "calls": len(lines),
        "exit_codes": sorted(set(codes)),
        "wrong": [line["wrong"] for line in lines if line.get("wrong")][:5],
        "stored": len(told),
        "lost": len(set(told) - contents),
        **{
            f"{what} {when}": _spread(lines, what, start, end)
            for what in ("store", "recall")
            for when, start, end in (
                ("before", 0.0, began),
                ("during", began, ended),
                ("after", ended, 1e12),
            )
        },
        **compare(path, os.path.join(folder, "fresh.db"), open_folder(model)),
    }


def start_client(path: str, ledger: str, name: str, stop: str) -> subprocess.Popen[bytes]:
    """Start a client that does two things a second, at most."""
    command = [sys.executable, "-m", "bench.models.client", path, ledger, name, stop]
    return subprocess.Popen([*command, "--pause", "0.5"], cwd=ROOT)


def change(model: str, environment: dict[str, str]) -> tuple[float, float, float]:
    """Change the model as a user does; return when that began, ended, and what it held (MB)."""
    began, peak = time.time(), 0.0
    subprocess.run(
        [LAUNCHER, "model", "use", model, "--yes", "--json"],
        env=environment,
        check=True,
        capture_output=True,
    )
    while _status(environment)["coming"] is not None:
        peak = max(peak, _worker_mb())
        time.sleep(1)
    return began, time.time(), peak


def make_folder(folder: str) -> str:
    """Write the shipped network as a user's model, whose documents have a prefix."""
    os.makedirs(folder)
    for name in ("model.onnx", "tokenizer.json"):
        shutil.copyfile(os.path.join(SHIPPED_FOLDER, name), os.path.join(folder, name))
    with open(os.path.join(folder, "card.json"), "w", encoding="utf-8") as file:
        json.dump({"id": "prefixed", "document_prefix": PREFIX, "max_tokens": 256}, file)
    return folder


def _spread(
    lines: list[dict[str, Any]], what: str, start: float, end: float
) -> dict[str, float | int]:
    found = [line for line in lines if line["what"] == what and start <= line["at"] < end]
    told: dict[str, float | int] = {"calls": len(found)}
    for name, key in (("ms", "ms"), ("ms of processor", "cpu_ms")):
        taken = [line[key] for line in found]
        if taken:
            told[f"{name} p50"] = round(statistics.median(taken), 1)
            told[f"{name} p95"] = round(percentile(taken, 0.95), 1)
    return told


def _lines(ledger: str) -> list[dict[str, Any]]:
    if not os.path.exists(ledger):
        return []
    with open(ledger, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def _status(environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(
        [LAUNCHER, "model", "status", "--json"], env=environment, capture_output=True, check=True
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _worker_mb() -> float:
    """Return what the process that embeds anew holds now; 0 where it is not found."""
    for pid in os.listdir("/proc") if os.path.isdir("/proc") else ():
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if b"model\0embed\0--database" not in file.read():
                    continue
            with open(f"/proc/{pid}/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        except OSError:
            continue
    return 0.0


def _resident_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.models", description=__doc__)
    parser.add_argument("--size", type=int, default=100_000, help="memories embedded by hashes")
    parser.add_argument("--real", type=int, default=2_000, help="memories embedded by the network")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with private_places(), tempfile.TemporaryDirectory() as folder:
        if options.one:
            print(json.dumps(embed_anew(options.one)))
            return 0
        report: dict[str, Any] = {"machine": describe_machine(), "reading": reading()}
        if options.size:
            path = os.path.join(folder, "large.db")
            fill(path, options.size, open_shipped())
            done = subprocess.run(
                [sys.executable, "-m", "bench.models", "--one", path],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=True,
            )
            fresh = os.path.join(folder, "large-fresh.db")
            report["large"] = json.loads(done.stdout) | compare(path, fresh, HashedEmbedder())
        if options.real:
            report["clients"] = with_clients(folder, options.real, options.clients)
        print(json.dumps(report, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
