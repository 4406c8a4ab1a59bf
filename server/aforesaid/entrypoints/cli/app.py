"""The root command: finds subcommands, prints help, and turns errors into messages and exit codes.

Each command is defined in another module of this package and imported when it is asked for, so
that light commands start fast.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import click

from aforesaid.bootstrap.paths import started_by_client
from aforesaid.domain.errors import (
    AforesaidError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.version import __version__

from .common import ABORTED
from .terminal import is_dumb, terminal_width, wrap
from .tool_names import tool_calls_to_commands

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

UNAVAILABLE = 5  #: also used when the system refuses access to a file
#: Exit code of each error family; 2 is also click's own code for wrong usage.
EXIT_CODES: tuple[tuple[type[AforesaidError], int], ...] = (
    (InvalidInputError, 2),
    (NotFoundError, 3),
    (ConflictError, 4),
    (UnavailableError, UNAVAILABLE),
    (CorruptError, 6),
)
_OPTION = re.compile(r"--?[\w-]{1,40}")
_ID = re.compile(r"(?=.*\d)[0-9a-z]{4,26}")  #: what may be the id of a memory, and is no word
INTERNAL_ERROR = 70  #: a bug; its location is in the log

#: The sections of the help: each command, and the module of this package that defines it.
COMMANDS: dict[str, dict[str, str]] = {
    "Memories": {
        "remember": "memories",
        "search": "memories",
        "why": "memories",
        "fix": "memories",
        "list": "memories",
        "inspect": "inspect",
        "explore": "topics",
        "update": "memories",
        "confirm": "memories",
        "forget": "memories",
        "undo": "maintenance",
        "link": "inspect",
    },
    "Overview": {
        "ui": "ui",
        "context": "stats",
        "topics": "topics",
        "entities": "entities",
        "projects": "projects",
        "tasks": "tasks",
        "stats": "stats",
    },
    "Maintenance": {
        "tend": "maintenance",
        "compact": "maintenance",
        "runs": "maintenance",
        "offers": "suggestions",
        "guards": "guards",
        "cleanup": "cleanup",
    },
    "Sessions, import and export": {
        "digest": "digest",
        "ingest": "ingest",
        "watch": "watch",
        "import": "import_export",
        "export": "import_export",
    },
    "Store": {
        "backup": "backup",
        "restore": "backup",
        "reset": "backup",
    },
    "Installation": {
        "install": "install",
        "uninstall": "install",
        "config": "config",
        "model": "model",
        "doctor": "doctor",
        "setup": "version",
        "completion": "completion",
        "demo": "version",
        "version": "version",
    },
    "Started by clients": {
        "serve": "version",
        "hook": "version",
    },
}


#: What is meant by names that people try, or that other programs and the tools use.
_MEANT = {
    **dict.fromkeys(("recall", "find", "query"), "search"),
    **dict.fromkeys(("get", "show", "read"), "inspect"),
    **dict.fromkeys(("edit", "change", "correct"), "update"),
    "rename": "entities rename",
    **dict.fromkeys(("store", "save"), "remember"),
    **dict.fromkeys(("erase", "remove", "rm"), "forget"),
    **dict.fromkeys(("due", "todo", "todos"), "tasks"),
    **dict.fromkeys(("sessions", "usage"), "stats"),
    **dict.fromkeys(("settings", "set"), "config"),
    "history": "explore",
}
ALIASES = {"add": "remember", "delete": "forget", "status": "stats"}


_HYPHEN, _UNBROKEN_HYPHEN = "-", "\u2011"


class HelpFormatter(click.HelpFormatter):
    """Writes help whose lines do not end within a word that has a hyphen, such as an option."""

    def write_text(self, text: str) -> None:
        """Write a paragraph."""
        super().write_text(text.replace(_HYPHEN, _UNBROKEN_HYPHEN))

    def write_dl(
        self, rows: Iterable[tuple[str, str]], col_max: int = 30, col_spacing: int = 2
    ) -> None:
        """Write options or commands, each with its description."""
        rows = [(name, text.replace(_HYPHEN, _UNBROKEN_HYPHEN)) for name, text in rows]
        super().write_dl(rows, col_max, col_spacing)

    def getvalue(self) -> str:
        """Return the help."""
        return super().getvalue().replace(_UNBROKEN_HYPHEN, _HYPHEN)


class CommandContext(click.Context):
    """The context of a command of ours."""

    formatter_class = HelpFormatter


class WithExamples(click.Command):
    """A command whose help ends with examples."""

    context_class = CommandContext

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then the command's own epilog."""
        from .examples import EXAMPLES

        lines = EXAMPLES.get(ctx.command_path.partition(" ")[2], ())
        if lines:
            with formatter.section("Examples"):
                for line in lines:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
        super().format_epilog(ctx, formatter)


class SubcommandGroup(WithExamples, click.Group):
    """A command with subcommands."""

    command_class = WithExamples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; `list` is the group itself where that lists."""
        if args[:1] == ["list"] and "list" not in self.commands and self.invoke_without_command:
            args = args[1:]
        return super().parse_args(ctx, args)


class Commands(click.Group):
    """The group of all commands, each imported when it is asked for."""

    command_class = WithExamples
    context_class = CommandContext
    group_class = SubcommandGroup

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every name, in the order of the help."""
        del ctx
        return [name for modules in COMMANDS.values() for name in modules]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, importing its module."""
        if cmd_name not in self.commands:
            for modules in COMMANDS.values():
                if cmd_name in modules:
                    import_module(f".{modules[cmd_name]}", __package__)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; suggest a similar one if unknown."""
        args = [ALIASES.get(args[0], args[0]), *args[1:]]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            known = self.list_commands(ctx)
            matches = [_MEANT[args[0]]] if args[0] in _MEANT else []
            matches = matches or get_close_matches(args[0], known, 1)
            if not matches and _ID.fullmatch(args[0]):
                hint = f"{error.message} To show a memory: aforesaid inspect {args[0]}"
                raise click.UsageError(hint, ctx) from None
            if not matches:
                raise
            raise click.UsageError(f"{error.message} Did you mean {matches[0]}?", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write a section of the help for each group of commands."""
        column = max(map(len, self.list_commands(ctx)))
        limit = formatter.width - column - 4
        for title, modules in COMMANDS.items():
            with formatter.section(title):
                commands = {name: self.get_command(ctx, name) for name in modules}
                formatter.write_dl(
                    [
                        (f"{name:<{column}}", command.get_short_help_str(limit))
                        for name, command in commands.items()
                        if command
                    ]
                )


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="aforesaid")
@click.option("--json", "as_json", is_flag=True, help="Print the status as JSON.")
@click.pass_context
def aforesaid(context: click.Context, *, as_json: bool) -> None:
    """Long-term memory for coding agents, in one local file.

    Without a command, print the status and what to do next; if standard input is a pipe, serve MCP.
    """
    if context.invoked_subcommand is None:
        from .status import show_status

        show_status(as_json=as_json)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    completing = "_AFORESAID_COMPLETE" in os.environ
    if not arguments and not completing and started_by_client():
        arguments = ["serve"]
    # None: colours on a terminal only
    color = False if os.environ.get("NO_COLOR") or is_dumb() else None
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    code, stdout = 0, sys.stdout
    try:
        aforesaid.main(arguments, prog_name="aforesaid", standalone_mode=False, color=color)
        sys.stdout.flush()
    except click.exceptions.Abort:
        _print_error("interrupted; completed steps are kept")
        code = ABORTED
    except click.ClickException as error:
        code = _show_usage_error(error)
    except AforesaidError as error:
        _print_error(tool_calls_to_commands(str(error)))
        code = next(code for family, code in EXIT_CODES if isinstance(error, family))
    except SystemExit as error:
        # click replaces the stream when its reader has closed the pipe
        code = int(error.code or 0) if sys.stdout is stdout else 0
    except ImportError:
        raise  # start.py says how to repair the environment
    except OSError as error:
        code = report_os_error(error)
    except Exception as error:  # noqa: BLE001 - the outermost boundary of a command
        code = _report_bug(error, arguments)
    return code


def _show_usage_error(error: click.ClickException) -> int:
    """Print an error of usage; return the exit code."""
    if isinstance(error, click.NoSuchOption) and not _OPTION.fullmatch(error.option_name):
        # a text, which may contain a secret
        error = click.UsageError("Put -- before a text that begins with a dash.", error.ctx)
    if isinstance(error, click.UsageError):
        message = f"Error: {error.format_message()}"
        lines = wrap(message, terminal_width(sys.stderr), hang=2)
        error = click.UsageError("\n".join(lines).removeprefix("Error: "), error.ctx)
    error.show()
    return error.exit_code


def report_os_error(error: OSError) -> int:
    """Print which file the system refused; return the exit code, 0 for a closed pipe."""
    with suppress(OSError):  # discard the output that is still buffered
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0
    path = f"{error.filename}: " if error.filename else ""
    _print_error(f"{path}{error.strerror or error}: check the path, permissions and free space")
    return UNAVAILABLE


def _print_error(text: str) -> None:
    message = text if text.startswith("aforesaid ") else f"aforesaid: {text}"
    for line in wrap(message, terminal_width(sys.stderr), hang=2):
        click.echo(line, err=True)


def _report_bug(error: Exception, arguments: Sequence[str]) -> int:
    from aforesaid.adapters.system.log import type_and_location
    from aforesaid.wiring.factories import open_log

    command = next((word for word in arguments if not word.startswith("-")), "")
    open_log(os.environ).write("error", f"{command}: {type_and_location(error)}: no data is lost")
    if os.environ.get("AFORESAID_SERVER_LOG_LEVEL") == "debug":
        raise error
    return INTERNAL_ERROR
