"""Who may open the store's file, its rights, and what happens once it is moved or replaced."""

from __future__ import annotations

import os
import re
import stat
import threading

import apsw
import pytest

from aforesaid.adapters.sqlite.engine import check_engine_version
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.errors import CorruptError, UnavailableError
from factories import (
    make_memory,
    open_sqlite,
)


def mode(path) -> str:
    return oct(stat.S_IMODE(os.lstat(path).st_mode))


def test_folder_and_files_are_the_owners_alone_whatever_the_umask(tmp_path) -> None:
    before = os.umask(0)
    try:
        store = open_sqlite(tmp_path / "a" / "b" / "memory.db")
        with store.transaction():
            store.memories.add(make_memory(1))
        names = sorted(os.listdir(tmp_path / "a" / "b"))
        modes = {mode(tmp_path / "a" / "b" / name) for name in names}
        store.close()
    finally:
        os.umask(before)

    assert ["memory.db", "memory.db-ledger", "memory.db-shm", "memory.db-wal"] == names
    assert ({"0o600"}, "0o700") == (modes, mode(tmp_path / "a" / "b"))


def test_a_file_that_others_could_read_is_made_private_again(tmp_path) -> None:
    path = tmp_path / "m.db"
    open_sqlite(path).close()
    path.chmod(0o644)
    store = open_sqlite(path)

    assert {"0o600"} == {mode(tmp_path / name) for name in os.listdir(tmp_path)}
    store.close()


def test_a_link_in_the_place_of_the_file_is_refused(tmp_path) -> None:
    target = tmp_path / "target.db"
    open_sqlite(target).close()
    (tmp_path / "m.db").symlink_to(target)

    with pytest.raises(UnavailableError, match="link"):
        open_sqlite(tmp_path / "m.db")


def test_a_folder_may_stand_behind_a_link(tmp_path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "disk")
    store = open_sqlite(tmp_path / "link" / "m.db")
    with store.transaction():
        store.set_meta("a", "1")
    store.close()

    assert ["m.db", "m.db-ledger"] == sorted(os.listdir(tmp_path / "disk"))


@pytest.mark.parametrize("kind", ["folder", "fifo"])
def test_what_is_no_file_is_refused_without_waiting(tmp_path, kind) -> None:
    path = tmp_path / "m.db"
    os.mkfifo(path) if kind == "fifo" else path.mkdir()

    with pytest.raises(UnavailableError, match=re.escape(str(path))):
        open_sqlite(path)


@pytest.mark.parametrize("statements", [
    ["CREATE TABLE theirs (a)"],
    ["PRAGMA application_id = 7", "CREATE TABLE theirs (a)"],
    ["PRAGMA application_id = 7", "PRAGMA user_version = 1", "CREATE TABLE theirs (a)"],
    ["PRAGMA user_version = 99", "CREATE TABLE theirs (a)"],
])  # fmt: skip
def test_a_database_of_another_program_is_refused_and_left_as_it_was(tmp_path, statements) -> None:
    path = tmp_path / "theirs.db"
    theirs = apsw.Connection(str(path))
    for statement in statements:
        theirs.execute(statement)
    theirs.close()
    path.chmod(0o644)
    before = path.read_bytes()

    with pytest.raises(UnavailableError, match="another program"):
        open_sqlite(path)
    assert (before, "0o644", ["theirs.db"]) == (path.read_bytes(), mode(path), os.listdir(tmp_path))


def test_a_file_that_is_no_database_is_refused_and_left_as_it_was(tmp_path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("shopping list\n" * 500)

    with pytest.raises(CorruptError, match="is not a database"):
        open_sqlite(path)
    assert "shopping list\n" * 500 == path.read_text()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_refused(tmp_path) -> None:
    path = tmp_path / "m.db"
    open_sqlite(path).close()
    os.chown(path, 12_345, 12_345)

    with pytest.raises(UnavailableError, match="another user"):
        open_sqlite(path)


def test_an_engine_that_can_lose_commits_is_refused() -> None:
    for version in ("3.51.2", "3.50.7", "3.7.0", "2.8.17"):
        with pytest.raises(UnavailableError, match=re.escape(version)):
            check_engine_version(version)
    for version in ("3.51.3", "3.52.0", "4.0", apsw.sqlite_lib_version()):
        check_engine_version(version)


def put_new_store(path) -> None:
    made = path.with_name("new.db")
    open_sqlite(made).close()
    made.rename(path)


@pytest.mark.parametrize("what", ["renamed", "removed", "replaced"])
def test_nothing_is_acknowledged_once_the_file_is_gone_from_its_place(
    store, tmp_path, what
) -> None:
    path = tmp_path / "m.db"
    with store.transaction():
        store.memories.add(make_memory(1))
    if what == "removed":
        path.unlink()
    else:
        path.rename(tmp_path / "elsewhere.db")
    if what == "replaced":
        put_new_store(path)

    with pytest.raises(UnavailableError, match="moved or replaced"), store.transaction():
        store.memories.add(make_memory(2))


def test_a_replaced_file_is_noticed_by_threads_that_opened_the_old_one(store, tmp_path) -> None:
    path = tmp_path / "m.db"
    with store.transaction():
        store.memories.add(make_memory(1))
    path.rename(tmp_path / "elsewhere.db")
    put_new_store(path)
    other = threading.Thread(target=lambda: store.meta("name"))  # opens the new file
    other.start()
    other.join()

    with pytest.raises(UnavailableError, match="moved or replaced"), store.transaction():
        store.memories.add(make_memory(2))


def test_a_place_that_was_named_relative_to_a_folder_stays_there(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = SqliteStore("m.db")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    with store.transaction():
        store.memories.add(make_memory(1))

    assert str(tmp_path / "m.db") == store.path
    store.close()
