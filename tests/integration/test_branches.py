"""What is learnt on a branch: marked elsewhere, below what holds there, until it is merged."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from aforesaid.domain.model.branch import mark_of
from aforesaid.domain.model.memory import IMPORTANCE_WORDS
from aforesaid.domain.model.relation import Link
from aforesaid.domain.model.statement import Statement
from aforesaid.entrypoints.cli.app import main
from aforesaid.operations import session_start
from aforesaid.operations.action_hook import recall_for_action
from aforesaid.operations.maintenance import make_maintenance_runner
from aforesaid.operations.prompt_server import PromptServer
from aforesaid.services.sessions.session_event import SessionEvent
from aforesaid.services.transfer.export import export_lines
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from git_folders import git, make_repository
from transcripts import Script
from user_home import use_home

pytestmark = pytest.mark.skipif(os.name == "nt", reason="worktrees and sockets as on POSIX")

HERE = "The payment queue is RabbitMQ."
BRANCH_FACT = "The outbox table of the payment service is called pending_events."
NOTE = "branch feature/outbox, not merged here"
PATIENCE = 30.0


class World:
    """A user with a repository on main, and a worktree of it on feature/outbox."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        use_home(home, monkeypatch)
        monkeypatch.setenv("AFORESAID_ENV", sys.prefix)
        self.main = make_repository(
            home / "code" / "shop", remote="git@host.example:acme/shop.git", commits=2
        )
        self.feature = home / "code" / "shop-outbox"
        git(self.main, "worktree", "add", "-q", "-b", "feature/outbox", str(self.feature))
        self.commit("outbox.py")

    def commit(self, path: str, text: str = "pending_events\n", at: int = 1_700_000_100) -> None:
        (self.feature / path).write_text(text)
        git(self.feature, "add", "-A")
        git(self.feature, "commit", "-q", "-m", f"Add {path}", at=at)

    def merge(self) -> None:
        git(self.main, "merge", "-q", "--no-ff", "feature/outbox", at=1_700_000_200)

    def core(self, folder: Path):
        core = ServiceContainer(os.environ)
        facts = factories.read_workspace(str(folder), core.settings, os.environ)
        return core, core.projects.resolve(facts)

    def store(self, folder: Path, *contents: str, **fields: object):
        core, context = self.core(folder)
        statements = [Statement(content=content, **fields) for content in contents]
        results = core.writer.store_many(statements, context)
        core.close()
        return [result.memory for result in results]

    def memory(self, content: str):
        core, _ = self.core(self.main)
        rows = core.store.maintenance.page(0, 100, until=99)
        core.close()
        return next(memory for memory in rows if memory.content == content)

    def exported(self) -> list[str]:
        core, _ = self.core(self.main)
        lines = list(export_lines(core.store))
        core.close()
        return lines

    def start(self, folder: Path, session: str = "s") -> str:
        started = session_start.start_session(
            os.environ, session_id=session, transcript_path="", folder=str(folder), source="startup"
        )
        assert started is not None
        return started.context

    def digest(self, script: Script, folder: Path, session: str) -> None:
        core, _ = self.core(folder)
        digester = factories.make_session_digester(core.store, core.settings, os.environ)
        path = script.write(self.main.parent, f"{session}.jsonl")
        digester.end_session(
            SessionEvent(session_id=session, transcript_path=path, folder=script.cwd)
        )
        core.close()

    def cli(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys, *words: str):
        monkeypatch.chdir(folder)
        assert 0 == main([*words, "--json"])
        return json.loads(capsys.readouterr().out)


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


def test_what_was_learnt_on_a_branch_is_marked_elsewhere_and_below_what_holds_there(world):
    world.store(world.feature, BRANCH_FACT, pinned=True)
    world.store(world.main, HERE)
    lines = world.start(world.main).splitlines()
    marked = next(index for index, line in enumerate(lines) if BRANCH_FACT in line)
    assert NOTE in lines[marked]
    assert HERE in "".join(lines[:marked])
    own = world.start(world.feature, "t")
    assert BRANCH_FACT in own
    assert "not merged" not in own


def test_a_merge_ends_the_mark_at_once_and_maintenance_removes_it(world):
    world.store(world.feature, BRANCH_FACT)
    world.merge()
    shown = world.start(world.main)
    assert BRANCH_FACT in shown
    assert "not merged" not in shown
    assert mark_of(world.memory(BRANCH_FACT)) is not None
    run_maintenance(world)
    assert mark_of(world.memory(BRANCH_FACT)) is None


def run_maintenance(world: World, undo: int | None = None, phase: str = "branches"):
    core, _ = world.core(world.main)
    runner = make_maintenance_runner(core.store, core.settings, os.environ, core.get_embedder)
    report = runner.run([phase]) if undo is None else runner.undo(undo)
    core.close()
    return report


def test_maintenance_reads_nothing_of_a_project_that_is_off(world, monkeypatch):
    world.store(world.feature, BRANCH_FACT)
    world.merge()
    monkeypatch.setenv("AFORESAID_PROJECT_OFF", "acme/shop")
    run_maintenance(world)
    monkeypatch.delenv("AFORESAID_PROJECT_OFF")
    assert mark_of(world.memory(BRANCH_FACT)) is not None
    run_maintenance(world)
    assert mark_of(world.memory(BRANCH_FACT)) is None


def test_maintenance_of_a_deleted_branch_fades_its_facts_and_can_be_undone(world):
    world.store(world.main, HERE)
    world.store(world.feature, BRANCH_FACT, importance=0.9)
    git(world.main, "worktree", "remove", "--force", str(world.feature))
    git(world.main, "branch", "-q", "-D", "feature/outbox")
    world.start(world.main)
    before = world.exported()
    report = run_maintenance(world)
    assert {"gone": 1} == report.run.counts["branches"]
    assert IMPORTANCE_WORDS["low"] == world.memory(BRANCH_FACT).importance
    run_maintenance(world, undo=report.run.key)
    assert before == world.exported()
    assert {"gone": 1} == run_maintenance(world).run.counts["branches"]
    assert "branch feature/outbox, deleted unmerged" in world.start(world.main, "t")
    assert {} == run_maintenance(world).run.counts.get("branches", {})


def test_rules_preferences_events_and_what_is_said_on_main_hold_everywhere(world):
    world.store(world.feature, "Never edit generated files.", type="procedural")
    world.store(world.feature, "Prefers small commits.", metadata={"category": "preference"})
    world.store(world.feature, "The release was cut.", type="episodic")
    world.store(world.main, HERE)
    assert "not merged" not in world.start(world.main)
    assert "not merged" not in world.start(world.feature, "t")


def test_a_fact_that_is_said_again_on_main_loses_its_mark_and_one_of_main_gets_none(world):
    world.store(world.feature, BRANCH_FACT)
    world.store(world.main, BRANCH_FACT)
    assert mark_of(world.memory(BRANCH_FACT)) is None
    world.store(world.main, HERE)
    world.store(world.feature, HERE)
    assert mark_of(world.memory(HERE)) is None


def test_a_correction_on_a_branch_shows_what_still_holds_elsewhere(world):
    (old,) = world.store(world.main, HERE)
    world.store(world.feature, "The payment queue is Kafka.", supersedes=(old.id,))
    line = next(line for line in world.start(world.main).splitlines() if "Kafka" in line)
    assert f'{NOTE}; before: "{HERE}"' in line
    assert "RabbitMQ" not in world.start(world.feature, "t")


def test_a_contradiction_between_branches_is_none_where_one_does_not_hold(world):
    (old,) = world.store(world.main, "Payments go through Stripe.")
    relation = Link(kind="contradicts", target=old.id)
    world.store(world.feature, "Payments go through Adyen now.", relations=(relation,))
    assert "contradicts" not in world.start(world.main)
    assert "Stripe" in world.start(world.main, "t")
    assert "contradicts" in world.start(world.feature, "u")


def test_recall_names_the_branch_after_the_results_that_hold(world, monkeypatch, capsys):
    world.store(world.feature, "The payment queue of the outbox is Kafka.")
    world.store(world.main, HERE)
    found = world.cli(world.main, monkeypatch, capsys, "search", "payment queue")["results"]
    assert [None, NOTE] == [result.get("branch") for result in found]
    own = world.cli(world.feature, monkeypatch, capsys, "search", "payment queue")["results"]
    assert [None, None] == [result.get("branch") for result in own]


def test_a_prompt_and_an_edit_name_the_branch(world):
    server = PromptServer(os.environ, os.getpid(), lambda: None)
    server.start()
    try:
        world.start(world.main)
        world.store(world.feature, BRANCH_FACT, anchors=("outbox.py",))
        shown = recall_for_action(
            os.environ, session_id="s", agent_id="", folder=str(world.main),
            path=str(world.main / "outbox.py"), command="", max_wait_seconds=PATIENCE,
        ).text  # fmt: skip
        assert BRANCH_FACT in shown
        assert NOTE in shown
    finally:
        server.close()


def test_what_the_user_said_on_a_branch_is_marked_by_the_transcript(world):
    script = Script(str(world.feature))
    script.user(
        "We decided to store payment events in a Kafka topic.",
        sessionId="e", gitBranch="feature/outbox",
    )  # fmt: skip
    script.say("Noted.", gitBranch="feature/outbox")
    git(world.feature, "checkout", "-q", "-b", "other")
    world.digest(script, world.feature, "e")
    core, _ = world.core(world.main)
    kept = core.store.maintenance.page(0, 100, until=99)
    core.close()
    marks = {memory.type: mark_of(memory) for memory in kept}
    assert marks["episodic"] is None
    assert "feature/outbox" == marks["semantic"].name


def test_maintenance_follows_cited_files_and_lines_that_moved_and_can_be_undone(
    world, monkeypatch, capsys
):
    path = world.main / "settings.py"
    path.write_text("import os\n\nMAX_RETRIES = 3  # of the outbox\nTIMEOUT_SECONDS = 30\n")
    git(world.main, "add", "-A")
    git(world.main, "commit", "-q", "-m", "Add settings")
    line, file = "MAX_RETRIES in settings.py is 3.", "Keep settings.py free of imports of the app."
    world.store(world.main, line, file)

    def anchors() -> list[list[str]]:
        world.start(world.main)
        found = world.cli(world.main, monkeypatch, capsys, "list", "--no-summary-only")["results"]
        ids = {memory["content"]: memory["id"] for memory in found}
        seen = [
            world.cli(world.main, monkeypatch, capsys, "inspect", ids[each])
            for each in (line, file)
        ]
        return [[*each["anchors"], *each.get("stale", ())] for each in seen]

    assert [["settings.py:3"], ["settings.py"]] == anchors()
    path.write_text("# settings\n" * 4 + path.read_text())
    assert {"moved": 1} == run_maintenance(world, phase="anchors").run.counts["anchors"]
    assert [["settings.py:7"], ["settings.py"]] == anchors()
    git(world.main, "commit", "-q", "-a", "-m", "Explain", at=int(time.time()) + 1)
    (world.main / "shop").mkdir()
    git(world.main, "mv", "settings.py", "shop/settings.py")
    assert {} == run_maintenance(world, phase="anchors").run.counts.get("anchors", {})
    git(world.main, "commit", "-q", "-a", "-m", "Move the settings", at=int(time.time()) + 2)
    report = run_maintenance(world, phase="anchors")
    assert {"moved": 2} == report.run.counts["anchors"]
    assert [["shop/settings.py:7"], ["shop/settings.py"]] == anchors()
    run_maintenance(world, undo=report.run.key)
    gone = [[name, f"{name} is gone"] for name in ("settings.py:7", "settings.py")]
    assert gone == anchors()
