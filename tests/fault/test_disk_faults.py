"""Disks that refuse, and power that goes: what was acknowledged is there, the rest whole or not.

disks.py makes the disks, oracle.py says what must hold.
"""

from __future__ import annotations

import itertools
import random
import shutil
from contextlib import suppress
from typing import TYPE_CHECKING

import apsw
import pytest

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.memory import Filters
from fault.disks import FailingDisk, RecordingDisk, Step, after_power_cut, mounted
from fault.oracle import GLOBAL, check, lines_of
from fault.writers import note, open_services, store_one

if TYPE_CHECKING:
    from pathlib import Path

DEEPEST = 200  #: steps into the work at which a disk fails


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Return a database with one memory, closed."""
    path: Path = tmp_path_factory.mktemp("made") / "m.db"
    services, context = open_services(str(path))
    store_one(services, context, "first")
    services.store.close()
    return path


def work(database: Path, ledger: Path) -> None:
    """Store, read and checkpoint, noting what was acknowledged; what fails is passed over."""
    try:
        services, context = open_services(str(database))
    except AforesaidError:
        return
    for uid in ("one", "two", "three"):
        try:
            store_one(services, context, uid)
        except AforesaidError:
            continue
        note(str(ledger), uid)
        if uid == "two":
            try:
                services.store.database.rows("PRAGMA wal_checkpoint(TRUNCATE)")
            except UnavailableError:
                continue
    with suppress(apsw.Error):  # the engine passes over it, its Python door tells
        services.store.close()


@pytest.mark.parametrize(
    ("error", "lasting"),
    [
        pytest.param(apsw.IOError, False, id="broken-once"),
        pytest.param(apsw.IOError, True, id="broken-from there on", marks=pytest.mark.nightly),
        pytest.param(apsw.FullError, False, id="full-once", marks=pytest.mark.nightly),
        pytest.param(apsw.FullError, True, id="full-from there on"),
    ],
)
def test_a_disk_that_fails_at_any_step_never_makes_us_say_yes_in_vain(
    tmp_path, made, error, lasting
) -> None:
    reached = 0
    for deep in range(1, DEEPEST + 1):
        database, ledger = tmp_path / f"{deep}.db", tmp_path / f"{deep}"
        shutil.copy(made, database)
        with mounted(disk := FailingDisk(), "failing"):
            disk.left, disk.lasting, disk.error = deep, lasting, error
            work(database, ledger)
        if not disk.failed:
            break
        reached += 1

        assert {"first"} <= check(database, ledger)
    assert reached >= 60  # so deep the work is
    assert ["one", "two", "three"] == lines_of(ledger)  # and whole where nothing failed


def test_what_a_failing_disk_did_to_a_store_is_told_in_words_and_passes(tmp_path, made) -> None:
    database, ledger = tmp_path / "m.db", tmp_path / "ledger"
    shutil.copy(made, database)
    with mounted(disk := FailingDisk(), "failing"):
        services, context = open_services(str(database))
        disk.left, disk.lasting = 1, True
        with pytest.raises(UnavailableError, match="check the disk and its free space"):
            store_one(services, context, "lost")
        assert 1 == len(services.store.search.by_words(["first"], GLOBAL, Filters(), 5))
        disk.left = None
        store_one(services, context, "after")
        note(str(ledger), "after")
        services.store.close()

    assert {"first", "after"} == check(database, ledger)


# -- power


@pytest.fixture(scope="module")
def recorded(made, tmp_path_factory) -> tuple[dict[str, bytes], list[Step], dict[str, int]]:
    """Return the file before, each step asked of its disk, and after how many each was stored."""
    database = tmp_path_factory.mktemp("recorded") / "m.db"
    shutil.copy(made, database)
    start = {"m.db": database.read_bytes()}
    acknowledged = {"first": 0}
    with mounted(disk := RecordingDisk(), "recording"):
        services, context = open_services(str(database))
        for number in range(8):
            store_one(services, context, f"n{number}")
            acknowledged[f"n{number}"] = len(disk.steps)
            if number in {2, 5}:
                services.store.database.rows("PRAGMA wal_checkpoint(PASSIVE)")
        steps = list(disk.steps)
        services.store.close()
    return start, steps, acknowledged


def uids_of(folder: Path, files: dict[str, bytes]) -> set[str]:
    """Return what an engine finds that starts on these files; they must be whole."""
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    connection = apsw.Connection(str(folder / "m.db"))
    assert [("ok",)] == connection.execute("PRAGMA quick_check").fetchall()
    uids = {
        content.split()[1]
        for (content,) in connection.execute("SELECT content FROM memories").fetchall()
    }
    connection.close()
    return uids


def test_power_that_goes_at_any_step_takes_nothing_acknowledged(tmp_path, recorded) -> None:
    start, steps, acknowledged = recorded
    for count in range(len(steps) + 1):
        expected = {uid for uid, at in acknowledged.items() if at <= count}

        results = uids_of(tmp_path / str(count), after_power_cut(start, steps[:count]))
        assert expected <= results
        assert len(results) - len(expected) <= 1
    assert len(steps) >= 60


@pytest.mark.parametrize("cuts", [300, pytest.param(3_000, marks=pytest.mark.nightly)])
def test_power_that_goes_with_writes_in_any_order_takes_nothing_acknowledged(
    tmp_path, recorded, cuts
) -> None:
    """What was not synced is written in any order, half of it lost."""
    start, steps, acknowledged = recorded
    seed = random.randrange(1 << 32)
    print("seed", seed)
    chance = random.Random(seed)
    for turn in range(cuts):
        count = chance.randrange(len(steps) + 1)
        expected = {uid for uid, at in acknowledged.items() if at <= count}
        files = after_power_cut(start, steps[:count], chance)

        assert expected <= uids_of(tmp_path / str(turn), files)
        if turn % 50 == 0:
            ledger = tmp_path / f"{turn}.ledger"
            for uid in expected:
                note(str(ledger), uid)
            check(tmp_path / str(turn) / "m.db", ledger)


def test_the_search_for_losses_would_see_one(tmp_path, recorded) -> None:
    start, steps, acknowledged = recorded
    lying = [step for step in steps if step.kind != "sync"]  # a disk that only says it has kept it
    chance = random.Random(1)
    results = []
    for turn in range(20):
        try:
            results.append(uids_of(tmp_path / str(turn), after_power_cut(start, lying, chance)))
        except (apsw.Error, AssertionError):
            results.append(set())

    assert any(not set(acknowledged) <= uids for uids in results)


# -- files that are cut, overwritten or taken away


def with_a_log(folder: Path, made: Path) -> tuple[Path, bytes, bytes]:
    """Return a database whose log holds three memories, and both files' bytes."""
    source = folder / "source.db"
    shutil.copy(made, source)
    services, context = open_services(str(source))
    for uid in ("one", "two", "three"):
        store_one(services, context, uid)
    files = source.read_bytes(), source.with_name("source.db-wal").read_bytes()
    services.store.close()
    return folder / "m.db", *files


@pytest.mark.parametrize("harm", ["cut", "garbage", "removed"])
def test_a_damaged_log_leaves_whole_memories_up_to_some_point(tmp_path, made, harm) -> None:
    database, content, log = with_a_log(tmp_path, made)
    seen = set()
    for at in itertools.chain(range(0, len(log), len(log) // 40), [len(log)]):
        for name in ("-wal", "-shm"):
            database.with_name(database.name + name).unlink(missing_ok=True)
        database.write_bytes(content)
        if harm != "removed":
            rest = bytes(len(log) - at) if harm == "garbage" else b""
            database.with_name("m.db-wal").write_bytes(log[:at] + rest)

        findings = check(database, tmp_path / "none")
        assert findings in ({"first"}, {"first", "one"}, {"first", "one", "two"}, EVERYTHING)
        seen.add(len(findings))
    assert ({1} if harm == "removed" else {1, 2, 3, 4}) == seen


EVERYTHING = {"first", "one", "two", "three"}


@pytest.mark.parametrize("what", ["removed", "replaced"])
def test_nothing_is_acknowledged_once_the_log_is_gone_from_its_place(tmp_path, made, what) -> None:
    database = tmp_path / "m.db"
    shutil.copy(made, database)
    services, context = open_services(str(database))
    store_one(services, context, "kept")
    log = tmp_path / "m.db-wal"
    log.unlink()
    if what == "replaced":
        log.write_bytes(b"")

    with pytest.raises(UnavailableError, match="moved or replaced"):
        store_one(services, context, "refused")
    services.store.close()

    store = SqliteStore(str(database))
    assert [] == store.search.by_words(["refused"], GLOBAL, Filters(), 5)
    store.close()
