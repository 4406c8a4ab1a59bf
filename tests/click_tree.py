"""Lists every command of a click group, including subcommands."""

from __future__ import annotations

import click


def commands(group: click.Group, prefix: str = "") -> dict[str, click.Command]:
    """Return every command and group by its full name, such as ``model use``."""
    context = click.Context(group)
    by_name = {}
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        by_name[f"{prefix}{name}"] = command
        if isinstance(command, click.Group):
            by_name |= commands(command, f"{prefix}{name} ")
    return by_name
