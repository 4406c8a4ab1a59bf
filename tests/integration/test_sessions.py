"""Sessions from start to digest, however they end: hooks, notes and sweep over a real store."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.system.log import last_lines
from aforesaid.adapters.system.machine import (
    leave_note,
    list_notes,
    list_retries,
    process_start,
    read_note,
)
from aforesaid.config import load_settings
from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.operations import session_start
from aforesaid.operations.client_connection import run_deferred_work
from aforesaid.operations.session_sweep import digest_ended, sweep
from aforesaid.services.recall.query import RecallQuery
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from transcripts import Script
from user_home import make_shop, use_home

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class World:
    """A user with one repository, and what the plugin does for them in this process."""

    def __init__(self, home, monkeypatch) -> None:
        self.home = home
        self.project = make_shop(home)
        use_home(home, monkeypatch)
        self.patch = monkeypatch

    def write(self, name, script) -> str:
        path = self.home / f"{name}.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in script.lines))
        return str(path)

    def start(self, session, *, source="startup", transcript="", folder=None, **more):
        return session_start.start_session(
            os.environ,
            session_id=session,
            transcript_path=transcript,
            folder=str(folder or self.project),
            source=source,
            **more,
        )

    def note_end(self, session, transcript) -> None:
        event = {
            "session_id": session,
            "transcript_path": transcript,
            "cwd": str(self.project),
            "hook_event_name": "SessionEnd",
        }
        leave_note(self.settings.notes_folder, os.getpid(), "session-end", json.dumps(event))

    @property
    def settings(self):
        return load_settings(os.environ)

    def store(self) -> SqliteStore:
        return SqliteStore(self.settings.db_path)

    def digests(self) -> list[str]:
        store = self.store()
        try:
            keys = [project.key for project in store.projects.list_all()]
            return [
                event.content for key in keys for event in store.memories.latest_events(key, 50)
            ]
        finally:
            store.close()


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


def a_session() -> Script:
    script = Script()
    script.user("add a health check to the server")
    script.say("I'll add `/health` to `server.py`.")
    script.edit("server.py")
    script.bash("pytest -q", "2 passed in 0.1s")
    script.say("The health check answers 200; the tests pass. Still to do: the docs.")
    return script


def test_an_ended_session_is_digested_and_shown_to_the_next(world):
    path = world.write("one", a_session())
    world.start("one", transcript=path)
    world.note_end("one", path)
    assert 1 == sweep(os.environ)
    assert [] == list_notes(world.settings.notes_folder)
    started = world.start("two")
    assert "Last sessions" in started.context
    assert "health check" in started.context
    assert "acme/shop" in started.line


def test_a_session_is_digested_once_however_many_sweeps_run(world):
    path = world.write("one", a_session())
    world.start("one", transcript=path)
    for _ in range(3):
        world.note_end("one", path)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: sweep(os.environ), range(4)))
    assert 1 == len(world.digests())


def test_a_session_whose_client_was_killed_is_swept_at_the_next_start(world):
    path = world.write("one", a_session())
    client = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    world.patch.setenv("CLAUDE_PID", str(client.pid))
    world.start("one", transcript=path)
    world.patch.setenv("CLAUDE_PID", str(os.getpid()))
    assert not world.start("two").work_due
    client.kill()
    client.wait()
    assert world.start("three").work_due
    sweep(os.environ)
    assert 1 == len(world.digests())
    assert not world.start("four").work_due


def test_a_session_that_still_runs_is_left_alone(world):
    path = world.write("one", a_session())
    world.start("one", transcript=path)
    assert 0 == sweep(os.environ)
    assert [] == world.digests()


def test_a_resumed_session_has_one_digest_which_replaces_the_first(world):
    script = a_session()
    path = world.write("one", script)
    world.start("one", transcript=path)
    world.note_end("one", path)
    sweep(os.environ)
    script.user("now write the docs for it")
    script.edit("docs/health.md")
    script.say("The docs are written.")
    world.write("one", script)
    world.start("one", source="resume", transcript=path)
    world.note_end("one", path)
    sweep(os.environ)
    [digest] = world.digests()
    assert "docs/health.md" in digest


@pytest.mark.parametrize("by", ["the same client", "another"])
def test_a_session_resumed_before_its_end_was_noticed_is_still_open(world, by):
    script = a_session()
    path = world.write("one", script)
    world.start("one", transcript=path)
    world.note_end("one", path)
    client = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    if by == "another":
        world.patch.setenv("CLAUDE_PID", str(client.pid))
    world.start("one", source="resume", transcript=path)
    sweep(os.environ)
    [digest] = world.digests()
    assert "docs/health.md" not in digest
    script.user("now write the docs for it")
    script.edit("docs/health.md")
    script.say("The docs are written.")
    world.write("one", script)
    client.kill()
    client.wait()
    if by == "the same client":
        world.note_end("one", path)
    sweep(os.environ)
    [digest] = world.digests()
    assert "docs/health.md" in digest
    store = world.store()
    assert store.sessions.get("one").ended_at
    store.close()


def test_a_digest_that_is_written_while_its_session_resumes_is_not_forgotten(world):
    script = a_session()
    path = world.write("one", script)
    world.start("one", transcript=path)
    world.note_end("one", path)
    looked = session_start.factories.read_workspace

    def sweep_meanwhile(*arguments):
        world.patch.setattr(session_start.factories, "read_workspace", looked)
        sweep(os.environ)
        return looked(*arguments)

    world.patch.setattr(session_start.factories, "read_workspace", sweep_meanwhile)
    world.start("one", source="resume", transcript=path)
    store = world.store()
    assert store.sessions.get("one").digest
    store.close()
    script.user("now write the docs for it")
    script.edit("docs/health.md")
    script.say("The docs are written.")
    world.write("one", script)
    world.note_end("one", path)
    sweep(os.environ)
    assert 1 == len(world.digests())


def test_digests_of_a_project_follow_one_another(world):
    for number, name in enumerate(("one", "two", "three")):
        script = a_session()
        script.user(f"and add retry policy number {number} to the client")
        path = world.write(name, script)
        world.start(name, transcript=path)
        world.note_end(name, path)
        assert 1 == sweep(os.environ)
    store = world.store()
    (project,) = [
        item.key for item in store.projects.list_all() if item.identity.startswith("git:")
    ]
    digests = store.memories.latest_events(project, 9)
    visible = Visibility.of_project(project)
    steps = [store.relations.step(digest.key, "follows", "out", visible) for digest in digests]
    store.close()
    assert [[digests[1].key], [digests[2].key], []] == steps


def test_nothing_new_in_a_resumed_session_writes_no_second_digest(world):
    path = world.write("one", a_session())
    for _ in range(2):
        world.start("one", source="resume", transcript=path)
        world.note_end("one", path)
        sweep(os.environ)
    store = world.store()
    assert 1 == store.memories.statistics(Visibility(projects=(0, 1, 2)))["total"]


def test_a_session_that_goes_on_is_shown_only_what_is_new(world):
    first = world.start("one")
    assert "" == world.start("one", source="resume").context
    assert first.context
    core = ServiceContainer(os.environ)
    call_context = core.projects.resolve(_look(world))
    core.writer.store(Statement(content="The port is 5433.", provenance="user"), call_context)
    again = world.start("one", source="resume")
    assert "New since" in again.context
    assert "The port is 5433." in again.context
    assert len(again.context) <= 2000
    assert "" == world.start("one", source="resume").context


def _look(world):
    from aforesaid.wiring.factories import read_workspace

    return read_workspace(str(world.project), world.settings, os.environ)


def test_a_compaction_elsewhere_moves_no_session_to_another_project(world):
    elsewhere = world.home / "code" / "blog"
    elsewhere.mkdir()
    path = world.write("one", a_session())
    world.start("one", transcript=path)
    assert "acme/shop" in world.start("one", source="compact", folder=elsewhere).line
    world.note_end("one", path)
    sweep(os.environ)
    assert "health check" in world.start("two").context


def test_a_fork_tells_only_what_came_after_it(world):
    script = a_session()
    path = world.write("fork", script)
    world.start("fork", source="fork", transcript=path)
    later = Script()
    later.lines = script.lines
    later.leaf = script.leaf
    uuid = later.user("rename the endpoint to /ready")
    now = json.loads(json.dumps(later.lines[-1]))
    now["timestamp"] = "2099-01-01T00:00:00.000Z"
    later.lines[-1] = now
    later.line(
        "assistant",
        message={
            "id": "m",
            "role": "assistant",
            "model": "m",
            "content": [{"type": "text", "text": "Renamed it to `/ready`."}],
        },
        parent=uuid,
    )
    later.lines[-1]["timestamp"] = "2099-01-01T00:00:01.000Z"
    world.write("fork", later)
    world.note_end("fork", path)
    sweep(os.environ)
    [digest] = world.digests()
    assert "/ready" in digest
    assert "health check" not in digest


def stamped(script, session, *, since=0, ago=0.0):
    """Give lines the time that they would have, so many seconds ago."""
    for number, line in enumerate(script.lines[since:]):
        line["sessionId"] = session
        at = datetime.now(UTC) - timedelta(seconds=ago) + timedelta(milliseconds=number)
        line["timestamp"] = at.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def forked(world, parent, name, ask):
    """Write the transcript of a fork: the other's lines as they were, and its own."""
    script = Script()
    script.lines = [{**line, "sessionId": name} for line in parent.lines]
    script.leaf = parent.leaf
    script.user(ask)
    script.say(f"Done: {ask}.")
    stamped(script, name, since=len(parent.lines))
    return world.write(name, script)


def test_a_fork_that_no_start_told_of_is_known_by_its_first_lines(world):
    parent = a_session()
    stamped(parent, "one", ago=60)
    path = world.write("one", parent)
    world.start("one", transcript=path)
    world.note_end("one", path)
    sweep(os.environ)
    world.note_end("fork", forked(world, parent, "fork", "rename the endpoint to /ready"))
    sweep(os.environ)
    first, second = sorted(world.digests(), key=lambda item: "/ready" in item)
    assert "health check" in first
    assert "/ready" in second
    assert "health check" not in second
    parent.user("and write the docs for it")
    parent.say("The docs are written.")
    stamped(parent, "one", since=len(parent.lines) - 2)
    world.start("one", source="resume", transcript=world.write("one", parent))
    world.note_end("one", path)
    sweep(os.environ)
    assert 2 == len(world.digests())
    assert ["health check" in digest for digest in world.digests()].count(True) == 1


def test_a_session_whose_transcript_no_hook_named_is_found_where_its_client_keeps_them(world):
    folder = world.home / "claude" / "projects" / "-home-dev-shop"
    folder.mkdir(parents=True)
    world.patch.setenv("CLAUDE_CONFIG_DIR", str(world.home / "claude"))
    (folder / "one.jsonl").write_bytes(a_session().data)
    world.note_end("one", "")
    world.note_end("../one", "")
    sweep(os.environ)
    [digest] = world.digests()
    assert "health check" in digest


def test_a_fork_is_shown_nothing_again_that_its_conversation_holds(world):
    core = ServiceContainer(os.environ)
    call_context = core.projects.resolve(_look(world))
    stored = core.writer.store(
        Statement(content="The port is 5433.", provenance="user"), call_context
    )
    parent = a_session()
    stamped(parent, "one", ago=90)
    world.start("one", transcript=world.write("one", parent))
    news = core.writer.store(
        Statement(content="Staging is in Dublin.", provenance="user"), call_context
    )
    world.start("two")  # of the same project, and shown later
    fork = world.start("fork", source="fork", silent_seconds=90)
    assert "Staging is in Dublin." in fork.context
    assert "The port is 5433." not in fork.context
    store = world.store()
    assert {stored.memory.key, news.memory.key} == set(store.sessions.get("fork").shown)
    store.close()


def test_a_session_from_before_there_was_a_store_is_remembered_by_its_note(world):
    path = world.write("first", a_session())
    event = {
        "session_id": "first",
        "transcript_path": path,
        "cwd": str(world.project),
        "hook_event_name": "SessionStart",
    }
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    leave_note(world.settings.notes_folder, gone.pid, "session-start", json.dumps(event))
    sweep(os.environ)
    assert 1 == len(world.digests())


def test_a_noted_start_of_a_running_client_waits_for_its_end(world):
    path = world.write("first", a_session())
    event = {
        "session_id": "first",
        "transcript_path": path,
        "cwd": str(world.project),
        "hook_event_name": "SessionStart",
    }
    leave_note(world.settings.notes_folder, os.getpid(), "session-start", json.dumps(event))
    sweep(os.environ)
    assert [] == world.digests()
    store = world.store()
    session = store.sessions.get("first")
    assert (os.getpid(), process_start(os.getpid())) == (session.client_pid, session.client_start)


@pytest.mark.parametrize("how", ["forgotten", "rewritten"])
def test_what_a_digest_told_that_was_let_go_is_not_told_again_when_its_session_goes_on(world, how):
    script = a_session()
    path = world.write("one", script)
    world.start("one", transcript=path)
    world.note_end("one", path)
    sweep(os.environ)
    core = ServiceContainer(os.environ)
    call_context = core.projects.resolve(_look(world))
    digest = core.store.memories.get([core.store.sessions.get("one").digest])[0]
    if how == "forgotten":
        core.forgetter.forget(digest.id, call_context)
    else:
        core.editor.update(digest.id, {"content": "The server answers /health now."}, call_context)
    for message in ("the docs", "a link to the docs"):
        script.user(f"now write {message}")
        script.edit("docs/health.md")
        script.say(f"I wrote {message}.")
        world.write("one", script)
        world.note_end("one", path)
        sweep(os.environ)
    *before, since = sorted(world.digests(), key=lambda item: "docs" in item)
    assert ("health check" in since, "link to the docs" in since) == (False, True)
    assert before == (["The server answers /health now."] if how == "rewritten" else [])


def test_an_erased_digest_is_never_written_again(world):
    script = a_session()
    path = world.write("one", script)
    world.start("one", transcript=path)
    world.note_end("one", path)
    sweep(os.environ)
    core = ServiceContainer(os.environ)
    call_context = core.projects.resolve(_look(world))
    digest = core.store.sessions.get("one").digest
    core.forgetter.forget(core.store.memories.get([digest])[0].id, call_context, erase=True)
    script.user("and again")
    script.say("Done again.")
    world.write("one", script)
    world.note_end("one", path)
    sweep(os.environ)
    assert [] == world.digests()


@pytest.mark.parametrize(
    "named",
    ["acme/shop", "Acme/Shop", "shop", "git:host.example/acme/shop", "~/code/shop", "~/code"],
)
def test_a_project_that_is_off_is_neither_shown_nor_digested(world, named):
    (world.project / "docs").mkdir()
    world.patch.setenv("AFORESAID_PROJECT_OFF", f"other, {named}")
    assert world.start("docs", folder=world.project / "docs") is None
    path = world.write("one", a_session())
    assert world.start("one", transcript=path) is None
    world.note_end("one", path)
    sweep(os.environ)
    assert [] == world.digests()


@pytest.mark.parametrize(("own", "others"), [("payments", None), (None, "payments")])
def test_a_session_is_digested_where_it_began_whatever_the_sweeps_client_asks_for(
    world, own, others
):
    def ask_for(project) -> None:
        world.patch.setenv("AFORESAID_PROJECT", project or "")

    ask_for(own)
    path = world.write("one", a_session())
    world.start("one", transcript=path)
    world.note_end("one", path)
    ask_for(others)
    sweep(os.environ)
    ask_for(own)
    assert "health check" in world.start("two").context
    ask_for(others)
    assert "health check" not in world.start("three").context


def test_a_session_whose_worktree_was_removed_is_digested_where_it_began(world):
    worktree, git = world.home / "code" / "shop-fix", world.project / ".git"
    own = git / "worktrees" / "shop-fix"
    worktree.mkdir()
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/fix\n")
    (own / "commondir").write_text("../..\n")
    (own / "gitdir").write_text(f"{worktree}/.git\n")
    (worktree / ".git").write_text(f"gitdir: {own}\n")
    path = world.write("one", a_session())
    world.start("one", transcript=path, folder=worktree)
    shutil.rmtree(own)
    shutil.rmtree(worktree)
    store = world.store()
    began = store.sessions.get("one")
    call_context = factories.make_projects(store, world.settings).resolve(
        factories.read_workspace(str(worktree), world.settings, os.environ), began
    )
    assert (began.project, True) == (call_context.project.key, call_context.has_project)
    store.close()
    world.note_end("one", path)
    sweep(os.environ)
    assert "health check" in world.start("two").context


def test_a_note_of_a_session_with_another_store_is_left_to_that_ones_sweep(world):
    path = world.write("one", a_session())
    world.patch.setenv("AFORESAID_DB", str(world.home / "work.db"))
    world.patch.setattr(session_start, "start_sweep", lambda: None)
    world.start("one", transcript=path)
    event = {"session_id": "one", "transcript_path": path, "hook_event_name": "SessionEnd"}
    session_start.end_session(os.environ, json.dumps(event))
    world.patch.delenv("AFORESAID_DB")
    sweep(os.environ)
    assert [] == world.digests()
    world.patch.setenv("AFORESAID_DB", str(world.home / "work.db"))
    sweep(os.environ)
    assert 1 == len(world.digests())
    assert [] == list_notes(world.settings.notes_folder)


def test_notes_of_one_moment_are_all_kept(world):
    for number in range(200):
        leave_note(world.settings.notes_folder, 1, "session-end", f"{number}")
    notes = [read_note(path) for path in list_notes(world.settings.notes_folder)]
    assert [str(number) for number in range(200)] == notes


def test_a_session_that_nobody_foresaw_costs_no_other_its_digest(world):
    look = session_start.factories.read_workspace

    def looked(folder, *arguments):
        if str(folder).endswith("broken"):
            raise RecursionError("deeper than anybody thought")
        return look(folder, *arguments)

    broken = world.home / "broken"
    broken.mkdir()
    item, two = (world.write(name, a_session()) for name in ("one", "two"))
    world.start("one", transcript=item, folder=str(broken))
    world.start("two", transcript=two)
    world.patch.setattr(session_start.factories, "read_workspace", looked)
    world.note_end("one", item)
    world.note_end("two", two)
    sweep(os.environ)
    assert 1 == len(world.digests())
    ((kept, _note),) = list_retries(world.settings.notes_folder)
    (line,) = last_lines(world.settings.state_folder, "error", 9)
    assert "a session was not digested: RecursionError" in line
    assert "deeper" not in line
    world.patch.setattr(session_start.factories, "read_workspace", look)
    store = world.store()
    digest_ended(store, world.settings, os.environ, retry_all=True)
    store.close()
    assert 2 == len(world.digests())
    assert not os.path.exists(kept)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file that fails to be read")
def test_a_transcript_that_the_disk_does_not_give_costs_no_other_its_digest(world):
    two = world.write("two", a_session())
    for name, path in (("one", "/proc/self/mem"), ("two", two)):
        world.start(name, transcript=path)
        world.note_end(name, path)
    sweep(os.environ)
    assert 1 == len(world.digests())
    store = world.store()
    assert [] == store.sessions.list_open()
    ((_path, note),) = list_retries(world.settings.notes_folder)
    assert ("one", 1) == (note["session_id"], note["tries"])


def test_a_session_of_a_project_that_was_switched_off_is_looked_at_once(world):
    path = world.write("one", a_session())
    client = subprocess.Popen(["true"])
    world.patch.setenv("CLAUDE_PID", str(client.pid))
    world.start("one", transcript=path)
    client.wait()
    world.patch.setenv("CLAUDE_PID", str(os.getpid()))
    world.patch.setenv("AFORESAID_PROJECT_OFF", "acme/shop")
    sweep(os.environ)
    assert [] == world.digests()
    world.patch.delenv("AFORESAID_PROJECT_OFF")
    assert not world.start("two").work_due
    world.note_end("one", path)  # and it is on the disk for whoever asks for it
    sweep(os.environ)
    assert 1 == len(world.digests())


def test_a_secret_in_a_transcript_reaches_neither_digest_nor_file(world):
    secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    script = Script()
    script.user(f"use the token {secret} to push, and remember we deploy on Fridays")
    script.edit("deploy.sh")
    script.say("Pushed with the token.")
    path = world.write("one", script)
    world.start("one", transcript=path)
    world.note_end("one", path)
    sweep(os.environ)
    [digest] = world.digests()
    assert secret not in digest
    folder = os.path.dirname(world.settings.db_path)
    for name in os.listdir(folder):
        with open(os.path.join(folder, name), "rb") as file:
            assert secret.encode() not in file.read()


def test_a_digest_without_vectors_is_embedded_later_and_found_by_meaning(world):
    path = world.write("one", a_session())
    world.start("one", transcript=path)
    world.note_end("one", path)
    sweep(os.environ)
    core = ServiceContainer(os.environ)
    core.embedder.load()
    run_deferred_work(core)
    call_context = core.projects.resolve(_look(world))
    answer = core.recall.recall(
        RecallQuery(query="monitoring whether a machine is up"), call_context.visible
    )
    assert 1 == len(answer.results)


def test_a_session_in_no_project_asks_once_and_keeps_to_the_default_project(world):
    started = world.start("one", folder=world.home)
    assert "Ask the user once: is this session about a project?" in started.context
    assert "Ask the user" not in world.start("two", folder=world.home).context


def test_the_same_store_gives_the_same_text(world):
    path = world.write("one", a_session())
    world.start("one", transcript=path)
    world.note_end("one", path)
    sweep(os.environ)
    assert world.start("two").context == world.start("three").context
