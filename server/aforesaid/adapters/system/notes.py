"""Notes for the sweep while it works on them: claimed, tried again later, given up.

Here: the files. Not here: leaving, listing and reading notes, which hooks do, too (machine.py).
"""

from __future__ import annotations

import json
import os

from .machine import drop_note, list_notes, read_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_HOUR_MS = 3_600_000
#: How long after each failed try the next one comes: five tries within a week.
RETRY_AFTER_MS = (_HOUR_MS, 24 * _HOUR_MS, 48 * _HOUR_MS, 96 * _HOUR_MS)
MAX_TRIES = len(RETRY_AFTER_MS) + 1
_FOLDER = "retry"  #: in the notes' folder, where no start looks for work


class NoteClaim:
    """A note that one process at a time works on; the kernel ends a claim with its process."""

    def __init__(self, path: str) -> None:
        """Name the note."""
        self._path = path
        self._descriptor = -1

    def __enter__(self) -> bool:
        """Return False where another process works on the note, or did and dropped it."""
        try:
            import fcntl
        except ImportError:  # Windows: that two sweeps digest one session does no harm
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
    """Return the notes that are to be tried again and what they hold, oldest first."""
    found = []
    for path in list_notes(os.path.join(notes_folder, _FOLDER)):
        try:
            note = json.loads(read_note(path))
            if note["session_id"] and note["tried_at"] >= 0 and note["tries"] > 0:
                found.append((path, note))
        except (ValueError, KeyError, TypeError, RecursionError):
            drop_note(path)  # no sweep wrote it
    return found


def is_retry_due(note: Mapping[str, Any], now: int) -> bool:
    """Tell whether a note is to be tried again; a clock that was set back makes it no later."""
    wait_ms = RETRY_AFTER_MS[min(int(note["tries"]), len(RETRY_AFTER_MS)) - 1]
    return abs(now - int(note["tried_at"])) >= wait_ms


def put_off(path: str, notes_folder: str, event: Mapping[str, Any], why: str, now: int) -> int:
    """Keep a note whose session could not be digested for another try; drop it after the last.

    Returns:
        How often it was tried.
    """
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
