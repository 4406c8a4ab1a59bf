"""A rule of the user, from its statement to the action that breaks it."""

from __future__ import annotations

import json
import os
import time

import pytest

from action_world import World
from aforesaid.adapters.hook_clients import hook_client
from aforesaid.domain.context.guard import guard_of
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.entrypoints.cli.app import main
from aforesaid.operations.prompt_server import PromptServer
from aforesaid.wiring import factories
from aforesaid.wiring.container import ServiceContainer
from transcripts import Script

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Unix sockets need POSIX")

RULE = "Never run docker system prune, it deletes the volumes of other projects."
NO_LOG = "No console.log in src/."
PRUNE = "docker system prune -af"


@pytest.fixture
def world(tmp_path, monkeypatch):
    made = World(tmp_path, monkeypatch)
    monkeypatch.chdir(made.folder)
    return made


@pytest.fixture
def server(world):
    made = PromptServer(os.environ, os.getpid(), lambda: None)
    made.start()
    yield made
    made.close()


@pytest.fixture
def shell(capsys):
    def run(*words: str, code: int = 0):
        assert code == main([*words, "--json"])
        printed = capsys.readouterr()
        return json.loads(printed.out) if not code else printed.err

    return run


def until(holds) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def rule(content: str = RULE, **fields: object) -> Statement:
    return Statement(content=content, type="procedural", provenance="user", **fields)


def in_force(shell) -> list[tuple[str, str, int, int]]:
    return [
        (row["checks"], row["mode"], row["kept"], row["broken"])
        for row in shell("guards")["guards"]
    ]


@pytest.mark.usefixtures("server")
def test_a_rule_is_offered_once_with_its_pattern_and_does_nothing_before_it_is_accepted(
    world, shell
):
    world.store(rule())
    world.store(rule())
    (offer,) = shell("offers")["offers"]
    assert "commands like `docker system prune`. Make it a guard?" in offer["what"]
    assert "Make it a guard?" in world.start()
    assert "breaks a rule" not in world.act(command=PRUNE)
    shell("offers", "accept", str(offer["offer"]))
    assert [("commands like `docker system prune`", "tell", 0, 0)] == in_force(shell)
    assert [] == shell("offers")["offers"]
    world.store(rule())
    assert [] == shell("offers")["offers"]


@pytest.mark.usefixtures("server")
def test_the_agent_is_told_each_time_and_nothing_is_said_about_other_actions(world, shell):
    world.store(rule())
    shell("offers", "accept", "1")
    world.start()
    for _ in range(2):
        answer = world.ask(command=f"cd /tmp && {PRUNE}")
        assert "This action breaks a rule of the user." in answer.text
        assert "Never run docker system prune" in answer.text
        assert count_tokens(answer.text) <= 150
        assert "" == answer.ask
    assert "" == world.act(command="docker ps")


@pytest.mark.usefixtures("server")
def test_with_ask_claude_code_asks_the_user_and_other_clients_only_tell_the_agent(world, shell):
    world.store(rule())
    shell("offers", "accept", "1", "--ask")
    world.start()
    answer = world.ask(command=PRUNE)
    assert RULE in answer.ask
    output = hook_client("claude-code").answer("action", answer.text, ask=answer.ask)
    assert "ask" == output["hookSpecificOutput"]["permissionDecision"]
    assert RULE in output["hookSpecificOutput"]["permissionDecisionReason"]
    for name in ("codex", "gemini", "opencode"):
        output = hook_client(name).answer("action", answer.text, ask=answer.ask)
        assert "permissionDecision" not in output["hookSpecificOutput"]
        assert RULE[:40] in output["hookSpecificOutput"]["additionalContext"]


@pytest.mark.usefixtures("server")
def test_a_text_is_forbidden_in_its_files_only(world, shell):
    world.store(rule(NO_LOG))
    shell("offers", "accept", "1")
    world.start()
    source = str(world.folder / "src" / "a.ts")
    assert NO_LOG in world.ask(path=source, added="console.log(1)").text
    assert "" == world.ask(path=source, added="x = 1").text
    assert "" == world.ask(path=str(world.folder / "b.ts"), added="console.log(1)").text


def test_a_rule_about_existing_files_is_kept_by_making_a_new_one(world, shell):
    world.store(rule("Never edit existing files in db/migrations/."))
    shell("offers", "accept", "1")
    folder = world.folder / "db" / "migrations"
    folder.mkdir(parents=True)
    assert [] == shell("guards", "test", "--file", "db/migrations/2.sql")["broken"]
    (folder / "1.sql").touch()
    assert 1 == len(shell("guards", "test", "--file", "db/migrations/1.sql")["broken"])
    script = Script(str(world.folder))
    script.user("Add a table.", sessionId="five")
    made = script.call("Write", {"file_path": str(folder / "2.sql"), "content": "x"})
    script.result(made, "File created.", toolUseResult={"type": "create"})
    script.edit("db/migrations/2.sql")
    script.say("Done.")
    world.digest(script, "five")
    assert [(1, 0)] == [row[2:] for row in in_force(shell)]
    script.edit("db/migrations/1.sql")
    world.digest(script, "five")
    assert [(0, 1)] == [row[2:] for row in in_force(shell)]


@pytest.mark.usefixtures("server")
def test_a_session_that_stated_the_rule_itself_is_held_to_it(world, shell):
    world.store(rule(session="s"))
    shell("offers", "accept", "1")
    world.start()
    assert "breaks a rule" in world.act(command=PRUNE)


@pytest.mark.usefixtures("server")
def test_a_global_rule_is_offered_and_kept_everywhere(world, shell):
    world.store(rule(scope="global"))
    (offer,) = shell("offers")["offers"]
    shell("offers", "accept", str(offer["offer"]))
    world.start()
    assert "breaks a rule" in world.act(command=PRUNE)


def test_a_guard_can_be_made_changed_and_taken_back_by_hand(world, shell):
    world.store(rule("Keep the lock file as the bot wrote it."))
    (memory,) = shell("list")["results"]
    assert "names no command" in shell("guards", "add", memory["id"], code=2)
    shell("guards", "add", memory["id"], "--files", "*.lock")
    assert [("edits of `*.lock`", "tell", 0, 0)] == in_force(shell)
    shell("guards", "add", memory["id"], "--files", "*.lock", "--ask")
    assert [("edits of `*.lock`", "ask", 0, 0)] == in_force(shell)
    assert "--command, --files, --text" in shell(
        "guards", "add", memory["id"], "--command", "x", "--files", "y", code=2
    )
    shell("guards", "remove", memory["id"])
    assert [] == in_force(shell)
    assert "is not a guard" in shell("guards", "remove", memory["id"], code=3)
    assert 1 == len(shell("list")["results"])


def test_a_guard_can_be_tried_without_a_session(world, shell):
    world.store(rule(), rule("Keep the lock file as the bot wrote it."))
    for memory in shell("list")["results"]:
        pattern = ("--files", "*.lock") if "lock" in memory["preview"] else ("--ask",)
        shell("guards", "add", memory["id"], *pattern)

    (broken,) = shell("guards", "test", PRUNE)["broken"]
    assert ("ask", RULE) == (broken["mode"], broken["rule"])
    (broken,) = shell("guards", "test", "--file", "poetry.lock")["broken"]
    assert "edits of `*.lock`" == broken["checks"]
    assert {"broken": [], "clients": 0} == shell("guards", "test", "docker", "ps")
    assert "Give a COMMAND" in shell("guards", "test", code=2)
    assert [("edits of `*.lock`", 0), ("commands like `docker system prune`", 0)] == [
        (checks, broke) for checks, _, _, broke in in_force(shell)
    ]


def test_an_agent_can_neither_accept_nor_plant_a_guard(world, shell, monkeypatch):
    planted = {"guard": {"command": "ls"}, "note": "kept"}
    world.store(rule(metadata=planted, tags=("guard",)))
    (memory,) = shell("list")["results"]
    assert [] == in_force(shell)
    assert {"note": "kept"} == shell("inspect", memory["id"])["metadata"]
    monkeypatch.setenv("CLAUDECODE", "1")
    for words in (("offers", "accept", "1"), ("guards", "add", memory["id"])):
        assert "only the user" in shell(*words, code=2)
    monkeypatch.delenv("CLAUDECODE")
    shell("guards", "add", memory["id"])
    monkeypatch.setenv("CLAUDECODE", "1")
    shell("update", memory["id"], "--metadata", '{"note": "new"}')
    assert "only the user" in shell("guards", "remove", memory["id"], code=2)
    assert 1 == len(in_force(shell))


def test_a_reworded_rule_must_be_accepted_again(world, shell):
    world.store(rule())
    shell("offers", "accept", "1")
    (memory,) = shell("list")["results"]
    shell("update", memory["id"], "--content", "Never run docker volume prune.")
    assert [] == in_force(shell)
    (offer,) = shell("offers")["offers"]
    assert "docker volume prune" in offer["what"]


def test_sessions_that_keep_a_rule_and_actions_that_break_it_are_counted_once(world, shell):
    world.store(rule())
    shell("offers", "accept", "1")
    world.end(("docker ps", ""), session="one")
    assert [(1, 0)] == [row[2:] for row in in_force(shell)]
    world.end(("docker ps", ""), (PRUNE, ""), (PRUNE, "no space left"), session="two")
    assert [(1, 2)] == [row[2:] for row in in_force(shell)]
    world.end(("docker ps", ""), session="one")  # nothing new
    assert [(1, 2)] == [row[2:] for row in in_force(shell)]
    script = Script(str(world.folder))
    script.user("Only talk.", sessionId="three")
    script.say("Fine.")
    world.digest(script, "three")
    assert [(1, 2)] == [row[2:] for row in in_force(shell)]


def test_a_text_that_an_edit_added_is_counted_from_the_transcript(world, shell):
    world.store(rule(NO_LOG))
    shell("offers", "accept", "1")
    script = Script(str(world.folder))
    script.user("Add a log line.", sessionId="four")
    arguments = {
        "file_path": str(world.folder / "src" / "a.ts"),
        "old_string": "x",
        "new_string": "x\nconsole.log(x)",
    }
    script.result(script.call("Edit", arguments), "The file was changed.")
    script.say("Done.")
    world.digest(script, "four")
    assert [(0, 1)] == [row[2:] for row in in_force(shell)]


@pytest.mark.usefixtures("server")
def test_with_a_guard_actions_are_not_silent_and_without_one_they_are(world, shell):
    world.store(rule("Releases are made on Tuesdays."))
    core = ServiceContainer(os.environ)
    silent = os.path.join(core.settings.state_folder, "silent", "s.action")
    core.close()
    world.start()
    assert "" == world.act(command="make")
    until(lambda: os.path.exists(silent))
    os.unlink(silent)
    (memory,) = shell("list")["results"]
    shell("guards", "add", memory["id"], "--command", "make")
    world.start()
    assert "breaks a rule" in world.act(command="make")
    assert "" == world.act(command="ls -la")
    assert not os.path.exists(silent)


def test_a_guard_is_in_the_export_of_the_store_and_gone_with_its_rule(world, shell):
    world.store(rule())
    shell("offers", "accept", "1")
    core = ServiceContainer(os.environ)
    facts = factories.read_workspace(str(world.folder), core.settings, os.environ)
    context = core.projects.resolve(facts)
    ((memory, guard),) = core.guards.list_in_force(context)
    assert guard == guard_of(memory)
    core.close()
    shell("forget", memory.id, "--yes")
    assert [] == in_force(shell)
