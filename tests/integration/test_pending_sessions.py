"""Sessions that ended a moment ago: the next one has them, at its start or with a prompt, once."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from interfaces import LAUNCHER
from transcripts import Script

SUMMARY = "Add a health check to the server (changed"
PENDING = "is being summarised"


class User:
    """A user with two projects, whose clients run hooks through the launcher."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = environment
        self.folder = folder
        self.notes = Path(environment["XDG_STATE_HOME"], "aforesaid", "notes")
        for name in ("shop", "blog"):
            (folder / name).mkdir()
            (folder / name / "pyproject.toml").write_text(f'name = "{name}"\n')

    def transcript(self, session: str, project: str = "shop") -> str:
        """Write what happened in a session; return the file."""
        script = Script(str(self.folder / project))
        script.user("add a health check to the server")
        script.edit("server.py")
        script.say("The health check answers 200; the tests pass.")
        path = self.folder / f"{session}.jsonl"
        path.write_bytes(script.data)
        return str(path)

    def event(self, session: str, project: str = "shop", **more: str) -> dict[str, str]:
        path = str(self.folder / f"{session}.jsonl")
        folder = str(self.folder / project)
        return {"session_id": session, "transcript_path": path, "cwd": folder, **more}

    def hook(self, name: str, client: int, event: dict[str, str]) -> str:
        """Run a hook of a client; return what it tells the model."""
        done = subprocess.run(
            [LAUNCHER, "hook", name],
            input=json.dumps(event),
            env={**self.environment, "CLAUDE_PID": str(client)},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        report = json.loads(done.stdout or "{}").get("hookSpecificOutput", {})
        return str(report.get("additionalContext", ""))

    def start(self, session: str, client: int, source: str = "startup", project="shop") -> str:
        return self.hook("session-start", client, self.event(session, project, source=source))

    def prompt(self, session: str, client: int) -> str:
        return self.hook("user-prompt-submit", client, self.event(session, prompt="hello"))

    def sweep(self) -> None:
        self.hook("sweep", os.getpid(), {})

    def told(self, session: str, client: int, started: str) -> str:
        """Return all that a session is told: at its start, and with prompts until nothing waits."""
        texts = [started]
        if PENDING in started:
            deadline = time.monotonic() + 60
            while SUMMARY not in texts[-1] and time.monotonic() < deadline:
                texts.append(self.prompt(session, client))
        texts += [self.prompt(session, client) for _ in range(2)]
        return "\n".join(texts)

    def note_end(self, session: str, client: int, project: str = "shop") -> Path:
        """Leave the note of a session's end, as its hook does, without the sweep."""
        self.notes.mkdir(parents=True, exist_ok=True)
        note = self.notes / f"{time.time_ns() // 1_000_000}-{client}-session-end.json"
        note.write_text(json.dumps(self.event(session, project, hook_event_name="SessionEnd")))
        return note


@pytest.fixture
def user(environment, tmp_path):
    (tmp_path / "work").mkdir()
    return User(environment, tmp_path / "work")


@pytest.fixture
def clients():
    """A function that starts a process which stands for a client."""
    started = []

    def start() -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(["sleep", "600"]))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()


@contextmanager
def busy(note: Path):
    """Hold a note as a sweep does that works on a large transcript."""
    with note.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def test_a_restart_after_the_client_was_killed_has_the_session(user, clients):
    first, second = clients(), clients()
    user.transcript("one")
    user.start("one", first.pid)
    first.kill()  # nobody has reaped it yet
    started = user.start("two", second.pid)
    assert 1 == user.told("two", second.pid, started).count(SUMMARY)


def test_an_immediate_restart_has_the_session(user, clients):
    first, second = clients(), clients()
    user.transcript("one")
    user.start("one", first.pid)
    user.hook("session-end", first.pid, user.event("one", hook_event_name="SessionEnd"))
    started = user.start("two", second.pid)
    assert 1 == user.told("two", second.pid, started).count(SUMMARY)


def test_after_clear_the_session_is_there_even_if_its_end_is_told_later(user, clients):
    client = clients()
    user.transcript("one")
    user.start("one", client.pid)
    started = user.start("two", client.pid, "clear")
    user.hook("session-end", client.pid, user.event("one", hook_event_name="SessionEnd"))
    assert 1 == user.told("two", client.pid, started).count(SUMMARY)


def test_a_session_of_the_same_client_in_another_folder_goes_on_after_clear(user, clients):
    client = clients()
    user.transcript("blog", "blog")
    user.start("blog", client.pid, project="blog")
    user.transcript("shop")
    user.start("shop", client.pid)
    started = user.start("next", client.pid, "clear")
    assert 1 == user.told("next", client.pid, started).count(SUMMARY)
    user.sweep()
    assert SUMMARY not in user.start("blog again", clients().pid, project="blog")


def test_what_is_not_ready_is_said_and_comes_with_one_prompt(user, clients):
    client = clients()
    user.transcript("one")
    note = user.note_end("one", clients().pid)
    with busy(note):
        started = user.start("two", client.pid)
        assert f"The last session (today {time.strftime('%H:')}" in started
        assert PENDING in started
        assert "shown with your first prompt" in started
        assert SUMMARY not in started
        assert "" == user.prompt("two", client.pid)  # it waits a moment, not longer
    user.sweep()
    shown = user.prompt("two", client.pid)
    assert SUMMARY in shown
    assert len(shown) <= 1600
    assert "" == user.prompt("two", client.pid)
    assert SUMMARY not in user.start("two", client.pid, "resume")
    assert 1 == user.start("three", clients().pid).count(SUMMARY)


def test_where_prompts_bring_nothing_the_tool_is_named(user, clients):
    user.environment["AFORESAID_HOOKS_PROMPT"] = "false"
    user.transcript("one")
    with busy(user.note_end("one", clients().pid)):
        started = user.start("two", clients().pid)
    assert PENDING in started
    assert "recall_memory" in started
    assert "prompt" not in started


def test_a_session_of_another_project_is_not_waited_for(user, clients):
    user.transcript("one", "blog")
    with busy(user.note_end("one", clients().pid, "blog")):
        assert PENDING not in user.start("two", clients().pid)


def test_a_session_of_a_folder_that_is_not_known_yet_is_not_waited_for_at_home(user, clients):
    user.transcript("one", "blog")
    note = user.note_end("one", clients().pid, "blog")
    event = {"session_id": "two", "cwd": user.environment["HOME"], "source": "startup"}
    with busy(note):
        assert PENDING not in user.hook("session-start", clients().pid, event)


def test_a_session_whose_client_runs_is_neither_digested_nor_announced(user, clients):
    user.transcript("one")
    user.start("one", clients().pid)
    second = clients()
    started = user.start("two", second.pid)
    user.sweep()
    assert PENDING not in started
    assert SUMMARY not in user.told("two", second.pid, started)


def test_the_session_that_ran_while_the_environment_was_built_is_there(user, clients):
    user.transcript("one")
    user.notes.mkdir(parents=True)
    client = clients()
    for at, event, kind in ((1, "SessionStart", "session-start"), (2, "SessionEnd", "session-end")):
        note = user.notes / f"{time.time_ns() // 1_000_000 + at}-{client.pid}-{kind}.json"
        note.write_text(json.dumps(user.event("one", hook_event_name=event)))
    second = clients()
    started = user.start("two", second.pid)
    assert 1 == user.told("two", second.pid, started).count(SUMMARY)
