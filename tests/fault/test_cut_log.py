"""A store whose log was cut or deleted says what is missing; one that was not says nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Self

import pytest

from aforesaid import Memory
from interfaces import LAUNCHER

DEADLINE_SECONDS = 60
#: Reads the store as it was at first, so that nothing newer leaves the log; and holds on.
READER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM memories").fetchall()
print("reading", flush=True)
sys.stdin.read()
"""
#: Holds the store as a writer does.
WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("writing", flush=True)
sys.stdin.read()
"""


class Machine:
    """A user with a project, and the server, commands and hooks that they run."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.folder = folder / "code" / "payments"
        (self.folder / ".git" / "objects").mkdir(parents=True)
        (self.folder / ".git" / "refs").mkdir()
        (self.folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        self.environment = {**environment, "AFORESAID_CWD": str(self.folder)}
        self.database = Path(environment["XDG_DATA_HOME"]) / "aforesaid" / "memory.db"
        self.log = self.database.with_name("memory.db-wal")

    def run(
        self, *arguments: str, given: str = "", code: int | None = 0
    ) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [LAUNCHER, *arguments], input=given, cwd=self.folder, env=self.environment,
            capture_output=True, encoding="utf-8", timeout=120, check=False,
        )  # fmt: skip
        assert code in {None, done.returncode}, done.stdout + done.stderr
        return done

    def start_session(self, name: str = "s-1") -> dict:
        event = {
            "session_id": name, "transcript_path": "", "cwd": str(self.folder),
            "hook_event_name": "SessionStart", "source": "startup",
        }  # fmt: skip
        return json.loads(self.run("hook", "session-start", given=json.dumps(event)).stdout)

    def stats(self) -> dict:
        return json.loads(self.run("stats", "--json").stdout)

    def hold(self, script: str) -> subprocess.Popen[str]:
        """Start a process that has the store open in some way, and is in it."""
        process = subprocess.Popen(
            [sys.executable, "-c", script, str(self.database)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        return process

    def said(self) -> str:
        """Return what a user and an agent are told at the next start."""
        messages = [json.dumps(self.start_session()), self.run("search", "widget").stderr]
        return "\n".join([*messages, *self.stats()["health"]])


class Server:
    """An MCP server and the client that it serves."""

    def __init__(self, machine: Machine) -> None:
        self._process = subprocess.Popen(
            [LAUNCHER, "serve"], cwd=machine.folder, env=machine.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self._asked = 0
        about = {"capabilities": {}, "clientInfo": {"name": "tests", "version": "1"}}
        self._ask("initialize", protocolVersion="2025-11-25", **about)
        self._send({"method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.stdin.close()
        self._process.wait(DEADLINE_SECONDS)
        self._process.stdout.close()

    def _send(self, message: dict) -> None:
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self._process.stdin.flush()

    def _ask(self, method: str, **fields: object) -> dict:
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": fields})
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self._asked:
                return answer["result"]
        raise AssertionError("the server ended")

    def call(self, tool: str, **fields: object) -> dict:
        answer = self._ask("tools/call", name=tool, arguments=fields)
        assert not answer.get("isError"), answer
        return json.loads(answer["content"][0]["text"])

    def store(self, count: int) -> None:
        for number in range(count):
            self.call("store_memory", content=f"Widget {number * 7919} has {number} corners.")

    def kill(self) -> None:
        kill(self._process)


def kill(process: subprocess.Popen) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait(DEADLINE_SECONDS)
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def wait_until_written_back(machine: Machine) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while machine.log.exists() and machine.log.stat().st_size:
        assert time.monotonic() < deadline, "the log is not written back"
        time.sleep(0.02)


@pytest.fixture
def machine(environment, tmp_path) -> Machine:
    made = Machine(environment, tmp_path)
    made.run("remember", "The first memory is about a widget.")
    return made


def lose(machine: Machine, harm: str, stored: int) -> None:
    """Store while nothing leaves the log, kill all, and harm the log."""
    server = Server(machine)
    reader = machine.hold(READER)
    server.store(stored)
    server.kill()
    kill(reader)
    if harm == "deleted":
        machine.log.unlink()
    else:
        os.truncate(machine.log, machine.log.stat().st_size // 2)


@pytest.mark.parametrize("harm", ["halved", "deleted"])
def test_what_a_cut_log_took_away_is_counted_and_told_until_dismissed(machine, harm) -> None:
    lose(machine, harm, 12)
    started = machine.start_session()
    stats = machine.stats()
    missing = 13 - stats["total"]
    text = f"{missing} memories acknowledged"

    assert missing == 12 if harm == "deleted" else 0 < missing < 12
    assert text in started["systemMessage"]
    assert text in started["hookSpecificOutput"]["additionalContext"]
    assert text in stats["health"][0]
    assert text in machine.run("search", "widget").stderr
    with Server(machine) as server:
        assert text in server.call("recall_memory", query="widget")["notice"]
        assert "notice" not in server.call("recall_memory", query="widget")  # once is enough
        assert text in server.call("memory_stats")["health"][0]
    output = json.loads(machine.run("doctor", "--json", code=1).stdout)
    assert [text] == [item[: len(text)] for item in output["wrong"]]
    fixes = [finding["fix"] for finding in output["findings"] if finding["says"].startswith(text)]
    assert ["aforesaid doctor --dismiss-losses"] == fixes

    assert text in machine.run("doctor", "--dismiss-losses").stdout
    assert "missing" not in machine.said()


def test_a_second_loss_is_told_beside_the_first(machine) -> None:
    lose(machine, "deleted", 2)
    assert "2 memories acknowledged" in machine.stats()["health"][0]
    lose(machine, "deleted", 3)

    assert "5 memories acknowledged" in machine.stats()["health"][0]


def test_what_was_stored_a_moment_ago_is_not_in_the_log_alone(machine) -> None:
    server = Server(machine)
    server.store(5)
    wait_until_written_back(machine)
    server.kill()
    machine.log.unlink()

    assert 6 == machine.stats()["total"]
    assert "missing" not in machine.said()


def test_a_server_that_ends_leaves_nothing_in_the_log_alone(machine) -> None:
    with Server(machine) as server:
        server.store(3)
    machine.log.unlink(missing_ok=True)

    assert 4 == machine.stats()["total"]
    assert "missing" not in machine.said()


def test_a_kill_without_a_cut_is_no_loss(machine) -> None:
    for _ in range(3):
        server = Server(machine)
        server.store(2)
        server.kill()

    assert 3 == machine.stats()["total"]  # the others are known already
    assert "missing" not in machine.said()


def test_servers_side_by_side_report_no_loss(machine) -> None:
    with Server(machine) as item, Server(machine) as other:
        for number in range(8):
            item.call("store_memory", content=f"Widget {number}: the first server stored it.")
            other.call("store_memory", content=f"Gadget {number}: the second server stored it.")

    assert "missing" not in machine.said()


def test_a_store_put_back_or_begun_anew_has_lost_nothing(machine) -> None:
    backup = str(machine.folder / "backup.db")
    machine.run("backup", backup)
    for number in range(3):
        machine.run("remember", f"Widget {number} came after the backup.")
    machine.run("restore", backup, "--yes")
    assert 1 == machine.stats()["total"]
    assert "missing" not in machine.said()

    machine.run("remember", "Another widget came after that.")
    machine.run("reset", "--yes")
    assert 0 == machine.stats()["total"]
    assert "missing" not in machine.said()


def test_a_store_that_is_copied_or_moved_has_lost_nothing(machine) -> None:
    machine.run("remember", "A widget was moved.")
    folder = machine.database.parent
    copy = folder.with_name("copy")
    shutil.copytree(folder, copy)
    machine.run("remember", "Another widget stayed.")
    shutil.rmtree(folder)
    copy.rename(folder)

    assert 2 == machine.stats()["total"]
    assert "missing" not in machine.said()


def test_another_store_at_the_same_path_has_lost_nothing(machine) -> None:
    for number in range(3):
        machine.run("remember", f"Widget {number} belongs to the old store.")
    machine.database.unlink()
    machine.run("remember", "A widget of a new store.")

    assert 1 == machine.stats()["total"]
    assert "missing" not in machine.said()


def test_what_is_erased_rolled_back_or_undone_is_no_loss(machine) -> None:
    with closing(Memory(machine.database)) as memory:
        for number in range(4):
            stored = memory.store(f"Widget {number} is erased.")
            memory.forget(stored.memory.id, erase=True)
    machine.run("tend")
    machine.run("undo", "1", code=None)  # where it changed something

    assert "missing" not in machine.said()


def test_programs_that_know_no_ledger_cause_no_alarm_and_do_not_hide_a_loss(machine) -> None:
    with closing(sqlite3.connect(machine.database)) as older:
        older.execute("INSERT INTO log (at, operation) VALUES (1, 'older')")
        older.commit()
    assert "missing" not in machine.said()

    lose(machine, "deleted", 3)
    with closing(sqlite3.connect(machine.database)) as older:
        older.execute("INSERT INTO log (at, operation) VALUES (2, 'older')")
        older.commit()
    assert "3 memories acknowledged" in machine.stats()["health"][0]


@pytest.mark.parametrize("times", [15, pytest.param(60, marks=pytest.mark.nightly)])
def test_a_store_opened_and_closed_many_times_has_lost_nothing(tmp_path, times) -> None:
    for number in range(times):
        with Memory(tmp_path / "m.db") as memory:
            memory.store(f"Widget {number * 7919} has {number} corners.")
            assert ["ok"] == [item for item in memory.stats()["health"] if "words" not in item]


def test_a_ledger_that_cannot_be_written_refuses_no_store(machine) -> None:
    ledger = machine.database.with_name("memory.db-ledger")
    ledger.unlink()
    ledger.mkdir()
    machine.run("remember", "A widget is stored all the same.")

    assert 2 == machine.stats()["total"]
    assert "missing" not in machine.said()


def test_a_damaged_or_foreign_ledger_causes_no_alarm(machine) -> None:
    ledger = machine.database.with_name("memory.db-ledger")
    for content in (b"\xff" * 32_768, b"\x01" * 77, b"", os.urandom(32_768)):
        ledger.write_bytes(content)
        assert "missing" not in machine.run("search", "widget").stderr
        assert ["ok"] == machine.stats()["health"]


# -- a store that others hold


def test_a_hook_that_meets_a_writer_says_busy_and_what_to_do(machine) -> None:
    writer = machine.hold(WRITER)
    message = machine.start_session()["systemMessage"]
    kill(writer)

    assert "is busy: another process has held it for 1 s. Try again" in message
    assert "aforesaid doctor" in message
    assert "locked" not in message


def test_a_command_waits_until_a_writer_is_done(machine) -> None:
    writer = machine.hold(WRITER)
    command = subprocess.Popen(
        [LAUNCHER, "remember", "A widget that waited."], cwd=machine.folder,
        env=machine.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    with pytest.raises(subprocess.TimeoutExpired):
        command.wait(1)
    kill(writer)

    assert 0 == command.wait(DEADLINE_SECONDS)
    assert 2 == machine.stats()["total"]


def test_the_doctor_names_a_ledger_that_is_cut_damaged_or_gone(machine) -> None:
    ledger = machine.database.with_name("memory.db-ledger")
    for number in range(4):
        machine.run("remember", f"Widget {number} is counted.")
    for content, message in (
        (None, "is missing"),
        (b"\x01" * 77, "is damaged"),
        (b"", "was cut off"),
    ):
        ledger.unlink(missing_ok=True)
        if content is not None:
            ledger.write_bytes(content)
        results = json.loads(machine.run("doctor", "--json", code=None).stdout)["findings"]
        assert any("memory.db-ledger " + message in row["says"] for row in results)
