"""``guards``: rules of the user that are checked before each edit and command of an agent."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.api.person import require_person

from .app import aforesaid
from .common import as_json, echo_wrapped, located, open_connection, show_json, show_table

if TYPE_CHECKING:
    from aforesaid.domain.context.guard import Guard

_MAX_LINES = 3  #: of one rule
_WHERE_CHECKED = (
    "Actions are checked by the server of their session, so only while a client runs. "
    "To see what a guard says to a command: aforesaid guards test COMMAND"
)


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
    echo_wrapped(_WHERE_CHECKED)


@guards.command("test")
@click.argument("command", nargs=-1)
@click.option("--file", "path", default="", help="A file that is edited, instead of COMMAND.")
@click.option("--text", default="", help="Text that the edit adds to --file.")
@as_json
def check(command: tuple[str, ...], *, path: str, text: str, as_json: bool) -> None:
    """Show which guards COMMAND, or an edit, would break; run nothing.

    Quote a command that has options: aforesaid guards test 'git push --force'
    """
    from aforesaid.adapters.prompt_socket import list_listening
    from aforesaid.adapters.system.cited_files import CitedFiles
    from aforesaid.services.changed_files import locate_files

    if bool(command) == bool(path):
        raise InvalidInputError("what is checked? Give a COMMAND in quotes, or --file")
    path = located(path) or ""
    with open_connection() as connection:
        core, context = connection.core, connection.call_context()
        files = locate_files(CitedFiles(), [path], context)
        broken = core.guards.broken_by(context, " ".join(command), files, text)
        short_ids = core.store.memories.short_ids([memory.key for memory, _ in broken])
    rows = [
        {
            "id": short_ids[memory.key],
            "checks": guard.describe(),
            "mode": "ask" if guard.asks else "tell",
            "rule": memory.content,
        }
        for memory, guard in broken
    ]
    clients = len(list_listening(os.environ))
    if as_json:
        show_json({"broken": rows, "clients": clients})
        return
    show_table(rows, ("id", "checks", "mode", "rule"), max_lines=_MAX_LINES)
    if not rows:
        click.echo("No guard here forbids that.")
    what = pluralize(clients, "client") if clients else "no client"
    echo_wrapped(f"Guards act in the sessions of clients that run: {what} now.")


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
