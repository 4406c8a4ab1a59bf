"""The session sweep: a background process that digests ended sessions, then runs maintenance."""

from __future__ import annotations

import json
import os
import time

from aforesaid.config import load_settings
from aforesaid.wiring import factories

from . import session_start
from .maintenance_schedule import is_due
from .pending_digests import read_event

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.memory import Session
    from aforesaid.ports import Embedder
    from aforesaid.services.sessions.digester import SessionDigester
    from aforesaid.services.sessions.session_event import SessionEvent
    from aforesaid.wiring.embedder_loader import StoreBoundEmbedder


_WAIT_SECONDS = 10.0
_MAX_RECEIPTS = 50  #: lines in the log for the sessions that one sweep ended


def sweep(environment: Mapping[str, str]) -> int:
    """Digest ended sessions, run the summariser, if there is one, and maintenance, if it is due.

    Returns:
        How many sessions were digested.

    Raises:
        UnavailableError: The store cannot be written now; the notes stay for the next sweep.
    """
    settings = load_settings(environment)
    from aforesaid.adapters.system.machine import SystemClock

    store = factories.open_store(settings)
    digests, now = 0, SystemClock().now()
    if settings["hooks.enabled"]:  # otherwise the watcher digests, and started this process
        digests = digest_ended(store, settings, environment, wait_seconds=_WAIT_SECONDS)
        if digests:
            _log_receipts(store, environment, now)
        if settings["digest.summariser"] != "none":
            from aforesaid.wiring.embedder_loader import embedder_of

            from .llm_extraction import extract_in_background

            embedder = embedder_of(store, settings, environment)
            extract_in_background(store, settings, environment, embedder.get)
    if is_due(store, settings, now):
        from .maintenance import run_if_due

        run_if_due(store, settings, environment)
    store.close()
    return digests


def _log_receipts(store: SqliteStore, environment: Mapping[str, str], since: int) -> None:
    """Log what each session that ended since a time (ms) was shown, used and kept."""
    ended = store.inspection.session_usage((), _MAX_RECEIPTS, ended_since=since)
    for session in reversed(ended):
        tokens = session["shown_tokens"] + session["subagent_tokens"] + session["asked_tokens"]
        factories.open_log(environment).write(
            "info",
            f"session {session['session']}: {session['shown']} shown, {session['used']} used, "
            f"{tokens} tokens, {session['kept']} kept",
            file_only=True,
        )


def digest_ended(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    *,
    retry_all: bool = False,
    wait_seconds: float = 0.0,
) -> int:
    """Digest the sessions that notes name, then open ones whose client is gone; return how many.

    A session that cannot be digested does not affect the others, and is retried later. Notes that
    another sweep is working on are skipped.

    Args:
        store: The store.
        settings: The settings.
        environment: The environment variables.
        retry_all: Retry failed sessions now instead of at their scheduled time.
        wait_seconds: How long to wait, at most, for the notes that another sweep is working on.

    Raises:
        UnavailableError: The store cannot be written now; the notes stay for the next sweep.
        CorruptError: The store is damaged.
    """
    from aforesaid.adapters.system.machine import (
        NoteClaim,
        SystemClock,
        drop_note,
        is_retry_due,
        list_notes,
        list_retries,
    )

    judge = _make_embedder_getter(store, settings, environment)
    digester = factories.make_session_digester(store, settings, environment, judge_embedder=judge)
    retry_queue = _RetryQueue(digester, settings, environment)
    folder = settings.notes_folder
    now = SystemClock().now()
    retries = [path for path, note in list_retries(folder) if retry_all or is_retry_due(note, now)]
    digests = 0
    busy: list[str] = []
    for path in (*list_notes(folder), *retries):
        with NoteClaim(path) as claimed:
            if not claimed:
                busy.append(path)  # another sweep has it
                continue
            event = read_event(path)
            if event and event.get("store", settings.db_path) != settings.db_path:
                continue  # the session belongs to another store
            try:
                digests += event is not None and _process(digester, event, path)
            except Exception as error:  # noqa: BLE001 - a session's outermost boundary
                retry_queue.add_note(path, event or {}, error)
            else:
                drop_note(path)
    if settings["hooks.session_end"]:
        digests += _digest_abandoned(store, digester, retry_queue)
    _wait_until_gone(busy, wait_seconds)
    return digests


def _digest_abandoned(
    store: SqliteStore, digester: SessionDigester, retry_queue: _RetryQueue
) -> int:
    """Digest the open sessions whose client is gone; return how many got a digest."""
    digests = 0
    for session in list(filter(session_start.is_client_gone, store.sessions.list_open())):
        try:
            digests += digester.digest(session) is not None
        except Exception as error:  # noqa: BLE001 - a session's outermost boundary
            retry_queue.add_session(session, error)
    return digests


def _wait_until_gone(paths: Sequence[str], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while any(map(os.path.exists, paths)) and time.monotonic() < deadline:
        time.sleep(0.05)


def _make_embedder_getter(
    store: SqliteStore, settings: Settings, environment: Mapping[str, str]
) -> Callable[[], Embedder | None]:
    """Return a function that loads the embedder when it is first called."""
    loaded: list[StoreBoundEmbedder] = []

    def get() -> Embedder | None:
        if not loaded:
            from aforesaid.wiring.embedder_loader import embedder_of

            loaded.append(embedder_of(store, settings, environment))
        return loaded[0].get()

    return get


class _RetryQueue:
    """Keeps sessions that could not be digested for a retry, until their tries are used up."""

    def __init__(
        self, digester: SessionDigester, settings: Settings, environment: Mapping[str, str]
    ) -> None:
        self._digester = digester
        self._settings = settings
        self._environment = environment

    def add_note(self, path: str, event: dict[str, Any], error: Exception) -> None:
        """Schedule a retry for the session of a note.

        Raises:
            UnavailableError: The store cannot be written now.
            CorruptError: The store is damaged.
        """
        from aforesaid.adapters.system.log import type_and_location
        from aforesaid.adapters.system.machine import (
            MAX_TRIES,
            SystemClock,
            is_retry_due,
            schedule_retry,
        )
        from aforesaid.domain.errors import AforesaidError

        factories.log_digest_failure(self._environment, error)
        why = str(error) if isinstance(error, AforesaidError) else type_and_location(error)
        if event.get("hook_event_name") not in {"SessionStart", "PreCompact"}:
            self._digester.end_without_digest(_session_event(event, path))
        now = SystemClock().now()
        if event.get("tries") and not is_retry_due(event, now):
            return  # a person requested this try: it does not count
        tries = schedule_retry(path, self._settings.notes_folder, event, why, now)
        if tries >= MAX_TRIES:
            factories.open_log(self._environment).write(
                "error", f"gave up on session {event['session_id']} after {tries} tries: {why}"
            )

    def add_session(self, session: Session, error: Exception) -> None:
        """Schedule a retry for a session whose client left no note.

        Raises:
            UnavailableError: The store cannot be written now.
            CorruptError: The store is damaged.
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
        self.add_note(leave_note(folder, client, "session-end", json.dumps(event)), event, error)


def _process(digester: SessionDigester, event: dict[str, Any], path: str) -> bool:
    """Register, checkpoint or digest the session of a note; return whether it got a digest.

    A start leaves a note only while there is no environment; the session ends with its client.
    """
    from aforesaid.adapters.system.machine import process_start

    session_event = _session_event(event, path)
    client = session_event.client
    if event.get("hook_event_name") == "SessionStart":
        start = None if client is None else process_start(client)
        digester.register(session_event, client, start)
        return False
    if event.get("hook_event_name") == "PreCompact":
        return digester.checkpoint(session_event) is not None
    return digester.end_session(session_event) is not None


def _session_event(event: Mapping[str, Any], path: str) -> SessionEvent:
    """Return the event of a note, from its text and its file name."""
    from aforesaid.adapters.system.machine import note_client, note_time
    from aforesaid.services.sessions.session_event import SessionEvent

    return SessionEvent(
        session_id=str(event["session_id"]),
        transcript_path=str(event.get("transcript_path") or ""),
        folder=str(event.get("cwd") or ""),
        client=note_client(path),
        reported_at=note_time(path),
    )
