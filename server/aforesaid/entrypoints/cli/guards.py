"""``guards``: rules of the user that are checked before each edit and command of an agent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.api.person import require_person

from .app import aforesaid
from .common import as_json, echo_wrapped, open_connection, show_json, show_table

if TYPE_CHECKING:
    from aforesaid.domain.context.guard import Guard

_MAX_LINES = 3  #: of one rule


@aforesaid.group(invoke_without_command=True)
@as_json
@click.pass_context
def guards(context: click.Context, *, as_json: bool) -> None:
    """List rules that are checked before each action of an agent.

    A guard forbids a command, edits of files, or a text in files. When an action breaks it, the
    agent is shown the rule; with --ask, you are asked first. A guard never blocks by itself.
    """
    if context.invoked_subcommand is not None:
        return
    with open_connection() as connection:
        core = connection.core
        in_force = core.guards.list_in_force(connection.call_context())
        short_ids = core.store.memories.short_ids([memory.key for memory, _ in in_force])
    rows: list[dict[str, Any]] = [
        {
            "id": short_ids[memory.key],
            "checks": guard.describe(),
            "mode": "ask" if guard.asks else "tell",
            "kept": guard.kept,
            "broken": guard.broken,
            "rule": memory.content,
        }
        for memory, guard in in_force
    ]
    if as_json:
        show_json({"guards": rows})
        return
    shown = [
        {
            **row,
            "kept": f"in {pluralize(row['kept'], 'session')}",
            "broken": pluralize(row["broken"], "time"),
        }
        for row in rows
    ]
    show_table(shown, ("id", "checks", "mode", "kept", "broken", "rule"), max_lines=_MAX_LINES)
    if rows:
        click.echo("Actions are counted when their session is digested.")
    else:
        echo_wrapped(
            "No guards here. Rules that can be checked are offered: aforesaid offers. "
            "Or make one: aforesaid guards add ID"
        )


@guards.command()
@click.argument("memory", metavar="ID")
@click.option("--command", default="", help="The first words of a forbidden command.")
@click.option("--files", default="", help="A path or pattern of files that must not be edited.")
@click.option(
    "--text", default="", help="Text that must not be added to --files (default: to any file)."
)
@click.option("--ask", is_flag=True, help="Ask me before an action that breaks it.")
@as_json
def add(memory: str, *, command: str, files: str, text: str, ask: bool, as_json: bool) -> None:
    """Make memory ID a guard, or change its pattern or --ask.

    Without a pattern, it is read from the text.
    """
    from aforesaid.domain.context.guard import make_guard, read_guard
    from aforesaid.services.resolve_id import locate_head

    require_person(os.environ)
    with open_connection() as connection:
        core, context = connection.core, connection.call_context()
        read: Guard | None
        if command or files or text:
            read = make_guard(command, files, text)
        else:
            read = read_guard(locate_head(core.store, memory, context.visible).content)
        guard = None if read is None else read.replace(asks=ask)
        stored = core.guards.set(memory, guard, context)
    checks = stored.describe()
    if as_json:
        show_json({"id": memory, "checks": checks, "mode": "ask" if ask else "tell"})
        return
    effect = "you are asked first" if ask else "the agent is shown the rule"
    echo_wrapped(f"Guard: {checks}; {effect}. Remove it with: aforesaid guards remove {memory}")


@guards.command()
@click.argument("memory", metavar="ID")
@as_json
def remove(memory: str, *, as_json: bool) -> None:
    """Stop checking memory ID; the memory is kept."""
    require_person(os.environ)
    with open_connection() as connection:
        connection.core.guards.remove(memory, connection.call_context())
    if as_json:
        show_json({"id": memory, "removed": True})
    else:
        click.echo("Removed. The memory is kept, and is no longer checked.")
