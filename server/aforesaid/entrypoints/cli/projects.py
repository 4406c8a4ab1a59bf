"""``projects``: the known ones, two that are one, and whose a folder is."""

from __future__ import annotations

from typing import Any

import click

from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, call_tool, confirm, print_fields, show_json, show_table


@aforesaid.group(invoke_without_command=True)
@as_json
@click.pass_context
def projects(context: click.Context, *, as_json: bool) -> None:
    """List the known projects, merge two, or say whose a folder is."""
    if context.invoked_subcommand is None:
        context.invoke(list_projects, as_json=as_json)


@projects.command("list")
@as_json
def list_projects(*, as_json: bool) -> None:
    """List the known projects, most recently used first."""
    answer = call_tool("list_projects", {}, listed=False)
    if as_json:
        show_json(answer)
        return
    show_table(answer["projects"], ("project", "memories", "last_used", "description", "key"))
    if not answer["projects"]:
        click.echo("No project is known yet.")


@projects.command()
@click.argument("source")
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Only say what would move.")
@click.option("--yes", is_flag=True, help="Merge without asking.")
@as_json
def merge(source: str, target: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Move all that SOURCE holds to TARGET.

    Memories, tasks, topics, entities, folders.

    Both are named by name or key. A copy of the store as it was is kept beside it, since a merge
    cannot be taken apart again.
    """
    named = {"source": source, "target": target}
    plan = _change({"action": "plan", **named})
    if dry_run:
        show_json(plan) if as_json else print_fields(
            {"would move": plan.pop("memories", 0), **plan}
        )
        return
    moved = pluralize(plan.get("memories", 0), "memory", "memories")
    asked = f"Move {moved} of {plan['source']} to {plan['target']}, for good?"
    confirm(asked, yes=yes, why="a merge cannot be undone")
    done = _change({"action": "merge", **named})
    show_json(done) if as_json else print_fields(done)


@projects.command("map")
@click.argument("folder", type=click.Path(file_okay=False))
@click.argument("project", required=False)
@click.option("--description", help="What the project is, in a sentence.")
@click.option("--keyword", "keywords", multiple=True, help="A word that means it; repeatable.")
@click.option("--new", is_flag=True, help="Make the project though a near name exists.")
@click.option("--remove", is_flag=True, help="Take back what was chosen for the folder.")
@as_json
def map_folder(
    *, folder: str, project: str | None, remove: bool, as_json: bool, **told: Any
) -> None:
    """Say that FOLDER is PROJECT's from now on.

    Without PROJECT, show whose it is.

    A new name makes a project. What the folder's provisional project held moves along; what
    another project held stays there, and the answer names the command that moves it.
    """
    if remove and project is not None:
        raise click.UsageError("--remove takes back what was chosen: leave PROJECT out")
    action = "unmap" if remove else "whose" if project is None else "map"
    where = _change({"action": action, "folder": folder, "project": project, **told})
    show_json(where) if as_json else print_fields(where)


def _change(given: dict[str, Any]) -> dict[str, Any]:
    return call_tool("change_projects", given, listed=False)
