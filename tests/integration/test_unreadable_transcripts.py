"""A session whose transcript cannot be read: tried five times within a week, then given up."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from interfaces import LAUNCHER
from transcripts import Script

DAY_MS = 86_400_000


class User:
    """A user whose session ended with a transcript that is no regular file."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = {**environment, "CLAUDE_PID": str(os.getpid())}
        self.state = Path(environment["XDG_STATE_HOME"], "aforesaid")
        self.folder = folder
        self.transcript = folder / "one.jsonl"
        self.transcript.symlink_to("/nowhere")  # refused, whoever runs the test

    def run(self, *words: str, given: str = "") -> str:
        done = subprocess.run(
            [LAUNCHER, *words],
            input=given,
            env=self.environment,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert 0 == done.returncode or words[0] == "doctor", done.stderr
        return done.stdout

    def hook(self, name: str, session: str) -> str:
        path = str(self.folder / f"{session}.jsonl")
        event = {"session_id": session, "transcript_path": path, "cwd": str(self.folder)}
        return self.run("hook", name, given=json.dumps(event))

    def end(self, session: str) -> None:
        """End a session, and have its note swept."""
        self.hook("session-start", session)
        event = {
            "session_id": session,
            "transcript_path": str(self.folder / f"{session}.jsonl"),
            "cwd": str(self.folder),
            "hook_event_name": "SessionEnd",
        }
        (self.state / "notes").mkdir(exist_ok=True)
        note = self.state / "notes" / f"99-{os.getpid()}-session-end-{session}.json"
        note.write_text(json.dumps(event))
        self.run("hook", "sweep")

    def kept(self) -> list[Path]:
        return sorted((self.state / "notes").rglob("*.json"))

    def pass_time(self, milliseconds: int) -> None:
        """Let the last try have been so long ago; less than nothing: the clock was set back."""
        (path,) = self.kept()
        note = json.loads(path.read_text())
        path.write_text(json.dumps({**note, "tried_at": note["tried_at"] - milliseconds}))

    def given_up(self) -> list[str]:
        log = (self.state / "aforesaid.log").read_text()
        return [line for line in log.splitlines() if "gave up on session" in line]

    def sessions(self) -> list[str]:
        """Return what the doctor says of sessions."""
        checked = json.loads(self.run("doctor", "--json"))
        return [finding["says"] for finding in checked["findings"] if finding["area"] == "sessions"]


@pytest.fixture
def user(environment, tmp_path):
    (tmp_path / "work").mkdir()
    return User(environment, tmp_path / "work")


def digests(user: User) -> str:
    return user.hook("session-start", "later")


def test_it_is_tried_five_times_within_a_week_and_given_up_with_a_line(user):
    user.end("one")
    assert 1 == len(user.kept())
    user.run("hook", "sweep")  # at once: no second try
    for tries, days in ((1, 1), (2, 1), (3, 2)):
        (path,) = user.kept()
        assert tries == json.loads(path.read_text())["tries"]
        user.pass_time(days * DAY_MS)
        user.run("hook", "sweep")
    assert [] == user.given_up()
    user.pass_time(3 * DAY_MS)
    user.run("hook", "sweep")
    assert 1 == len(user.kept())  # four tries; the fifth is not due before a week has passed
    user.pass_time(DAY_MS)
    user.run("hook", "sweep")
    assert [] == user.kept()
    (line,) = user.given_up()
    assert "gave up on session one after 5 tries" in line
    assert str(user.transcript) in line


def test_no_start_waits_for_it_and_the_doctor_names_it(user):
    user.end("one")
    assert "is being summarised" not in user.hook("session-start", "two")
    (session,) = user.sessions()
    assert "1 session could not be digested" in session
    assert str(user.transcript) in session


def test_what_can_be_read_in_the_end_is_digested(user):
    user.end("one")
    user.transcript.unlink()
    script = Script(str(user.folder))
    script.user("add a health check to the server")
    script.edit("server.py")
    script.say("The health check answers 200.")
    user.transcript.write_bytes(script.data)
    user.run("hook", "sweep")
    assert "health check" not in digests(user)  # its time has not come
    assert "1 session digested" in user.run("digest")  # but a person need not wait
    assert [] == user.kept()
    assert "Add a health check to the server (changed" in digests(user)


def test_a_clock_that_was_set_back_neither_stops_the_tries_nor_hurries_them(user):
    user.end("one")
    user.pass_time(-3_650 * DAY_MS)
    for _ in range(4):
        user.run("hook", "sweep")
    (path,) = user.kept()
    assert 2 == json.loads(path.read_text())["tries"]
    assert [] == user.given_up()


def test_a_person_who_tries_again_and_again_uses_no_tries_up(user):
    user.end("one")
    for _ in range(6):
        user.run("digest")
    (path,) = user.kept()
    assert 1 == json.loads(path.read_text())["tries"]


def test_the_log_says_which_transcript_cannot_be_read(user):
    user.end("one")
    log = (user.state / "aforesaid.log").read_text()
    assert f"{user.transcript}" in log
    assert "InvalidInputError at" not in log
