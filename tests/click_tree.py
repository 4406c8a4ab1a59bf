"""The tree of commands, walked."""

from __future__ import annotations

import click


def commands(group: click.Group, before: str = "") -> dict[str, click.Command]:
    """Return every command by its words, groups among them."""
    context = click.Context(group)
    found = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found[f"{before}{name}"] = command
        if isinstance(command, click.Group):
            found |= commands(command, f"{before}{name} ")
    return found
