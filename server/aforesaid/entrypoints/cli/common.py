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

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.invisible import remove_invisible, remove_invisible_in
from aforesaid.domain.text.pluralize import pluralize

from .terminal import GAP, columns_of, pad, size_text, terminal_width, time_text, truncate, wrap
from .tool_names import tool_calls_to_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ABORTED = 130  #: exit code of Ctrl-C, and of a no to what was asked
#: Shorter ways to say an option, for people.
_ALSO = {"max_results": ("-n", "--limit"), "tags": ("--tag",), "cues": ("--cue",), "limit": ("-n",)}

_CHOICE = " [y/N]: "  #: what a question ends with

as_json = click.option("--json", "as_json", is_flag=True, help="The answer as JSON.")
all_projects = click.option("--all-projects", is_flag=True, help="Look in every project.")


def parameters(tool: str, *left_out: str, **told: str) -> Callable[[Any], Any]:
    """Return a decorator that gives a command an option for each parameter of a tool.

    Args:
        tool: its name.
        left_out: parameters that the command has no option for.
        told: what an option's help says where a shell is not as the tool is.
    """
    from aforesaid.entrypoints.api.tool_schemas import TOOLS  # what has no tool starts without them

    properties = TOOLS[tool]["inputSchema"]["properties"]

    def add(function: Any) -> Any:
        for name, schema in reversed(properties.items()):
            if name not in left_out:
                said = {"description": told[name]} if name in told else {}
                function = _option(name, {**schema, **said})(function)
        return function

    return add


def _option(name: str, schema: Mapping[str, Any]) -> Callable[[Any], Any]:
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    flag = "--" + name.replace("_", "-")
    told: dict[str, Any] = {"help": tool_calls_to_commands(schema.get("description", ""))}
    if "boolean" in kinds:
        return click.option(f"{flag}/--no-{flag[2:]}", name, default=None, **told)
    if "array" in kinds:
        told |= {"multiple": True, "help": told["help"] + " (may be repeated)"}
    if "object" in kinds or "properties" in schema.get("items", {}):
        told["metavar"] = "JSON"
    elif "enum" in schema:
        told["type"] = click.Choice(schema["enum"], case_sensitive=False)
    return click.option(flag, *_ALSO.get(name, ()), name, **told)


def call_tool(
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
    from aforesaid.entrypoints.api.arguments import read_arguments
    from aforesaid.entrypoints.mcp.tool_handlers import ToolHandlers
    from aforesaid.operations.client_connection import ClientConnection

    said = {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in given.items()
        if value is not None and value != ()
    }
    if everywhere:
        said["project"] = "*"
    conversation = ClientConnection(os.environ)
    core = conversation.core
    try:
        calls = ToolHandlers(conversation)
        answer = calls.call(tool, read_arguments(tool, said) if listed else said)
        for work in calls.after:
            work()
        warnings = [] if "health" in answer else core.warnings()
    finally:
        core.close()
    for warning in warnings:
        echo_wrapped(f"{warning}.", err=True)
    for name in ("note", "undo", "evidence"):
        if isinstance(answer.get(name), str):
            answer[name] = tool_calls_to_commands(answer[name], str(answer.get("id", "ID")))
    return answer


def confirm(question: str, *, yes: bool, why: str = "nobody is here to ask") -> None:
    """Return once it may be done; ends the command where the answer is no.

    Raises:
        InvalidInputError: nobody sits at the terminal, and ``yes`` was not said.
        click.Abort: Ctrl-C.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInputError(f"{why}: add --yes to do it unasked")
    try:
        room = terminal_width(sys.stderr)
        lines = wrap(question, room and room - len(_CHOICE))
        agreed = click.confirm("\n".join(lines), err=True)
    except click.Abort:
        click.echo(err=True)  # the question has a line of its own
        raise
    if not agreed:
        echo_wrapped("Nothing was changed.", err=True)
        raise SystemExit(ABORTED)


def show_json(answer: object) -> None:
    """Print an answer for programs."""
    click.echo(json.dumps(remove_invisible_in(answer), indent=2, ensure_ascii=False))


def echo_wrapped(text: str, *, hang: int = 0, err: bool = False, **style: Any) -> None:
    """Print a text for people: on a terminal broken at blanks, further lines ``hang`` in."""
    for line in wrap(text, terminal_width(sys.stderr if err else sys.stdout), hang):
        click.echo(click.style(line, **style) if style else line, err=err)


def say_redacted(count: int) -> None:
    """Say how many texts lost a secret on their way in, if any did."""
    if count:
        echo_wrapped(f"{pluralize(count, 'text', 'texts')} held secrets, which were taken out")


def show_table(
    rows: Sequence[Mapping[str, Any]], columns: Sequence[str], *, lines: int = 1
) -> None:
    """Print rows for people: a column each, cut to what fits the terminal.

    Columns that no row fills are left out, numbers stand at the right; into a pipe nothing is cut.

    Args:
        rows: what each column says.
        columns: their names, in order.
        lines: how many the last column may take.
    """
    shown = [column for column in columns if any(text_of(row.get(column)) for row in rows)]
    if not shown:
        return
    heading = [column.replace("_", " ") for column in shown]
    body = [[text_of(row.get(column)) for column in shown] for row in rows]
    numbers = [all(_is_number(row.get(column)) for row in rows) for column in shown]
    room = terminal_width()
    widths = columns_of([heading, *body], room)
    names = [wrap(name, width) for name, width in zip(heading, widths, strict=True)]
    for at in range(max(map(len, names))):
        line = [name[at] if at < len(name) else "" for name in names]
        click.secho(_line(line, widths, numbers, room), bold=True)
    for row in body:
        last = wrap(row[-1], widths[-1]) if lines > 1 else row[-1:]
        said = [*last[: lines - 1], " ".join(last[lines - 1 :])]
        for at, text in enumerate(one for one in said if one or said == [""]):
            others = [""] * len(row[:-1]) if at else row[:-1]
            click.echo(_line([*others, text], widths, numbers, room))


def _line(row: Sequence[str], widths: Sequence[int], numbers: Sequence[bool], room: int) -> str:
    parts = [
        pad(truncate(text, width), width, right=right)
        for text, width, right in zip(row, widths, numbers, strict=True)
    ]
    line = (" " * GAP).join(parts).rstrip()
    return truncate(line, room) if room else line


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def print_fields(fields: Mapping[str, Any]) -> None:
    """Print one answer for people, a line each field that says something, or each of its rows."""
    told = {_name(name): _values(name, value) for name, value in fields.items()}
    told = {name: texts for name, texts in told.items() if any(texts)}
    width = max((len(name) for name in told), default=0)
    for name, (first, *others) in told.items():
        echo_wrapped(f"{name:<{width}}  {first}", hang=width + GAP)
        for other in others:
            echo_wrapped(f"{'':<{width}}  {other}")


def _name(name: str) -> str:
    return name.replace("_", " ").removesuffix(" bytes").replace("bytes", "size")


def _values(name: str, value: Any) -> list[str]:
    if name.endswith("bytes") and isinstance(value, int):
        return [size_text(value)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [text_of(one) for one in value]
    return [text_of(value)]


def text_of(value: Any) -> str:
    """Return a value on one line, as a person reads it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        told = {str(key).replace("_", " "): text_of(one) for key, one in value.items()}
        return ", ".join(f"{name}: {one}" for name, one in told.items() if one)
    if isinstance(value, (list, tuple)):
        return ", ".join(text_of(one) for one in value)
    return time_text(remove_invisible(" ".join(str(value).split())))
