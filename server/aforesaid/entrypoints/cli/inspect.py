"""One memory from all sides, and how it bears on others: ``inspect`` and ``link``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .app import aforesaid
from .common import as_json, call_tool, echo_wrapped, show_json, text_of
from .terminal import GAP

if TYPE_CHECKING:
    from collections.abc import Iterator


@aforesaid.command()
@click.argument("id")
@click.option("--log", is_flag=True, help="Its changes too.")
@as_json
def inspect(id: str, *, log: bool, as_json: bool) -> None:  # noqa: A002 - the name people see
    """Show everything known of the memory ID.

    That is: relations, versions, origin, files it cites, how well it is kept.
    """
    found = call_tool("memory_inspect", {"id": id, "include_log": log})
    if as_json:
        show_json(found)
        return
    hang = max(map(len, found)) + GAP
    for line in _lines(found, hang):
        echo_wrapped(line, hang=0 if line.startswith(" ") else hang)


@aforesaid.command()
@click.argument("source")
@click.argument("kind")
@click.argument("target")
@click.option("--remove", is_flag=True, help="Take the link back.")
@as_json
def link(source: str, kind: str, target: str, *, remove: bool, as_json: bool) -> None:
    """Link two memories: SOURCE to TARGET by KIND.

    KIND is supports, contradicts, supersedes, depends_on, or any predicate.
    """
    given = {"source_id": source, "kind": kind, "target_id": target, "remove": remove}
    done = call_tool("link_memories", given)
    if as_json:
        show_json(done)
        return
    changed = done.get("removed") if remove else done.get("created")
    word = ("removed" if remove else "linked") if changed else "nothing to do"
    click.echo(f"{word}: [{done['source']}] {done['kind']} [{done['target']}]")
    if done.get("note"):
        echo_wrapped(done["note"])


def _lines(found: dict[str, Any], indent: int) -> Iterator[str]:
    """Yield the fields as lines that a person reads, what they say ``indent`` in."""
    for name, value in found.items():
        label = name.replace("_", " ").ljust(indent)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            yield f"{label}{len(value)}"
            yield from (f"{'':<{indent}}  {text_of(one)}" for one in value)
        elif name == "content":
            head, *rest = str(value).splitlines() or [""]
            yield f"{label}{head}"
            yield from (f"{'':<{indent}}{line}" for line in rest)
        else:
            yield f"{label}{text_of(value)}"
