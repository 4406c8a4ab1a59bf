"""Migrations of released stores, killed anywhere: old or new, and a snapshot of before."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing

import apsw
import pytest

from aforesaid.adapters.sqlite.database import Database
from aforesaid.adapters.sqlite.migration import KEPT_SNAPSHOTS, migrate
from aforesaid.adapters.sqlite.schema import MIGRATIONS
from interfaces import ROOT
from released import VERSIONS, export_of, unpack

LATER = (
    "ALTER TABLE memories ADD COLUMN colour TEXT",
    "UPDATE memories SET colour = 'blue'",
    "INSERT INTO meta VALUES ('later', 'done')",
)
#: Kills itself before the Nth statement of opening and migrating a store.
CODE = """
import os, sys
from aforesaid.adapters.sqlite.database import Database
from aforesaid.adapters.sqlite.migration import migrate
from aforesaid.adapters.sqlite.schema import MIGRATIONS
database = Database(sys.argv[1])
left = int(sys.argv[2])
def count(_cursor, _sql, _bindings):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), 9)
    return True
database.connection().exec_trace = count
migrate(database, (*MIGRATIONS, eval(sys.argv[3])))
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_store_killed_at_each_statement_is_old_or_new(tmp_path, version) -> None:
    memories = export_of(version).count('"table":"memories"')
    killed = set()
    for point in range(1, 1_000):
        folder = tmp_path / str(point)
        folder.mkdir()
        path = unpack(version, folder / "m.db")
        done = subprocess.run(
            [sys.executable, "-c", CODE, path, str(point), repr(LATER)], check=False,
            env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "server")},
        )  # fmt: skip
        with closing(apsw.Connection(path)) as store:
            number = store.pragma("user_version")
            columns = [row[1] for row in store.execute("PRAGMA table_info(memories)")]
            later = store.execute("SELECT value FROM meta WHERE name = 'later'").fetchall()
            assert [(memories,)] == store.execute("SELECT count(*) FROM memories").fetchall()
            assert "ok" == store.execute("PRAGMA integrity_check").get
        new = number == len(MIGRATIONS) + 1
        assert (new, new) == ("colour" in columns, later == [("done",)])
        assert new or number == len(MIGRATIONS) or number == _version_of(version)
        killed.add(number)

        migrated(path, LATER)  # the next process finishes
        assert 1 <= len(snapshots(folder)) <= KEPT_SNAPSHOTS
        assert [] == [name for name in os.listdir(folder) if name.endswith(".part")]
        if done.returncode == 0:
            break
    assert 0 == done.returncode
    assert len(killed) == 2  # before and after


def _version_of(version: str) -> int:
    from released import description_of

    return len(description_of(version)["migrations"])


def migrated(path: str, *more: tuple[str, ...]) -> None:
    database = Database(path)
    migrate(database, (*MIGRATIONS, *more))
    database.close()


def snapshots(folder: object) -> list[str]:
    return sorted(name for name in os.listdir(folder) if ".before-" in name)


def test_snapshots_of_one_migration_do_not_replace_each_other(tmp_path) -> None:
    """An older store that was put back is migrated again: the first snapshot stays."""
    path = str(tmp_path / "m.db")
    made = 0
    for _ in range(KEPT_SNAPSHOTS + 2):
        if os.path.exists(path):
            os.unlink(path)
        unpack(VERSIONS[0], path)
        for later in ((), (LATER,)):
            before = set(snapshots(tmp_path))
            migrated(path, *later)
            [name] = set(snapshots(tmp_path)) - before
            backdated = f"{name.rpartition('-')[0]}-20200101T0000{made:02}Z"
            os.rename(tmp_path / name, tmp_path / backdated)
            made += 1
    kept = sorted(snapshots(tmp_path), key=lambda name: name.rpartition("-")[2])
    assert KEPT_SNAPSHOTS == len(kept)
    assert (KEPT_SNAPSHOTS + 2) * 2 == made  # one by each of the two migrations
    assert [f"{made - left:02}Z" for left in (3, 2, 1)] == [name[-3:] for name in kept]
    for name in kept:
        number = int(name.removeprefix("m.db.before-").partition("-")[0])
        with closing(apsw.Connection(str(tmp_path / name))) as copy:
            assert number - 1 == copy.pragma("user_version")


def test_processes_that_migrate_together_leave_one_snapshot_of_before(tmp_path) -> None:
    path = unpack(VERSIONS[-1], tmp_path / "m.db")
    migrated(path)
    before = snapshots(tmp_path)
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", CODE, path, "1000000", repr(LATER)],
            env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "server")},
        )
        for _ in range(6)
    ]
    assert [0] * 6 == [process.wait(120) for process in processes]
    [made] = set(snapshots(tmp_path)) - set(before)
    with closing(apsw.Connection(str(tmp_path / made))) as copy:
        assert len(MIGRATIONS) == copy.pragma("user_version")
