"""The detached process: every session that ended is digested, however it ended; then tending."""

from __future__ import annotations

import json

from aforesaid.config import load_settings

from . import hook, parts
from .due import is_due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.services.sessions.ingest import Ingest


def sweep(environment: Mapping[str, str]) -> int:
    """Digest every session that ended, have the summariser read it, if there is one, and tend.

    Returns:
        How many sessions were looked at that have a digest now.

    Raises:
        UnavailableError: the store cannot be written now; the notes stay for the next sweep.
    """
    settings = load_settings(environment)
    from aforesaid.adapters.system import SystemClock

    store = parts.open_store(settings)
    digests = 0
    if settings["hooks.enabled"]:  # else the watcher digests, and had this started
        digests = digest_ended(store, settings, environment)
        if settings["digest.summariser"] != "none":
            from .embedding import embedder_of
            from .extraction import extract_by_itself

            embedder = embedder_of(store, settings, environment)
            extract_by_itself(store, settings, environment, embedder.get)
    if is_due(store, settings, SystemClock().now()):
        from .tending import tend_alone

        tend_alone(store, settings, environment)
    store.close()
    return digests


def digest_ended(store: SqliteStore, settings: Settings, environment: Mapping[str, str]) -> int:
    """Digest what notes name, then every open session whose client is gone; return how many.

    A session that cannot be digested costs no other its digest; its note stays.

    Raises:
        UnavailableError: the store cannot be written now; the notes stay for the next sweep.
        CorruptError: it is damaged.
    """
    from aforesaid.adapters.system import drop_note, list_notes, read_note

    ingest = parts.make_ingest(store, settings, environment)
    digests = 0
    for path in list_notes(settings.notes_folder):
        event = _read_event(read_note(path))
        if event is not None and event.get("store", settings.db_path) != settings.db_path:
            continue  # of a session whose client names another store: that one's sweep takes it
        try:
            digests += event is not None and _take(ingest, event, path)
        except Exception as error:  # noqa: BLE001 - a session's outermost boundary
            parts.tell_undigested(environment, error)
        else:
            drop_note(path)
    if settings["hooks.session_end"]:
        for session in ingest.over(hook.is_over):
            try:
                digests += ingest.digest(session) is not None
            except Exception as error:  # noqa: BLE001 - as above
                parts.tell_undigested(environment, error)
    return digests


def _read_event(text: str) -> dict[str, Any] | None:
    """Return the event of a note; None if it names no session."""
    try:
        event = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and event.get("session_id") else None


def _take(ingest: Ingest, event: dict[str, Any], path: str) -> bool:
    """Digest the session that a note tells of; register the one that it tells the start of.

    A start is noted only while there is no environment: its session is over when its client is.
    """
    from aforesaid.adapters.system import note_client, note_time, process_start
    from aforesaid.services.sessions.ingest import SessionEvent

    client = note_client(path)
    told = SessionEvent(
        session_id=str(event["session_id"]),
        transcript_path=str(event.get("transcript_path") or ""),
        folder=str(event.get("cwd") or ""),
        client=client,
        told_at=note_time(path),
    )
    if event.get("hook_event_name") == "SessionStart":
        start = None if client is None else process_start(client)
        ingest.register(told, client, start)
        return False
    if event.get("hook_event_name") == "PreCompact":
        return ingest.checkpoint(told) is not None
    return ingest.end_session(told) is not None
