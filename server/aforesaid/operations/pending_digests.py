"""Finds ended sessions without a digest when another session starts, and waits briefly.

Not here: digesting them (session_sweep.py), showing late digests with a prompt (prompt_handler.py).
"""

from __future__ import annotations

import os
import time

from aforesaid.domain.text.sanitize import remove_invisible
from aforesaid.wiring import factories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.memory import CallContext, Session

#: How long the start of a session waits for digests.
MAX_WAIT_SECONDS = 0.3
_POLL_SECONDS = 0.01
#: Newest notes that a session's start reads, to stay fast.
_MAX_NOTES = 20
_UNREGISTERED = 0  #: represents a project without a key
#: Events that leave a note but do not end the session.
_NO_END = ("SessionStart", "PreCompact")


class PendingSession:
    """A session that ended and has no digest yet."""

    __slots__ = ("ended_at_ms", "id", "note")

    def __init__(self, session_id: str, note: str, ended_at_ms: int) -> None:
        self.id = session_id
        self.note = note  #: path of the note about its end; empty if its client was killed
        self.ended_at_ms = ended_at_ms


def find_pending(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    context: CallContext,
    notes: Sequence[str],
    abandoned: Sequence[Session],
) -> list[PendingSession]:
    """Return the sessions of the current project that wait for the sweep, oldest first.

    Args:
        store: The store.
        settings: The settings.
        environment: The environment variables.
        context: The call context of the session that starts.
        notes: Paths of all notes, oldest first.
        abandoned: Open sessions whose client is gone.
    """
    candidates = _read_notes(notes[-_MAX_NOTES:], settings)
    for session in abandoned:
        if session.id not in candidates:
            candidates[session.id] = PendingSession(session.id, "", _last_written(session)), ""
    projects = _ProjectsOfFolders(store, settings, environment, context)
    pending = [
        session
        for session, folder in candidates.values()
        if session.id != context.session
        and projects.is_here(store.sessions.get(session.id), folder)
    ]
    return sorted(pending, key=lambda session: session.ended_at_ms)


def wait_for_digests(
    store: SqliteStore, pending: Sequence[PendingSession], seconds: float = MAX_WAIT_SECONDS
) -> list[PendingSession]:
    """Wait for a running sweep to digest sessions; return those without a digest at the end."""
    deadline = time.monotonic() + seconds
    while True:
        pending = [session for session in pending if _is_pending(store, session)]
        left = deadline - time.monotonic()
        if not pending or left <= 0:
            return list(pending)
        time.sleep(min(_POLL_SECONDS, left))


def describe(pending: Sequence[PendingSession], *, with_prompt: bool) -> str:
    """Return a sentence on the sessions being summarised, and how their digests will be shown."""
    ended = time.localtime(pending[-1].ended_at_ms / 1000)
    same_day = ended[:3] == time.localtime()[:3]
    when = time.strftime("today %H:%M" if same_day else "%Y-%m-%d %H:%M", ended)
    sentence = f"the last session ({when}) is being summarised"
    if len(pending) > 1:
        sentence = f"the last {len(pending)} sessions (the latest {when}) are being summarised"
    how = "shown with your first prompt" if with_prompt else "found by recall_memory shortly"
    return (
        f"{sentence}; it will be {how}" if len(pending) == 1 else f"{sentence}; they will be {how}"
    )


def _is_pending(store: SqliteStore, pending: PendingSession) -> bool:
    if pending.note:
        return os.path.exists(pending.note)
    session = store.sessions.get(pending.id)
    return session is not None and session.ended_at is None


def _read_notes(notes: Sequence[str], settings: Settings) -> dict[str, tuple[PendingSession, str]]:
    """Return the ended sessions that notes name, with their folders, by id.

    A start leaves a note only while there is no environment; its client may be gone since.
    """
    from aforesaid.adapters.system.machine import is_running, note_client, note_time

    sessions: dict[str, tuple[PendingSession, str]] = {}
    folders: dict[str, str] = {}
    for path in notes:
        event = read_event(path)
        if event is None or event.get("store", settings.db_path) != settings.db_path:
            continue
        session_id = str(event["session_id"])
        folder = folders[session_id] = str(event.get("cwd") or folders.get(session_id, ""))
        client = note_client(path)
        killed = event.get("hook_event_name") == "SessionStart" and not (
            client is not None and is_running(client, None)
        )
        if killed or event.get("hook_event_name") not in _NO_END:
            sessions[session_id] = PendingSession(session_id, path, note_time(path) or 0), folder
    return sessions


def read_event(path: str) -> dict[str, Any] | None:
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
    """Return when a session's transcript was last written (ms)."""
    try:
        return int(os.stat(session.transcript_path or "").st_mtime * 1000)
    except OSError:
        return session.opened_at or session.started_at


class _ProjectsOfFolders:
    """Finds the sessions of the current project; looks at each folder once."""

    def __init__(
        self,
        store: SqliteStore,
        settings: Settings,
        environment: Mapping[str, str],
        context: CallContext,
    ) -> None:
        self._projects = factories.make_projects(store, settings)
        self._settings = settings
        self._environment = factories.without_project_override(environment)
        self._here = context.project_key
        self._project_of: dict[str, int | None] = {context.folder or "": self._here}

    def is_here(self, session: Session | None, folder: str) -> bool:
        """Whether a session belongs to the project; unregistered ones are judged by folder."""
        if session is not None and session.project is not None:
            return session.project == self._here
        folder = (session.folder if session is not None else "") or folder
        if not folder:
            return False
        if folder not in self._project_of:
            seen = factories.read_workspace(folder, self._settings, self._environment)
            identity, project = self._projects.lookup(seen)
            if project is not None:
                self._project_of[folder] = project.key
            else:  # no project, or one that no session has registered yet
                self._project_of[folder] = None if identity is None else _UNREGISTERED
        return self._project_of[folder] == self._here
