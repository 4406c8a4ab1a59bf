"""Measure what a run of maintenance takes on large stores, and how long a writer waits for it.

Run from the root of the repository: ``python -m bench.maintenance``. A store is filled as in
bench.scale (vectors are mixtures of real ones) and tended in a process of its own, while another
process writes one memory after the other. Then it is tended again, when nothing is new, and the
run is undone.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "server"))

from bench.hashed_embedder import HashedEmbedder  # noqa: E402
from bench.scale.filling import PROJECT, YEAR_MS, fill, statements_of  # noqa: E402
from bench.stores import make_place, open_core, private_places  # noqa: E402
from bench.timing import describe_machine, percentile  # noqa: E402

from aforesaid.adapters.embedding.onnx import open_shipped  # noqa: E402
from aforesaid.domain.model.memory import Visibility  # noqa: E402
from aforesaid.domain.model.statement import Statement  # noqa: E402
from aforesaid.operations.maintenance import make_maintenance_runner, make_phases  # noqa: E402
from aforesaid.operations.maintenance_schedule import ONE_CORE  # noqa: E402
from aforesaid.services.maintenance.runner import MaintenanceRunner  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
    from aforesaid.services.maintenance.phase import Phase
    from aforesaid.wiring.container import ServiceContainer

SIZES = (10_000, 100_000)
WRITE_EVERY_SECONDS = 0.2
ALONE_SECONDS = 3  #: in which the writer writes before the run begins
WRITES = 400  #: texts that the writer has ready, and goes through again and again


class Timed:
    """A phase that tells how long it planned and wrote."""

    def __init__(self, phase: Phase) -> None:
        self._phase = phase
        self.name = phase.name
        self.planned = self.wrote = 0.0

    @property
    def unavailable_reason(self) -> str:
        """Return why it cannot work."""
        return self._phase.unavailable_reason

    def spent(self) -> tuple[float, float]:
        """Return the seconds that it planned and wrote since this was asked last."""
        found = round(self.planned, 1), round(self.wrote, 1)
        self.planned = self.wrote = 0.0
        return found

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield the phase's batches."""
        batches = self._phase.plan(span, after)
        while True:
            began = time.perf_counter()
            batch = next(batches, None)
            self.planned += time.perf_counter() - began
            if batch is None:
                told = f"planned {self.planned:.1f} s, wrote {self.wrote:.1f} s"
                print(f"  {self.name:18} {told}", file=sys.stderr, flush=True)
                return
            yield batch

    def execute(self, actions: Sequence[PhaseAction], span: RunScope) -> list[PhaseAction]:
        """Do what the phase does."""
        began = time.perf_counter()
        try:
            return self._phase.execute(actions, span)
        finally:
            self.wrote += time.perf_counter() - began


class Writer:
    """Another process that stores one memory after the other."""

    def __init__(self, path: str) -> None:
        self._stop = f"{path}.stop"
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.maintenance", "--writer", path, "--stop", self._stop],
            stdout=subprocess.PIPE,
            text=True,
        )
        time.sleep(ALONE_SECONDS)

    def stop(self) -> list[tuple[float, float]]:
        """End it; return what ``write`` does."""
        with open(self._stop, "w", encoding="ascii"):
            pass
        told, _ = self._process.communicate()
        os.remove(self._stop)
        taken: list[tuple[float, float]] = json.loads(told)
        return taken


class Figures(dict[str, Any]):
    """Figures that are told as they come: the last ones of a large store take long."""

    def __setitem__(self, name: str, value: Any) -> None:
        super().__setitem__(name, value)
        print(f"  {name:18} {value}", file=sys.stderr, flush=True)


def measure(path: str, new: float) -> dict[str, Any]:
    """Return the figures of one store; runs in a process of its own.

    Args:
        path: the store.
        new: share of its memories that no run has seen yet.
    """
    os.environ |= ONE_CORE
    embedder = open_shipped()
    embedder.embed_query("warm")
    core = open_core(path, embedder)
    figures = Figures({"file_mb": _megabytes(path), "model_mb": _peak_mb()})
    settings, given = core.settings, (os.environ, core.embedder.get)
    whole = make_maintenance_runner(core.store, settings, *given)
    phases = [Timed(one) for one in make_phases(core.store, settings, *given)]
    tend = MaintenanceRunner(core.store, core.clock, phases, whole._rest)  # noqa: SLF001 - as it runs by itself
    writer = Writer(path)
    began, since = time.perf_counter(), time.time()
    limit = settings["maintenance.limit_seconds"]
    busy = time.process_time()
    report = tend.run(
        since=None if new >= 1 else core.clock.now() - int(YEAR_MS * new), limit_seconds=limit
    )
    processes = 1
    while report.run.ended_at is None:  # a day's process ends after its time: the next goes on
        processes += 1
        report = tend.run(limit_seconds=limit)
    figures["seconds"] = round(time.perf_counter() - began, 1)
    figures["processor_seconds"] = round(time.process_time() - busy, 1)
    figures[f"processes of {limit} s"] = processes
    figures["peak_mb"] = _peak_mb()
    writes = writer.stop()
    figures["writer alone"] = _told([took for at, took in writes if at < since])
    figures["writer"] = _told([took for at, took in writes if at >= since])
    figures["phases"] = {phase.name: phase.spent() for phase in phases}
    figures["did"] = report.run.counts
    figures["steps"] = len(core.store.runs.steps(report.run.key))
    core.store.clean_file()
    figures["file_after_mb"] = _megabytes(path)
    for name in ("again", "once more"):  # what the writer stored is new; then nothing is
        began = time.perf_counter()
        tend.run()
        figures[f"{name}, seconds"] = round(time.perf_counter() - began, 1)
        figures[name] = {phase.name: phase.spent() for phase in phases}
    figures["quality_seconds"] = _review(core)
    writer = Writer(path)
    since, began, busy = time.time(), time.perf_counter(), time.process_time()
    tend.undo(report.run.key)
    figures["undo_seconds"] = round(time.perf_counter() - began, 1)
    figures["undo_processor_seconds"] = round(time.process_time() - busy, 1)
    figures["writer beside it"] = _told([took for at, took in writer.stop() if at >= since])
    figures["last_peak_mb"] = _peak_mb()
    core.close()
    return figures


def _review(core: ServiceContainer) -> float:
    """Return the seconds that a look at the quality of the whole store takes."""
    place = make_place(core, PROJECT)
    visible = Visibility(projects=tuple(one.key for one in core.store.projects.list_all()))
    began = time.perf_counter()
    core.quality_reviewer().review(visible, place)
    return round(time.perf_counter() - began, 1)


def write(path: str, stop: str) -> list[tuple[float, float]]:
    """Store one memory after the other until the stop file is there.

    Returns:
        Of each when it began (seconds since the epoch) and how long it took (ms).
    """
    core = open_core(path, HashedEmbedder())
    place = make_place(core, PROJECT)
    texts = statements_of(WRITES)
    taken: list[tuple[float, float]] = []
    while not os.path.exists(stop):
        text = f"{texts[len(taken) % WRITES]} Write {len(taken)}."
        at, began = time.time(), time.perf_counter()
        core.writer.store(Statement(content=text), place)
        taken.append((at, round((time.perf_counter() - began) * 1e3, 1)))
        time.sleep(WRITE_EVERY_SECONDS)
    core.close()
    return taken


def _told(taken: Sequence[float]) -> dict[str, float]:
    if not taken:
        return {"writes": 0}
    return {
        "writes": len(taken),
        "p50_ms": percentile(taken, 0.5),
        "p99_ms": percentile(taken, 0.99),
        "most_ms": max(taken),
    }


def _megabytes(path: str) -> float:
    return round(os.path.getsize(path) / 1e6, 1)


def _peak_mb() -> float:
    """Return the most memory that this process has held (Linux tells it in kB, macOS in bytes)."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1e6 if sys.platform == "darwin" else 1e3), 1)


def _in_a_process(path: str, new: float, *, quiet: bool) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench.maintenance", "--one", path, "--new", str(new)]
    told = subprocess.PIPE if quiet else None
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=told, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"tending {path} ended with {done.returncode}: {done.stderr or ''}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def main() -> int:
    """Print the figures of each size."""
    parser = argparse.ArgumentParser(prog="python -m bench.maintenance", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="memories in a store")
    parser.add_argument("--new", type=float, default=1.0, help="share that no run has seen yet")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    for hidden in ("--one", "--writer", "--stop"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with private_places(), tempfile.TemporaryDirectory() as folder:
        if options.writer:
            print(json.dumps(write(options.writer, options.stop)))
            return 0
        if options.one:
            print(json.dumps(measure(options.one, options.new)))
            return 0
        report = {}
        for size in options.sizes:
            path = os.path.join(folder, f"{size}.db")
            fill(path, size, open_shipped())
            report[size] = _in_a_process(path, options.new, quiet=options.json)
    if options.json:
        print(json.dumps({"machine": describe_machine(), "sizes": report}))
        return 0
    print(describe_machine())
    for size, figures in report.items():
        print(f"{size:,}")
        for name, value in figures.items():
            print(f"  {name:18} {value}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
