"""``inspect`` and ``link``: everything about one memory, and its relations to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .app import aforesaid
from .common import as_json, call_tool, echo_wrapped, show_json, text_of
from .terminal import GAP

if TYPE_CHECKING:
    from collections.abc import Iterator

_LABELS = {"kept": "retention", "sums_up": "compacted", "sums_up_total": "compacted total"}


@aforesaid.command()
@click.argument("id")
@click.option("--log", is_flag=True, help="Include the log of changes.")
@as_json
def inspect(id: str, *, log: bool, as_json: bool) -> None:  # noqa: A002 - the usage line shows it
    """Show everything about the memory with this ID.

    This includes relations, versions, origin, cited files and retention.
    """
    answer = call_tool("memory_inspect", {"id": id, "include_log": log})
    if as_json:
        show_json(answer)
        return
    fields = {_LABELS.get(name, name.replace("_", " ")).capitalize(): name for name in answer}
    indent = max(map(len, fields)) + GAP
    for label, name in fields.items():
        for line in _lines(label.ljust(indent), name, answer[name]):
            echo_wrapped(line, hang=0 if line.startswith(" ") else indent)


@aforesaid.command()
@click.argument("source")
@click.argument("kind")
@click.argument("target")
@click.option("--remove", is_flag=True, help="Remove the link.")
@as_json
def link(source: str, kind: str, target: str, *, remove: bool, as_json: bool) -> None:
    """Link memory SOURCE to memory TARGET.

    KIND is supports, contradicts, supersedes, depends_on, or any other snake_case predicate.
    """
    arguments = {"source_id": source, "kind": kind, "target_id": target, "remove": remove}
    answer = call_tool("link_memories", arguments)
    if as_json:
        show_json(answer)
        return
    changed = answer.get("removed") if remove else answer.get("created")
    result = ("removed" if remove else "linked") if changed else "unchanged"
    unchanged = "" if changed else ", no such link" if remove else ", linked before"
    ends = f"[{answer['source']}] {answer['kind']} [{answer['target']}]"
    echo_wrapped(f"{result}{unchanged}: {ends}")
    if answer.get("note"):
        echo_wrapped(answer["note"])
    if changed:
        again = "" if remove else " --remove"
        command = f"aforesaid link {answer['source']} {answer['kind']} {answer['target']}{again}"
        echo_wrapped(f"undo with: {command}")


def _lines(label: str, name: str, value: Any) -> Iterator[str]:
    """Yield one field as lines, the value indented by the label's width."""
    blanks = " " * len(label)
    if isinstance(value, list) and value and isinstance(value[0], dict):
        yield f"{label}{len(value)}"
        yield from (f"{blanks}  {text_of(item)}" for item in value)
    elif isinstance(value, dict):
        texts = [f"{key.replace('_', ' ')}: {text_of(item)}" for key, item in value.items()]
        yield f"{label}{texts[0]}"
        yield from (f"{blanks}{text}" for text in texts[1:])
    elif name == "content":
        first, *rest = str(value).splitlines() or [""]
        yield f"{label}{first}"
        yield from (f"{blanks}{line}" for line in rest)
    else:
        yield f"{label}{text_of(value)}"
