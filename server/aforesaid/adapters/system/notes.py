"""The sweep's handling of notes: claiming, retrying later, giving up.

Not here: writing, listing and reading notes, which hooks do as well (machine.py).
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping

from aforesaid.domain.text.timestamps import DAY_MS, HOUR_MS

from .machine import drop_note, list_notes, read_note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

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
