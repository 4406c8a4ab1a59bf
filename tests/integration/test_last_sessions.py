"""What a session is told about earlier ones: through the hooks, as the client runs them."""

from __future__ import annotations

import json
import os
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from interfaces import LAUNCHER
from transcripts import Script

NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)


class Session(Script):
    """The transcript of a session that began some days ago."""

    def __init__(self, folder: Path, days_ago: int = 1) -> None:
        super().__init__(str(folder))
        self._now = NOON - timedelta(days=days_ago)

    def line(self, kind: str, **fields) -> str:
        self._now += timedelta(seconds=10)
        return super().line(kind, timestamp=self._now.isoformat(), **fields)

    def commit(self, subject: str) -> None:
        self.bash(f'git commit -am "{subject}"', f"[main 1a2b3c4] {subject}\n 1 file changed")


class User:
    """A user with one project, whose client runs the hooks."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = {**environment, "CLAUDE_PID": str(os.getpid())}
        self.folder = folder / "shop"
        self.folder.mkdir()
        (self.folder / "pyproject.toml").write_text('name = "shop"\n')

    def hook(self, name: str, session: str = "next", **more: str) -> str:
        """Run a hook; return what it tells the model."""
        event = {
            "session_id": session,
            "transcript_path": str(self.folder.parent / f"{session}.jsonl"),
            "cwd": str(self.folder),
            **more,
        }
        done = subprocess.run(
            [LAUNCHER, "hook", name],
            input=json.dumps(event),
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        report = json.loads(done.stdout or "{}").get("hookSpecificOutput", {})
        return str(report.get("additionalContext", ""))

    def session(self, days_ago: int = 1) -> Session:
        return Session(self.folder, days_ago)

    def run(self, name: str, script: Session) -> None:
        """Run a session from its start to its digest."""
        for line in script.lines:
            line["sessionId"] = name
        script.write(self.folder.parent, f"{name}.jsonl")
        self.hook("session-start", name, source="startup")
        self.hook("session-end", name, reason="other")
        self.hook("sweep")

    def told(self) -> list[str]:
        """Return the lines about earlier sessions, without dates and ids."""
        context = self.hook("session-start", source="startup")
        section = context.partition("Last sessions\n")[2].partition("\nMore:")[0]
        lines = [line for line in section.splitlines() if line.startswith("- ")]
        return [line.partition(": ")[2].rpartition(" [")[0] for line in lines]


@pytest.fixture
def user(environment, tmp_path):
    (tmp_path / "work").mkdir()
    return User(environment, tmp_path / "work")


def feature(script: Session, subject: str = "Add CSV export to the orders page") -> Session:
    script.user("Hi! Can you please add a CSV export to the orders page?")
    script.edit("export.py")
    script.bash("pytest -q", "1 failed, 11 passed in 1s", 1)
    script.edit("export.py")
    script.bash("pytest -q", "12 passed in 1s")
    script.say("The export respects the filters now.")
    script.user("commit")
    script.commit(subject)
    script.say("Committed.")
    return script


def typo(script: Session) -> Session:
    script.user("fix the typo in the README, it says Instalation")
    script.edit("README.md")
    script.say("Fixed the typo in the heading.")
    return script


def test_a_finished_feature_is_told_by_its_commit_and_tests(user):
    user.run("one", feature(user.session()))
    assert ["Add CSV export to the orders page; committed, tests green"] == user.told()


def test_what_was_not_committed_is_told_by_what_was_done_and_left(user):
    script = user.session()
    script.user("upgrade us to React 19")
    script.edit("package.json")
    script.bash("npm test", "Tests: 2 failed, 40 passed", 1)
    script.say("The packages are on React 19 now. Still to do: replace `forwardRef` in the table.")
    user.run("one", script)
    (line,) = user.told()
    assert line == (
        "The packages are on React 19 now (changed package.json); tests failing (2 failed, "
        "40 passed); left open: replace `forwardRef` in the table"
    )


def test_an_abandoned_attempt_is_told_by_how_it_ended(user):
    script = user.session()
    script.user("let's try to move the search to Meilisearch")
    script.edit("search.py")
    script.bash("pytest -q", "3 failed, 40 passed", 1)
    script.say("The tests can't reach Meilisearch.")
    script.user("that's too much to operate for us. let's drop this and stay with Postgres")
    script.bash("git checkout -- . && pytest -q", "43 passed in 2s")
    script.say("Everything is reverted.")
    user.run("one", script)
    (line,) = user.told()
    assert line == (
        "Try to move the search to Meilisearch; undid the changes to search.py, tests green"
    )


def test_greetings_single_questions_and_slash_commands_have_no_line(user):
    greeting = user.session()
    greeting.user("hello")
    greeting.say("Hello! How can I help?")
    question = user.session()
    question.user("what does the --frozen-lockfile flag of pnpm do?")
    question.say("It makes `pnpm install` fail when the lockfile does not match package.json.")
    command = user.session()
    command.user(
        "<command-name>/review</command-name>\n<command-message>review</command-message>\n"
        "<command-args></command-args>"
    )
    command.say("The last commit looks fine because each path has a test.")
    for name, script in (("one", greeting), ("two", question), ("three", command)):
        user.run(name, script)
    assert [] == user.told()


def test_recent_sessions_with_much_work_come_first(user):
    user.run("old", feature(user.session(40), "Paginate the orders page"))
    user.run("feature", feature(user.session(2)))
    user.run("typo", typo(user.session(2)))
    assert [
        "Add CSV export to the orders page; committed, tests green",
        "Fixed the typo in the heading (changed README.md)",
        "Paginate the orders page; committed, tests green",
    ] == user.told()
