"""What the shell says to a newcomer who mistypes, looks up an id, or has a narrow window."""

from __future__ import annotations

import json
import os

import pytest

from aforesaid.domain.context.guard import make_guard, read_guard, why_unread
from aforesaid.domain.errors import InvalidInputError
from aforesaid.entrypoints.cli import main
from aforesaid.entrypoints.cli.common import show_table
from aforesaid.entrypoints.cli.tool_names import tool_calls_to_commands


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    """Return what runs a command in a named project and returns what it prints."""
    for name in list(os.environ):
        if name.startswith(("AFORESAID_", "XDG_", "CLAUDE")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AFORESAID_CWD", str(tmp_path))
    monkeypatch.setenv("AFORESAID_PROJECT", "shop")

    def run(*arguments, code=0):
        assert code == main([*arguments])
        printed = capsys.readouterr()
        if "--json" in arguments:
            return json.loads(printed.out)
        return " ".join((printed.err if code else printed.out).split())

    return run


def store(ask, text: str, *options: str) -> str:
    memory_id = ask("remember", text, *options, "--json")["id"]
    assert isinstance(memory_id, str)
    return memory_id


def test_forgetting_an_old_version_names_the_one_in_force(ask) -> None:
    old = store(ask, "The API port is 9090.")
    new = ask("update", old, "--content", "The API port is 9091.", "--json")["id"]
    said = ask("forget", old)
    assert f"Forgot {old} and {new}, which replaced it: The API port is 9091." in said


def test_a_rule_with_a_condition_is_not_said_to_name_no_command() -> None:
    rule = "Never run `terraform destroy` in production."
    assert read_guard(rule) is None
    assert 'has a condition ("in production")' in why_unread(rule)
    assert "names no command" in why_unread("Be kind.")
    with pytest.raises(InvalidInputError, match="leave it out"):
        make_guard("git push --force*")
    assert "rm *" == make_guard("rm *").command


def test_a_tag_that_nothing_has_is_said_to_be_unknown(ask) -> None:
    store(ask, "Deploys run from main.", "--tag", "deploy")
    assert "No memory here has the tag 'deplyo': did you mean 'deploy'?" in ask(
        "list", "--tag", "deplyo"
    )
    assert "tags here: deploy" in ask("search", "deploys", "--tag", "nosuch")
    assert "No matching memories." == ask("list", "--tag", "deploy", "--type", "episodic")


def test_a_kind_of_link_without_effect_is_said_to_be_one(ask) -> None:
    first, second = (store(ask, text) for text in ("Bees sleep.", "The API port is 9090."))
    assert "likes is a kind of your own" in ask("link", first, "likes", second)
    assert "of your own" not in ask("link", first, "supports", second)
    assert "did you mean supersedes?" in ask("link", first, "superceeds", second, code=2)


def test_an_id_finds_its_memory(ask) -> None:
    memory = store(ask, "The API port is 9090.")
    store(ask, "Bees sleep in the northern meadow.")
    assert [memory] == [each["id"] for each in ask("search", memory, "--json")["results"]]
    said = ask("z1vy", code=2)
    assert "No such command 'z1vy'. To show a memory: aforesaid inspect z1vy" in said
    assert "inspect" not in ask("zivy", code=2)


def test_several_changes_are_undone_at_once(ask) -> None:
    ids = [store(ask, text) for text in ("Bees sleep.", "The API port is 9090.")]
    ask("forget", *ids)
    assert 2 == len(ask("undo", *ids, "--json")["results"])
    assert 2 == len(ask("list", "--json")["results"])


def test_messages_name_what_was_typed(ask) -> None:
    memory = store(ask, "The API port is 9090.")
    dates = ("--valid-from", "2031-01-01", "--valid-to", "2030-01-01")
    assert "is after --valid-to" in ask("update", memory, *dates, code=2)
    assert "--due needs a --task-id: " in ask("update", memory, "--due", "2031-01-01", code=2)
    assert "searches; --since 1970 searches all time" in tool_calls_to_commands(
        'searches; since="1970" searches all time'
    )
    assert "aforesaid topics lists topics" in ask("search", "x", "--topic", "nosuch", code=3)
    assert "aforesaid projects map FOLDER PROJECT creates one" in ask(
        "list", "--project", "nosuch", code=3
    )


def test_a_refused_setting_or_line_is_named_as_it_was_typed(ask, tmp_path) -> None:
    said = ask("config", "set", "retrieval.max_results", "500", code=2)
    assert "aforesaid: retrieval.max_results is 500: use" in said
    lines = tmp_path / "lines.jsonl"
    lines.write_text('{"contnt": "x"}\n')
    assert "line 1: there is no field 'contnt': did you mean content?" in ask(
        "import", str(lines), code=1
    )


def test_commands_that_write_under_another_name_are_in_the_help(ask) -> None:
    said = ask("--help")
    assert "alias: add" in said
    assert "alias: delete" in said


def test_what_is_left_after_a_secret_is_said_to_be_too_little(ask) -> None:
    said = ask("remember", "password: hunter2-Xk39fQ81zzPw")
    assert "too short" not in said


def test_a_long_text_in_a_narrow_window_goes_below_its_row(monkeypatch, capsys) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("aforesaid.entrypoints.cli.common.terminal_width", lambda *_: 40)
    text = "A deployment must be announced in the channel of operations."
    show_table(
        [{"id": "ab12", "kind": "semantic", "memory": text}],
        ("id", "kind", "memory"), max_lines=3, stack_below=36,
    )  # fmt: skip
    heading, row, *below = capsys.readouterr().out.splitlines()
    assert (["id", "kind"], ["ab12", "semantic"]) == (heading.split(), row.split())
    assert text == " ".join(line.strip() for line in below)
    assert all(line.startswith("  ") and len(line) <= 40 for line in below)


def test_a_part_of_a_persons_name_suggests_the_person(ask) -> None:
    store(ask, "Leads payments.", "--entity", "Carlos Mendez")
    assert "--entity 'Carlos Mendez'" in ask(
        "remember", "Likes tea.", "--entity", "Mendez"
    ).replace('"', "'")
    found = ask("entities", "search", "mend")
    assert "Carlos Mendez" in found
