"""The group that every command joins, and what the process answers when one fails.

Here: the group, where its commands are, exit codes, the outermost boundary. Not here: commands,
which stand in modules of their own beside this one, imported when they are asked for: light ones
stay light.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import click

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
    from collections.abc import Sequence

WORLD_NOT_READY = 5  #: also where the system refuses a file
#: Exit code of each family of errors; 2 is the shell library's own for wrong usage.
EXIT_CODES: tuple[tuple[type[AforesaidError], int], ...] = (
    (InvalidInputError, 2),
    (NotFoundError, 3),
    (ConflictError, 4),
    (UnavailableError, WORLD_NOT_READY),
    (CorruptError, 6),
)
UNFORESEEN = 70  #: a mistake of ours; the log has its place

#: Every command by what it is for, and the module beside this one that adds it.
COMMANDS: dict[str, dict[str, str]] = {
    "Every day": {
        "remember": "memories",
        "search": "memories",
        "list": "memories",
        "inspect": "inspect",
        "explore": "topics",
        "update": "memories",
        "forget": "memories",
        "undo": "maintenance",
        "link": "inspect",
    },
    "What is known": {
        "context": "stats",
        "topics": "topics",
        "entities": "entities",
        "projects": "projects",
        "tasks": "tasks",
        "stats": "stats",
    },
    "Keeping it true": {
        "tend": "maintenance",
        "compact": "maintenance",
        "runs": "maintenance",
        "offers": "suggestions",
        "cleanup": "cleanup",
    },
    "What is on the disk already": {
        "digest": "digest",
        "ingest": "ingest",
        "watch": "watch",
        "import": "import_export",
        "export": "import_export",
    },
    "The store": {
        "backup": "backup",
        "restore": "backup",
        "reset": "backup",
    },
    "The installation": {
        "config": "config",
        "model": "model",
        "doctor": "doctor",
        "setup": "version",
        "completion": "completion",
        "demo": "version",
        "version": "version",
    },
    "What clients start": {
        "serve": "version",
        "hook": "version",
    },
}


class WithExamples(click.Command):
    """A command whose help ends with how it is typed."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples, then what else the command tells last."""
        from .examples import EXAMPLES

        lines = EXAMPLES.get(ctx.command_path.partition(" ")[2], ())
        if lines:
            with formatter.section("Examples"):
                for line in lines:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
        super().format_epilog(ctx, formatter)


class SubcommandGroup(WithExamples, click.Group):
    """A group of commands about one thing."""

    command_class = WithExamples


class Commands(click.Group):
    """The group of all commands, each imported when it is asked for."""

    command_class = WithExamples
    group_class = SubcommandGroup

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return every name, in the order of the help."""
        del ctx
        return [name for names in COMMANDS.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, importing its module."""
        if cmd_name not in self.commands:
            for names in COMMANDS.values():
                if cmd_name in names:
                    import_module(f".{names[cmd_name]}", __package__)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names; an unknown one names its neighbour."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            near = get_close_matches(args[0], self.list_commands(ctx), 1)
            if not near:
                raise
            raise click.UsageError(f"{error.message} Did you mean {near[0]}?", ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the help of the commands, by what they are for."""
        width = max(len(name) for names in COMMANDS.values() for name in names)
        room = formatter.width - width - 4
        for title, names in COMMANDS.items():
            with formatter.section(title):
                found = [(name, self.get_command(ctx, name)) for name in names]
                formatter.write_dl(
                    [
                        (f"{name:<{width}}", one.get_short_help_str(room))
                        for name, one in found
                        if one
                    ]
                )


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="aforesaid")
@click.option("--json", "as_json", is_flag=True, help="How things stand, as JSON.")
@click.pass_context
def aforesaid(context: click.Context, *, as_json: bool) -> None:
    """Long-term memory for coding agents, in one local file.

    Alone on a terminal it says how things stand and what to do next.
    """
    if context.invoked_subcommand is None:
        from .status import show_state

        show_state(as_json=as_json)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    completing = "_AFORESAID_COMPLETE" in os.environ
    if not given and not completing and not sys.stdin.isatty():
        given = ["serve"]
    # None: only on a terminal
    colour = False if os.environ.get("NO_COLOR") or is_dumb() else None
    code, output = 0, sys.stdout
    try:
        aforesaid.main(given, prog_name="aforesaid", standalone_mode=False, color=colour)
        sys.stdout.flush()
    except click.exceptions.Abort:
        _complain("stopped: what was done until then stays")
        code = ABORTED
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except AforesaidError as error:
        _complain(tool_calls_to_commands(str(error)))
        code = next(code for kind, code in EXIT_CODES if isinstance(error, kind))
    except SystemExit as end:
        # the library replaces the stream when its reader has seen enough
        code = int(end.code or 0) if sys.stdout is output else 0
    except ImportError:
        raise  # start.py says how to mend the environment
    except OSError as error:
        code = refused(error)
    except Exception as error:  # noqa: BLE001 - the outermost boundary of a command
        code = _unforeseen(error, given)
    return code


def refused(error: OSError) -> int:
    """Say which file the system refuses; return the exit code, 0 where nobody reads."""
    with suppress(OSError):  # what is left of our output goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(error, BrokenPipeError):
        return 0
    where = f"{error.filename}: " if error.filename else ""
    _complain(f"{where}{error.strerror or error}: check the path, its rights and free space")
    return WORLD_NOT_READY


def _complain(text: str) -> None:
    said = text if text.startswith("aforesaid ") else f"aforesaid: {text}"  # it names its command
    for line in wrap(said, terminal_width(sys.stderr), hang=2):
        click.echo(line, err=True)


def _unforeseen(error: Exception, given: Sequence[str]) -> int:
    """Say that something failed that no family of errors foresees; return the exit code."""
    from aforesaid.adapters.system.log import kind_and_place
    from aforesaid.wiring.factories import open_log

    command = next((word for word in given if not word.startswith("-")), "")
    open_log(os.environ).write("error", f"{command}: {kind_and_place(error)}: nothing is lost")
    if os.environ.get("AFORESAID_SERVER_LOG_LEVEL") == "debug":
        raise error
    return UNFORESEEN
