"""The store of every release, opened by today's code: all that it holds is there and usable."""

from __future__ import annotations

import hashlib
import json
import tomllib
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from aforesaid import Memory
from aforesaid.adapters.sqlite.schema import MIGRATIONS
from interfaces import ROOT
from released import VERSIONS, description_of, export_of, missing_rows, unpack

QUEUE = "The queue is NATS JetStream, for replay."


@pytest.fixture(params=VERSIONS)
def version(request) -> str:
    """Return a released version."""
    return request.param


@pytest.fixture
def opened(version, shell, tmp_path):
    """Return what runs commands on the store of a release, in a project that it knows."""
    path = unpack(version, tmp_path / "memory.db")

    def run(*arguments, code=0, **more):
        variables = {**shell.environment, "AFORESAID_DB": path, **more}
        done = shell(*arguments, env=variables)
        assert code == done.returncode, done.stdout + done.stderr
        return json.loads(done.stdout) if "--json" in arguments else done.stdout

    return run


def test_the_version_of_this_code_has_a_store() -> None:
    """A release without one could not be told from what later code must open."""
    project = tomllib.loads(Path(ROOT, "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["version"] in VERSIONS, "run tools/make_release_store.py"


def test_the_migrations_of_a_release_are_never_edited(version) -> None:
    released = description_of(version)["migrations"]
    today = [hashlib.sha256("\0".join(migration).encode()).hexdigest() for migration in MIGRATIONS]
    assert released == today[: len(released)], "append a migration instead"


def test_the_migrations_make_the_tables_that_the_release_had(version, tmp_path) -> None:
    with closing(apsw.Connection(unpack(version, tmp_path / "m.db"))) as store:
        number = store.execute("PRAGMA user_version").fetchone()[0]
        results = store.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall()
    assert len(description_of(version)["migrations"]) == number
    with closing(apsw.Connection(":memory:")) as made:
        for migration in MIGRATIONS[:number]:
            for statement in migration:
                made.execute(statement)
        assert sorted(results, key=str) == sorted(
            made.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema").fetchall(), key=str
        )


def test_every_row_is_still_there(version, opened) -> None:
    assert [] == missing_rows(export_of(version), opened("export"))


def test_what_it_holds_is_recalled_listed_and_explained(opened) -> None:
    opened("projects", "map", ".", "acme/payments")  # no commit of it is known: confirmed by hand
    store = opened("search", "which queue do we use?", "--json")
    assert QUEUE == store["results"][0]["content"]
    assert "RabbitMQ" in opened("search", "which queue do we use?", "--include-history")
    context = opened("context")
    assert "imperative" in context
    assert "Refund" in opened("tasks")
    assert "Grace Hopper" in opened("entities")
    assert "messaging" in opened("topics")
    assert "website" in opened("projects")
    assert opened("offers", "--json")["offers"]


def test_the_doctor_finds_nothing_wrong_with_it(opened) -> None:
    store = opened("doctor", "--deep", "--json")
    assert [] == store["wrong"]


def test_it_is_written_as_any_other(opened) -> None:
    opened("remember", "The broker's port is 4222.", "--topic", "messaging/broker")
    store = opened("search", "which port has the broker?", "--json")
    assert "The broker's port is 4222." == store["results"][0]["content"]
    [run] = opened("runs", "--json")["runs"]
    opened("undo", str(run["run"]))
    assert "undone" in opened("runs")


def test_its_export_makes_an_equal_store(version, opened, tmp_path) -> None:
    export = tmp_path / "export.jsonl"
    export.write_text(export_of(version), encoding="utf-8")
    path = str(tmp_path / "copy.db")
    opened("import", str(export), AFORESAID_DB=path)
    assert opened("export") == opened("export", AFORESAID_DB=path)


def test_its_backup_is_restored(version, shell, tmp_path) -> None:
    backup = unpack(version, tmp_path / "backup.db")
    path = str(tmp_path / "memory.db")
    with Memory(path, project="acme/payments") as memory:
        memory.store("This store is replaced.")
    done = shell("restore", backup, "--yes", env={**shell.environment, "AFORESAID_DB": path})
    assert 0 == done.returncode, done.stderr
    with Memory(path, project="acme/payments") as memory:
        assert [] == missing_rows(export_of(version), "".join(memory.export()))


def test_what_migrations_add_lets_older_code_go_on_writing(version, tmp_path) -> None:
    """Code of a release writes the columns that it knows, and finds what it had."""
    path = unpack(version, tmp_path / "m.db")
    with closing(apsw.Connection(path)) as store:
        before = _columns(store)
        uniques = _unique_indexes(store)
    with Memory(path):
        pass
    with closing(apsw.Connection(path)) as store:
        after = _columns(store)
        oldest = store.execute("SELECT value FROM meta WHERE name = 'min_code_schema'").fetchone()
        if int(oldest[0]) > len(description_of(version)["migrations"]):
            return  # that code only reads it
        added = _unique_indexes(store) - uniques
    for table, columns in before.items():
        assert columns.items() <= after[table].items()
        for name in after[table].keys() - columns.keys():
            _type, required, default, _key = after[table][name]
            assert default is not None or not required, f"{table}.{name} needs a default"
    assert {} == {name: table for name, table in added if table in before}


def _columns(store: apsw.Connection) -> dict[str, dict[str, tuple]]:
    tables = store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    return {
        table: {row[1]: row[2:] for row in store.execute(f"PRAGMA table_info({table})")}
        for (table,) in tables
    }


def _unique_indexes(store: apsw.Connection) -> set[tuple[str, str]]:
    return set(
        store.execute(
            "SELECT name, tbl_name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%UNIQUE%'"
        ).fetchall()
    )
