"""The plugin's files in the client: valid, listed, allowed what they need, and quiet when off."""

from __future__ import annotations

import json
import subprocess
from hashlib import sha256

import pytest

from e2e.plugin import KEPT, PREFIX, call, contexts_of, remember_three, settle, stores
from rig import Sandbox, tool, turn

pytestmark = pytest.mark.client

PATHS = [".", ".claude-plugin/plugin.json"]


@pytest.mark.parametrize("profile", [[], ["--profile", "directory"]], ids=["plain", "directory"])
@pytest.mark.parametrize("path", PATHS, ids=["folder", "manifest"])
def test_the_client_finds_nothing_to_warn_about(client, market, tmp_path, path, profile):
    with Sandbox(tmp_path / "box", client) as box:
        where = str(market.work_tree / path)
        done = box.command("plugin", "validate", where, "--strict", *profile)
    assert (0, "") == (done.code, done.stderr), done.stdout


def test_only_forgetting_asks(box):
    script = [
        *stores()[:1],
        turn(call("recall_memory", query="commit messages")),
        lambda request: turn(call("update_memory", id=first_id(request), tags=["style"])),
        turn(call("get_context")),
        turn(call("set_project", project="payments")),
        turn(call("memory_stats")),
        lambda request: turn(call("forget_memory", id=first_id(request))),
        "done",
    ]
    result = box.prompt("use every tool", script=script)
    denied = [denial["tool_name"] for denial in result.final["permission_denials"]]
    *answered, forgetting = result.main[-1].tool_results
    assert [PREFIX + "forget_memory"] == denied
    assert "haven't granted" in forgetting
    assert [] == [text for text in answered if not text.startswith("{")]
    assert 6 == len(answered)


def first_id(request):
    return request.tool_results[0].split('"id":"')[1].split('"')[0]


def test_the_two_core_tools_are_in_view_and_the_others_named(box):
    first = box.prompt("hello", script=["ok"]).main[0]
    ours = [name for name in first.tool_names if name.startswith(PREFIX)]
    assert [PREFIX + "recall_memory", PREFIX + "store_memory"] == sorted(ours)
    assert PREFIX + "forget_memory" in first.all_text


def test_the_skill_and_both_commands_are_listed_to_the_model(box):
    first = box.prompt("hello", script=["ok"]).main[0]
    listed = ["aforesaid:memory: ", "aforesaid:recall: ", "aforesaid:remember: "]
    assert [] == [line for line in listed if f"- {line}" not in first.all_text]


def test_the_skill_loads_unasked_when_the_model_calls_for_it(box):
    load = turn(tool("Skill", {"skill": "aforesaid:memory"}))
    result = box.prompt("hello", script=[load, "ok"])
    assert [] == result.final["permission_denials"]
    assert (
        "# Memory\n\nThe tools are named `mcp__plugin_aforesaid_memory__"
        in result.main[-1].user_text
    )


def test_instructions_stand_beside_the_client_s_own_memory(box):
    both = box.prompt("hello", script=["ok"]).main[0]
    alone = box.prompt("hi", script=["ok"], env={"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}).main[0]
    theirs, ours = "persistent file-based memory", "If the client also has a file-based memory"
    assert (True, True) == (theirs in both.all_text, ours in both.all_text)
    assert (False, True) == (theirs in alone.all_text, ours in alone.all_text)


@pytest.mark.parametrize(
    ("command", "allowed"),
    [
        (
            "recall",
            "recall_memory explore_memory get_context memory_inspect memory_stats search_entities",
        ),
        ("remember", "store_memory recall_memory search_entities"),
        ("forget", "forget_memory recall_memory"),
        ("topics", "explore_memory recall_memory"),
        ("tasks", "recall_memory get_context"),
        ("status", "get_context memory_stats set_project"),
    ],
)
def test_a_command_reaches_the_model_with_its_tools_allowed(box, command, allowed):
    result = box.prompt(f"/aforesaid:{command} the queue's name", script=["ok"])
    lines = box.transcript(result.session_id)
    granted = {
        tool for line in lines for tool in line.get("attachment", {}).get("allowedTools", [])
    }
    assert "the queue's name" in result.main[0].user_text
    tools = [PREFIX + tool for tool in allowed.split()]
    assert tools[0] in result.main[0].user_text
    assert set(tools) == granted


def test_forgetting_at_the_user_s_word_asks_for_nothing(box):
    box.prompt("note this", script=[turn(call("store_memory", content=KEPT[0])), "ok"])
    find = turn(call("recall_memory", query="commit messages"))

    def forget_found(request):
        results = json.loads(request.last_tool_result)["results"]
        return turn(call("forget_memory", id=results[0]["id"]))

    result = box.prompt("/aforesaid:forget commit messages", script=[find, forget_found, "Gone."])
    assert [] == result.final["permission_denials"]
    assert '"forgotten":true' in result.main[-1].last_tool_result


def test_switched_off_it_shows_and_keeps_nothing(box):
    remember_three(box)
    settle(box)
    before = files_of(box)
    result = box.prompt("hello", script=["ok"], env={"AFORESAID_OFF": "1"})
    settle(box)
    assert 0 == result.code
    assert [] == contexts_of(result.main[0])
    assert [] == [text for text in KEPT if text in result.main[0].all_text]
    assert before == files_of(box)


def test_switched_off_from_the_start_it_offers_nothing_and_makes_no_store(box):
    store = turn(call("store_memory", content=KEPT[0]))
    result = box.prompt("hello", script=[store, "ok"], env={"AFORESAID_OFF": "1"})
    settle(box)
    assert 0 == result.code
    assert PREFIX not in result.main[0].all_text
    assert [] == [name for name in result.main[0].tool_names if name.startswith(PREFIX)]
    assert "No such tool available" in result.main[-1].last_tool_result
    assert {} == files_of(box)


def files_of(box):
    """Return the files of ours below HOME, with a hash of what each holds."""
    folders = [box.home / ".local" / kind / "aforesaid" for kind in ("share", "state")]
    folders.append(box.home / ".config" / "aforesaid")
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return {str(path): sha256(path.read_bytes()).hexdigest() for path in files}


def test_nothing_leaves_the_machine_and_nothing_enters_the_repository(box):
    (box.project / "main.py").write_text("print('hi')\n")
    before = tree_of(box.project)
    remember_three(box)
    box.prompt("go on", script=[turn(call("recall_memory", query="queue")), "ok"])
    settle(box)
    assert [] == box.api.refused
    assert before == tree_of(box.project)


def tree_of(project):
    """Return what git says of the folder, and its files outside git's own."""
    status = subprocess.run(
        ["git", "-C", str(project), "status", "--porcelain", "--ignored"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    files = [p for p in project.rglob("*") if p.is_file() and ".git" not in p.parts]
    config = (project / ".git" / "config").read_text()
    return status, config, {str(path): path.read_bytes() for path in files}
