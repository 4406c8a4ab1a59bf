"""The store as hooks open it: it imports what it is asked for, and does not wait for the disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.model.memory import Session
from factories import NOON, make_memory
from interfaces import ROOT

IMPORTED = """
import sys
from aforesaid.adapters.sqlite.store import SqliteStore
store = SqliteStore(sys.argv[1], for_hook=True)
store.sessions.get("none")
print(*sorted(name.rpartition(".")[2] for name in sys.modules if ".adapters.sqlite." in name))
"""


def test_it_imports_the_repositories_that_it_is_asked_for(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    SqliteStore(path).close()
    done = subprocess.run(
        [sys.executable, "-c", IMPORTED, path],
        env={"PYTHONPATH": f"{ROOT}/server"},
        capture_output=True,
        text=True,
        check=True,
    )
    imported = set(done.stdout.split())
    assert {"store", "database", "projects"} <= imported
    assert set() == imported & {"memories", "search", "vectors", "topics", "migration", "schema"}


def test_it_writes_without_a_sync_and_the_whole_store_with_one(tmp_path: Path) -> None:
    path = str(tmp_path / "memory.db")
    whole, hook = SqliteStore(path), SqliteStore(path, for_hook=True)
    assert (2, 1) == tuple(store.database.value("PRAGMA synchronous") for store in (whole, hook))
    whole.close()
    hook.close()


def test_what_a_hook_writes_is_no_loss_when_the_log_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    whole = SqliteStore(str(path))
    whole.memories.add(make_memory(content="The queue is NATS."))
    whole.checkpoint()
    hook = SqliteStore(str(path), for_hook=True)
    with hook.transaction():
        hook.sessions.put(Session(id="s", started_at=NOON))
    (tmp_path / "memory.db-wal").write_bytes(b"")
    again = SqliteStore(str(tmp_path / "memory.db"))
    assert again.meta("losses") is None
    again.close()
