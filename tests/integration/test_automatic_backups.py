"""Backups belong to one store; one is made a day by itself, and few stay."""

from __future__ import annotations

import json
import os
import re
import shutil
import time

import pytest

DAY_SECONDS = 86_400
AUTO = re.compile(r"-auto\.db$")


class Folder:
    """A folder with stores, their backups, and a shell that uses one of them."""

    def __init__(self, shell, path) -> None:
        self._shell = shell
        self.path = path
        self.backups = path / "backups"

    def run(self, store: str, *arguments: str, code: int = 0, **variables: str):
        environment = {
            **self._shell.environment, "AFORESAID_DB": str(self.path / store), **variables
        }  # fmt: skip
        done = self._shell(*arguments, env=environment)
        assert code == done.returncode, (arguments, done.stdout, done.stderr)
        return done

    def told(self, store: str, *arguments: str, **more):
        return json.loads(self.run(store, *arguments, "--json", **more).stdout)

    def names(self) -> list[str]:
        return sorted(os.listdir(self.backups)) if self.backups.exists() else []

    def automatic(self) -> list[str]:
        return [name for name in self.names() if AUTO.search(name)]

    def make_older(self, name: str, days: float) -> str:
        """Rename a backup as if it had been made so many days earlier."""
        at = time.time() - days * DAY_SECONDS
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(at))
        older = re.sub(r"\d{8}T\d{6}", stamp, name)
        os.rename(self.backups / name, self.backups / older)
        return older

    def damage(self, store: str) -> None:
        (self.path / store).write_bytes(b"rubbish " * 2_000)


@pytest.fixture
def folder(shell, tmp_path):
    """Return a folder with two stores, each with a memory of its own."""
    path = tmp_path / "stores"
    path.mkdir()
    made = Folder(shell, path)
    made.run("a.db", "remember", "The queue is NATS.")
    made.run("b.db", "remember", "The office is in Leeds.")
    return made


# -- whose backup it is


def test_two_stores_in_one_folder_share_no_backups(folder) -> None:
    of_a = folder.told("a.db", "backup")["backup"]
    for _ in range(3):
        made = folder.told("b.db", "backup", "--keep", "1")
    assert [of_a] == folder.told("a.db", "restore")["backups"]
    assert [made["backup"]] == folder.told("b.db", "restore")["backups"]
    assert of_a == folder.told("a.db", "restore", "latest", "--yes")["restored"]
    assert "NATS" in folder.run("a.db", "list").stdout
    assert [of_a] == folder.told("a.db", "restore")["backups"]


def test_a_copy_of_a_store_rotates_only_its_own_backups(folder) -> None:
    of_a = folder.told("a.db", "backup")["backup"]
    shutil.copy(folder.path / "a.db", folder.path / "copy.db")
    folder.run("copy.db", "remember", "The port is 5433.")
    for _ in range(2):
        of_copy = folder.told("copy.db", "backup", "--keep", "1")["backup"]
    assert [of_a] == folder.told("a.db", "restore")["backups"]
    assert [of_copy] == folder.told("copy.db", "restore")["backups"]


def test_a_store_that_was_renamed_keeps_its_backups(folder) -> None:
    made = folder.told("a.db", "backup")["backup"]
    os.rename(folder.path / "a.db", folder.path / "renamed.db")
    assert [made] == folder.told("renamed.db", "restore")["backups"]


def test_backups_without_an_id_in_their_name_stay_with_their_store(folder) -> None:
    old = folder.backups / "memory-20260101T000000.000Z.db"
    os.rename(folder.told("a.db", "backup")["backup"], old)
    for _ in range(2):
        folder.run("b.db", "backup", "--keep", "1")
    assert [str(old)] == folder.told("a.db", "restore")["backups"]
    assert str(old) not in folder.told("b.db", "restore")["backups"]
    folder.damage("a.db")
    assert str(old) == folder.told("a.db", "restore", "latest", "--yes")["restored"]
    assert "NATS" in folder.run("a.db", "list").stdout
    assert [str(old)] == folder.told("a.db", "backup", "--keep", "1")["removed"]


def test_the_backup_of_another_store_is_named_as_such(folder) -> None:
    of_b = folder.told("b.db", "backup")["backup"]
    folder.run("a.db", "restore", of_b, "--yes")
    assert "Leeds" in folder.run("a.db", "list").stdout


def test_a_store_that_cannot_be_read_gets_no_backup_of_unclear_origin(folder) -> None:
    folder.run("a.db", "backup")
    os.unlink(folder.path / "a.db")
    folder.run("a.db", "remember", "The port is 5433.")
    folder.run("a.db", "backup")
    folder.damage("a.db")
    refused = folder.run("a.db", "restore", "latest", "--yes", code=4)
    assert 2 == len(re.findall(r"-20\d{6}T", "".join(refused.stderr.split())))  # both are named
    assert 2 == len(folder.told("a.db", "restore")["backups"])


def test_erasing_names_every_backup_that_may_hold_the_text(folder) -> None:
    manual = os.path.basename(folder.told("a.db", "backup")["backup"])
    folder.run("a.db", "remember", "The port is 5433.")
    folder.run("a.db", "tend")
    folder.run("b.db", "backup")
    [result] = folder.told("a.db", "search", "which queue", "-n", "1")["results"]
    output = folder.run("a.db", "forget", result["id"], "--erase", "--yes").stdout
    for name in folder.names():
        assert (name in (manual, *folder.automatic())) == (name in "".join(output.split()))


# -- the automatic ones


def test_maintenance_begins_with_a_backup_once_a_day_if_something_changed(folder) -> None:
    folder.run("a.db", "tend")
    [first] = folder.automatic()
    assert 0o700 == folder.backups.stat().st_mode & 0o777
    assert 0o600 == (folder.backups / first).stat().st_mode & 0o777
    folder.run("a.db", "remember", "The port is 5433.")
    folder.run("a.db", "tend")
    assert [first] == folder.automatic()  # of today

    first = folder.make_older(first, 1)
    folder.run("a.db", "tend")
    [_, second] = folder.automatic()
    second = folder.make_older(second, 0.9)
    folder.run("a.db", "tend")
    assert [first, second] == folder.automatic()  # nothing changed
    folder.run("a.db", "tend", "--dry-run")
    folder.run("a.db", "remember", "The user likes tabs.")
    folder.run("a.db", "tend", "--dry-run")
    assert [first, second] == folder.automatic()
    folder.run("a.db", "tend")
    assert 3 == len(folder.automatic())
    assert folder.told("a.db", "restore")["backups"][-1].endswith(folder.automatic()[-1])


def test_the_background_process_backs_up_before_it_tends(folder) -> None:
    folder.run("a.db", "hook", "sweep", AFORESAID_MAINTENANCE_INTERVAL_HOURS="0")
    assert 1 == len(folder.automatic())
    assert 1 == len(folder.told("a.db", "runs")["runs"])
    folder.run(
        "b.db", "hook", "sweep",
        AFORESAID_MAINTENANCE_INTERVAL_HOURS="0", AFORESAID_STORAGE_AUTO_BACKUPS="0",
    )  # fmt: skip
    assert 1 == len(folder.automatic())


def test_automatic_backups_expire_by_count_and_age_and_leave_manual_ones(folder) -> None:
    manual = os.path.basename(folder.told("a.db", "backup")["backup"])
    manual = folder.make_older(manual, 400)
    folder.run("a.db", "remember", "The user likes tabs.")
    folder.run("a.db", "tend")
    [name] = folder.automatic()
    for days in (50, 40, 29, 3, 2, 1):
        copied = folder.backups / "copied"
        shutil.copy(folder.backups / name, copied)
        folder.make_older(name, days)
        os.rename(copied, folder.backups / name)
    os.unlink(folder.backups / name)
    names = folder.automatic()
    folder.run("a.db", "remember", "The port is 5433.")
    folder.run("a.db", "tend", AFORESAID_STORAGE_AUTO_BACKUPS="0")  # leaves nothing to change
    folder.run("a.db", "tend", AFORESAID_STORAGE_AUTO_BACKUPS="4")
    left = folder.automatic()
    assert names[3:] == left[:-1]  # four by count
    folder.make_older(left[-1], 0.9)
    folder.run("a.db", "tend", AFORESAID_STORAGE_AUTO_BACKUP_DAYS="2")  # by age, nothing changed
    assert 2 == len(folder.automatic())
    assert manual in folder.names()
    folder.run("b.db", "tend", AFORESAID_STORAGE_AUTO_BACKUPS="1")
    assert 3 == len(folder.automatic())


def test_a_backup_that_fails_is_told_and_stops_nothing(folder) -> None:
    folder.backups.write_text("no folder")
    report = folder.told("a.db", "tend")
    assert "run" in report
    [health] = folder.told("a.db", "stats")["health"]
    assert "no automatic backup" in health
    assert str(folder.backups) in health
    results = folder.told("a.db", "doctor", code=1)
    assert "the last automatic backup failed" in " ".join(results["wrong"])
    folder.backups.unlink()
    folder.run("a.db", "tend")
    assert ["ok"] == folder.told("a.db", "stats")["health"]


def test_a_damaged_backup_is_never_the_only_one_left(folder) -> None:
    folder.run("a.db", "tend")
    older = folder.make_older(folder.automatic()[0], 60)
    folder.run("a.db", "remember", "The port is 5433.")
    folder.run("a.db", "tend", AFORESAID_STORAGE_AUTO_BACKUP_DAYS="3650")
    newest = folder.make_older(folder.automatic()[-1], 1)
    data = (folder.backups / newest).read_bytes()
    half = len(data) // 2
    (folder.backups / newest).write_bytes(data[:half] + bytes(len(data) - half))
    folder.run("a.db", "tend")
    left = folder.automatic()
    assert newest in left or older in left
    folder.run("a.db", "restore", str(folder.backups / left[-1]), "--yes")


def test_doctor_offers_the_newest_sound_backup_of_a_damaged_store(folder) -> None:
    folder.run("a.db", "tend")
    sound = folder.backups / folder.make_older(folder.automatic()[0], 1)
    later = folder.told("a.db", "backup")["backup"]
    with open(later, "r+b") as file:
        file.truncate(os.path.getsize(later) // 2)
    folder.run("b.db", "backup")
    folder.damage("a.db")
    results = folder.told("a.db", "doctor", code=1)["findings"]
    [fix] = {row["fix"] for row in results if row["area"] == "store"}
    assert f"aforesaid restore {sound}" == fix
    folder.run("a.db", *fix.split()[1:], "--yes")
    assert "NATS" in folder.run("a.db", "list").stdout


def test_what_a_killed_process_left_of_a_backup_goes(folder) -> None:
    folder.run("a.db", "tend")
    [name] = folder.automatic()
    folder.make_older(name, 1)
    draft = folder.backups / f"{name}.12345.part"
    draft.write_text("half")
    os.utime(draft, (time.time() - 2 * DAY_SECONDS,) * 2)
    folder.run("a.db", "tend")
    assert not draft.exists()
