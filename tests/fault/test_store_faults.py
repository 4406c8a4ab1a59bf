"""Writers that are killed, locked out, out of room: nothing acknowledged is lost, nothing is half.

oracle.py says what must hold. writers.py holds what the processes do.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys

import apsw
import pytest

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.memory import CallContext, Filters
from aforesaid.domain.model.statement import Statement
from factories import Services, make_memory, open_sqlite
from fault.oracle import GLOBAL, check, lines_of
from interfaces import ROOT

WRITERS = os.path.join(ROOT, "tests", "fault", "writers.py")
VARIABLES = {
    **os.environ,
    "PYTHONPATH": os.pathsep.join(os.path.join(ROOT, name) for name in ("server", "tests", "")),
}


def start(mode: str, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, WRITERS, mode, *map(str, arguments)],
        env=VARIABLES,
        stderr=subprocess.DEVNULL,
    )


def run(mode: str, *arguments: object) -> None:
    done = subprocess.run(
        [sys.executable, WRITERS, mode, *map(str, arguments)],
        env=VARIABLES,
        timeout=120,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "" == done.stderr
    assert 0 == done.returncode


@pytest.mark.parametrize("deaths", [24, pytest.param(150, marks=pytest.mark.nightly)])
def test_sixteen_writers_that_are_killed_lose_nothing_they_acknowledged(tmp_path, deaths) -> None:
    database, ledger = tmp_path / "m.db", tmp_path / "ledger"
    open_sqlite(database).close()
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    writers = [start("store_many", database, ledger, f"w{number}", 100_000) for number in range(16)]
    started = 16
    kills = 0
    while kills < deaths or len(lines_of(ledger)) < 200:
        victim = chance.randrange(len(writers))
        try:
            writers[victim].wait(chance.uniform(0.01, 0.12))
        except subprocess.TimeoutExpired:
            pass
        if kills < deaths and len(lines_of(ledger)) > kills * 4:
            writers[victim].kill()
            writers[victim].wait()
            kills += 1
            if kills <= deaths - 12:  # then they become fewer
                writers[victim] = start("store_many", database, ledger, f"w{started}", 100_000)
                started += 1
    for writer in writers:
        writer.kill()
        writer.wait()

    findings = check(database, ledger)
    assert [] == lines_of(tmp_path / "ledger.errors")  # nobody was shown a lock
    assert len(findings) >= 200
    assert (
        len(findings) - len(lines_of(ledger)) <= deaths + 16
    )  # each death leaves at most one unsaid
    print(f"{deaths} killed while storing: {len(lines_of(ledger))} acknowledged, 0 lost")


def test_sixteen_writers_side_by_side_are_never_shown_a_lock(tmp_path) -> None:
    database, ledger = tmp_path / "m.db", tmp_path / "ledger"
    writers = [start("store_many", database, ledger, f"w{number}", 8) for number in range(16)]

    assert [0] * 16 == [writer.wait(120) for writer in writers]
    assert [] == lines_of(tmp_path / "ledger.errors")
    assert 16 * 8 == len(check(database, ledger))


def test_a_store_that_dies_at_any_step_leaves_a_whole_memory_or_none(tmp_path) -> None:
    database, ledger = tmp_path / "m.db", tmp_path / "ledger"
    open_services = Services(open_sqlite(database))
    CallContext(project=open_services.projects.default())
    open_services.store.close()
    points = [*range(0, 210, 3), 1_000_000]
    run("die_at_points", database, ledger, *points)

    findings = check(database, ledger)
    acknowledged = set(lines_of(ledger))
    assert len(points) - len(acknowledged) >= 50  # so many died
    assert "point1000000" in acknowledged  # one did not
    assert len(findings) < len(points)  # some died before it was whole


def test_ten_processes_that_make_one_database_at_once_all_succeed(tmp_path) -> None:
    ledger = tmp_path / "ledger"
    run("open_together", tmp_path, ledger, 15, 10)

    assert [] == [line for line in lines_of(ledger) if line.startswith("failed")]
    assert 150 == len(lines_of(ledger))
    schemas = set()
    for number in range(15):
        store = open_sqlite(tmp_path / f"{number}.db")
        assert 10 == store.database.value("SELECT count(*) FROM meta WHERE name LIKE 'process %'")
        schemas.add(tuple(store.database.rows("SELECT name, sql FROM sqlite_schema ORDER BY name")))
        store.close()
    assert 1 == len(schemas)


@pytest.mark.parametrize("apart", [27_003, pytest.param(9_001, marks=pytest.mark.nightly)])
def test_every_write_that_finds_no_room_is_refused_in_words_and_none_is_lost(
    tmp_path, apart
) -> None:
    """Files end at ever greater lengths, so that ever later writes fail: of log, index and file."""
    database, ledger = tmp_path / "m.db", tmp_path / "ledger"
    services = Services(open_sqlite(database))
    context = CallContext(project=services.projects.default())
    services.remember.store(Statement(content="uid before was first", tags=("x",)), context)
    size = os.path.getsize(database) + 200_000  # a log that no child of these will cut
    sizes = [*range(0, 40_000, 4_096), *range(32_900, size, apart)]
    run("fill_up", database, ledger, ",".join(map(str, sizes)))
    report = lines_of(tmp_path / "ledger.told")
    services.store.close()

    assert len(sizes) == len(report)
    assert {"UnavailableError", "stored"} >= {line.split()[0] for line in report}
    assert 10 <= sum(line.startswith("UnavailableError") for line in report)
    assert all(str(database) in line and "space" in line for line in report if line != "stored")
    check(database, ledger)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can mount a small disk")
def test_a_full_disk_refuses_stores_by_name_reads_on_and_recovers(tmp_path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount")
    ledger = tmp_path / "ledger"
    try:
        services = Services(open_sqlite(disk / "m.db"))
        context = CallContext(project=services.projects.default())

        def store(uid: str) -> None:
            statement = Statement(content=f"uid {uid} is stored", tags=("x",))
            services.remember.store(statement, context)
            with open(ledger, "a") as file:
                file.write(f"{uid}\n")

        store("before")
        ballast = disk / "ballast"
        room = os.statvfs(disk)
        ballast.write_bytes(bytes(room.f_bavail * room.f_frsize - 65_536))
        with pytest.raises(UnavailableError, match="free") as refused:  # noqa: PT012
            for number in range(100):
                store(f"filling{number}")
        assert str(disk / "m.db") in str(refused.value)
        assert services.recall.recall
        hits = services.store.search.by_words(["before"], GLOBAL, Filters(), 5)
        assert 1 == len(hits)
        ballast.unlink()
        store("after")
        services.store.close()

        assert "after" in check(disk / "m.db", ledger)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_a_database_that_another_writes_is_read_on_and_stores_are_refused_in_words(
    tmp_path,
) -> None:
    database = tmp_path / "m.db"
    services = Services(open_sqlite(database, busy_timeout_ms=100))
    context = CallContext(project=services.projects.default())
    services.remember.store(Statement(content="kilo lima"), context)
    other = apsw.Connection(str(database))
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(UnavailableError, match=r"is busy: another process .* Try again") as refused:
        services.remember.store(Statement(content="mike november"), context)
    assert 1 == str(refused.value).count(str(database))
    assert "\n" not in str(refused.value)
    assert "locked" not in str(refused.value)  # no word of the engine's
    assert 1 == len(services.store.search.by_words(["kilo"], GLOBAL, Filters(), 5))
    other.execute("ROLLBACK")
    other.close()
    services.remember.store(Statement(content="mike november"), context)
    assert 2 == services.store.memories.count(GLOBAL, Filters())
    services.store.close()


def test_a_statement_that_fails_inside_a_transaction_takes_all_of_it_back(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with store.transaction():
        store.memories.add(make_memory(1, content="kilo"))
    log = os.path.getsize(tmp_path / "m.db-wal")
    resource.setrlimit(resource.RLIMIT_FSIZE, (log, before[1]))
    try:
        with pytest.raises(UnavailableError), store.transaction():  # noqa: PT012 - all fails
            store.memories.add(make_memory(2, content="lima"))
            store.memories.add(make_memory(3, content="mike " * 6_000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)

    assert [] == store.search.by_words(["lima", "mike"], GLOBAL, Filters(), 5)
    with store.transaction():
        store.memories.add(make_memory(4, content="november"))
    assert 2 == store.memories.count(GLOBAL, Filters())
    store.close()
