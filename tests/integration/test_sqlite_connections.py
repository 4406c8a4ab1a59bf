"""The connections to the store's file: pragmas, extensions, locks, threads, forks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import apsw
import pytest

from aforesaid.adapters.sqlite.database import PRAGMAS
from aforesaid.adapters.sqlite.extension import find_vec_extension
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.projects.detection import WorkspaceFacts
from aforesaid.services.projects.registry import Projects
from factories import (
    TickingClock,
    make_memory,
    open_sqlite,
)
from interfaces import ROOT

GLOBAL = Visibility(projects=(0,))


def test_every_pragma_reads_back_on_every_connection(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    seen = []

    def read() -> None:
        seen.append([store.database.value(f"PRAGMA {name}") for name, _value in PRAGMAS])

    read()
    other = threading.Thread(target=read)
    other.start()
    other.join()
    store.close()

    assert [[value for _name, value in PRAGMAS]] * 2 == seen
    assert {
        "journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "trusted_schema": 0,
        "cell_size_check": 1, "secure_delete": 1, "mmap_size": 0, "wal_autocheckpoint": 1000,
        "journal_size_limit": 64 << 20,
    }.items() <= dict(PRAGMAS).items()  # fmt: skip


@pytest.fixture
def refuse_pragma():
    """Return a function that has SQLite ignore a pragma on every new connection."""

    refused = []

    def authorize(operation, name, value, *_details):
        ignored = operation == apsw.SQLITE_PRAGMA and name in refused and value is not None
        return apsw.SQLITE_IGNORE if ignored else apsw.SQLITE_OK

    def hook(connection):
        connection.authorizer = authorize

    apsw.connection_hooks.append(hook)
    yield refused.append
    apsw.connection_hooks.remove(hook)


def test_a_pragma_that_does_not_hold_is_an_error_that_names_it(tmp_path, refuse_pragma) -> None:
    refuse_pragma("foreign_keys")
    with pytest.raises(UnavailableError, match="foreign_keys"):
        open_sqlite(tmp_path / "m.db")


def test_extensions_cannot_be_loaded_once_the_store_is_open(store) -> None:

    with pytest.raises(AforesaidError, match="not authorized"):
        store.database.rows("SELECT load_extension(?)", (find_vec_extension(),))


def test_a_second_thread_does_not_take_the_locks_of_the_first(store, tmp_path) -> None:
    """Opening and closing the file by hand would drop them: see make_private_file."""
    path = tmp_path / "m.db"
    store.meta("name")
    before = locks_of(path)
    other = threading.Thread(target=lambda: store.meta("name"))
    other.start()
    other.join()

    assert before == locks_of(path)
    assert before


def locks_of(path) -> list[str]:
    """Return this machine's locks on a file, as Linux lists them."""
    if not os.path.exists("/proc/locks"):
        pytest.skip("this system does not list its locks")
    number = f":{os.stat(path).st_ino} "
    with open("/proc/locks") as file:
        return [line.partition(":")[2].split("->")[0] for line in file if number in line]


def test_threads_write_side_by_side_with_a_connection_each(store) -> None:
    errors: list[BaseException] = []

    def write(first: int) -> None:
        try:
            for number in range(first, first + 20):
                with store.transaction():
                    store.memories.add(make_memory(number))
        except AforesaidError as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(100 * number,)) for number in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert ([], 80) == (errors, store.memories.count(GLOBAL, Filters()))


def test_a_forked_child_opens_a_connection_of_its_own(tmp_path) -> None:
    code = """
import os, sys
from aforesaid.adapters.sqlite.store import SqliteStore
store = SqliteStore(sys.argv[1])
with store.transaction():
    store.set_meta("parent", "before")
mine = store.database.connection()
child = os.fork()
if child == 0:
    assert store.database.connection() is not mine
    with store.transaction():
        store.set_meta("child", "wrote")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
with store.transaction():
    store.set_meta("parent", "after")
assert store.meta("child") == "wrote" and store.database.connection() is mine
store.close()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "m.db")],
        env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "server")},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (0, "") == (done.returncode, done.stderr)

    store = open_sqlite(tmp_path / "m.db")
    assert ("after", "wrote") == (store.meta("parent"), store.meta("child"))
    store.close()


def test_sessions_that_meet_a_new_folder_at_once_agree_on_one_project(store) -> None:
    """A session's start and its server do so at every first session."""
    gate = threading.Barrier(6)
    errors: list[BaseException] = []
    keys: list[tuple[int, int]] = []

    def meet() -> None:
        projects = Projects(store, TickingClock())
        try:
            for number in range(8):
                folder = f"/w/folder{number}"
                gate.wait(30)
                project = projects.resolve(WorkspaceFacts(folder=folder)).project
                keys.append((number, project.key))
                gate.wait(30)
                keys.append((100 + number, projects.named(f"name {number}").key))
        except (AforesaidError, threading.BrokenBarrierError) as error:
            errors.append(error)
            gate.abort()

    threads = [threading.Thread(target=meet) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [] == errors
    assert 16 == len(set(keys)) == len(store.projects.list_all())
