"""Calls of tools, said as commands."""

from __future__ import annotations

import click
import pytest

from aforesaid.entrypoints.api.tool_schemas import TOOLS
from aforesaid.entrypoints.cli import aforesaid
from aforesaid.entrypoints.cli.tool_names import COMMANDS, tool_calls_to_commands


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('update_memory(id="k3f9", restore=true)', "aforesaid undo k3f9"),
        ("update_memory(id, restore=true) brings it back", "aforesaid undo ID brings it back"),
        ('update_memory(id, scope="global")', "aforesaid update ID --scope global"),
        ('update_memory(id="k3f9", tags="a")', "aforesaid update k3f9 --tags a"),
        ("recall_memory(query=...) finds ids", "aforesaid search QUERY finds ids"),
        ("explore_memory() lists them", "aforesaid topics lists them"),
        ("store_memory needs content", "aforesaid remember needs content"),
        ("or with new=true for a new project", "or with --new for a new project"),
        ('since="1970" searches all time', "--since 1970 searches all time"),
        ('only until="last week"', 'only --until "last week"'),
        ("nothing of a tool here (or there)", "nothing of a tool here (or there)"),
    ],
)
def test_a_call_is_said_as_a_command(text, expected) -> None:
    assert expected == tool_calls_to_commands(text)


def test_every_tool_has_a_command_that_is_there() -> None:
    assert set(TOOLS) == set(COMMANDS)
    listed = aforesaid.list_commands(click.Context(aforesaid))
    assert set() == {command.split()[0] for command in COMMANDS.values()} - set(listed)
