"""The detached process: every session that ended is digested, however it ended; then tending."""

from __future__ import annotations

import json

from aforesaid.config import load_settings
from aforesaid.domain.text.invisible import remove_invisible
from aforesaid.wiring import factories

from . import session_start
from .maintenance_schedule import is_due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.memory import Session
    from aforesaid.services.sessions.digester import SessionDigester, SessionEvent


def sweep(environment: Mapping[str, str]) -> int:
    """Digest every session that ended, have the summariser read it, if there is one, and tend.

    Returns:
        How many sessions were looked at that have a digest now.

    Raises:
        UnavailableError: the store cannot be written now; the notes stay for the next sweep.
    """
    settings = load_settings(environment)
    from aforesaid.adapters.system.machine import SystemClock

    store = factories.open_store(settings)
    digests = 0
    if settings["hooks.enabled"]:  # else the watcher digests, and had this started
        digests = digest_ended(store, settings, environment)
        if settings["digest.summariser"] != "none":
            from aforesaid.wiring.embedder_loader import embedder_of

            from .llm_extraction import extract_by_itself

            embedder = embedder_of(store, settings, environment)
            extract_by_itself(store, settings, environment, embedder.get)
    if is_due(store, settings, SystemClock().now()):
        from .maintenance import run_if_due

        run_if_due(store, settings, environment)
    store.close()
    return digests


def digest_ended(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    *,
    retry_all: bool = False,
) -> int:
    """Digest what notes name, then every open session whose client is gone; return how many.

    A session that cannot be digested costs no other its digest; it is tried again later. A note
    that another sweep works on is left to it.

    Args:
        store: where sessions are.
        settings: in force.
        environment: the process's.
        retry_all: whether what failed before is tried again now, and not when its time comes.

    Raises:
        UnavailableError: the store cannot be written now; the notes stay for the next sweep.
        CorruptError: it is damaged.
    """
    from aforesaid.adapters.system.machine import SystemClock, drop_note, list_notes, read_note
    from aforesaid.adapters.system.notes import NoteClaim, is_retry_due, list_retries

    ingest = factories.make_ingest(store, settings, environment)
    put_off = _PutOff(ingest, settings, environment)
    folder = settings.notes_folder
    now = SystemClock().now()
    retries = [path for path, note in list_retries(folder) if retry_all or is_retry_due(note, now)]
    digests = 0
    for path in (*list_notes(folder), *retries):
        with NoteClaim(path) as claimed:
            event = _read_event(read_note(path)) if claimed else None
            if not claimed or (event and event.get("store", settings.db_path) != settings.db_path):
                continue  # of a session whose client names another store: that one's sweep takes it
            try:
                digests += event is not None and _take(ingest, event, path)
            except Exception as error:  # noqa: BLE001 - a session's outermost boundary
                put_off.note(path, event or {}, error)
            else:
                drop_note(path)
    if settings["hooks.session_end"]:
        for session in ingest.ended_sessions(session_start.is_over):
            try:
                digests += ingest.digest(session) is not None
            except Exception as error:  # noqa: BLE001 - as above
                put_off.session(session, error)
    return digests


class _PutOff:
    """Keeps sessions that could not be digested for another try, and gives up in the end."""

    def __init__(
        self, ingest: SessionDigester, settings: Settings, environment: Mapping[str, str]
    ) -> None:
        self._ingest = ingest
        self._settings = settings
        self._environment = environment

    def note(self, path: str, event: dict[str, Any], error: Exception) -> None:
        """Put off the session of a note.

        Raises:
            UnavailableError: the store cannot be written now.
            CorruptError: it is damaged.
        """
        from aforesaid.adapters.system.log import kind_and_place
        from aforesaid.adapters.system.machine import SystemClock
        from aforesaid.adapters.system.notes import MAX_TRIES, is_retry_due, put_off
        from aforesaid.domain.errors import AforesaidError

        factories.log_undigested(self._environment, error)
        why = str(error) if isinstance(error, AforesaidError) else kind_and_place(error)
        if event.get("hook_event_name") not in {"SessionStart", "PreCompact"}:
            self._ingest.end_without_digest(_session_event(event, path))
        now = SystemClock().now()
        if event.get("tries") and not is_retry_due(event, now):
            return  # a person had it tried earlier: that does not count
        tries = put_off(path, self._settings.notes_folder, event, why, now)
        if tries >= MAX_TRIES:
            factories.open_log(self._environment).write(
                "error", f"session {event['session_id']} was given up after {tries} tries: {why}"
            )

    def session(self, session: Session, error: Exception) -> None:
        """Put off a session whose client left no note.

        Raises:
            UnavailableError: the store cannot be written now.
            CorruptError: it is damaged.
        """
        from aforesaid.adapters.system.machine import leave_note

        event = {
            "session_id": session.id,
            "transcript_path": session.transcript_path or "",
            "cwd": session.folder or "",
            "hook_event_name": "SessionEnd",
            "store": self._settings.db_path,
        }
        client = session.client_pid or 0
        folder = self._settings.notes_folder
        self.note(leave_note(folder, client, "session-end", json.dumps(event)), event, error)


def _read_event(text: str) -> dict[str, Any] | None:
    """Return the event of a note; None if it names no session."""
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(event, dict):
        return None
    event["session_id"] = remove_invisible(str(event.get("session_id") or ""))
    return event if event["session_id"] else None


def _take(ingest: SessionDigester, event: dict[str, Any], path: str) -> bool:
    """Digest the session that a note tells of; register the one that it tells the start of.

    A start is noted only while there is no environment: its session is over when its client is.
    """
    from aforesaid.adapters.system.machine import process_start

    told = _session_event(event, path)
    client = told.client
    if event.get("hook_event_name") == "SessionStart":
        start = None if client is None else process_start(client)
        ingest.register(told, client, start)
        return False
    if event.get("hook_event_name") == "PreCompact":
        return ingest.checkpoint(told) is not None
    return ingest.end_session(told) is not None


def _session_event(event: Mapping[str, Any], path: str) -> SessionEvent:
    """Return what a note tells of its session, by its text and its name."""
    from aforesaid.adapters.system.machine import note_client, note_time
    from aforesaid.services.sessions.digester import SessionEvent

    return SessionEvent(
        session_id=str(event["session_id"]),
        transcript_path=str(event.get("transcript_path") or ""),
        folder=str(event.get("cwd") or ""),
        client=note_client(path),
        told_at=note_time(path),
    )
