"""``projects``: list projects, merge two, and assign folders to them."""

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
    """List projects, merge two, or assign a folder to one."""
    if context.invoked_subcommand is None:
        context.invoke(list_projects, as_json=as_json)


@projects.command("list")
@as_json
def list_projects(*, as_json: bool) -> None:
    """List the known projects, most recently used first."""
    answer = call_tool("list_projects", {}, has_schema=False)
    if as_json:
        show_json(answer)
        return
    columns = ("project", "memories", "last_used", "description", "key")
    show_table(answer["projects"], columns, whole=("project", "last_used"))
    if not answer["projects"]:
        click.echo("No projects yet.")


@projects.command()
@click.argument("source")
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Show what would move, change nothing.")
@click.option("--yes", is_flag=True, help="Merge without asking.")
@as_json
def merge(source: str, target: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Move everything in project SOURCE to TARGET.

    This includes memories, tasks, topics, entities and folders.

    Name each project by its name or key. A merge cannot be undone, so a copy of the store is made
    first and kept beside it.
    """
    names = {"source": source, "target": target}
    plan = _change({"action": "plan", **names})
    if dry_run:
        show_json(plan) if as_json else print_fields(
            {"would move": plan.pop("memories", 0), **plan}
        )
        return
    count = pluralize(plan.get("memories", 0), "memory", "memories")
    question = f"Move {count} from {plan['source']} to {plan['target']} for good?"
    confirm(question, yes=yes, reason="a merge cannot be undone")
    answer = _change({"action": "merge", **names})
    show_json(answer) if as_json else print_fields(answer)


@projects.command("map")
@click.argument("folder", type=click.Path(file_okay=False))
@click.argument("project", required=False)
@click.option("--description", help="A description of the project in one sentence.")
@click.option("--keyword", "keywords", multiple=True, help="A word that identifies it; repeatable.")
@click.option("--new", is_flag=True, help="Create the project even if a similar name exists.")
@click.option("--remove", is_flag=True, help="Remove the assignment of the folder.")
@as_json
def map_folder(
    *, folder: str, project: str | None, remove: bool, as_json: bool, **options: Any
) -> None:
    """Assign FOLDER to PROJECT.

    Without PROJECT, show which project the folder belongs to.

    A new name creates a project. Memories of the folder's provisional project move with it; those
    of another project stay there, and the answer names the command that moves them.
    """
    if remove and project is not None:
        raise click.UsageError("--remove takes no PROJECT: leave it out")
    action = "unmap" if remove else "whose" if project is None else "map"
    answer = _change({"action": action, "folder": folder, "project": project, **options})
    show_json(answer) if as_json else print_fields(answer)


def _change(arguments: dict[str, Any]) -> dict[str, Any]:
    return call_tool("change_projects", arguments, has_schema=False)
