"""Sessions that ended and have no digest yet: found when another starts, waited for briefly.

Not here: digesting them (session_sweep.py), showing with a prompt what came too late
(prompt_handler.py).
"""

from __future__ import annotations

import os
import time

from aforesaid.domain.text.invisible import remove_invisible
from aforesaid.wiring import factories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.memory import Session
    from aforesaid.domain.projects.call_context import CallContext

#: How long the start of a session waits for digests.
MAX_WAIT_SECONDS = 0.3
_POLL_SECONDS = 0.01
#: Notes that a start reads, the newest: it has no time for more.
_MAX_NOTES = 20
_UNREGISTERED = 0  #: no project's key
#: Events that leave a note and end no session.
_NO_END = ("SessionStart", "PreCompact")


class PendingSession:
    """A session that ended and has no digest yet."""

    __slots__ = ("ended_at_ms", "id", "note")

    def __init__(self, session_id: str, note: str, ended_at_ms: int) -> None:
        self.id = session_id
        self.note = note  #: path of the note about its end; empty where its client was killed
        self.ended_at_ms = ended_at_ms


def find_pending(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    place: CallContext,
    notes: Sequence[str],
    over: Sequence[Session],
) -> list[PendingSession]:
    """Return the sessions of a place's project that wait for the sweep, oldest first.

    Args:
        store: where sessions are.
        settings: in force.
        environment: the process's.
        place: of the session that starts.
        notes: paths of all notes, oldest first.
        over: open sessions whose client is gone.
    """
    found = _noted(notes[-_MAX_NOTES:], settings)
    for session in over:
        if session.id not in found:
            found[session.id] = PendingSession(session.id, "", _last_written(session)), ""
    projects = _ProjectsOfFolders(store, settings, environment, place)
    here = [
        one
        for one, folder in found.values()
        if one.id != place.session and projects.is_here(store.sessions.get(one.id), folder)
    ]
    return sorted(here, key=lambda one: one.ended_at_ms)


def wait_for_digests(
    store: SqliteStore, pending: Sequence[PendingSession], seconds: float = MAX_WAIT_SECONDS
) -> list[PendingSession]:
    """Return the sessions that have no digest yet after so long; a running sweep writes them."""
    deadline = time.monotonic() + seconds
    while True:
        pending = [one for one in pending if _is_pending(store, one)]
        left = deadline - time.monotonic()
        if not pending or left <= 0:
            return list(pending)
        time.sleep(min(_POLL_SECONDS, left))


def describe(pending: Sequence[PendingSession], *, with_prompt: bool) -> str:
    """Return which sessions are being summarised, and how the session learns of them."""
    ended = time.localtime(pending[-1].ended_at_ms / 1000)
    same_day = ended[:3] == time.localtime()[:3]
    when = time.strftime("today %H:%M" if same_day else "%Y-%m-%d %H:%M", ended)
    said = f"the last session ({when}) is being summarised"
    if len(pending) > 1:
        said = f"the last {len(pending)} sessions (the latest {when}) are being summarised"
    how = "shown with your first prompt" if with_prompt else "found by recall_memory in a while"
    return f"{said}; it will be {how}" if len(pending) == 1 else f"{said}; they will be {how}"


def _is_pending(store: SqliteStore, one: PendingSession) -> bool:
    if one.note:
        return os.path.exists(one.note)
    session = store.sessions.get(one.id)
    return session is not None and session.ended_at is None


def _noted(notes: Sequence[str], settings: Settings) -> dict[str, tuple[PendingSession, str]]:
    """Return the sessions that notes say have ended, with their folders, by id.

    A start is noted only while there is no environment; its client may have been killed since.
    """
    from aforesaid.adapters.system.machine import is_running, note_client, note_time

    found: dict[str, tuple[PendingSession, str]] = {}
    folders: dict[str, str] = {}
    for path in notes:
        event = _read_event(path)
        if event is None or event.get("store", settings.db_path) != settings.db_path:
            continue
        session_id = str(event["session_id"])
        folder = folders[session_id] = str(event.get("cwd") or folders.get(session_id, ""))
        client = note_client(path)
        killed = event.get("hook_event_name") == "SessionStart" and not (
            client is not None and is_running(client, None)
        )
        if killed or event.get("hook_event_name") not in _NO_END:
            found[session_id] = PendingSession(session_id, path, note_time(path) or 0), folder
    return found


def _read_event(path: str) -> dict[str, Any] | None:
    """Return the event of a note; None if it names no session."""
    from aforesaid.adapters.system.machine import read_note
    from aforesaid.domain.text.lean_json import read_json

    try:
        event = read_json(read_note(path))
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    event["session_id"] = remove_invisible(str(event.get("session_id") or ""))
    return event if event["session_id"] else None


def _last_written(session: Session) -> int:
    """Return when the transcript of a session whose client was killed was last written (ms)."""
    try:
        return int(os.stat(session.transcript_path or "").st_mtime * 1000)
    except OSError:
        return session.opened_at or session.started_at


class _ProjectsOfFolders:
    """Tells which sessions belong to the project of a place; looks at each folder once."""

    def __init__(
        self,
        store: SqliteStore,
        settings: Settings,
        environment: Mapping[str, str],
        place: CallContext,
    ) -> None:
        self._projects = factories.make_projects(store, settings)
        self._settings = settings
        self._environment = factories.without_project_override(environment)
        self._here = place.project.key if place.known else None
        self._of: dict[str, int | None] = {place.folder or "": self._here}

    def is_here(self, session: Session | None, folder: str) -> bool:
        """Tell whether a session, or one that is known by its folder alone, is of the project."""
        if session is not None and session.project is not None:
            return session.project == self._here
        folder = (session.folder if session is not None else "") or folder
        if not folder:
            return False
        if folder not in self._of:
            seen = factories.read_workspace(folder, self._settings, self._environment)
            identity, project = self._projects.lookup(seen)
            if project is not None:
                self._of[folder] = project.key
            else:  # nobody's project, or one that no session has registered yet
                self._of[folder] = None if identity is None else _UNREGISTERED
        return self._of[folder] == self._here
