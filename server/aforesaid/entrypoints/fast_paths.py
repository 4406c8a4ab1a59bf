"""Answers that need no command-line library, whose import takes as long as three bare starts.

The version, and the completion scripts that a shell evaluates at each start.
"""

from __future__ import annotations

import os
import sys

from aforesaid.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "completion")
SHELLS = ("bash", "zsh", "fish")


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    with open(os.path.join(_FOLDER, f"aforesaid.{shell}"), encoding="utf-8") as file:
        return file.read()


def main(arguments: Sequence[str]) -> int:
    """Answer here or by the command line; return the exit code."""
    if "_AFORESAID_COMPLETE" not in os.environ:
        if list(arguments) == ["--version"]:
            return _print(f"aforesaid, version {__version__}\n")
        if len(arguments) == 2 and arguments[1] in SHELLS:  # noqa: PLR2004 - completion SHELL
            return _print(script(arguments[1]))
    from .cli import main as run_command

    return run_command(arguments)


def _print(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from .cli.app import report_os_error

        return report_os_error(error)
    return 0
