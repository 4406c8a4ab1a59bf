"""Maintenance that is killed anywhere: the next process goes on, and all of it is undone."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time

from bench.hashed_embedder import HashedEmbedder

from aforesaid.services.transfer.export import export_lines
from factories import open_sqlite
from fault.oracle import check_engine
from interfaces import ROOT
from maintenance_store import StoreFiller

TENDER = os.path.join(ROOT, "tests", "fault", "maintenance_process.py")
KILLS = 6


def start(environment, *arguments: object) -> subprocess.Popen[bytes]:
    places = os.pathsep.join(os.path.join(ROOT, name) for name in ("server", "tests", ""))
    process = subprocess.Popen(
        [sys.executable, TENDER, *map(str, arguments)],
        env={**environment, "PYTHONPATH": places},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert b"tending\n" == process.stdout.readline()
    return process


def kill_again_and_again(environment, chance, *arguments: object) -> int:
    """Kill a process at some time after it began, until one comes to its end; count the kills."""
    killed = 0
    while True:
        with start(environment, *arguments) as process:
            if killed < KILLS:
                time.sleep(chance.uniform(0, 0.35))
                process.kill()
            if process.wait() == 0:
                return killed
            killed += 1
            assert killed <= KILLS  # none that was left alone fails


def test_a_run_that_is_killed_anywhere_goes_on_and_is_undone_to_the_same_bytes(
    environment, tmp_path
):
    database = tmp_path / "m.db"
    store = open_sqlite(database)
    StoreFiller(store, HashedEmbedder()).fill(weeks=25)
    before = "".join(export_lines(store))
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)

    kill_again_and_again(environment, chance, database)
    (run,) = store.runs.latest(9)
    assert run.is_finished
    assert {"summed up": 25} == run.counts["compaction"]
    summed = [
        memory for memory in store.memories.get(range(1, 999)) if memory.compacted_into is not None
    ]
    assert 25 * 6 == len(summed)
    check_engine(store)

    kill_again_and_again(environment, chance, database, "undo")
    assert before == "".join(export_lines(store))
    check_engine(store)
    store.close()
