"""A store file that is empty, or missing beside its log: named, not taken for a new store."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from aforesaid import Memory
from aforesaid.domain.errors import CorruptError

SERVER = str(Path(__file__).resolve().parents[2] / "server")


@pytest.fixture
def store(shell) -> Path:
    """Return the path of the user's store, which has one memory and one backup."""
    assert 0 == shell("remember", "The queue is NATS.").returncode
    assert 0 == shell("backup").returncode
    return Path(json.loads(shell("version", "--json").stdout)["database"])


def empty(path: Path) -> None:
    os.truncate(path, 0)


def test_an_empty_file_is_named_with_what_to_do(shell, store) -> None:
    empty(store)
    for arguments in (("search", "queue"), ("remember", "It is not written."), ("export",)):
        done = shell(*arguments)
        assert 6 == done.returncode
        assert f"{store} is empty" in done.stderr
        assert "`aforesaid restore` lists the backups" in done.stderr
        assert "remove the file" in done.stderr
    assert 0 == store.stat().st_size
    event = json.dumps({"session_id": "s", "cwd": str(shell.folder), "source": "startup"})
    answer = json.loads(shell("hook", "session-start", input=event).stdout)
    assert "is empty" in answer["systemMessage"]
    assert "is empty" in answer["hookSpecificOutput"]["additionalContext"]
    output = json.loads(shell("doctor", "--json").stdout)
    assert any("is empty" in item for item in output["wrong"])
    assert 0 == store.stat().st_size


def test_a_backup_is_restored_over_it(shell, store) -> None:
    empty(store)
    done = shell("restore", "latest", "--yes")
    assert 0 == done.returncode, done.stderr
    assert "NATS" in shell("search", "which queue?").stdout


def test_it_begins_anew_once_the_file_is_removed_or_reset(shell, store) -> None:
    empty(store)
    store.unlink()
    assert 0 == shell("remember", "The queue is Kafka.").returncode
    empty(store)
    assert 0 == shell("reset", "--yes").returncode
    assert 0 == shell("remember", "The queue is Kafka.").returncode


def test_the_log_beside_an_emptied_store_is_left(tmp_path) -> None:
    """SQLite removes the log of an empty database; what was stored may stand in it alone."""
    path = tmp_path / "m.db"
    memory = Memory(path)
    memory.store("The queue is NATS.")
    log = (tmp_path / "m.db-wal").read_bytes()
    assert b"NATS" in log
    empty(path)
    with pytest.raises(CorruptError, match="is empty"):
        Memory(path)
    assert log == (tmp_path / "m.db-wal").read_bytes()


def test_a_database_without_tables_is_named_too(tmp_path) -> None:
    """So is left a store that was never checkpointed, once its log is gone."""
    import apsw

    path = tmp_path / "m.db"
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.close()
    assert path.stat().st_size
    with pytest.raises(CorruptError, match="is empty"):
        Memory(path)


def test_a_new_store_is_whole_when_it_appears(tmp_path) -> None:
    """Its tables stand in the file, not only in a log that may be lost."""
    memory = Memory(tmp_path / "m.db")
    whole = (tmp_path / "m.db").read_bytes()
    assert b"CREATE TABLE memories" in whole
    memory.close()
    assert ["m.db", "m.db-ledger"] == sorted(os.listdir(tmp_path))


@pytest.fixture
def log(shell, store) -> Path:
    """Return the path of the log of a killed process, whose store is gone."""
    stored = (
        "import os, sys, aforesaid; memory = aforesaid.Memory(sys.argv[1]);"
        "memory.store_many([{'content': f'Pump {i} runs at {i * 37} rpm.'}"
        " for i in range(int(sys.argv[2]))]);"
        "memory.close() if sys.argv[3] else os.kill(os.getpid(), 9)"
    )
    for count, ends in (("20", "in order"), ("23", "")):
        command = [sys.executable, "-c", stored, str(store), count, ends]
        subprocess.run(command, env={**shell.environment, "PYTHONPATH": SERVER}, check=False)
    store.unlink()
    return Path(f"{store}-wal")


def test_no_store_is_made_beside_the_log_of_another(shell, store, log) -> None:
    """The engine would write the log into it, and it would be damaged from its first moment."""
    held = log.read_bytes()
    assert held
    done = shell("search", "pump")
    assert 6 == done.returncode
    assert f"{store} is missing" in done.stderr
    assert "remove the log" in done.stderr
    assert not store.exists()
    assert held == log.read_bytes()
    log.unlink()
    assert 0 == shell("remember", "The queue is Kafka.").returncode


def test_a_backup_is_restored_beside_such_a_log(shell, store, log) -> None:
    held = log.read_bytes()
    done = json.loads(shell("restore", "latest", "--yes", "--json").stdout)
    assert held == Path(done["kept"]).read_bytes()
    assert "NATS" in shell("search", "which queue?").stdout
    assert 1 == json.loads(shell("stats", "--json").stdout)["total"]
    output = json.loads(shell("doctor", "--json").stdout)
    assert not any("damaged" in item for item in output["wrong"])
