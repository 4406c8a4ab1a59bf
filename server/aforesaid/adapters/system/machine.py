"""The machine: time, ids, processes, and notes left for later."""

from __future__ import annotations

import os
import sys
import time

from aforesaid.domain.model.ids import next_uuid7

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NOTE_BYTES = 1_000_000
_BSD_INFO = 3  #: PROC_PIDTBSDINFO of libproc
_BSD_INFO_BYTES = 136


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        return time.time_ns() // 1_000_000


class Uuid7Source:
    """UUIDv7 by the machine's random numbers."""

    def next_id(self, after: str | None, now: int) -> str:
        """Return an id that sorts after the one given."""
        return next_uuid7(after, now)


def process_start(pid: int) -> int | None:
    """Return what tells this process from a later one with its pid; None if not to be had.

    Linux: ticks since boot. macOS: microseconds since the epoch.
    """
    if sys.platform == "darwin":
        return _start_on_macos(pid)
    told = _told_by_proc(pid)
    return None if told is None else told[1]


def _told_by_proc(pid: int) -> tuple[bytes, int] | None:
    """Return the state and the start of a process as Linux tells them; None if not to be had."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return fields[0], int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def _start_on_macos(pid: int) -> int | None:
    import ctypes

    # struct proc_bsdinfo of libproc: pbi_start_tvsec and pbi_start_tvusec close its 136 bytes
    size = _BSD_INFO_BYTES
    buffer = ctypes.create_string_buffer(size)
    library = ctypes.CDLL("/usr/lib/libproc.dylib")
    if library.proc_pidinfo(pid, _BSD_INFO, ctypes.c_uint64(0), buffer, size) != size:
        return None
    seconds = int.from_bytes(buffer.raw[120:128], sys.byteorder)
    return seconds * 1_000_000 + int.from_bytes(buffer.raw[128:136], sys.byteorder)


def is_running(pid: int, start: int | None) -> bool:
    """Tell whether that very process still runs; one that only waits to be reaped does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return start is None or process_start(pid) == start
    told = _told_by_proc(pid)
    if told is not None:
        return told[0] != b"Z" and start in {told[1], None}
    return start is None or process_start(pid) in {start, None}


def working_folder() -> str:
    """Return the working directory, empty where it is gone."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def start_detached(arguments: Sequence[str]) -> None:
    """Start a program that outlives this one and its terminal, silent."""
    if sys.platform == "win32":
        import subprocess

        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
        subprocess.Popen(list(arguments), creationflags=flags, close_fds=True)
        return
    null = os.open(os.devnull, os.O_RDWR)
    actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
    try:
        os.posix_spawn(arguments[0], list(arguments), os.environ, file_actions=actions, setsid=True)
    finally:
        os.close(null)


def leave_note(folder: str, client: int, event: str, text: str) -> str:
    """Write a note for the sweep, one private file, whole or not at all; return its path.

    Its name is that of the notes which set-up leaves: ``<ms>-<client pid>-<event>.json``.

    Raises:
        OSError: it cannot be written: the disk is full, say.
    """
    os.makedirs(folder, 0o700, exist_ok=True)
    at = time.time_ns() // 1_000_000
    while (
        descriptor := _open_note(name := os.path.join(folder, f"{at}-{client}-{event}"))
    ) is None:
        at += 1  # another one of this millisecond
    try:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(descriptor, data) :]  # a disk that fills up takes a part first
        os.fsync(descriptor)
        os.rename(f"{name}.part", f"{name}.json")
    except OSError:
        os.unlink(f"{name}.part")
        raise
    finally:
        os.close(descriptor)
    return f"{name}.json"


def _open_note(name: str) -> int | None:
    """Return the descriptor of a note's file to be, or None if there is a note of this name."""
    try:
        descriptor = os.open(f"{name}.part", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return None
    if not os.path.exists(f"{name}.json"):
        return descriptor
    os.close(descriptor)
    os.unlink(f"{name}.part")
    return None


def list_notes(folder: str) -> list[str]:
    """Return the paths of the notes that were left, oldest first."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if name.endswith(".json")]


def note_client(path: str) -> int | None:
    """Return the pid of the client that a note's name tells, ``<ms>-<pid>[-<event>].json``."""
    return _note_part(path, 1)


def note_time(path: str) -> int | None:
    """Return when a note was left (ms), which its name tells."""
    return _note_part(path, 0)


def _note_part(path: str, place: int) -> int | None:
    part = os.path.basename(path).removesuffix(".json").split("-")[place : place + 1]
    return int(part[0]) if part and part[0].isdigit() else None


def read_note(path: str) -> str:
    """Return a note's text, bounded; empty if it is gone."""
    try:
        with open(path, "rb") as file:
            return file.read(NOTE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def drop_note(path: str) -> None:
    """Remove a note that was dealt with."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # another sweep was faster
