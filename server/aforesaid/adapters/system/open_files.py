"""Finds processes that have a file open: by /proc on Linux, by lsof on macOS, else not at all."""

from __future__ import annotations

import os
import sys

from aforesaid.domain.value import Value

LSOF_SECONDS = 5
COMMAND_CHARS = 100
_PROGRAMS = ("start.py", "aforesaid")  #: files that the interpreter or the shell runs
_SERVERS = ("aforesaid serve", "aforesaid ui")


class OpenFileProcess(Value):
    """A process that has a file open."""

    pid: int
    command: str

    @property
    def is_server(self) -> bool:
        """Whether it serves clients or the viewer."""
        return self.command.startswith(_SERVERS)


def find_holders(path: str) -> list[OpenFileProcess]:
    """Return this user's other processes that have a database open, by pid."""
    names = {path + suffix for suffix in ("", "-wal", "-shm")}
    pids = _by_lsof(path) if sys.platform == "darwin" else _by_proc(names)
    return [OpenFileProcess(pid=pid, command=_command(pid)) for pid in sorted(pids - {os.getpid()})]


def _by_proc(names: set[str]) -> set[int]:
    pids = set()
    for entry in _listing("/proc"):
        if not entry.isdigit():
            continue
        folder = f"/proc/{entry}/fd"
        for descriptor in _listing(folder):
            try:
                if os.readlink(f"{folder}/{descriptor}") in names:
                    pids.add(int(entry))
                    break
            except OSError:
                continue  # closed since it was listed
    return pids


def _by_lsof(path: str) -> set[int]:
    import subprocess

    try:
        result = subprocess.run(
            ["/usr/sbin/lsof", "-t", "--", path],
            capture_output=True,
            text=True,
            timeout=LSOF_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return set()
    return {int(line) for line in result.stdout.split() if line.isdigit()}


def _command(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(20 * COMMAND_CHARS).decode("utf-8", "replace").split("\0")
    except OSError:
        return ""
    for place, word in enumerate(words):
        if os.path.basename(word) in _PROGRAMS:
            words = ["aforesaid", *words[place + 1 :]]
            break
    return " ".join(words).strip()[:COMMAND_CHARS]


def _listing(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []  # another user's process, or it has ended
