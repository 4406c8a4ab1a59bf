"""Migrations of the store's file, and what older code may do with a newer file."""

from __future__ import annotations

import os
import re
import stat

import apsw
import pytest

from aforesaid.adapters.sqlite.database import Database
from aforesaid.adapters.sqlite.migration import migrate
from aforesaid.adapters.sqlite.schema import MIGRATIONS
from aforesaid.domain.errors import AforesaidError, UnavailableError
from aforesaid.domain.model.memory import Filters, Visibility
from factories import (
    make_memory,
    open_sqlite,
)

GLOBAL = Visibility(projects=(0,))


def mode(path) -> str:
    return oct(stat.S_IMODE(os.lstat(path).st_mode))


def test_all_statements_of_a_migration_are_single(tmp_path) -> None:
    """The engine runs a string of several only up to its first row."""
    connection = apsw.Connection(":memory:")
    for statement in (statement for step in MIGRATIONS for statement in step):
        tail: list[str] = []
        connection.exec_trace = lambda _cursor, sql, _bindings, seen=tail: seen.append(sql) or True
        connection.execute(statement)
        assert [statement] == [sql for sql in tail if not sql.startswith("--")]


def test_opening_again_changes_nothing(tmp_path) -> None:
    open_sqlite(tmp_path / "m.db").close()
    before = (tmp_path / "m.db").read_bytes()
    open_sqlite(tmp_path / "m.db").close()

    assert before == (tmp_path / "m.db").read_bytes()


# -- migrations

KNOWN = len(MIGRATIONS)
SECOND = (
    "ALTER TABLE memories ADD COLUMN colour TEXT",
    "UPDATE memories SET colour = 'blue'",
    "INSERT INTO meta VALUES ('second', 'done')",
)


def migrated(path, *more, **options) -> Database:
    """Open a database and bring it to the first migration and these."""
    results = Database(str(path), **options)
    migrate(results, (*MIGRATIONS, *more))
    return results


def test_a_migration_keeps_what_was_stored_and_a_copy_of_before(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    with store.transaction():
        stored = store.memories.add(make_memory(1, content="kilo lima"))
    store.close()
    database = migrated(tmp_path / "m.db", SECOND)

    assert (KNOWN + 1, "done") == (
        database.value("PRAGMA user_version"),
        database.value("SELECT value FROM meta WHERE name = 'second'"),
    )
    assert [("kilo lima", "blue")] == database.rows("SELECT content, colour FROM memories")
    database.close()
    copies = [name for name in os.listdir(tmp_path) if name.startswith("m.db.")]
    [copy] = copies
    assert re.fullmatch(rf"m\.db\.before-{KNOWN + 1}-\d{{8}}T\d{{6}}Z", copy)
    assert "0o600" == mode(tmp_path / copy)
    before = open_sqlite(tmp_path / copy)
    assert [stored] == before.memories.get([stored.key])
    before.close()


def test_a_copy_of_before_is_the_users_alone_from_its_first_byte(tmp_path) -> None:
    store = open_sqlite(tmp_path / "m.db")
    seen = []

    def look(_cursor: object, sql: str, bindings: tuple[str, ...]) -> bool:
        if sql.startswith("VACUUM INTO"):
            seen.append(mode(bindings[0]))
        return True

    store.database.connection().exec_trace = look
    store.keep_copy("trial")
    store.close()
    assert ["0o600"] == seen
    assert ["m.db", "m.db-ledger", "m.db.before-trial"] == sorted(os.listdir(tmp_path))


def test_a_new_file_is_migrated_without_a_copy(tmp_path) -> None:
    migrated(tmp_path / "m.db", SECOND).close()

    assert [] == [name for name in os.listdir(tmp_path) if ".before-" in name]


@pytest.mark.parametrize("broken", range(len(SECOND)))
def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path, broken) -> None:
    open_sqlite(tmp_path / "m.db").close()
    failing = [*SECOND]
    failing[broken] = "INSERT INTO nowhere VALUES (1)"

    with pytest.raises(AforesaidError):
        migrated(tmp_path / "m.db", failing)
    store = open_sqlite(tmp_path / "m.db")
    assert (KNOWN, None) == (store.database.value("PRAGMA user_version"), store.meta("second"))
    assert "colour" not in [row[1] for row in store.database.rows("PRAGMA table_info(memories)")]
    store.close()


def test_code_that_may_not_write_a_newer_file_reads_it_and_names_both_versions(tmp_path) -> None:
    path = tmp_path / "m.db"
    store = open_sqlite(path)
    with store.transaction():
        stored = store.memories.add(make_memory(1, content="kilo"))
        store.database.rows("UPDATE meta SET value = '99' WHERE name = 'min_code_schema'")
        store.database.rows("PRAGMA user_version = 99")
    store.close()
    older = open_sqlite(path)

    assert older.read_only
    assert [stored] == older.memories.get([stored.key])
    assert [stored.key] == [
        by_word.key for by_word in older.search.by_words(["kilo"], GLOBAL, Filters(), 5)
    ]
    with (
        pytest.raises(UnavailableError, match=rf"version 99.*supports version {KNOWN}"),
        older.transaction(),
    ):
        older.set_meta("a", "1")
    older.close()


def test_older_code_still_writes_a_newer_file_that_allows_it(tmp_path) -> None:
    path = tmp_path / "m.db"
    migrated(path, ("ALTER TABLE memories ADD COLUMN colour TEXT",)).close()
    older = open_sqlite(path)
    with older.transaction():
        stored = older.memories.add(make_memory(1))

    assert (False, [stored]) == (older.read_only, older.memories.get([stored.key]))
    assert KNOWN + 1 == older.database.value("PRAGMA user_version")
    older.close()
