"""`aforesaid watch`: sessions are digested as they end, by one process a user."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from aforesaid.adapters.system.file_watcher import changes
from aforesaid.adapters.system.process_lock import ProcessLock
from aforesaid.domain.errors import ConflictError
from transcripts import Script

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOOR = os.path.join(ROOT, "bin", "aforesaid")
PATIENCE = 60


def until(what) -> bool:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if what():
            return True
        time.sleep(0.1)
    return False


class User:
    """A user whose client writes transcripts."""

    def __init__(self, environment, folder) -> None:
        self.environment = {**environment, "AFORESAID_DIGEST_POLL_SECONDS": "1"}
        self.project = folder / "code" / "shop"
        self.project.mkdir(parents=True)
        self.transcripts = folder / "home" / ".claude" / "projects" / "-code-shop"

    def write(self, session: str, *asked: str) -> None:
        script = Script(str(self.project))
        for text in asked or (f"add a health check called {session}",):
            script.user(text)
            script.edit("server.py")
            script.bash("pytest -q", "2 passed in 0.1s")
            script.say(f"The health check {session} answers 200. Still to do: the docs.")
        for line in script.lines:
            line["sessionId"] = session
        self.transcripts.mkdir(parents=True, exist_ok=True)
        script.write(self.transcripts, f"{session}.jsonl")

    def run(self, *arguments: str, code: int = 0):
        done = subprocess.run(
            [DOOR, *arguments, "--json"],
            cwd=self.project, env=self.environment, capture_output=True, encoding="utf-8",
            timeout=120, check=False,
        )  # fmt: skip
        assert code == done.returncode, done.stderr
        return json.loads(done.stdout) if code == 0 else done.stderr

    def digests(self) -> int:
        listed = self.run("list", "--type", "episodic", "--all-projects", "-n", "50")
        return len(listed["results"])


@pytest.fixture
def user(environment, tmp_path):
    made = User(environment, tmp_path)
    yield made
    made.run("watch", "stop")


def test_in_the_background_it_runs_once_and_says_what_it_did(user):
    assert {"running": False} == user.run("watch", "status")
    user.write("one")
    first = user.run("watch", "start", "--quiet", "0")
    again = user.run("watch", "start", "--quiet", "0")
    assert (True, first["pid"]) == (again["running"], again["pid"])
    assert until(lambda: user.run("watch", "status").get("digested") == 1)
    user.write("two")
    assert until(lambda: user.digests() == 2)
    user.write("two", "add a health check called two", "now write the docs")
    assert until(lambda: user.run("watch", "status").get("digested") == 3)
    assert 2 == user.digests()
    assert {"stopped": True} == user.run("watch", "stop")
    assert {"running": False} == user.run("watch", "status")
    assert {"stopped": False} == user.run("watch", "stop")


def test_in_the_foreground_a_second_one_is_refused_and_a_signal_ends_it(user):
    process = subprocess.Popen(
        [DOOR, "watch", "--quiet", "0"], env=user.environment, cwd=user.project,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert until(lambda: user.run("watch", "status")["running"])
        second = subprocess.run(
            [DOOR, "watch"], env=user.environment, capture_output=True, encoding="utf-8",
            timeout=60, check=False,
        )  # fmt: skip
        assert (4, True) == (second.returncode, str(process.pid) in second.stderr)
        user.write("one")  # the folder was not there when it began
        assert until(lambda: user.digests() == 1)
        process.send_signal(signal.SIGTERM)
        assert 0 == process.wait(PATIENCE)
    finally:
        process.kill()
        process.wait()


def test_what_hooks_digested_and_what_still_runs_is_left_alone(user):
    event = {
        "session_id": "one", "transcript_path": str(user.transcripts / "one.jsonl"),
        "cwd": str(user.project), "hook_event_name": "SessionStart", "source": "startup",
    }  # fmt: skip
    hooked = {**user.environment, "CLAUDE_PID": str(os.getpid())}
    subprocess.run(
        [DOOR, "hook", "session-start"], env=hooked, input=json.dumps(event), encoding="utf-8",
        stdout=subprocess.DEVNULL, check=True, timeout=60,
    )  # fmt: skip
    user.write("one")
    user.write("two")
    user.run("watch", "start", "--quiet", "0")
    assert until(lambda: user.run("watch", "status").get("digested") == 1)
    user.write("three")
    assert until(lambda: user.run("watch", "status").get("digested") == 2)
    assert 2 == user.digests()


@pytest.mark.parametrize("hooks", ["true", "false"])
def test_a_store_that_is_due_is_tended_without_hooks(user, hooks):
    user.environment |= {
        "AFORESAID_MAINTENANCE_INTERVAL_HOURS": "0", "AFORESAID_HOOKS_ENABLED": hooks,
    }  # fmt: skip
    user.write("one")
    user.run("watch", "start", "--quiet", "0")
    assert until(lambda: user.run("watch", "status").get("digested") == 1)
    assert until(lambda: [run["state"] for run in user.run("runs")["runs"]] == ["done"])
    assert ["itself"] == [run["by"] for run in user.run("runs")["runs"]]


# -- its parts


def test_the_lock_goes_with_its_process_however_that_ends(tmp_path):
    path = str(tmp_path / "state" / "watch.lock")
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from aforesaid.adapters.system.process_lock import ProcessLock\n"
        "lock = ProcessLock(sys.argv[2]); lock.acquire(); lock.write_status(since='now')\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, os.path.join(ROOT, "server"), path])
    item = ProcessLock(path)
    assert until(lambda: item.read_status().get("since") == "now")
    assert process.pid == item.read_status()["pid"]
    with pytest.raises(ConflictError, match=str(process.pid)):
        item.acquire()
    process.kill()
    process.wait()
    assert {} == item.read_status()
    item.acquire()
    assert 0o600 == os.stat(path).st_mode & 0o777


def test_a_change_is_told_and_so_is_that_there_was_none(tmp_path):
    stop = threading.Event()
    report = changes(str(tmp_path), 0.2, stop)
    assert next(report) is False
    seen = []
    deadline = time.monotonic() + PATIENCE
    while True not in seen and time.monotonic() < deadline:
        (tmp_path / f"{len(seen)}.jsonl").write_text("x")
        seen.append(next(report))
    assert True in seen
    stop.set()
    assert [] == list(report)


def test_a_folder_without_file_events_is_polled(tmp_path):
    reports = changes(str(tmp_path / "missing"), 0.01, threading.Event())
    assert [True, True] == [next(reports), next(reports)]
