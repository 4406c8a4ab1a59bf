"""What is answered before the library of the shell is loaded, which takes three bare starts.

The version, and the scripts that a shell evaluates each time it starts. Not here: any command.
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
    """Return what a shell evaluates to complete our commands."""
    with open(os.path.join(_FOLDER, f"aforesaid.{shell}"), encoding="utf-8") as file:
        return file.read()


def main(arguments: Sequence[str]) -> int:
    """Answer, or leave it to the command line; return the exit code."""
    if "_AFORESAID_COMPLETE" not in os.environ:
        if list(arguments) == ["--version"]:
            return _told(f"aforesaid, version {__version__}\n")
        if len(arguments) == 2 and arguments[1] in SHELLS:  # noqa: PLR2004 - completion SHELL
            return _told(script(arguments[1]))
    from .cli import main as command_line

    return command_line(arguments)


def _told(text: str) -> int:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        from .cli.app import refused

        return refused(error)
    return 0
