"""An export holds everything, equal stores give equal exports, what is undone leaves no mark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from hashlib import sha256

import pytest

from aforesaid import Memory
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.errors import ConflictError, CorruptError, InvalidInputError
from aforesaid.services.transfer.export import export_lines, import_export

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.fixture
def filled(tmp_path, monkeypatch):
    """A store with every kind of state in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    path = str(tmp_path / "filled.db")
    with Memory(path, project="acme/payments") as memory:
        old = memory.store("The queue is RabbitMQ.", tags=["infra"])
        memory.store("The queue is NATS.", supersedes=old.memory.id)
        memory.store(
            "The user likes tabs \U0001f600 and “quotes”.",
            scope="global",
            metadata={"a": [1, {"b": None}]},
        )
        gone = memory.store("To be forgotten.")
        memory.forget(gone.memory.id)
        erased = memory.store("To be erased.")
        memory.forget(erased.memory.id, erase=True)
        memory.store("Elsewhere.", project="other")
    return path


def text_of(path):
    store = SqliteStore(path)
    try:
        return "".join(export_lines(store))
    finally:
        store.close()


def test_exported_wiped_and_imported_it_exports_the_same_bytes(filled, tmp_path):
    text = text_of(filled)
    copy = SqliteStore(str(tmp_path / "copy.db"))
    rows = import_export(copy, text.splitlines(keepends=True))
    copy.close()
    assert 5 == rows["memories"]
    assert text == text_of(str(tmp_path / "copy.db"))


def test_a_restored_memory_reads_a_slip_of_the_keyboard_as_before(filled, tmp_path):
    copy = str(tmp_path / "copy.db")
    with Memory(filled, project="acme/payments") as memory:
        degradations = memory.recall("what does the user quotse").degradations
        (tmp_path / "all.jsonl").write_text("".join(memory.export()))
    with Memory(copy, project="acme/payments") as memory:
        memory.import_file(tmp_path / "all.jsonl")
        assert degradations == memory.recall("what does the user quotse").degradations
    assert 'also read "quotse" as "quotes"' in degradations


def test_what_was_erased_is_in_no_export(filled):
    assert "To be erased" not in text_of(filled)


def test_a_forgotten_and_restored_memory_leaves_no_mark(filled):
    before = text_of(filled)
    with Memory(filled, project="acme/payments") as memory:
        [result] = memory.recall("which queue?", max_results=1).results
    after_recall = text_of(filled)
    assert before != after_recall  # recalling counts as use
    with Memory(filled, project="acme/payments") as memory:
        memory.forget(result.memory.id)
        memory.restore(result.memory.id)
    assert after_recall == text_of(filled)


def test_an_altered_or_cut_export_stores_nothing(filled, tmp_path):
    lines = text_of(filled).splitlines(keepends=True)
    altered = [line.replace("NATS", "Kafka") for line in lines]
    for broken, error in (
        (lines[:-1], CorruptError),
        (altered, CorruptError),
        ([*lines[:3], "no json\n", *lines[3:]], CorruptError),
        (['{"aforesaid_export":99}\n', *lines[1:]], InvalidInputError),
        ([lines[0], '{"table":"secrets","row":{"a":1}}\n'], InvalidInputError),
    ):
        store = SqliteStore(str(tmp_path / "empty.db"))
        with pytest.raises(error):
            import_export(store, broken)
        assert 0 == store.database.value("SELECT count(*) FROM memories")
        store.close()


@pytest.mark.parametrize(
    "forged",
    [
        {"metadata": "[1]"}, {"metadata": "no json"}, {"metadata": "7"}, {"importance": 1e308},
        {"confidence": -1.0}, {"access_count": -1},
    ],
)  # fmt: skip
def test_a_forged_export_brings_no_row_that_later_reading_trips_over(filled, tmp_path, forged):
    rows = [json.loads(line) for line in text_of(filled).splitlines()[1:-1]]
    memory = next(row["row"] for row in rows if row["table"] == "memories")
    memory.update(forged)
    body = "".join(json.dumps(row) + "\n" for row in rows)
    end = {"rows": len(rows), "sha256": sha256(body.encode()).hexdigest()}
    store = SqliteStore(str(tmp_path / "empty.db"))
    with pytest.raises(ConflictError, match="rejects this row"):
        import_export(
            store, ['{"aforesaid_export":1}\n', *body.splitlines(keepends=True), json.dumps(end)]
        )
    assert 0 == store.dump.count_memories()
    store.close()


def test_an_export_goes_into_an_empty_store_only(filled):
    lines = text_of(filled).splitlines(keepends=True)
    store = SqliteStore(filled)
    with pytest.raises(ConflictError, match="AFORESAID_DB"):
        import_export(store, lines)
    store.close()


def test_the_shell_exports_and_restores(filled, tmp_path):
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "AFORESAID_ENV": sys.prefix,
        "AFORESAID_DB": filled,
    }
    door = os.path.join(ROOT, "bin", "aforesaid")
    file = tmp_path / "all.jsonl"
    subprocess.run([door, "export", str(file)], env=environment, check=True)
    assert text_of(filled) == file.read_text(encoding="utf-8")
    environment["AFORESAID_DB"] = str(tmp_path / "restored.db")
    done = subprocess.run(
        [door, "import", str(file), "--json"],
        env=environment,
        check=True,
        capture_output=True,
        text=True,
    )
    assert 5 == json.loads(done.stdout)["restored"]["memories"]
    assert text_of(filled) == text_of(environment["AFORESAID_DB"])
