"""``topics`` and ``explore``: the topic tree, and one step from a memory or topic."""

from __future__ import annotations

from typing import Any

import click

from aforesaid.domain.text.sanitize import remove_invisible

from .app import aforesaid
from .common import (
    all_projects,
    as_json,
    call_tool,
    echo_wrapped,
    located,
    show_json,
    tool_options,
)


@aforesaid.command()
@click.argument("path", required=False)
@click.option(
    "--depth",
    type=int,
    metavar="NUMBER",
    help="1: concepts, 2: facts, 3: details. Default 1; for PATH 2.",
)
@click.option("--project", help="Another project, by name.")
@all_projects
@as_json
def topics(
    *,
    path: str | None,
    depth: int | None,
    project: str | None,
    all_projects: bool,
    as_json: bool,
) -> None:
    """Show all topics with their counts, or the subtree at PATH.

    PATH is a topic's name, a path such as auth/jwt, or words that describe the topic.
    """
    max_depth = 1 if depth is None and path is None else depth
    arguments = {"topic": path, "max_depth": max_depth, "project": project}
    _show(call_tool("explore_memory", arguments, everywhere=all_projects), as_json=as_json)


@aforesaid.command()
@click.argument("id", required=False)
@tool_options(
    "explore_memory",
    "id",
    max_depth="Deepest level: 1 concepts, 2 facts, 3 details",
    path="Show what is known about this file",
    error="Show what is known about this error message",
)
@all_projects
@as_json
def explore(*, all_projects: bool, as_json: bool, **options: Any) -> None:
    """Explore the neighbours of a memory or topic.

    ID is a memory or a topic path. Without it, show the subtree of --topic, what is known about
    a file (--path) or an error (--error), or all topics.

    The direction `history` shows the versions of a memory; `next` and `previous` show what its
    session or project stored after and before it.
    """
    options["path"] = located(options["path"])
    _show(call_tool("explore_memory", options, everywhere=all_projects), as_json=as_json)


def _show(answer: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json(answer)
        return
    for node in answer["nodes"]:
        _show_node(node, 0)
    if answer.get("unfiled"):
        click.echo(f"{answer['unfiled']} without a topic (aforesaid list shows them)")
    elif not answer["nodes"] and "note" not in answer:
        click.echo("No topics yet. Memories are filed by --topic, or with similar memories.")
    for name in ("note", "not_shown"):
        if name in answer:
            echo_wrapped(answer[name], err=True)


def _show_node(node: dict[str, Any], level: int) -> None:
    """Print a node and its subtree."""
    indent = "  " * level
    counts = node.get("counts", {})
    if "preview" in node:
        details = f" (+{counts['details']})" if counts else ""
        suffix = " this: " if node.get("direction") == "in" else ": "
        kind = node["kind"] + suffix if "kind" in node else ""
        state = f" ({node['state']})" if "state" in node else ""
        echo_wrapped(f"{indent}- {kind}{node['preview']} [{node['id']}]{state}{details}", hang=2)
    else:
        owner = node.get("project") or node.get("scope")
        line = f"{indent}{node['name']} ({counts.get('memories', 0)})"
        line += f", {owner}" if owner else ""
        line += f": {node['summary']}" if "summary" in node else ""
        click.secho(remove_invisible(line), bold=level == 0)
    for child in node.get("children", ()):
        _show_node(child, level + 1)
    if node.get("not_shown"):
        click.echo(f"{indent}  … {node['not_shown']} more")
