"""Transcripts that are on the disk already become digests: each once, wherever it was stopped."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time

import pytest

from aforesaid.adapters.system.log import last_lines
from aforesaid.adapters.transcripts.discovery import folder_of, list_transcripts
from aforesaid.config import load_settings
from aforesaid.operations.backfill import find_transcripts, make_backfill
from aforesaid.wiring import factories
from store_faults import raise_at_insert
from transcripts import Script

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DOOR = os.path.join(ROOT, "bin", "aforesaid")
AN_HOUR = 3600


class Machine:
    """A user with transcripts of two projects, and the shell."""

    def __init__(self, environment: dict[str, str], folder) -> None:
        self.environment = environment
        self.projects = {name: folder / "code" / name for name in ("shop", "blog")}
        for name, path in self.projects.items():
            (path / ".git" / "objects").mkdir(parents=True)
            (path / ".git" / "refs").mkdir()
            (path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
            (path / ".git" / "config").write_text(
                f'[remote "origin"]\n\turl = git@host.example:acme/{name}.git\n'
            )
        self.transcripts = os.path.join(environment["HOME"], ".claude", "projects")

    def write(self, session: str, project: str = "shop", *, age: float = AN_HOUR, **asked) -> str:
        slug = "".join(c if c.isalnum() else "-" for c in str(self.projects[project]))
        folder = os.path.join(self.transcripts, slug)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, f"{session}.jsonl")
        script = a_session(str(self.projects[project]), session, **asked)
        with open(path, "wb") as file:
            file.write(script.data)
        changed = time.time() - age
        os.utime(path, (changed, changed))
        return path

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [DOOR, *arguments],
            cwd=self.projects["shop"],
            env=self.environment,
            capture_output=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def ask(self, *arguments: str):
        done = self.run(*arguments, "--json")
        assert ("", 0) == (done.stderr, done.returncode)
        return json.loads(done.stdout)

    def digests(self) -> list[str]:
        listed = self.ask("list", "--type", "episodic", "--all-projects", "-n", "50")
        return [row["preview"] for row in listed["results"]]


def a_session(cwd: str, session: str, *, asked: str = "") -> Script:
    script = Script(cwd)
    script.user(asked or f"add a health check called {session} to the server")
    script.say(f"I'll add `/{session}` to `server.py`.")
    script.edit("server.py")
    script.bash("pytest -q", "2 passed in 0.1s")
    script.say(f"The health check {session} answers 200. Still to do: the docs.")
    for line in script.lines:
        line["sessionId"] = session
    return script


@pytest.fixture
def machine(environment, tmp_path) -> Machine:
    return Machine(environment, tmp_path)


def test_every_session_is_digested_once_however_often_it_is_read(machine):
    for name in ("one", "two", "three"):
        machine.write(name)
    first = machine.ask("ingest")
    assert (3, 0) == (first["digested"], first["known"])
    assert 3 == len(machine.digests())
    again = machine.ask("ingest")
    assert (0, 3) == (again["digested"], again["known"])
    assert 3 == len(machine.digests())


def test_a_session_that_goes_on_later_extends_its_digest(machine):
    path = machine.write("one")
    machine.ask("ingest")
    script = a_session(str(machine.projects["shop"]), "one")
    script.user("now write the docs for it")
    script.edit("docs/health.md")
    script.say("The docs are written.")
    with open(path, "wb") as file:
        file.write(script.data)
    old = time.time() - AN_HOUR
    os.utime(path, (old, old))
    assert 1 == machine.ask("ingest")["digested"]
    assert 1 == len(machine.digests())


def test_a_last_line_that_was_cut_off_changes_nothing(machine):
    path = machine.write("one")
    with open(path, "ab") as file:
        file.write(b'{"type":"user","message":{"role":"us')
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert 1 == machine.ask("ingest")["digested"]
    assert (0, 1) == tuple(machine.ask("ingest")[name] for name in ("digested", "unchanged"))
    assert 1 == len(machine.digests())


def test_a_dry_run_names_what_waits_and_stores_nothing(machine):
    path = machine.write("one")
    plan = machine.ask("ingest", "--dry-run")
    assert [("one", path)] == [(row["session"], row["transcript"]) for row in plan["waiting"]]
    assert [] == machine.digests()
    assert 1 == machine.ask("ingest")["digested"]


def test_since_leaves_out_what_is_older(machine):
    machine.write("new")
    machine.write("old", age=90 * 86_400)
    answer = machine.ask("ingest", "--since", "last month")
    assert (1, 1) == (answer["digested"], answer["older"])


@pytest.mark.parametrize("how", ["blog", "acme/blog", "git:host.example/acme/blog", "folder"])
def test_a_project_is_named_by_key_name_or_folder_before_it_is_known(machine, how):
    machine.write("one", "shop")
    machine.write("two", "blog")
    name = str(machine.projects["blog"]) if how == "folder" else how
    assert 1 == machine.ask("ingest", "--project", name)["digested"]
    assert "acme/shop" not in machine.run("projects").stdout


def test_sessions_are_of_their_own_projects_whatever_the_shell_asks_for(machine):
    machine.write("one", "shop")
    machine.write("two", "blog")
    machine.environment["AFORESAID_PROJECT"] = "shop"
    assert 1 == machine.ask("ingest", "--project", "blog")["digested"]
    assert 1 == machine.ask("ingest")["digested"]
    projects = {row["project"] for row in machine.ask("list", "--all-projects")["results"]}
    assert {"acme/shop", "acme/blog"} == projects


def test_a_session_that_was_written_a_moment_ago_is_left_alone(machine):
    machine.write("one", age=1)
    answer = machine.ask("ingest")
    assert (0, 1) == (answer["digested"], answer["running"])


def test_headless_runs_are_left_out_where_the_user_wants_none_of_them(machine):
    machine.write("typed")
    path = machine.write("printed")
    with open(path, encoding="utf-8") as file:
        lines = [{**json.loads(line), "entrypoint": "sdk-cli"} for line in file]
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    machine.environment["AFORESAID_HOOKS_HEADLESS"] = "0"
    assert 1 == machine.ask("ingest")["digested"]
    del machine.environment["AFORESAID_HOOKS_HEADLESS"]
    assert 1 == machine.ask("ingest")["digested"]


def test_a_file_that_is_named_is_read_wherever_it_lies(machine, tmp_path):
    path = shutil.copy(machine.write("one"), tmp_path / "kept.jsonl")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert 1 == machine.ask("ingest", str(path))["digested"]


def test_a_folder_that_is_not_there_is_named(machine):
    done = machine.run("ingest", "/nowhere/at-all")
    assert 3 == done.returncode
    assert "/nowhere/at-all" in done.stderr


def test_stopped_halfway_it_goes_on_where_it_stopped(machine):
    for number in range(40):
        machine.write(f"s{number}")
    process = subprocess.Popen(
        [DOOR, "ingest"],
        env=machine.environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    database = os.path.join(machine.environment["XDG_DATA_HOME"], "aforesaid", "memory.db-wal")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (
        os.path.exists(database) and os.path.getsize(database) > 1_000_000
    ):
        time.sleep(0.02)
    process.kill()
    process.wait()
    rest = machine.ask("ingest")
    assert 40 == rest["known"] + rest["digested"]
    assert 40 == len(machine.digests())


def test_transcripts_of_subagents_links_and_other_files_are_not_listed(tmp_path):
    folder = tmp_path / "slug"
    (folder / "one" / "subagents").mkdir(parents=True)
    for name in ("one.jsonl", "agent-a.jsonl", "one/subagents/b.jsonl", "memory.md", "empty.jsonl"):
        (folder / name).write_text("" if name.startswith("empty") else "{}\n")
    (folder / "link.jsonl").symlink_to(folder / "one.jsonl")
    os.mkfifo(folder / "pipe.jsonl")
    assert ["one"] == [
        list_transcript.session for list_transcript in list_transcripts([str(tmp_path)])
    ]


def test_the_folder_of_a_session_stands_in_its_first_lines(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text('{"type":"mode"}\nnot json "cwd"\n{"type":"user","cwd":"/home/ada/shop"}\n')
    assert "/home/ada/shop" == folder_of(str(path))
    assert "" == folder_of(str(tmp_path))
    assert "" == folder_of(str(tmp_path / "gone"))


def test_a_transcript_that_fails_unexpectedly_stops_no_other(machine, monkeypatch):
    for name, value in machine.environment.items():
        monkeypatch.setenv(name, value)
    machine.write("one", "blog")
    machine.write("two")
    settings = load_settings(os.environ)
    store = factories.open_store(settings)
    raise_at_insert(store, "projects", "NEW.name LIKE '%blog'")
    backfill = make_backfill(store, settings, os.environ)
    waiting = backfill.plan(find_transcripts([], os.environ)).waiting
    seen = []
    done = backfill.run(waiting, lambda item: seen.append(item.session))
    store.close()
    assert (1, 1) == (done.digested, done.failed)
    assert ["one", "two"] == sorted(seen)
    (line,) = last_lines(settings.state_folder, "error", 9)
    assert "a session was not digested: RecursionError" in line
    monkeypatch.undo()
    assert 1 == machine.ask("ingest")["digested"]
