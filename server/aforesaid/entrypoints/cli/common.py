"""Shared by the commands: options made from tool schemas, calls of tools, questions, output.

The shell takes the parameters of the tools and calls the same functions, so that it agrees with MCP
and Python.
"""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.sanitize import remove_invisible, remove_invisible_in

from .stacked import show_stacked
from .terminal import (
    GAP,
    column_widths,
    display_width,
    size_text,
    table_line,
    terminal_width,
    time_text,
    wrap,
)
from .tool_names import flag_of, parameters_to_options, tool_calls_to_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aforesaid.operations.client_connection import ClientConnection
    from aforesaid.wiring.container import ServiceContainer

ABORTED = 130  #: exit code of Ctrl-C, and of a question answered with no
_ALIASES = {
    "max_results": ("-n", "--limit"), "tags": ("--tag",), "cues": ("--cue",), "limit": ("-n",),
}  # fmt: skip
#: What the value of an option is, where the option's name or type does not say it.
_METAVARS = {
    "due": "DATE", "since": "DATE", "until": "DATE", "as_of": "DATE", "valid_from": "DATE",
    "valid_to": "DATE", "created_at": "DATE", "project": "NAME", "entity": "NAME",
    "task_id": "TASK", "parent_id": "ID", "ids": "ID", "supersedes": "ID", "session": "ID",
    "topic": "TOPIC", "tags": "TAG", "cues": "PHRASE", "importance": "LEVEL",
    "confidence": "NUMBER", "min_confidence": "NUMBER", "min_relevance": "NUMBER",
    "depth": "NUMBER", "anchors": "PATH", "path": "PATH", "cursor": "CURSOR",
    "max_results": "NUMBER", "token_budget": "NUMBER", "max_depth": "NUMBER", "limit": "NUMBER",
    "type": "TYPE", "scope": "SCOPE", "status": "STATUS", "include_related": "NUMBER",
}  # fmt: skip
_ARGUMENTS = {"content": "TEXT", "query": "QUERY", "id": "ID"}  #: positional in most commands
_PROMPT_SUFFIX = " [y/N]: "  #: click's own
_EMBEDDING_BATCH = 256
_MIN_LAST_COLUMN = 16  #: cells; a table with less is printed as blocks
_RULE_CHARS = 8  #: of the line above a block

as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
all_projects = click.option("--all-projects", is_flag=True, help="Include every project.")


def tool_options(tool: str, *excluded: str, **help_texts: str) -> Callable[[Any], Any]:
    """Return a decorator that gives a command an option for each parameter of a tool.

    Args:
        tool: its name.
        excluded: parameters without an option.
        help_texts: help for options that differ from the tool's parameters.
    """
    # other commands start without them
    from aforesaid.entrypoints.api.program_arguments import PROGRAM_PARAMETERS
    from aforesaid.entrypoints.api.tool_schemas import TOOLS

    properties = TOOLS[tool]["inputSchema"]["properties"] | {
        name: {"type": "string", "description": description}
        for name, description in PROGRAM_PARAMETERS.get(tool, {}).items()
    }

    def add_options(function: Any) -> Any:
        for name, schema in reversed(properties.items()):
            if name not in excluded:
                description = help_texts.get(name, schema.get("description", ""))
                function = _option(name, schema, tool_calls_to_commands(description))(function)
        return function

    return add_options


def _option(name: str, schema: Mapping[str, Any], help_text: str) -> Callable[[Any], Any]:
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    flag = flag_of(name)
    if "boolean" in types:
        return click.option(f"{flag}/--no-{flag[2:]}", name, default=None, help=help_text)
    settings: dict[str, Any] = {"help": help_text}
    if "array" in types:
        settings = {"multiple": True, "help": f"{help_text} (may be repeated)"}
    if "object" in types or "properties" in schema.get("items", {}):
        settings["metavar"] = "JSON"
    elif "enum" in schema:
        settings["type"] = click.Choice(schema["enum"], case_sensitive=False)
    elif name in _METAVARS:
        settings["metavar"] = _METAVARS[name]
    return click.option(flag, *_ALIASES.get(name, ()), name, **settings)


@contextmanager
def open_services(path: str | None = None, *, storing: bool = False) -> Iterator[ServiceContainer]:
    """Open the store, or the one at ``path``; close it at the end of the block.

    Raises:
        InvalidInputError: ``storing`` is true, and AFORESAID_OFF switches memory off.
    """
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ, path=path)
    with _closing(core, storing=storing):
        yield core


@contextmanager
def open_connection(*, storing: bool = False) -> Iterator[ClientConnection]:
    """Open the store as a client in the working directory; see ``open_services``."""
    from aforesaid.operations.client_connection import ClientConnection

    connection = ClientConnection(os.environ)
    with _closing(connection.core, storing=storing):
        yield connection


@contextmanager
def _closing(core: ServiceContainer, *, storing: bool) -> Iterator[None]:
    from aforesaid.wiring.factories import refuse_if_process_off

    try:
        if storing:
            refuse_if_process_off(core.settings)
        yield
    finally:
        core.close()


def embed_missing(core: ServiceContainer) -> None:
    """Compute the vectors that stored memories still lack."""
    while core.writer.embed_missing(_EMBEDDING_BATCH):
        pass


def call_tool(
    tool: str, options: Mapping[str, Any], *, everywhere: bool = False, has_schema: bool = True
) -> dict[str, Any]:
    """Return the answer of one tool call from the working directory.

    Args:
        tool: the tool, or (``has_schema`` false) an operation that only the shell offers.
        options: as click parsed them; unset ones are left out.
        everywhere: whether to include all projects.
        has_schema: whether the options are checked against the tool's schema.

    Raises:
        AforesaidError: the call failed.
    """
    from aforesaid.entrypoints.api.operations import SCHEMA_OF, ToolCalls
    from aforesaid.entrypoints.api.program_arguments import read_program_arguments
    from aforesaid.entrypoints.api.tool_schemas import TOOLS

    arguments = {
        name: value for name, value in options.items() if value is not None and value != ()
    }
    if everywhere:
        arguments["project"] = "*"
    with open_connection() as connection:
        calls = ToolCalls(connection)
        try:
            schema = SCHEMA_OF.get(tool, tool)
            if has_schema and schema in TOOLS:
                arguments = read_program_arguments(schema, arguments, connection.core)
            answer = calls.call(tool, arguments, check=False)
        except (InvalidInputError, NotFoundError) as error:
            raise type(error)(_name_option(str(error), options)) from None
        for task in calls.after:
            task()
        warnings = [] if "health" in answer else connection.core.warnings()
        if tool == "recall_memory" and connection.core.embedder.error:
            from aforesaid.operations.reembed import upgrade_shipped_model

            warnings.append(f"words only: {connection.core.embedder.error}")
            upgrade_shipped_model(connection.core.store, connection.core.settings)
    for warning in warnings:
        echo_wrapped(f"{warning}.", err=True)
    for name in ("note", "undo", "evidence"):
        if isinstance(answer.get(name), str):
            answer[name] = tool_calls_to_commands(answer[name], str(answer.get("id", "ID")))
    if "degradations" in answer:
        answer["degradations"] = list(map(tool_calls_to_commands, answer["degradations"]))
    return answer


def _name_option(message: str, options: Mapping[str, Any]) -> str:
    """Return an error with options in place of parameters: at its start, and of several words."""
    tool, colon, rest = message.partition(": ")
    message = rest if colon and tool.isidentifier() and "_" in tool else message
    name, blank, rest = message.partition(" ")
    rest = parameters_to_options(rest, options)
    if not blank or name not in options:
        return f"{name}{blank}{rest}"
    flags = (flag_of(name), *_ALIASES.get(name, ()))
    typed = [flag for flag in flags if any(re.match(rf"{flag}(\W|\d|$)", arg) for arg in sys.argv)]
    return f"{_ARGUMENTS.get(name) or (typed or flags)[0]} {rest}"


def confirm(question: str, *, yes: bool, reason: str = "this needs confirmation") -> None:
    """Return if the user agrees, or gave ``--yes``; end the command otherwise.

    Raises:
        InvalidInputError: standard input is not a terminal, and ``--yes`` is missing.
        click.Abort: Ctrl-C.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInputError(f"{reason}: add --yes to continue without a terminal")
    try:
        width = terminal_width(sys.stderr)
        lines = wrap(question, width and width - len(_PROMPT_SUFFIX))
        agreed = click.confirm("\n".join(lines), err=True)
    except click.Abort:
        click.echo(err=True)  # end the line of the question
        raise
    if not agreed:
        echo_wrapped("Nothing was changed.", err=True)
        raise SystemExit(ABORTED)


def show_json(answer: object) -> None:
    """Print an answer for programs."""
    click.echo(json.dumps(remove_invisible_in(answer), indent=2, ensure_ascii=False))


def echo_wrapped(text: str, *, hang: int = 0, err: bool = False, **style: Any) -> None:
    """Print a text, wrapped to the terminal; indent continuation lines by ``hang``."""
    for line in wrap(text, terminal_width(sys.stderr if err else sys.stdout), hang):
        click.echo(click.style(line, **style) if style else line, err=err)


def located(path: str | None) -> str | None:
    """Return the path of a file in the current folder, which may not be the project's root."""
    return os.path.abspath(path) if path and os.path.exists(path) else path


def show_redacted(count: int) -> None:
    """Print how many texts had a secret removed on import, if any."""
    if count:
        echo_wrapped(f"Secrets were removed from {pluralize(count, 'text', 'texts')}.")


def show_table(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    *,
    labels: Mapping[str, str] | None = None,
    max_lines: int = 1,
    shorten: Callable[[str, int], str] | None = None,
    whole: Sequence[str] = (),
    stack_below: int = 0,
) -> None:
    """Print rows as a table cut to the terminal's width; into a pipe nothing is cut.

    Empty columns are left out, and numbers are right-aligned. On a terminal too narrow for the
    table, or for its last column, each row is printed as a block of lines.

    Args:
        rows: a value for each column.
        columns: their names, in order.
        labels: headings that differ from a column's name.
        max_lines: how many lines the last column may take.
        shorten: shortens a text of the last column to a number of characters, without line breaks.
        whole: columns that are never cut, because their values are typed in commands.
        stack_below: if the last column has less cells and needs more, it goes below the others.
    """
    columns = [column for column in columns if any(text_of(row.get(column)) for row in rows)]
    if not columns:
        return
    heading = [(labels or {}).get(column, column.replace("_", " ")) for column in columns]
    body = [[text_of(row.get(column)) for column in columns] for row in rows]
    numeric = [all(_is_number(row.get(column)) for row in rows) for column in columns]
    limit = terminal_width()
    kept = [index for index, column in enumerate(columns) if column in whole]
    widths = column_widths([heading, *body], limit, kept)
    last_width = max(display_width(row[-1]) for row in body)
    if limit and widths[-1] < min(last_width, stack_below):
        texts = [str(fields.get(columns[-1])) for fields in rows]
        lines = [_fit_lines(text, limit - GAP, max_lines, shorten) for text in texts]
        show_stacked([row[:-1] for row in (heading, *body)], numeric[:-1], lines, limit)
        return
    too_wide = sum(widths) + GAP * (len(widths) - 1) > limit
    if limit and (too_wide or widths[-1] < min(last_width, _MIN_LAST_COLUMN)):
        for fields in rows:
            click.secho("-" * _RULE_CHARS, dim=True)
            print_fields({column: fields.get(column) for column in columns}, labels)
        return
    titles = [wrap(title, width) for title, width in zip(heading, widths, strict=True)]
    for index in range(max(map(len, titles))):
        line = [title[index] if index < len(title) else "" for title in titles]
        click.secho(table_line(line, widths, numeric, limit), bold=True)
    for row, fields in zip(body, rows, strict=True):
        last = row[-1:]
        if limit and max_lines > 1:
            last = _fit_lines(str(fields.get(columns[-1])), widths[-1], max_lines, shorten)
        for index, text in enumerate(part for part in last if part or last == [""]):
            cells = [""] * len(row[:-1]) if index else row[:-1]
            click.echo(table_line([*cells, text], widths, numeric, limit))


def _fit_lines(
    text: str, width: int, max_lines: int, shorten: Callable[[str, int], str] | None
) -> list[str]:
    """Return a text as lines of a column: with its own line breaks if they all fit."""
    lines = wrap(text, width)
    if len(lines) > max_lines:
        lines = wrap(text_of(text), width)
    chars = width * max_lines
    while shorten is not None and len(lines) > max_lines and chars > width:
        lines = wrap(text_of(shorten(text, chars)), width)
        chars -= 4
    return [*lines[: max_lines - 1], " ".join(lines[max_lines - 1 :])]


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def print_fields(fields: Mapping[str, Any], labels: Mapping[str, str] | None = None) -> None:
    """Print an answer for people, a line for each field that is not empty."""
    lines = {
        (labels or {}).get(name) or _label(name): _values(name, value)
        for name, value in fields.items()
    }
    lines = {label: values for label, values in lines.items() if any(values)}
    width = max(map(len, lines), default=0)
    for label, (first, *rest) in lines.items():
        echo_wrapped(f"{label:<{width}}  {first}", hang=width + GAP)
        for value in rest:
            echo_wrapped(f"{'':<{width}}  {value}")


def _label(name: str) -> str:
    return name.replace("_", " ").removesuffix(" bytes").replace("bytes", "size")


def _values(name: str, value: Any) -> list[str]:
    if name.endswith("bytes") and isinstance(value, int):
        return [size_text(value)]
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return [text_of(item) for item in value]
    return [text_of(value)]


def text_of(value: Any) -> str:
    """Return a value for people, on one line."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        texts = {str(key).replace("_", " "): text_of(item) for key, item in value.items()}
        return ", ".join(f"{key}: {text}" for key, text in texts.items() if text)
    if isinstance(value, (list, tuple)):
        return ", ".join(text_of(item) for item in value)
    return time_text(remove_invisible(" ".join(str(value).split())))
