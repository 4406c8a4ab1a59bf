"""The group that every command joins, and what the process answers when one fails.

Here: the group, exit codes, the outermost boundary. Not here: commands, which stand in modules of
their own beside this one and import what they need when they run: light ones stay light.
"""

from __future__ import annotations

import sys
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

from .wording import for_people

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Exit code of each family of errors; 2 is the shell library's own for wrong usage.
EXIT_CODES: tuple[tuple[type[AforesaidError], int], ...] = (
    (InvalidInputError, 2),
    (NotFoundError, 3),
    (ConflictError, 4),
    (UnavailableError, 5),
    (CorruptError, 6),
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def aforesaid() -> None:
    """Long-term memory for coding agents, in one local file."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given and not sys.stdin.isatty():
        given = ["serve"]
    try:
        aforesaid.main(given, prog_name="aforesaid", standalone_mode=False)
    except click.exceptions.Abort:
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except AforesaidError as error:
        click.echo(f"aforesaid: {for_people(str(error))}", err=True)
        return next(code for kind, code in EXIT_CODES if isinstance(error, kind))
    except SystemExit as end:
        return int(end.code or 0)
    return 0
