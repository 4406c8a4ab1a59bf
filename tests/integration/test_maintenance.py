"""Maintenance as a whole over real files: every phase, by command and by itself."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest
from bench.hashed_embedder import HashedEmbedder
from click.testing import CliRunner

from aforesaid.adapters.system.log import last_lines
from aforesaid.config import load_settings
from aforesaid.domain.errors import ConflictError
from aforesaid.domain.maintenance.run import PHASES, PhaseAction
from aforesaid.domain.model.memory import CallContext, Session
from aforesaid.domain.model.topic import Topic
from aforesaid.entrypoints.cli.app import aforesaid
from aforesaid.operations import session_start
from aforesaid.operations.llm_extraction import extract_in_background
from aforesaid.operations.maintenance import (
    maintenance_lock,
    make_lock,
    make_phases,
    rest_seconds,
    run_if_due,
)
from aforesaid.operations.maintenance_schedule import is_due
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.memories.forget import MemoryForgetter
from aforesaid.services.transfer.export import export_lines
from aforesaid.wiring.factories import make_memory_writer, open_store
from factories import DAY, NOON, TickingClock, make_memory, open_sqlite
from interfaces import ROOT
from maintenance_store import NOW, StoreFiller
from store_faults import fail_to_embed, raise_at_insert, stop_failing

HOUR = 3_600_000
#: Phases that change nothing, and two that need a repository (test_branches.py).
OTHERS = ("retention", "freshness", "branches", "anchors")


@pytest.fixture
def here(environment, monkeypatch):
    """Return the variables of a user, in force."""
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")):
            monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return environment


@pytest.fixture
def busy(here, tmp_path):
    store = open_sqlite(tmp_path / "m.db")
    StoreFiller(store, HashedEmbedder()).fill()
    yield store
    store.close()


def tend_of(store) -> MaintenanceRunner:
    settings = load_settings(os.environ)
    embedder = HashedEmbedder()
    phases = make_phases(store, settings, os.environ, lambda: embedder)
    return MaintenanceRunner(store, TickingClock(NOW), phases)


def exported(store) -> str:
    return "".join(export_lines(store))


@pytest.mark.parametrize("phase", [name for name in PHASES if name not in OTHERS])
def test_each_phase_has_something_to_do_and_undone_leaves_the_same_bytes(busy, phase):
    before = exported(busy)
    report = tend_of(busy).run([phase])
    assert report.run.counts[phase]
    assert before != exported(busy)
    assert () == tend_of(busy).undo(report.run.key).left
    assert before == exported(busy)


def test_a_phase_that_fails_unexpectedly_fails_alone_and_the_run_can_be_undone(busy, here):
    settings = load_settings(os.environ)
    raise_at_insert(busy, "relations", "NEW.kind = 'associated'")  # halfway through a transaction
    before = exported(busy)
    run_if_due(busy, settings, os.environ, HashedEmbedder)
    stop_failing(busy)
    (run,) = busy.runs.latest(9)
    assert [name for name in PHASES if name != "links"] == list(run.done)
    assert run.counts["compaction"]
    assert run.counts["archive"]
    (line,) = last_lines(settings.state_folder, "error", 9)
    assert "maintenance phase links failed: RecursionError" in line
    assert "memory" not in line
    assert () == tend_of(busy).undo(run.key).left
    assert before == exported(busy)


def test_maintenance_runs_though_vectors_and_the_summariser_fail(here, monkeypatch):
    monkeypatch.setenv("AFORESAID_DIGEST_SUMMARISER", "claude-cli")
    settings = load_settings(os.environ)
    store = open_store(settings)
    with store.transaction():
        key = store.memories.add(make_memory(1, content="Works now.", scope="global")).key
        store.memories.record("create", key, NOON)
        ended = Session(id="s", started_at=NOON, ended_at=NOON, digest=key, bytes_ingested=9)
        store.sessions.put(ended)
    extract_in_background(store, settings, os.environ, fail_to_embed)
    run_if_due(store, settings, os.environ, fail_to_embed)
    (run,) = store.runs.latest(9)
    assert run.is_finished
    assert store.memories.get([key])[0].archived_at is not None
    lines = last_lines(settings.state_folder, "error", 9)
    assert ["extraction failed", "missing vectors not computed"] == [
        line.split(" ", 2)[2].partition(":")[0] for line in lines
    ]
    store.close()


def test_a_clock_that_jumps_makes_nobody_rest_for_long():
    assert [0.02, 0.02, 0.3, 5.0] == [rest_seconds(held) for held in (-HOUR, 0.001, 0.3, HOUR)]


def tend(phase: str):
    return CliRunner().invoke(aforesaid, ["tend", "--phase", phase])


def test_a_phase_that_fails_is_shown_as_not_done(here):
    store = open_store(load_settings(os.environ))
    with store.transaction():
        key = store.memories.add(make_memory(1, type="semantic")).key
    assert 0 == tend("archive").exit_code  # also makes the vectors
    store.database.rows("PRAGMA ignore_check_constraints = 1")
    store.database.rows("UPDATE memories SET metadata = 'damaged' WHERE key = ?", (key,))
    store.close()
    for end in ("is incomplete", "was abandoned"):
        result = tend("links")
        assert ["links", "not", "done"] == result.stdout.splitlines()[1].split()
        assert "links: stopped by ValueError" in result.stderr
        assert end in result.stdout


def test_a_whole_run_does_all_of_it_and_undone_leaves_the_same_bytes(busy):
    before = exported(busy)
    run = tend_of(busy).run().run
    assert {
        "topics": {"merged", "filed", "told anew"},
        "links": {"linked", "faded"},
        "compaction": {"summed up"},
        "promotion": {"promoted", "offered"},
        "contradictions": {"contradicting"},
        "archive": {"archived"},
    } == {name: set(some) for name, some in run.counts.items() if some and name not in OTHERS}
    tended = exported(busy)
    assert {} == {
        name: some
        for name, some in tend_of(busy).run().run.counts.items()
        if some and name not in OTHERS
    }
    assert tended == exported(busy)
    assert () == tend_of(busy).undo(run.key).left
    assert before == exported(busy)


def test_what_changed_since_stays_and_everything_else_is_taken_back(busy):
    run = tend_of(busy).run(["archive"]).run
    gone = [memory.key for memory in busy.memories.get(range(1, 99)) if memory.archived_at]
    with busy.transaction():
        busy.memories.change(gone[0], archived_at=NOW + DAY)
    done = tend_of(busy).undo(run.key)
    assert (0, tuple(gone)) == (done.steps, done.left)


@pytest.mark.parametrize("undone", [False, True])
def test_what_is_erased_is_in_no_byte_of_what_runs_keep(busy, undone):
    run = tend_of(busy).run().run
    stored = busy.memories.get(range(1, busy.maintenance.newest_key() + 1))
    needles = [memory.content[:30].encode() for memory in stored] + [
        b"make freeze",
        b"authentication",
    ]
    if undone:
        tend_of(busy).undo(run.key)
    embedder = HashedEmbedder()
    remember = make_memory_writer(busy, load_settings(os.environ), lambda: embedder)
    forgetter = MemoryForgetter(busy, TickingClock(NOW + DAY), remember)
    projects = {project.key: project for project in busy.projects.list_all()}
    for memory in stored:
        if busy.memories.get([memory.key]):
            context = CallContext(
                project=projects.get(memory.project, *list(projects.values())[:1])
            )
            forgetter.forget(memory.id, context, erase=True)
    assert [] == busy.memories.get(range(1, busy.maintenance.newest_key() + 99))
    with open(busy.path, "rb") as file:
        left = file.read()
    assert [] == [needle for needle in needles if needle in left]


def test_what_is_taken_out_of_a_name_leaves_the_journal_and_the_rest_can_be_undone(busy):
    before = exported(busy)
    run = tend_of(busy).run(["archive"]).run
    with busy.runs.journaled(run.key, "topics", NOW) as made:
        busy.topics.add(
            Topic(
                project=0,
                name="the pangolin",
                normalised="pangolin",
                created_at=NOW,
                updated_at=NOW,
            )
        )
        made.append(PhaseAction(what="filed"))
    with busy.transaction():
        for text in list(busy.texts.read()):
            if "pangolin" in text.text:
                busy.texts.rewrite(text, "the animal")
    busy.clean_file()
    with open(busy.path, "rb") as file:
        assert b"pangolin" not in file.read()
    with busy.transaction():
        busy.topics.remove_unused()
    assert () == tend_of(busy).undo(run.key).left
    assert before == exported(busy)


def test_a_rehearsal_changes_nothing_and_names_what_it_would_do(busy):
    before = exported(busy)
    report = tend_of(busy).dry_run()
    assert {"archived"} == set(report.run.counts["archive"])
    assert (before, []) == (exported(busy), busy.runs.latest(9))


def test_no_two_processes_tend_one_store_and_two_stores_do_not_wait(here):
    settings = load_settings(here)
    other = settings.replace(values={**settings.values, "storage.db_path": "/elsewhere.db"})
    assert make_lock(settings)._path != make_lock(other)._path
    with maintenance_lock(settings):
        with maintenance_lock(other):
            pass
        program = (
            "import os; from aforesaid.operations.maintenance import maintenance_lock\n"
            "from aforesaid.config import load_settings\n"
            "with maintenance_lock(load_settings(os.environ)): pass"
        )
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**here, "PYTHONPATH": os.path.join(ROOT, "server")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "maintenance of this store is already running" in done.stderr
    with maintenance_lock(settings):
        pass


# -- by itself


def test_a_store_is_due_a_day_after_it_began_once_in_an_interval_and_after_a_stop(here):
    settings = load_settings(here)
    store = open_sqlite(settings.db_path)
    clock = TickingClock(NOW)
    assert not is_due(store, settings, NOW)
    filler = StoreFiller(store, HashedEmbedder())
    with store.transaction():
        filler.add_memory("the very first", at=NOW)
    assert not is_due(store, settings, NOW + 23 * HOUR)
    assert is_due(store, settings, NOW + 25 * HOUR)
    clock.at = NOW + 25 * HOUR
    run = MaintenanceRunner(store, clock, []).run().run
    assert not is_due(store, settings, clock.at + 23 * HOUR)
    assert is_due(store, settings, clock.at + 25 * HOUR)
    store.runs.put(run.replace(ended_at=None))
    assert not is_due(store, settings, clock.at + HOUR // 2)
    assert is_due(store, settings, clock.at + 2 * HOUR)
    assert is_due(store, settings, clock.at - 900 * HOUR)  # the clock was ahead, and is right now
    off = settings.replace(values={**settings.values, "maintenance.enabled": False})
    assert not is_due(store, off, clock.at + 900 * HOUR)
    store.close()


def test_a_session_start_starts_tending_when_it_is_due_and_once(here):
    settings = load_settings(here)
    store = open_sqlite(settings.db_path)
    filler = StoreFiller(store, HashedEmbedder())
    with store.transaction():
        filler.add_memory("coffee was cold on floor one", at=NOW, type="episodic", importance=0.1)
        filler.add_memory(
            "coffee was cold on floor two", at=NOW + 1, type="episodic", importance=0.1
        )
    assert [] == store.runs.latest(9)

    def start() -> None:
        event = {"session_id": "s-1", "cwd": here["HOME"], "hook_event_name": "SessionStart"}
        done = subprocess.run(
            [sys.executable, os.path.join(ROOT, "server", "start.py"), "hook", "session-start"],
            input=json.dumps(event),
            env={**here, "CLAUDE_PID": str(os.getpid())},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "memories" in done.stdout

    start()
    deadline = time.monotonic() + 60
    while (
        not (store.runs.latest(9) and store.runs.latest(1)[0].ended_at)
        and time.monotonic() < deadline
    ):
        time.sleep(0.1)
    (run,) = store.runs.latest(9)
    assert ("itself", True) == (run.by, run.is_finished)
    assert 1 <= run.counts["archive"]["archived"]
    session = store.sessions.get("s-1")
    assert session is not None
    assert not session_start.is_client_gone(session)
    start()
    assert [run] == store.runs.latest(9)
    store.close()


def test_a_lock_that_another_holds_is_told_as_what_it_is(here):
    settings = load_settings(here)
    with maintenance_lock(settings):
        item = make_lock(settings)
        with pytest.raises(ConflictError, match="already running"):
            item.acquire()
