"""A session in which nothing can be recalled: its prompts start no Python, until something can."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.model.memory import Session
from aforesaid.operations.prompt_server import PromptServer
from interfaces import LAUNCHER, SHELLS, write
from transcripts import Script

SESSION = "0b5e0f5c-0000-4000-8000-000000000001"
SUMMARY = "Add a health check to the server (changed"
CONTENT = "The importer uses the NATS queue."


class User:
    """A user with two projects; their client runs hooks through the launcher."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self.environment = {**environment, "CLAUDE_PID": str(os.getpid())}
        self.folder = folder
        self.code = Path(environment["HOME"], "code")
        self.started = folder / "python-started"
        self.counting = folder / "counting" / "bin" / "python"
        self.counting.parent.mkdir(parents=True)
        self.counting.write_text(f"#!/bin/sh\necho started >>'{self.started}'\n")
        self.counting.chmod(0o755)
        self.data = Path(environment["XDG_DATA_HOME"], "aforesaid")
        self.state = Path(environment["XDG_STATE_HOME"], "aforesaid")
        for name in ("shop", "blog"):
            git = self.code / name / ".git"
            (git / "objects").mkdir(parents=True)
            (git / "refs").mkdir()
            (git / "HEAD").write_text("ref: refs/heads/main\n")
            (git / "config").write_text(f"[remote 'origin']\n\turl = git@x.example:acme/{name}\n")

    def run(self, *arguments: str, project: str = "shop", given: str = "", **more: str):
        """Run a command in a project, whatever it answers."""
        return subprocess.run(
            [LAUNCHER, *arguments], cwd=self.code / project, input=given, check=False,
            env={**self.environment, **more}, capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    def hook(self, name: str, session: str = SESSION, project: str = "shop", **more: object) -> str:
        event = {
            "session_id": session, "cwd": str(self.code / project), **more,
            "transcript_path": str(self.folder / f"{session}.jsonl"), "prompt": "why the queue?",
        }  # fmt: skip
        done = self.run(
            "hook", name, project=project, given=json.dumps(event), CLAUDE_CODE_SESSION_ID=session
        )
        assert (0, "") == (done.returncode, done.stderr)
        return done.stdout

    def start(self, session: str = SESSION, project: str = "shop", source: str = "startup") -> str:
        return self.hook("session-start", session, project, source=source)

    def starts_python(
        self, hook: str = "user-prompt-submit", session: str = SESSION, shell=(), **more: str
    ) -> bool:
        """Run a hook with a Python that only counts its starts; return whether it was started."""
        self.started.unlink(missing_ok=True)
        done = subprocess.run(
            [*shell, LAUNCHER, "hook", hook], input="{}", capture_output=True, check=False,
            text=True, env={**self.environment, "CLAUDE_CODE_SESSION_ID": session,
                            "AFORESAID_ENV": str(self.folder / "counting"), **more},
        )  # fmt: skip
        assert (0, "", "") == (done.returncode, done.stdout, done.stderr)
        return self.started.exists()

    def serve(self, tool: str, **arguments: object) -> None:
        """Call a tool of a server of this session's client."""
        messages = [
            {"id": 1, "method": "initialize", "params": {
                "protocolVersion": "2025-11-25", "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"}}},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
        ]  # fmt: skip
        with subprocess.Popen(
            [LAUNCHER, "serve"], cwd=self.code / "shop", env=self.environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        ) as server:  # fmt: skip
            assert server.stdin is not None
            assert server.stdout is not None
            for message in messages:
                server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
                server.stdin.flush()
            for line in server.stdout:
                answer = json.loads(line)
                if answer.get("id") == 2:
                    assert not answer["result"].get("isError"), answer
                    break

    def note_end(self, session: str) -> Path:
        """Leave a note that a session of the first project ended, which has a transcript."""
        script = Script(str(self.code / "shop"))
        script.user("add a health check to the server")
        script.edit("server.py")
        script.say("The health check answers 200; the tests pass.")
        transcript = self.folder / f"{session}.jsonl"
        transcript.write_bytes(script.data)
        event = {"session_id": session, "cwd": str(self.code / "shop"),
                 "transcript_path": str(transcript), "hook_event_name": "SessionEnd"}  # fmt: skip
        note = self.state / "notes" / "1-1-session-end.json"
        write(str(note), json.dumps(event))
        return note

    def age(self) -> None:
        """Set the times of all that exists a minute back, except that of markers."""
        folders = [self.data, self.code]
        for folder in folders:
            for path in [folder, *folder.rglob("*")]:
                status = path.stat()
                os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - 60_000_000_000))


@pytest.fixture
def user(environment: dict[str, str], tmp_path: Path) -> User:
    return User(environment, tmp_path)


@pytest.fixture
def silent(user: User) -> User:
    """A user in whose session nothing can be recalled."""
    user.start()
    assert not user.starts_python()
    return user


def test_under_every_shell_a_prompt_starts_no_python_if_nothing_can_be_recalled(user):
    user.start()
    user.age()  # some shells compare whole seconds
    for shell in SHELLS:
        assert not user.starts_python(shell=shell), shell


def test_under_every_shell_an_action_starts_no_python_if_nothing_can_be_recalled(user):
    user.start()
    user.age()
    for shell in SHELLS:
        assert not user.starts_python("action", shell=shell), shell


def becomes_silent_for_actions(user: User, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run commands, answered by a server in this process; on a busy machine it may be late."""
    for name, value in user.environment.items():
        monkeypatch.setenv(name, value)
    server = PromptServer(os.environ, os.getpid(), lambda: None)
    server.start()
    for _ in range(20):
        assert "" == user.hook("action", tool_input={"command": "make release"})
        if not user.starts_python("action"):
            break
    server.close()
    return not user.starts_python("action")


def test_while_no_memory_cites_a_file_or_has_a_trigger_actions_start_no_python(user, monkeypatch):
    user.run("remember", CONTENT)
    user.start()
    assert user.starts_python("action")
    assert becomes_silent_for_actions(user, monkeypatch)
    assert user.starts_python()  # a prompt
    trigger = {"trigger": "make release"}
    user.serve("store_memory", content="Freeze.", type="procedural", metadata=trigger)
    assert user.starts_python("action")


def test_a_memory_that_cites_a_file_keeps_actions_from_being_silent(user, monkeypatch):
    (user.code / "shop" / "a.py").write_text("import nats\n")
    user.serve("store_memory", content=CONTENT, anchors=["a.py"])
    user.start()
    assert not becomes_silent_for_actions(user, monkeypatch)


def test_the_start_and_end_of_a_session_and_its_other_hooks_always_run(silent):
    for hook in ("session-start", "session-end", "pre-compact", "subagent-start"):
        assert silent.starts_python(hook)


def test_it_holds_for_its_own_session_only(silent):
    assert silent.starts_python(session="other")
    assert silent.starts_python(session="")
    assert silent.starts_python(session="../settings.json")


def remember(user: User) -> None:
    user.run("remember", CONTENT)


def remember_globally(user: User) -> None:
    user.run("remember", CONTENT, "--scope", "global")


def store_by_tool(user: User) -> None:
    user.serve("store_memory", content=CONTENT, type="semantic")


def import_lines(user: User) -> None:
    lines = user.folder / "lines.jsonl"
    lines.write_text(json.dumps({"content": CONTENT, "type": "semantic"}) + "\n")
    done = user.run("import", str(lines))
    assert 0 == done.returncode, done.stderr


def finish_digest(user: User) -> None:
    user.note_end("before")
    user.hook("sweep")


def restore(user: User) -> None:
    """Put back a backup that contains a memory."""
    backup = str(user.folder / "backup.db")
    with_memory = {"AFORESAID_DB": str(user.folder / "other.db")}
    user.run("remember", CONTENT, **with_memory)
    user.run("backup", backup, **with_memory)
    done = user.run("restore", backup, "--yes")
    assert 0 == done.returncode, done.stderr


CHANGES = (remember, remember_globally, store_by_tool, import_lines, finish_digest, restore)


@pytest.mark.parametrize("change", CHANGES)
def test_whoever_stores_a_memory_ends_the_silence_whatever_the_clock_says(
    silent: User, change: Callable[[User], None]
) -> None:
    change(silent)
    silent.age()  # as after a clock that was set back
    assert silent.starts_python()
    assert "0 memories here, 0 global" not in silent.start(source="resume")
    assert silent.starts_python()


def test_what_an_older_version_writes_ends_it(silent):
    connection = apsw.Connection(str(silent.data / "memory.db"))
    connection.execute("INSERT OR REPLACE INTO meta VALUES ('trial', '1')")
    assert (silent.data / "memory.db-unchanged").exists()
    assert silent.starts_python()
    connection.close()


def test_a_write_for_another_project_ends_it_until_the_next_prompt(silent):
    silent.run("remember", CONTENT, project="blog")
    assert silent.starts_python()
    assert "" == silent.hook("user-prompt-submit")
    assert not silent.starts_python()
    silent.start("other", "blog")
    assert silent.starts_python(session="other")


def test_a_memory_of_another_project_alone_starts_no_python(user):
    user.run("remember", CONTENT, project="blog")
    user.start()
    assert not user.starts_python()


@pytest.mark.parametrize(
    "scope",
    [
        (),
        (
            "--scope",
            "global",
        ),
    ],
)
def test_with_a_memory_of_the_project_or_of_all_a_prompt_starts_python(user, scope):
    user.run("remember", CONTENT, *scope)
    user.start()
    assert user.starts_python()
    user.hook("user-prompt-submit")
    assert user.starts_python()


def test_a_digest_that_is_awaited_is_not_silenced(user):
    note = user.note_end("before")
    with note.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # as a sweep does that works on a large transcript
        assert "is being summarised" in user.start()
        assert user.starts_python()
    user.hook("sweep")
    assert user.starts_python()
    assert SUMMARY in user.hook("user-prompt-submit")


@pytest.mark.parametrize(
    "name", ["AFORESAID_DB", "AFORESAID_STORAGE_DB_PATH", "AFORESAID_PROJECT", "XDG_DATA_HOME"]
)
def test_another_store_or_project_in_the_environment_is_not_silenced(silent, name):
    assert silent.starts_python(**{name: str(silent.folder / "elsewhere")})


def set_database(user: User) -> None:
    config = Path(user.environment["XDG_CONFIG_HOME"], "aforesaid", "config.toml")
    write(str(config), f'[storage]\ndb_path = "{user.folder}/other.db"\n')


def add_remote(user: User) -> None:
    config = user.code / "shop" / ".git" / "config"
    config.write_text("[remote 'origin']\n\turl = git@x.example:acme/blog\n")


def replace_repository(user: User) -> None:
    (user.code / "shop").rename(user.code / "old")
    (user.code / "blog").rename(user.code / "shop")


def choose_project(user: User) -> None:
    user.serve("set_project", project="blog")


@pytest.mark.parametrize("change", [set_database, add_remote, replace_repository, choose_project])
def test_other_settings_and_another_project_end_it(silent, change) -> None:
    change(silent)
    assert silent.starts_python()


def test_a_repository_inside_that_of_the_start_ends_it(user):
    inner = user.code / "shop" / "packages" / "api"
    inner.mkdir(parents=True)
    user.hook("session-start", project="shop/packages/api", source="startup")
    assert not user.starts_python()
    (inner.parent / ".git").mkdir()
    assert user.starts_python()


def test_a_marker_that_was_cut_off_is_ignored(silent):
    marker = silent.state / "silent" / SESSION
    lines = marker.read_text().splitlines(keepends=True)
    for count in range(len(lines)):
        marker.write_text("".join(lines[:count]))
        assert silent.starts_python()
    marker.write_text(lines[0].rstrip("\n"))
    assert silent.starts_python()


def test_markers_of_earlier_sessions_are_removed(user):
    for number in range(4):
        user.start(f"s-{number}")
    assert ["s-3"] == os.listdir(user.state / "silent")


def test_a_commit_removes_the_file_that_says_that_there_was_none(tmp_path):
    store, hook = (SqliteStore(str(tmp_path / "m.db"), for_hook=hook) for hook in (False, True))

    def mark():
        with store.transaction(commits=False):
            return store.mark_unchanged()

    path, text, is_new = mark()
    assert is_new
    assert (path, text, False) == mark()
    store.set_meta("trial", "1")  # outside a transaction
    assert not os.path.exists(path)
    assert text != mark()[1]
    with hook.transaction():
        hook.sessions.put(Session(id="s", started_at=1))
        assert os.path.exists(path)
    assert not os.path.exists(path)
    hook.close()
    store.close()


def test_a_preference_for_all_projects_does_not_start_python_at_a_prompt(user):
    user.run("remember", "--scope", "global", "--tag", "preference", "Answers in short sentences.")
    user.start()
    assert not user.starts_python()
    user.run("remember", "--scope", "global", "The office is in Bern.")
    assert user.starts_python()
    assert "" == user.hook("user-prompt-submit")
    assert user.starts_python()


def test_in_a_project_where_memory_is_off_a_prompt_starts_no_python(user):
    user.run("remember", "The queue is NATS.")
    user.run("config", "set", "project.off", json.dumps(["shop"]))
    user.start()
    assert not user.starts_python()


def test_without_a_user_a_prompt_starts_no_python_where_that_is_off(user):
    user.run("remember", "The queue is NATS.")
    user.start()
    headless = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}
    assert user.starts_python(**headless)
    assert not user.starts_python(AFORESAID_HOOKS_HEADLESS="false", **headless)
    user.run("config", "set", "hooks.headless", "false")
    user.hook("user-prompt-submit")
    assert not user.starts_python(**headless)
    assert user.starts_python()
