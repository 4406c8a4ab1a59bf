"""The processes that run for a sandbox, who started whom, and waiting for what they do.

Here: reading /proc. Not here: starting and ending (client.py). Elsewhere than on Linux nothing
can be said of another process's environment: ``supported`` is False, and tests skip.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
supported = (PROC / "self" / "environ").exists()


@dataclass(frozen=True, kw_only=True)
class Process:
    """One running process."""

    pid: int
    parent: int
    command: str


def processes_of_home(home: Path) -> list[Process]:
    """Return what runs with this HOME, whoever started it, without zombies and ourselves."""
    mark = f"HOME={home}".encode()
    results = []
    for entry in PROC.glob("[0-9]*"):
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
            if state == "Z" or mark not in (entry / "environ").read_bytes().split(b"\0"):
                continue
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
        except OSError:
            continue  # gone meanwhile, or another user's
        results.append(
            Process(
                pid=int(entry.name),
                parent=int(parent),
                command=command.decode("utf-8", "replace").strip(),
            )
        )
    return [process for process in results if process.pid != os.getpid()]


def wait_until(condition: Callable[[], object], what: str, timeout: float = 30) -> None:
    """Return when ``condition()`` is true; a bounded poll, for what tells nobody that it is done.

    Raises:
        TimeoutError: when it did not come true in ``timeout`` seconds.
    """
    end = time.monotonic() + timeout
    pause = threading.Event()
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {timeout} s")
        pause.wait(0.05)
