"""``topics``, ``explore``: the topic tree, and one step from a memory or topic."""

from __future__ import annotations

from typing import Any

import click

from aforesaid.domain.text.invisible import remove_invisible

from .app import aforesaid
from .common import all_projects, as_json, call_tool, echo_wrapped, parameters, show_json


@aforesaid.command()
@click.argument("path", required=False)
@click.option("--depth", type=int, help="1 concepts, 2 facts, 3 details; default 1, below PATH 2.")
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
    """Show the topics with counts, or what lies below PATH.

    PATH is a name, a path such as auth/jwt, or what the topic means.
    """
    asked = 1 if depth is None and path is None else depth
    given = {"topic": path, "max_depth": asked, "project": project}
    _print(call_tool("explore_memory", given, everywhere=all_projects), as_json=as_json)


@aforesaid.command()
@click.argument("id", required=False)
@parameters("explore_memory", "id")
@all_projects
@as_json
def explore(*, all_projects: bool, as_json: bool, **given: Any) -> None:
    """Look around from a memory or topic.

    One step from the memory ID or topic path, below a --topic, or all topics.

    The --direction of a step is children unless another is named; history are the versions of a
    memory, next and previous what its session or project stored after and before it.
    """
    _print(call_tool("explore_memory", given, everywhere=all_projects), as_json=as_json)


def _print(answer: dict[str, Any], *, as_json: bool) -> None:
    """Print what was found in the tree."""
    if as_json:
        show_json(answer)
        return
    for node in answer["nodes"]:
        _show(node, 0)
    if answer.get("unfiled"):
        click.echo(f"{answer['unfiled']} without a topic")
    elif not answer["nodes"]:
        click.echo("No topic yet: memories are filed by --topic, or by what they are like.")
    for name in ("note", "not_shown"):
        if name in answer:
            echo_wrapped(answer[name], err=True)


def _show(node: dict[str, Any], level: int) -> None:
    """Print a node and what lies below it, two blanks further in."""
    indent = "  " * level
    counts = node.get("counts", {})
    if "preview" in node:
        more = f" (+{counts['details']})" if counts else ""
        link = {"out": f"{node.get('kind')}: ", "in": f"{node.get('kind')} this: "}
        kind = link.get(node.get("direction", ""), f"{node['kind']}: " if "kind" in node else "")
        state = f" ({node['state']})" if "state" in node else ""
        echo_wrapped(f"{indent}- {kind}{node['preview']} [{node['id']}]{state}{more}", hang=2)
    else:
        where = node.get("project") or node.get("scope")
        told = f"{indent}{node['name']} ({counts.get('memories', 0)})"
        told += f", {where}" if where else ""
        told += f": {node['summary']}" if "summary" in node else ""
        click.secho(remove_invisible(told), bold=level == 0)
    for child in node.get("children", ()):
        _show(child, level + 1)
    if node.get("not_shown"):
        click.echo(f"{indent}  … {node['not_shown']} more")
