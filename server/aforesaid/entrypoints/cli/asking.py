"""What commands share: options made of a tool's parameters, one call of it, how answers are shown.

The shell has the tools' own parameters, read and done by the same functions, so that it, MCP and
Python agree. Not here: any command.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from .wording import for_people

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

#: Shorter ways to say an option, for people.
_ALSO = {"max_results": ("-n", "--limit"), "tags": ("--tag",), "limit": ("-n",)}

as_json = click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")
all_projects = click.option("--all-projects", is_flag=True, help="Look in every project.")


def parameters(tool: str, *left_out: str) -> Callable[[Any], Any]:
    """Return a decorator that gives a command an option for each parameter of a tool."""
    from aforesaid.entrypoints.tools import TOOLS  # what has no tool starts without them

    properties = TOOLS[tool]["inputSchema"]["properties"]

    def add(function: Any) -> Any:
        for name, schema in reversed(properties.items()):
            if name not in left_out:
                function = _option(name, schema)(function)
        return function

    return add


def _option(name: str, schema: Mapping[str, Any]) -> Callable[[Any], Any]:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    flag = "--" + name.replace("_", "-")
    told: dict[str, Any] = {"help": schema.get("description", "")}
    if "boolean" in kinds:
        return click.option(f"{flag}/--no-{flag[2:]}", name, default=None, **told)
    if "array" in kinds:
        told |= {"multiple": True, "help": told["help"] + " (may be repeated)"}
    if "object" in kinds or "properties" in schema.get("items", {}):
        told["metavar"] = "JSON"
    elif "enum" in schema:
        told["type"] = click.Choice(schema["enum"], case_sensitive=False)
    return click.option(flag, *_ALSO.get(name, ()), name, **told)


def ask(
    tool: str, given: Mapping[str, Any], *, everywhere: bool = False, listed: bool = True
) -> dict[str, Any]:
    """Return the answer of one call, made from the working directory.

    Args:
        tool: its name, of the tools or (``listed`` false) of what only the shell offers.
        given: options as they came; what was not said is left out.
        everywhere: in all projects.
        listed: whether it is a tool with a schema.

    Raises:
        AforesaidError: as the call does.
    """
    from aforesaid.entrypoints.arguments import read_arguments
    from aforesaid.entrypoints.calls import Calls
    from aforesaid.wiring.server import Conversation

    said = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None and value != ()
    }
    if everywhere:
        said["project"] = "*"
    conversation = Conversation(os.environ)
    core = conversation.core
    try:
        calls = Calls(conversation)
        answer = calls.call(tool, read_arguments(tool, said) if listed else said)
        for work in calls.after:
            work()
    finally:
        core.close()
    for name in ("note", "undo"):
        if isinstance(answer.get(name), str):
            answer[name] = for_people(answer[name])
    return answer


def show_json(answer: object) -> None:
    """Print an answer for programs."""
    click.echo(json.dumps(answer, indent=2, ensure_ascii=False))


def show_table(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Print rows for people: a column each, the last one cut to the terminal's width.

    Columns that no row fills are left out; into a pipe nothing is cut.
    """
    shown = [column for column in columns if any(text_of(row.get(column)) for row in rows)]
    if not shown:
        return
    lines = [[column.replace("_", " ") for column in shown]]
    lines += [[text_of(row.get(column)) for column in shown] for row in rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(shown) - 1)]
    from shutil import get_terminal_size

    room = get_terminal_size().columns if sys.stdout.isatty() else 0
    for number, line in enumerate(lines):
        start = "".join(f"{cell:<{width}}  " for cell, width in zip(line, widths, strict=False))
        last = line[-1]
        if room and len(start) + len(last) > room:
            last = last[: max(room - len(start) - 1, 8)] + "…"
        click.secho(f"{start}{last}".rstrip(), bold=number == 0)


def show_fields(fields: Mapping[str, Any]) -> None:
    """Print one answer for people, a line each field that says something."""
    told = {
        name.replace("_", " "): text for name, value in fields.items() if (text := text_of(value))
    }
    width = max((len(name) for name in told), default=0)
    for name, value in told.items():
        click.echo(f"{name:<{width}}  {value}")


def text_of(value: Any) -> str:
    """Return a value on one line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{text_of(key)}: {text_of(one)}" for key, one in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(text_of(one) for one in value)
    return " ".join(str(value).split())
