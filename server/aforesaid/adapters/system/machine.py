"""The machine: time, ids, processes, and the notes that hooks leave for the sweep.

Of notes: writing and reading them, and what the sweep does with them: claiming, retrying later,
giving up.
"""

from __future__ import annotations

import os
import sys
import time

from aforesaid.domain.model.ids import next_uuid7
from aforesaid.domain.text.timestamps import DAY_MS, HOUR_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

NOTE_BYTES = 1_000_000
_BSD_INFO = 3  #: PROC_PIDTBSDINFO of libproc
_BSD_INFO_BYTES = 136


class SystemClock:
    """The machine's clock."""

    def now(self) -> int:
        """Return milliseconds since the epoch, UTC."""
        return time.time_ns() // 1_000_000


class Uuid7Source:
    """Generates UUIDv7 ids."""

    def next_id(self, after: str | None, now: int) -> str:
        """Return an id that sorts after ``after``."""
        return next_uuid7(after, now)


def process_start(pid: int) -> int | None:
    """Return a process's start time, to detect a reused pid; None if unknown.

    Linux: ticks since boot. macOS: microseconds since the epoch.
    """
    if sys.platform == "darwin":
        return _start_on_macos(pid)
    status = _read_proc_stat(pid)
    return None if status is None else status[1]


def _read_proc_stat(pid: int) -> tuple[bytes, int] | None:
    """Return the state and start time of a Linux process; None if unknown."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return fields[0], int(fields[19])
    except (OSError, IndexError, ValueError):
        return None


def _start_on_macos(pid: int) -> int | None:
    import ctypes

    # struct proc_bsdinfo of libproc: its 136 bytes end with pbi_start_tvsec and pbi_start_tvusec
    size = _BSD_INFO_BYTES
    buffer = ctypes.create_string_buffer(size)
    library = ctypes.CDLL("/usr/lib/libproc.dylib")
    if library.proc_pidinfo(pid, _BSD_INFO, ctypes.c_uint64(0), buffer, size) != size:
        return None
    seconds = int.from_bytes(buffer.raw[120:128], sys.byteorder)
    return seconds * 1_000_000 + int.from_bytes(buffer.raw[128:136], sys.byteorder)


def is_running(pid: int, start: int | None) -> bool:
    """Return whether the process with this pid and start time still runs; a zombie does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return start is None or process_start(pid) == start
    status = _read_proc_stat(pid)
    if status is not None:
        return status[0] != b"Z" and start in {status[1], None}
    return start is None or process_start(pid) in {start, None}


def working_folder() -> str:
    """Return the working directory; empty if it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def start_detached(arguments: Sequence[str]) -> None:
    """Start a program that outlives this one and its terminal, without input or output."""
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
    """Write a note for the sweep atomically, as a private file; return its path.

    Its name is ``<ms>-<client pid>-<event>.json``, like that of notes from the bootstrap.

    Raises:
        OSError: it cannot be written, for example because the disk is full.
    """
    os.makedirs(folder, 0o700, exist_ok=True)
    at_ms = time.time_ns() // 1_000_000
    while (
        descriptor := _open_note(name := os.path.join(folder, f"{at_ms}-{client}-{event}"))
    ) is None:
        at_ms += 1  # there is a note of this millisecond already
    try:
        data = text.encode("utf-8", "replace")
        while data:
            data = data[os.write(descriptor, data) :]  # a nearly full disk writes only a part
        os.fsync(descriptor)
        os.rename(f"{name}.part", f"{name}.json")
    except OSError:
        os.unlink(f"{name}.part")
        raise
    finally:
        os.close(descriptor)
    return f"{name}.json"


def _open_note(name: str) -> int | None:
    """Return the descriptor of a new note's draft, or None if there is a note of this name."""
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
    """Return the paths of the notes, oldest first."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if name.endswith(".json")]


def note_client(path: str) -> int | None:
    """Return the client's pid from a note's name, ``<ms>-<pid>[-<event>].json``."""
    return _note_part(path, 1)


def note_time(path: str) -> int | None:
    """Return the time of a note (ms) from its name."""
    return _note_part(path, 0)


def _note_part(path: str, index: int) -> int | None:
    part = os.path.basename(path).removesuffix(".json").split("-")[index : index + 1]
    return int(part[0]) if part and part[0].isdigit() else None


def read_note(path: str) -> str:
    """Return a note's text, at most NOTE_BYTES; empty if it does not exist."""
    try:
        with open(path, "rb") as file:
            return file.read(NOTE_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def drop_note(path: str) -> None:
    """Remove a note."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass  # another sweep removed it


#: Delay after each failed attempt: five attempts within a week.
RETRY_AFTER_MS = (HOUR_MS, DAY_MS, 2 * DAY_MS, 4 * DAY_MS)
MAX_TRIES = len(RETRY_AFTER_MS) + 1
_FOLDER = "retry"  #: a subfolder of the notes, which session starts do not read


class NoteClaim:
    """An exclusive lock on a note; the kernel releases it when the process ends."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._descriptor = -1

    def __enter__(self) -> bool:
        """Return False if another process works on the note, or has already removed it."""
        try:
            import fcntl
        except ImportError:  # Windows; two sweeps digesting one session do no harm
            return True
        try:
            self._descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return os.fstat(self._descriptor).st_nlink > 0

    def __exit__(self, *_: object) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)


def list_retries(notes_folder: str) -> list[tuple[str, dict[str, Any]]]:
    """Return path and content of the notes to retry, oldest first."""
    import json  # only the sweep retries

    retries = []
    for path in list_notes(os.path.join(notes_folder, _FOLDER)):
        try:
            note = json.loads(read_note(path))
            if note["session_id"] and note["tried_at"] >= 0 and note["tries"] > 0:
                retries.append((path, note))
        except (ValueError, KeyError, TypeError, RecursionError):
            drop_note(path)  # not written by a sweep
    return retries


def is_retry_due(note: Mapping[str, Any], now: int) -> bool:
    """Return whether a retry is due; setting the clock back does not delay it."""
    wait_ms = RETRY_AFTER_MS[min(int(note["tries"]), len(RETRY_AFTER_MS)) - 1]
    return abs(now - int(note["tried_at"])) >= wait_ms


def schedule_retry(
    path: str, notes_folder: str, event: Mapping[str, Any], why: str, now: int
) -> int:
    """Keep a note whose session could not be digested for a retry; drop it after the last one.

    Returns:
        The number of attempts so far.
    """
    import json

    tries = int(event.get("tries") or 0) + 1
    if tries < MAX_TRIES:
        first = event.get("first_tried_at") or now
        note = {**event, "tries": tries, "tried_at": now, "first_tried_at": first, "why": why}
        folder = os.path.join(notes_folder, _FOLDER)
        os.makedirs(folder, 0o700, exist_ok=True)
        target = os.path.join(folder, os.path.basename(path))
        draft = f"{target}.{os.getpid()}"
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(descriptor, "w", encoding="utf-8") as file:
            json.dump(note, file)
        os.replace(draft, target)
        if target == path:
            return tries
    drop_note(path)
    return tries
