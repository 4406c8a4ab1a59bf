"""Starts set-up and the sweep as background processes; replaces this process by another."""

from __future__ import annotations

import os
import sys

from aforesaid.bootstrap import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def start_setup() -> None:
    """Start set-up as a process that outlives this one and the client; a second start is safe."""
    _start_detached([sys.executable, "-I", paths.START, "--setting-up", "setup", "--in-background"])


def start_sweep(python: str) -> None:
    """Start the session sweep with the environment's interpreter."""
    _start_detached([python, "-I", "-X", "utf8", paths.START, "hook", "sweep"])


def _start_detached(command: list[str]) -> None:
    import subprocess

    with open(os.devnull, "r+b") as null:
        subprocess.Popen(
            command,
            stdin=null,
            stdout=null,
            stderr=null,
            start_new_session=True,
            cwd=os.path.dirname(paths.START),
        )


def become(command: list[str]) -> NoReturn:
    """Replace this process with a command; on Windows, run it and exit with its code."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606 - a fixed program with its arguments
    import subprocess

    sys.exit(subprocess.call(command))
