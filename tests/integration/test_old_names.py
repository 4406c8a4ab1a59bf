"""Data written before tables and columns were renamed: journals, exports, files to rebuild."""

from __future__ import annotations

import json
from contextlib import closing

import apsw
import pytest

from aforesaid import Memory
from aforesaid.adapters.sqlite.rebuild import rebuild
from aforesaid.adapters.sqlite.schema import MIGRATIONS
from aforesaid.adapters.sqlite.schema_objects import build
from factories import NOON, make_memory, open_sqlite
from released import VERSIONS, export_of, missing_rows, unpack

BEFORE_NAMES_CHANGED = 3  #: the schema's version


@pytest.fixture
def old_store(tmp_path) -> str:
    """Return a store of the schema before, with two memories and a run that expired their link."""
    path = str(tmp_path / "m.db")
    new = open_sqlite(tmp_path / "new.db")
    with new.transaction():
        for number in (1, 2):
            new.memories.add(make_memory(number, content=f"fact {number}"))
    rows = list(new.dump.rows())
    new.close()
    with closing(build(MIGRATIONS[:BEFORE_NAMES_CHANGED])) as draft, open(path, "wb") as file:
        for table, fields in rows:
            values = ", ".join("?" * len(fields))
            draft.execute(
                f"INSERT OR REPLACE INTO {table} ({', '.join(fields)}) VALUES ({values})",
                list(fields.values()),
            )
        draft.execute("INSERT INTO runs (key, started_at, ended_at) VALUES (1, 5, 6)")
        with closing(apsw.Session(draft, "main")) as session:
            session.attach("faded")
            draft.execute("INSERT INTO faded VALUES (1, 2, ?)", (NOON,))
            changes = session.changeset()
        draft.execute(
            "INSERT INTO steps (run, phase, at, memories, changes) VALUES (1, 'links', 5, ?, ?)",
            ("[1, 2]", changes),
        )
        file.write(draft.serialize("main"))
    return path


def test_a_run_of_before_the_names_changed_can_be_undone(old_store) -> None:
    with closing(open_sqlite(old_store)) as store:
        assert {2} == store.maintenance.linked_keys(1, [2])
        [step] = store.runs.steps(1)
        assert store.runs.undo_step(step.key, NOON + 1)
        assert set() == store.maintenance.linked_keys(1, [2])


def test_an_erased_memory_leaves_a_journal_of_before_too(old_store) -> None:
    with Memory(old_store) as memory:
        memory.forget(make_memory(2).id, erase=True)
    with closing(apsw.Connection(old_store)) as connection:
        [(changes,)] = connection.execute("SELECT changes FROM steps").fetchall()
    assert not changes


def test_an_export_has_the_names_that_every_version_reads(old_store, tmp_path) -> None:
    with Memory(old_store) as memory:
        lines = list(memory.export())
    rows = [json.loads(line) for line in lines[1:-1]]
    assert {"pieces", "offers", "faded"} & {row["table"] for row in rows} == {"faded"}
    export = tmp_path / "export.jsonl"
    export.write_text("".join(lines), encoding="utf-8")
    with Memory(str(tmp_path / "copy.db")) as copy:
        copy.import_file(str(export))
        assert lines == list(copy.export())


@pytest.mark.parametrize("version", VERSIONS)
def test_a_rebuilt_store_of_a_release_has_every_row_and_its_journal(version, tmp_path) -> None:
    old = unpack(version, tmp_path / "old.db")
    with closing(apsw.Connection(old)) as connection:
        connection.execute("CREATE TABLE spy (text TEXT)")
    counts = rebuild(old, str(tmp_path / "rebuilt.db"))
    assert (3, 1) == (counts["suggestions"], counts["steps"])
    with Memory(str(tmp_path / "rebuilt.db")) as memory:
        assert [] == missing_rows(export_of(version), "".join(memory.export()))
