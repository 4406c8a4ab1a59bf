"""``entities``: the people, systems and things that memories are about."""

from __future__ import annotations

from typing import Any

import click

from aforesaid.domain.model.entity import USER

from .app import SubcommandGroup, aforesaid
from .common import (
    all_projects,
    as_json,
    call_tool,
    print_fields,
    show_json,
    show_table,
    tool_options,
)
from .terminal import time_text

_COLUMNS = ("entity", "type", "project", "score", "memories", "updated", "aliases")


class _SearchGroup(SubcommandGroup):
    """A group whose first argument is searched for if it is not a subcommand."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand, or ``search`` with all arguments."""
        if args[0].startswith("-") or args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "search", self.commands["search"], args


@aforesaid.group(cls=_SearchGroup, invoke_without_command=True)
@as_json
@click.pass_context
def entities(context: click.Context, *, as_json: bool) -> None:
    """List, search, merge and rename entities.

    `aforesaid entities NAME` searches.
    """
    if context.invoked_subcommand is None:
        context.invoke(list_entities, all_projects=False, as_json=as_json)


@entities.command("list")
@tool_options("search_entities", "query", limit="1 to 50; default 20")
@all_projects
@as_json
def list_entities(*, all_projects: bool, as_json: bool, **options: Any) -> None:
    """List entities by name, page by page."""
    answer = call_tool("search_entities", options, everywhere=all_projects)
    _show(answer, as_json=as_json, if_empty="No entities yet: name one with remember --entity NAME")


@entities.command()
@click.argument("query", nargs=-1, required=True)
@tool_options("search_entities", "query", "cursor", limit="1 to 50; default 5")
@all_projects
@as_json
def search(query: tuple[str, ...], *, all_projects: bool, as_json: bool, **options: Any) -> None:
    """Find entities whose names are similar in spelling or meaning."""
    options["query"] = " ".join(query)
    _show(call_tool("search_entities", options, everywhere=all_projects), as_json=as_json)


@entities.command()
@click.argument("source")
@click.argument("target")
@as_json
def merge(source: str, target: str, *, as_json: bool) -> None:
    """Merge entity SOURCE into TARGET; its names become aliases."""
    _change({"action": "merge", "source": source, "target": target}, as_json=as_json)


@entities.command()
@click.argument("name")
@click.argument("new_name")
@as_json
def rename(name: str, new_name: str, *, as_json: bool) -> None:
    """Rename the entity NAME; the old name becomes an alias."""
    _change({"action": "rename", "source": name, "target": new_name}, as_json=as_json)


@entities.command()
@click.argument("change", type=int, required=False)
@click.option("--list", "list_only", is_flag=True, help="List the changes that can be undone.")
@as_json
def undo(change: int | None, *, list_only: bool, as_json: bool) -> None:
    """Undo the last merge or rename, or the CHANGE with this number."""
    if not list_only:
        _change({"action": "undo", "change": change}, as_json=as_json)
        return
    answer = call_tool("change_entities", {"action": "changes"}, has_schema=False)
    if as_json:
        show_json(answer)
    elif answer["changes"]:
        show_table(
            answer["changes"],
            ("change", "at", "what"),
            labels={"change": "number", "what": "change"},
        )
    else:
        click.echo("Nothing to undo.")


def _change(arguments: dict[str, Any], *, as_json: bool) -> None:
    answer = call_tool("change_entities", arguments, has_schema=False)
    if as_json:
        show_json(answer)
    elif "undone" in answer:
        click.echo(f"Undone: {answer['undone']['what']}")
    else:
        print_fields(answer)


def _show(
    answer: dict[str, Any], *, as_json: bool, if_empty: str = "No matching entities."
) -> None:
    if as_json:
        show_json(answer)
        return
    rows = [
        {
            **entity,
            "type": entity.get("entity_type"),
            "project": entity.get("project") or entity.get("scope"),
            "memories": entity.get("memory_count"),
            "updated": time_text(str(entity.get("last_updated", "")))[:10],
        }
        for entity in answer["results"]
        if entity.get("memory_count") or entity["entity"] != USER  # nothing is known about you yet
    ]
    show_table(rows, _COLUMNS)
    if not rows:
        click.echo(if_empty)
    if answer.get("next_cursor"):
        click.echo(f"Next page: the same command with --cursor {answer['next_cursor']}")
