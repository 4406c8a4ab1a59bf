"""What the session hooks do: a session's start and end, its subagents, and compaction."""

from __future__ import annotations

import sys

from aforesaid.adapters.sqlite.ledger import LOSSES
from aforesaid.adapters.system.machine import (
    SystemClock,
    is_running,
    leave_note,
    list_notes,
    process_start,
    start_detached,
)
from aforesaid.config import Settings, client_pid, is_hook_enabled, load_settings
from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.memory import Session
from aforesaid.domain.text.timestamps import DAY_MS
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.wiring import factories

from .maintenance_schedule import is_due
from .prompt_silence import mark_silent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.domain.context.session_context import RenderedContext
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.services.sessions.session_context import SessionContextBuilder

#: Sources of SessionStart that continue a conversation, which contains what was shown before.
CONTINUING_SOURCES = ("resume", "fork")
#: Age at which a session counts as over if its client process is unknown.
ABANDONED_MS = DAY_MS
#: Fields of an event that a note keeps; others may contain text that the user typed.
NOTE_FIELDS = ("session_id", "transcript_path", "cwd", "hook_event_name")
#: Sources of SessionStart with which the client replaces another session.
_REPLACING_SOURCES = ("clear", "resume")
#: Sessions considered as the parent of a fork, and the tolerance for the time of its last answer.
_MAX_FORK_PARENTS = 10
_ANSWER_TOLERANCE_MS = 2_500


class SessionStartResult:
    """What a session and its user are shown at its start."""

    __slots__ = ("context", "line", "work_due")

    def __init__(self, context: str, line: str, *, work_due: bool) -> None:
        self.context = context  #: for the model; empty if there is nothing to show
        self.line = line  #: for the user
        self.work_due = work_due  #: whether to start the sweep, for digests or maintenance


def start_session(
    environment: Mapping[str, str],
    *,
    session_id: str,
    transcript_path: str,
    folder: str,
    source: str,
    silent_seconds: int | None = None,
    sweep: Callable[[], None] | None = None,
) -> SessionStartResult | None:
    """Register a session, and return what to show; None if memory is off.

    Args:
        environment: the environment variables.
        session_id: as the client reports it.
        transcript_path: path of its transcript, which may not exist yet.
        folder: its working directory.
        source: why it starts: startup, resume, clear, compact, fork.
        silent_seconds: time since the agent's last answer, if the session continues one.
        sweep: starts the sweep, whose digests are awaited briefly; None leaves it to the caller.
    """
    settings = load_settings(environment, lenient=True)
    if not is_hook_enabled("session_start", settings, environment):
        return None
    store = factories.open_store(settings, hook=True)
    session = store.sessions.get(session_id)
    if source == "compact" and session is not None and session.folder:
        folder = session.folder  # the shell may have changed folders since the start
    workspace = factories.read_workspace(folder, settings, environment)
    projects = factories.make_projects(store, settings)
    context = projects.resolve(workspace, session).replace(session=session_id)
    if factories.is_off(context, settings):
        mark_silent(store, settings, environment, context, workspace, is_off=True)
        return None
    now = SystemClock().now()
    fields = _session_fields(environment, context, folder, transcript_path, now)
    fields |= {"forked_at": now} if source == "fork" and session is None else {}
    ask = context.is_unclear and context.project.asked_at is None
    parent = _find_fork_parent(store, context, source, silent_seconds) if session is None else None
    _note_replaced_sessions(store, settings, environment, fields, session_id, source)
    waiting = find_waiting_sessions(store, settings, environment, context, sweep)
    builder = factories.make_context_builder(store, settings)
    counts = builder.counts(context)
    shown = _render(builder, settings, context, session or parent, source, counts, ask, waiting)
    try:
        with store.transaction():
            # read again: a sweep may have changed the row, and those changes must be kept
            current = store.sessions.get(session_id) or Session(id=session_id, started_at=now)
            current = current.replace(**fields)
            store.sessions.put(_with_shown_context(current, parent, shown, source, waiting.awaited))
            projects.record_commits(context, workspace)
            if ask and shown.text:
                store.projects.change(context.project.key, asked_at=now)
    except UnavailableError as error:  # disk full, locked or read-only: show what can be read
        return _with_warnings(store, shown.text, f"Aforesaid: {error}", work_due=False)
    if not counts[0]:
        mark_silent(store, settings, environment, context, workspace)
    due = sweep is None if waiting.exists else is_due(store, settings, now)
    message = _user_message(context, counts, waiting.message, settings, ask=ask)
    return _with_warnings(store, shown.text, message, work_due=due)


def _user_message(
    context: CallContext, counts: tuple[int, int], pending: str, settings: Settings, *, ask: bool
) -> str:
    """Return the line that the user is shown at a session's start."""
    here, everywhere = counts
    claimed = context.claimed_project if ask else None
    parts: list[object] = [
        f"Aforesaid: {here} {'memory' if here == 1 else 'memories'} here, {everywhere} global"
        + (f", {context.project.name}" if context.has_project else ""),
        claimed
        and f"this folder claims to be {claimed.name}; to show that project's memories here, "
        f"confirm it with: aforesaid projects map . {claimed.identity}",
        pending,
        settings.problem_summary() if settings.problems else "",
    ]
    return "; ".join(str(part) for part in parts if part)


def _with_warnings(
    store: SqliteStore, context: str, line: str, *, work_due: bool
) -> SessionStartResult:
    """Return the result of a start, with warnings about the store added to both texts."""
    warnings = [store.newer] if store.newer else []
    if losses := store.meta(LOSSES):
        from aforesaid.domain.model.loss import ADVICE, describe_losses

        warnings.insert(0, f"{describe_losses(losses)}: {ADVICE}")
    if not warnings:
        return SessionStartResult(context, line, work_due=work_due)
    warning = "; ".join(warnings)
    text = f"Needs attention: {warning}. Tell the user.\n\n{context}".rstrip()
    line = f"Aforesaid: {warning}" if store.read_only and store.newer else f"{line}; {warning}"
    return SessionStartResult(text, line, work_due=work_due)


def _session_fields(
    environment: Mapping[str, str],
    context: CallContext,
    folder: str,
    transcript_path: str,
    now: int,
) -> dict[str, Any]:
    """Return the fields of a session's row that its start sets."""
    client = client_pid(environment)
    return {
        "client_pid": client,
        "client_start": process_start(client),
        "project": context.project_key,
        "folder": folder,
        "project_dir": environment.get("CLAUDE_PROJECT_DIR") or None,
        "transcript_path": transcript_path,
        "branch": context.identity.branch if context.identity is not None else None,
        "opened_at": now,
        "ended_at": None,
    }


class _WaitingSessions:
    """The sessions without a digest at the start of another one."""

    __slots__ = ("awaited", "exists", "message")

    def __init__(self, *, exists: bool) -> None:
        self.exists = exists  #: whether there is one, in any project
        self.awaited: tuple[str, ...] = ()  #: ids of those whose digests a prompt shows
        self.message = ""  #: about those of this project, for the user and the model


def find_waiting_sessions(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    context: CallContext,
    sweep: Callable[[], None] | None,
) -> _WaitingSessions:
    """Start the sweep if sessions lack a digest, and wait briefly for those of this project."""
    notes = list_notes(settings.notes_folder)
    abandoned = []
    if settings["hooks.session_end"]:
        abandoned = [
            session
            for session in store.sessions.list_open()
            if session.id != context.session and is_client_gone(session)
        ]
    if not notes and not abandoned:
        return _WaitingSessions(exists=False)
    waiting = _WaitingSessions(exists=True)
    from .pending_digests import describe, find_pending, wait_for_digests

    pending = find_pending(store, settings, environment, context, notes, abandoned)
    if sweep is not None:
        sweep()
        pending = wait_for_digests(store, pending)
    if pending:
        waiting.message = describe(
            pending, with_prompt=is_hook_enabled("prompt", settings, environment)
        )
        if is_hook_enabled("prompt", settings, environment):
            waiting.awaited = tuple(session.id for session in pending)
    return waiting


def _note_replaced_sessions(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    fields: dict[str, Any],
    session_id: str,
    source: str,
) -> None:
    """Leave notes for the sessions that this one replaces; their own end hooks may come later.

    One client process can have sessions in several folders: those in other folders stay open.
    """
    if source not in _REPLACING_SOURCES or not is_hook_enabled(
        "session_end", settings, environment
    ):
        return
    client, start = fields["client_pid"], fields["client_start"]
    folder = fields["project_dir"] or fields["folder"]
    for other in store.sessions.list_open():
        if (other.client_pid, other.client_start) != (client, start) or other.id == session_id:
            continue
        if (other.project_dir or other.folder) in {None, folder}:
            event = {"session_id": other.id, "transcript_path": other.transcript_path or "",
                     "cwd": other.folder or "", "hook_event_name": "SessionEnd"}  # fmt: skip
            _leave_note(settings, environment, "session-end", event)


def _with_shown_context(
    session: Session,
    parent: Session | None,
    shown: RenderedContext,
    source: str,
    awaited: tuple[str, ...],
) -> Session:
    """Return a session with what it has been shown; a new conversation has seen nothing before."""
    shown_before: tuple[int, ...] = ()
    shown_at = session.shown_at
    if source in CONTINUING_SOURCES:
        awaited = (*session.awaited_digests, *awaited)
        shown_before = session.shown
        if parent is not None:
            shown_before = (*parent.shown, *shown_before)
            shown_at = shown_at or parent.shown_at
    return session.replace(
        shown_at=SystemClock().now() if shown.text else shown_at,
        shown=tuple(dict.fromkeys((*shown_before, *shown.keys))),
        shown_tokens=session.shown_tokens + count_tokens(shown.text),
        awaited_digests=tuple(dict.fromkeys(awaited)),
    )


def _render(
    builder: SessionContextBuilder,
    settings: Settings,
    context: CallContext,
    previous: Session | None,
    source: str,
    counts: tuple[int, int],
    ask: bool,
    waiting: _WaitingSessions,
) -> RenderedContext:
    """Return the full context; for a continued session, what is new since it was last shown."""
    missing = waiting.message
    if source in CONTINUING_SOURCES and previous is not None and previous.shown_at is not None:
        # a fork contains the conversation of its parent: leave out what the parent stored
        context = context.replace(session=previous.id)
        return builder.build_update(
            context, previous.shown_at, counts=counts, known=previous.shown, missing=missing
        )
    budget = settings["retrieval.preload_token_budget"]
    return builder.build_full(
        context, budget_tokens=budget, ask=ask, counts=counts, missing=waiting.message
    )


def _find_fork_parent(
    store: SqliteStore, context: CallContext, source: str, silent_seconds: int | None
) -> Session | None:
    """Return the session that a new one was forked from, and whose conversation it contains.

    No client names it. If the client reports the time since the agent's last answer, that
    identifies it. Otherwise only the time is returned at which this project's context was last
    shown.
    """
    if source not in CONTINUING_SOURCES:
        return None
    shown = store.sessions.list_shown(context.project.key, _MAX_FORK_PARENTS)
    if silent_seconds is not None and shown:
        from aforesaid.adapters.transcripts import last_answer

        # the client reports whole seconds: assume the middle of one
        answered_at = SystemClock().now() - silent_seconds * 1_000 - 500
        differences = [
            abs(last_answer(session.transcript_path or "") - answered_at) for session in shown
        ]
        if min(differences) <= _ANSWER_TOLERANCE_MS:
            return shown[differences.index(min(differences))]
    return shown[0].replace(id=context.session, shown=()) if shown else None


def subagent_context(environment: Mapping[str, str], *, session_id: str, folder: str) -> str:
    """Return what a subagent is shown, the section of this project; empty if it has none."""
    settings = load_settings(environment, lenient=True)
    if not is_hook_enabled("subagent_start", settings, environment):
        return ""
    store = factories.open_store(settings, hook=True)
    session = store.sessions.get(session_id)
    where = session.folder if session is not None and session.folder else folder
    workspace = factories.read_workspace(where, settings, environment)
    context = factories.make_projects(store, settings).resolve(workspace, session)
    if factories.is_off(context, settings):
        return ""
    text = factories.make_context_builder(store, settings).build_for_subagent(context).text
    if text:
        try:
            with store.transaction():
                store.sessions.add_counts(
                    session_id, subagents=1, subagent_tokens=count_tokens(text)
                )
        except UnavailableError:
            pass  # not needed for showing it
    return text


def is_client_gone(session: Session) -> bool:
    """Tell whether a session's client is gone."""
    if session.client_pid is None:
        return SystemClock().now() - session.started_at > ABANDONED_MS
    return not is_running(session.client_pid, session.client_start)


def end_session(environment: Mapping[str, str], event: str) -> None:
    """Leave a note that a session ended, and start the sweep, which digests it."""
    _leave_note_and_sweep("session_end", environment, event)


def checkpoint(environment: Mapping[str, str], event: str) -> None:
    """Leave a note that a session is about to be compacted, and start the sweep."""
    _leave_note_and_sweep("pre_compact", environment, event)


def _leave_note_and_sweep(name: str, environment: Mapping[str, str], event: str) -> None:
    settings = load_settings(environment, lenient=True)
    if not is_hook_enabled(name, settings, environment):
        return
    from aforesaid.domain.text.lean_json import read_json

    _leave_note(settings, environment, name.replace("_", "-"), read_json(event))
    start_sweep()


def _leave_note(
    settings: Settings, environment: Mapping[str, str], name: str, event: Mapping[str, Any]
) -> None:
    from aforesaid.domain.text.lean_json import write_json
    from aforesaid.domain.text.sanitize import remove_invisible

    fields = {name: str(event[name]) for name in NOTE_FIELDS if event.get(name)}
    fields["session_id"] = remove_invisible(fields.get("session_id", ""))
    note = write_json({**fields, "store": settings.db_path})
    leave_note(settings.notes_folder, client_pid(environment), name, note)


def start_sweep(command: str = "hook") -> None:
    """Start the sweep as a detached process, which outlives the client.

    Args:
        command: the CLI command of this process.
    """
    arguments = sys.orig_argv
    start_detached([sys.executable, *arguments[1 : arguments.index(command)], "hook", "sweep"])
