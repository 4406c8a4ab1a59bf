"""``entities``: what memories are about, and putting the registry right."""

from __future__ import annotations

from typing import Any

import click

from .app import aforesaid
from .common import (
    all_projects,
    as_json,
    call_tool,
    parameters,
    print_fields,
    show_json,
    show_table,
)
from .terminal import time_text

_COLUMNS = ("entity", "type", "project", "score", "memories", "updated", "aliases")


@aforesaid.group(invoke_without_command=True)
@as_json
@click.pass_context
def entities(context: click.Context, *, as_json: bool) -> None:
    """List, search, merge and rename what memories are about."""
    if context.invoked_subcommand is None:
        context.invoke(list_entities, all_projects=False, as_json=as_json)


@entities.command("list")
@parameters("search_entities", "query")
@all_projects
@as_json
def list_entities(*, all_projects: bool, as_json: bool, **given: Any) -> None:
    """List the known entities by name, page by page."""
    _show(call_tool("search_entities", given, everywhere=all_projects), as_json=as_json)


@entities.command()
@click.argument("query", nargs=-1, required=True)
@parameters("search_entities", "query", "cursor")
@all_projects
@as_json
def search(query: tuple[str, ...], *, all_projects: bool, as_json: bool, **given: Any) -> None:
    """Find entities whose names are alike, or mean the like."""
    given["query"] = " ".join(query)
    _show(call_tool("search_entities", given, everywhere=all_projects), as_json=as_json)


@entities.command()
@click.argument("source")
@click.argument("target")
@as_json
def merge(source: str, target: str, *, as_json: bool) -> None:
    """Have SOURCE be known as TARGET; its names become aliases."""
    _change({"action": "merge", "source": source, "target": target}, as_json=as_json)


@entities.command()
@click.argument("name")
@click.argument("new_name")
@as_json
def rename(name: str, new_name: str, *, as_json: bool) -> None:
    """Give the entity NAME a new name; the old one is an alias."""
    _change({"action": "rename", "source": name, "target": new_name}, as_json=as_json)


@entities.command()
@click.argument("change", type=int, required=False)
@click.option("--list", "listed", is_flag=True, help="Only show what can be undone.")
@as_json
def undo(change: int | None, *, listed: bool, as_json: bool) -> None:
    """Take back a merge or rename.

    The last one, or the CHANGE with this number.
    """
    if not listed:
        _change({"action": "undo", "change": change}, as_json=as_json)
        return
    answer = call_tool("change_entities", {"action": "changes"}, listed=False)
    if as_json:
        show_json(answer)
    elif answer["changes"]:
        show_table(answer["changes"], ("change", "at", "what"))
    else:
        click.echo("There is nothing to undo.")


def _change(given: dict[str, Any], *, as_json: bool) -> None:
    answer = call_tool("change_entities", given, listed=False)
    if as_json:
        show_json(answer)
    elif "undone" in answer:
        click.echo(f"Undone: {answer['undone']['what']}")
    else:
        print_fields(answer)


def _show(answer: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(answer)
        return
    rows = [
        {
            **one,
            "type": one.get("entity_type"),
            "project": one.get("project") or one.get("scope"),
            "memories": one.get("memory_count"),
            "updated": time_text(str(one.get("last_updated", "")))[:10],
        }
        for one in answer["results"]
    ]
    show_table(rows, _COLUMNS)
    if not answer["results"]:
        click.echo("No entity is known that fits.")
    if answer.get("next_cursor"):
        click.echo(f"More: the same with --cursor {answer['next_cursor']}")
