"""One memory from all sides, and how it bears on others: ``inspect`` and ``link``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .asking import as_json, ask, show_json, text_of
from .group import aforesaid

if TYPE_CHECKING:
    from collections.abc import Iterator


@aforesaid.command()
@click.argument("id")
@click.option("--log", is_flag=True, help="Its changes too.")
@as_json
def inspect(id: str, *, log: bool, as_json: bool) -> None:  # noqa: A002 - the name people see
    """Show everything known of the memory ID: relations, versions, origin, how well it is kept."""
    found = ask("memory_inspect", {"id": id, "include_log": log})
    if as_json:
        show_json(found)
        return
    for line in _lines(found):
        click.echo(line)


@aforesaid.command()
@click.argument("source")
@click.argument("kind")
@click.argument("target")
@click.option("--remove", is_flag=True, help="Take the link back.")
@as_json
def link(source: str, kind: str, target: str, *, remove: bool, as_json: bool) -> None:
    """Link SOURCE to TARGET by KIND: supports, contradicts, supersedes, or any predicate."""
    given = {"source_id": source, "kind": kind, "target_id": target, "remove": remove}
    done = ask("link_memories", given)
    if as_json:
        show_json(done)
        return
    changed = done.get("removed") if remove else done.get("created")
    word = ("removed" if remove else "linked") if changed else "nothing to do"
    click.echo(f"{word}: [{done['source']}] {done['kind']} [{done['target']}]")
    if done.get("note"):
        click.echo(done["note"])


def _lines(found: dict[str, Any]) -> Iterator[str]:
    """Yield the fields as indented lines that a person reads."""
    width = max(map(len, found))
    for name, value in found.items():
        label = f"{name.replace('_', ' '):<{width}}"
        if isinstance(value, dict):
            yield f"{label}  {text_of(value)}"
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            yield f"{label}  {len(value)}"
            yield from (f"{'':<{width}}    {text_of(one)}" for one in value)
        elif isinstance(value, list):
            yield f"{label}  {text_of(value)}"
        else:
            head, *rest = str(value).splitlines() or [""]
            yield f"{label}  {head}"
            yield from (f"{'':<{width}}  {line}" for line in rest)
