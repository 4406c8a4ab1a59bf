"""Backups: whole whoever writes, verified, rotated; what a restore or reset replaces is kept."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import apsw
import pytest

from aforesaid import Memory
from aforesaid.adapters.sqlite import online_backup
from aforesaid.adapters.sqlite.database import Database
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.config import load_settings
from aforesaid.domain.errors import (
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.operations.backups import back_up, list_backups, reset, restore
from aforesaid.services.transfer.export import export_lines
from fault.disks import FailingDisk, mounted
from interfaces import ROOT, read, write

WRITERS = os.path.join(ROOT, "tests", "fault", "writers.py")


@pytest.fixture
def settings(environment, monkeypatch):
    """Return the settings of a user whose store holds two memories."""
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    results = load_settings(environment)
    store(results, "The queue is NATS.", "The user likes tabs.")
    return results


def store(settings, *contents: str) -> None:
    with Memory(settings.db_path, project="acme/payments") as memory:
        for content in contents:
            memory.store(content)


def text_of(path: str) -> str:
    opened = SqliteStore(path)
    try:
        return "".join(export_lines(opened))
    finally:
        opened.close()


def test_a_restored_backup_exports_the_same_bytes_and_what_it_replaced_does_too(settings) -> None:
    before = text_of(settings.db_path)
    made = back_up(settings)
    store(settings, "Written after the backup.")
    after = text_of(settings.db_path)

    done = restore(settings, "latest")

    assert (made["backup"], 2) == (done["restored"], done["rows"]["memories"])
    assert before == text_of(settings.db_path)
    assert after == text_of(done["kept"])
    for path in (made["backup"], done["kept"]):
        assert 0o600 == os.stat(path).st_mode & 0o777
    store(settings, "It can be written again.")


def test_a_backup_is_whole_while_others_write(settings, tmp_path) -> None:
    ledger = str(tmp_path / "ledger")
    write(ledger, "")
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(
        os.path.join(ROOT, name) for name in ("server", "tests", "")
    )}  # fmt: skip
    writers = [
        subprocess.Popen(
            [sys.executable, WRITERS, "store_many", settings.db_path, ledger, f"w{number}", "60"],
            env=variables,
        )
        for number in range(2)
    ]
    seen = []
    while any(writer.poll() is None for writer in writers):
        acknowledged = read(ledger).split()
        made = back_up(settings, keep=100, progress=lambda _done, _whole: None)
        seen.append((acknowledged, made["backup"]))
    assert [0, 0] == [writer.returncode for writer in writers]
    assert len(seen) > 2
    for acknowledged, path in seen:
        online_backup.verify(path)
        held = text_of(path)
        assert [] == [uid for uid in acknowledged if f"uid {uid} has" not in held]


def test_the_oldest_backups_go_and_nothing_else_does(settings) -> None:
    first = back_up(settings, keep=2)["backup"]
    note = os.path.join(os.path.dirname(first), "memory-mine.db")
    write(note, "not one of them")
    second = back_up(settings, keep=2)["backup"]
    third = back_up(settings, keep=2)
    assert ([first], [second, third["backup"]]) == (third["removed"], list_backups(settings))
    assert "not one of them" == read(note)
    named = back_up(settings, first)
    assert (first, []) == (named["backup"], named["removed"])
    with pytest.raises(ConflictError, match="exists and was not overwritten"):
        back_up(settings, first)


def test_a_backup_that_has_no_room_names_the_disk_that_is_full(settings, tmp_path) -> None:
    (tmp_path / "file").write_text("")
    target = str(tmp_path / "file" / "copy.db")
    with pytest.raises(UnavailableError, match=f"^{target} cannot be written"):
        back_up(settings, target)
    target = str(tmp_path / "copy.db")
    with mounted(disk := FailingDisk(), "failing"):
        source = Database(settings.db_path)
        source.connection()
        disk.left, disk.lasting, disk.error = 1, True, apsw.FullError
        with pytest.raises(UnavailableError, match=f"^{target} cannot grow"):
            online_backup.backup_file(source, target)
        disk.left = None
        source.close()
    assert [] == list(tmp_path.glob("copy.db*"))


def as_of_a_newer_version(path: str) -> None:
    newer = Database(path)
    newer.rows("UPDATE meta SET value = '900' WHERE name = 'min_code_schema'")
    newer.rows("PRAGMA user_version = 900")
    newer.close()


def test_a_store_of_a_newer_version_is_kept_and_an_older_backup_put_in_its_place(settings) -> None:
    before = text_of(settings.db_path)
    older = back_up(settings)["backup"]
    as_of_a_newer_version(settings.db_path)
    assert 2 == back_up(settings)["rows"]["memories"]

    kept = restore(settings, older)["kept"]

    assert before == text_of(settings.db_path)
    store(settings, "It can be written again.")
    with pytest.raises(UnavailableError, match="update Aforesaid, then restore it"):
        restore(settings, kept)
    with pytest.raises(UnavailableError, match="update Aforesaid, then restore it"):
        restore(settings, "latest")


@pytest.mark.parametrize("damage", ["cut", "overwritten", "other program", "nothing", "newer"])
def test_what_is_no_sound_backup_changes_nothing(settings, damage) -> None:
    before = text_of(settings.db_path)
    path = back_up(settings)["backup"]
    expected = CorruptError
    if damage == "nothing":
        os.unlink(path)
        expected = NotFoundError
    elif damage == "newer":
        as_of_a_newer_version(path)
        expected = UnavailableError
    else:
        with open(path, "r+b") as file:
            if damage == "cut":
                file.truncate(os.path.getsize(path) // 2)
            else:
                file.seek(68 if damage == "other program" else 0)
                file.write(b"\x00\x00\x00\x07" * (1 if damage == "other program" else 9_000))
    with pytest.raises(expected):
        restore(settings, path)
    assert before == text_of(settings.db_path)
    beside = os.listdir(os.path.dirname(settings.db_path))
    assert [] == [name for name in beside if "before" in name]


def test_a_damaged_store_is_moved_aside_as_it_is_and_replaced(settings) -> None:
    before = text_of(settings.db_path)
    back_up(settings)
    with open(settings.db_path, "r+b") as file:
        file.write(b"rubbish" * 5_000)
    damaged = read_bytes(settings.db_path)
    done = restore(settings, "latest")
    assert damaged == read_bytes(done["kept"])
    assert before == text_of(settings.db_path)


def read_bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="holders are seen by /proc or lsof")
def test_nothing_is_replaced_under_another_process(settings) -> None:
    back_up(settings)
    store(settings, "Newer than the backup.")
    before = text_of(settings.db_path)
    with open(settings.db_path, "rb") as held:
        other = subprocess.Popen(["sleep", "60"], stdin=held)
    try:
        for change in (lambda: restore(settings, "latest"), lambda: reset(settings)):
            with pytest.raises(ConflictError, match=f"{other.pid} .sleep 60"):
                change()
    finally:
        other.kill()
        other.wait()
    assert before == text_of(settings.db_path)
    restore(settings, "latest")


def test_what_is_stored_while_the_old_content_is_kept_is_not_lost(settings) -> None:
    back_up(settings)
    store(settings, "Newer than the backup.")

    def a_session_comes_and_goes(_done: int, _whole: int) -> None:
        if "Stored meanwhile." not in text_of(settings.db_path):
            store(settings, "Stored meanwhile.")

    with pytest.raises(ConflictError, match="written meanwhile"):
        restore(settings, "latest", a_session_comes_and_goes)
    kept = text_of(settings.db_path)
    assert "Newer than the backup." in kept
    assert "Stored meanwhile." in kept
    beside = os.listdir(os.path.dirname(settings.db_path))
    assert [] == [name for name in beside if ".before-" in name]


def test_a_reset_keeps_a_copy_and_what_was_erased_stays_away(settings, tmp_path) -> None:
    with Memory(settings.db_path, project="acme/payments") as memory:
        erased = memory.store("The old office was in Leeds.")
        memory.forget(erased.memory.id, erase=True)
    before = text_of(settings.db_path)
    done = reset(settings)
    assert before == text_of(done["kept"])
    with Memory(settings.db_path, project="acme/payments") as memory:
        assert 0 == memory.stats()["total"]
        lines = str(tmp_path / "lines.jsonl")
        write(lines, '{"content": "The old office was in Leeds."}\n')
        assert 1 == memory.import_file(lines).imported.erased_before


def test_erasing_names_the_backups_that_still_hold_it(settings) -> None:
    made = back_up(settings)["backup"]
    with Memory(settings.db_path, project="acme/payments") as memory:
        (hit,) = memory.recall("which queue").results[:1]
        done = memory.forget(hit.memory.id, erase=True)
    assert (made,) == done.copies


def test_what_was_erased_since_the_backup_is_left_out_of_what_is_restored(settings) -> None:
    with Memory(settings.db_path, project="acme/payments") as memory:
        office = memory.store("The old office was in Leeds.", scope="global").memory
        erased_before = memory.store("The first office was in York.").memory
        memory.forget(erased_before.id, erase=True)
        memory.store("The first office was in York.")  # wanted again
        back_up(settings)
        memory.forget(office.id, erase=True)
    assert 1 == restore(settings, "latest")["erased"]
    restored = text_of(settings.db_path)
    assert "Leeds" not in restored
    for kept in ("The queue is NATS.", "The user likes tabs.", "The first office was in York."):
        assert kept in restored
    with Memory(settings.db_path, project="acme/payments") as memory:
        (hit, *_) = memory.recall("which queue").results
        memory.forget(hit.memory.id, erase=True)
    assert 1 == restore(settings, "latest")["erased"]  # from what the first restore kept
    assert "NATS" not in text_of(settings.db_path)


def test_what_a_reset_kept_is_listed_and_is_the_newest(settings, shell) -> None:
    back_up(settings)
    store(settings, "Written after the backup.")
    kept = reset(settings)["kept"]
    copies = json.loads(shell("restore", "--json").stdout)["copies"]
    assert [("backup", 2), ("before reset", 3)] == [
        (copy["kind"], copy["memories"]) for copy in copies
    ]
    assert kept == copies[-1]["path"]
    assert os.path.basename(kept) in shell("restore").stdout
    assert "memories  3\n" in shell("restore", "latest", "--yes").stdout
    assert 0 == shell("restore", os.path.basename(kept), "--yes").returncode


def test_an_export_is_no_backup(settings, tmp_path) -> None:
    write(str(tmp_path / "all.jsonl"), text_of(settings.db_path))
    with pytest.raises(InvalidInputError, match="use `aforesaid import`"):
        restore(settings, str(tmp_path / "all.jsonl"))


def test_at_a_shell_nobody_is_asked_where_nobody_is(shell) -> None:
    shell("remember", "The queue is NATS.")
    assert 0 == shell("backup", "--json").returncode
    for command in (("restore", "latest"), ("reset",)):
        refused = shell(*command)
        assert 2 == refused.returncode
        assert "--yes" in refused.stderr
    assert 3 == shell("restore", "nowhere.db").returncode  # before anybody is asked
    assert 0 == shell("reset", "--yes").returncode
    assert 3 == shell("inspect", "zzzz").returncode
    done = shell("restore", "latest", "--yes")
    assert "memories  1\n" in done.stdout
    assert "The queue is NATS." in shell("list").stdout
