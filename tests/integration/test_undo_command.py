"""What `aforesaid undo` takes back, and what is said of it, at a shell over a store in a file."""

from __future__ import annotations

import json
import os

import pytest

from aforesaid.entrypoints.cli import main
from user_home import make_shop


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """Return what runs a command in the home folder and returns its answer, or its error."""
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFORESAID_CWD", str(tmp_path))

    def run(*arguments, code=0, text=False):
        assert code == main([*arguments, *(() if text or code else ("--json",))])
        printed = capsys.readouterr()
        said = printed.out if not code else printed.err
        return " ".join(said.split()) if text or code else json.loads(said)

    return run


def store(ask, text: str, *options: str) -> str:
    memory_id = ask("remember", text, *options)["id"]
    assert isinstance(memory_id, str)
    return memory_id


def listed(ask) -> set[str]:
    return {memory["preview"] for memory in ask("list")["results"]}


def test_undoing_a_link_removes_the_link_only(ask) -> None:
    old = store(ask, "The mail relay is relay1.")
    new = store(ask, "Bees live in the northern meadow.")
    said = ask("link", new, "supersedes", old, text=True)
    assert f"undo with: aforesaid link {new} supersedes {old} --remove" in said
    assert {"Bees live in the northern meadow."} == listed(ask)
    assert f"{new} is kept" in ask("undo", new)["message"]
    assert {"Bees live in the northern meadow.", "The mail relay is relay1."} == listed(ask)
    again = ask("link", new, "supersedes", old, "--remove", text=True)
    assert again.startswith("unchanged, no such link: ")
    assert "undo with" not in again
    ask("link", new, "supports", old)
    assert ask("link", new, "supports", old, text=True).startswith("unchanged, linked before: ")


def test_undoing_an_edit_of_a_linked_memory_reverts_the_edit_first(ask) -> None:
    old = store(ask, "The mail relay is relay1.")
    new = store(ask, "Bees live in the northern meadow.")
    ask("link", new, "supersedes", old)
    edited = ask("update", new, "--content", "Bees live in the southern meadow.")["id"]
    assert f"to keep both: aforesaid undo {edited}" in ask("undo", edited)["message"]
    assert {"Bees live in the northern meadow."} == listed(ask)
    ask("undo", new)
    assert {"Bees live in the northern meadow.", "The mail relay is relay1."} == listed(ask)


def test_outside_of_projects_a_memory_moves_into_none(ask, monkeypatch) -> None:
    memory = store(ask, "The server runs Debian.")
    said = ask("update", memory, "--scope", "project", code=2)
    assert "--scope project: this folder is in no project (home folder)" in said
    assert "aforesaid update ID --project PROJECT" in said
    said = ask("update", memory, "--scope", "project", "--content", "It runs Alpine.", code=2)
    assert "this folder is in no project" in said
    event = store(ask, "The server crashed.", "--type", "episodic")
    monkeypatch.setenv("AFORESAID_PROJECT", "servers")
    assert ask("update", memory, "--scope", "project")["changed"] == ["scope"]
    assert "a folder without a project has it" in ask("inspect", event, code=3)


def test_an_update_says_the_former_and_the_new_value_and_is_undone(ask) -> None:
    memory = store(ask, "Deploys run from main.", "--tag", "deploy", "--tag", "ops")
    said = ask("update", memory, "--tag", "x", "--importance", "0.9", text=True)
    assert "tags: deploy, ops -> x" in said
    assert f"undo with: aforesaid undo {memory}" in said
    second = ask("update", memory, "--valid-to", "2031-05-01")
    assert {"valid_to": ""} == second["before"]
    assert {"valid_to": "2031-05-01"} == second["after"]
    assert "valid to: 2031-05-01 -> none" in ask("undo", memory, text=True)
    assert ["deploy", "ops"] == ask("undo", memory)["after"]["tags"]
    assert ["deploy", "ops"] == ask("inspect", memory)["tags"]
    ask("undo", memory, code=4)
    log = ask("inspect", memory, "--log")["log"]
    assert {"tags", "importance"} == set(log[1]["before"])


def test_the_status_of_a_task_is_set_back(ask, monkeypatch) -> None:
    monkeypatch.setenv("AFORESAID_PROJECT", "shop")
    task = store(ask, "Write the login page.", "--task-id", "login", "--due", "2031-05-01")
    ask("update", task, "--status", "completed")
    assert [] == ask("tasks")["tasks"]
    said = ask("undo", task, text=True)
    assert "Set back" in said
    assert "status: completed -> active" in said
    assert ["login"] == [each["task_id"] for each in ask("tasks")["tasks"]]
    assert "due: 2031-05-01 -> 2031-06-01" in ask("update", task, "--due", "2031-06-01", text=True)


def test_cited_files_and_triggers_are_changed_removed_kept_and_set_back(
    ask, tmp_path, monkeypatch
) -> None:
    project = make_shop(tmp_path)
    (project / "a.py").write_text("one\n")
    (project / "b.py").write_text("two\n")
    monkeypatch.setenv("AFORESAID_CWD", str(project))
    memory = store(
        ask, "Pushes are never forced.", "--anchors", "a.py", "--trigger", "git push --force"
    )

    def shown() -> tuple[list[str], str, list[str] | None]:
        found = ask("inspect", memory)
        trigger = found.get("metadata", {}).get("trigger", "")
        return found.get("anchors", []), trigger, found.get("stale")

    (project / "a.py").write_text("changed\n")
    first = (["a.py"], "$ git push --force", ["a.py changed"])
    assert first == shown()
    said = ask("update", memory, "--anchors", "b.py", "--trigger", "git push -f", text=True)
    assert "anchors: a.py -> b.py" in said
    assert "trigger: $ git push --force -> $ git push -f" in said
    second = (["b.py"], "$ git push -f", None)
    assert second == shown()
    ask("update", memory, "--anchors", "", "--trigger", "")
    assert ([], "", None) == shown()
    ask("undo", memory)
    assert second == shown()
    ask("update", memory, "--metadata", '{"trigger": "git push -x", "category": "rule"}')
    assert "git push -x" in shown()[1]
    ask("undo", memory)
    ask("update", memory, "--metadata", '{"category": "rule"}', "--tag", "git")
    assert second == shown()
    ask("undo", memory)
    newer = ask("update", memory, "--content", "Pushes to main are never forced.")["id"]
    assert second[1] == ask("inspect", newer)["metadata"]["trigger"]
    assert second[0] == ask("inspect", newer)["anchors"]
    changed = ask("update", newer, "--content", "No push is forced.", "--trigger", "git push")
    assert "$ git push" == ask("inspect", changed["id"])["metadata"]["trigger"]
    for each in (changed["id"], newer, memory):
        ask("undo", each)
    assert first == shown()


def test_undo_says_what_it_does_not_cover(ask, monkeypatch) -> None:
    monkeypatch.setenv("AFORESAID_PROJECT", "shop")
    memory = store(ask, "Write the login page.", "--scope", "project")
    ask("update", memory, "--task-id", "login")
    said = ask("undo", memory, code=4)
    assert "undo covers neither" in said
    assert "task_id" in said


def test_updates_edits_and_links_are_undone_in_the_order_of_their_making(ask) -> None:
    old = store(ask, "The mail relay is relay1.")
    first = store(ask, "Bees live in the northern meadow.")
    new = ask("update", first, "--content", "Bees live in the southern meadow.")["id"]
    ask("update", new, "--tag", "bees")
    ask("link", new, "supports", old)
    assert ["tags"] == ask("undo", new)["changed"]
    assert first == ask("undo", new)["id"]
    ask("update", first, "--tag", "bees")
    ask("link", first, "supersedes", old)
    assert old == ask("undo", first)["id"]
    assert ["tags"] == ask("undo", first)["changed"]
