"""Set-up started beside this process, and this process become another: for every door.

Not here: when (handshake_server.py, setup_pending.py), what set-up builds (environment.py).
"""

from __future__ import annotations

import os
import sys

from aforesaid.bootstrap import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def start_setup() -> None:
    """Starts set-up as a process that outlives this one and the client; two do no harm."""
    _start_detached([sys.executable, "-I", paths.START, "--setting-up", "setup", "--in-background"])


def start_sweep(python: str) -> None:
    """Starts the sweep, which digests the sessions of which notes were left meanwhile.

    Args:
        python: The interpreter of the ready environment.
    """
    _start_detached([python, "-I", "-X", "utf8", paths.START, "hook", "sweep"])


def _start_detached(command: list[str]) -> None:
    import subprocess

    with open(os.devnull, "r+b") as nothing:
        subprocess.Popen(
            command,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
            cwd=os.path.dirname(paths.START),
        )


def become(command: list[str]) -> NoReturn:
    """Replaces this process, where the system can; otherwise runs the command and exits with it."""
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], command)  # noqa: S606 - a fixed program with its arguments
    import subprocess

    sys.exit(subprocess.call(command))
