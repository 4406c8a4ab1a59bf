"""A process killed between answers loses what it had not written of their use, and no more."""

from __future__ import annotations

import os
import subprocess
import sys

from aforesaid.services.recall.usage_tracker import BATCH
from factories import open_sqlite
from interfaces import ROOT

RECALLS = BATCH + 3
PROGRAM = f"""
import os, signal, sys
from aforesaid import Memory

memory = Memory(sys.argv[1], project="acme/payments")
memory.store("The queue is NATS JetStream.", confidence=0.1)
for _ in range({RECALLS}):
    memory.recall("which queue?")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_program_loses_the_uses_since_its_last_batch_alone(tmp_path, environment):
    path = tmp_path / "m.db"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)],
        env={**environment, "PYTHONPATH": os.path.join(ROOT, "server")},
        capture_output=True,
        check=False,
    )
    assert (-9, b"") == (done.returncode, done.stderr)

    store = open_sqlite(path)
    (memory,) = store.memories.get([1])
    assert ("The queue is NATS JetStream.", BATCH) == (memory.content, memory.access_count)
    assert [("ok",)] == store.database.rows("PRAGMA integrity_check")
    store.close()
