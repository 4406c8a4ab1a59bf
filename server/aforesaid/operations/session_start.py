"""The hook processes: what happens at a session's start and end, with real adapters."""

from __future__ import annotations

import sys

from aforesaid.adapters.sqlite.ledger import LOSSES
from aforesaid.config import Settings, load_settings
from aforesaid.config.hook_switches import client_pid, is_hook_enabled
from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.memory import Session
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.wiring import factories

from .maintenance_schedule import is_due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.domain.context.session_context import RenderedContext
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.services.sessions.session_context import SessionContextBuilder

#: Sources of SessionStart after which a session still knows what it was shown.
GOES_ON = ("resume", "fork")
#: A session whose client cannot be asked after counts as over when this old.
ABANDONED_MS = 24 * 3_600_000
#: What a note keeps of an event: others hold what the user typed, such as how to compact.
NOTED = ("session_id", "transcript_path", "cwd", "hook_event_name")
#: Sources of SessionStart for which the client ended another session just before.
_AFTER_ANOTHER = ("clear", "resume")
#: Sessions among which the one is looked for that a fork continues, and how exactly it is known.
_FORKED_OF = 10
_SPOKE_WITHIN_MS = 2_500


class SessionStartResult:
    """What a starting session is told."""

    __slots__ = ("context", "line", "work_due")

    def __init__(self, context: str, line: str, *, work_due: bool) -> None:
        self.context = context  #: for the model, empty if there is nothing to say
        self.line = line  #: for the person
        self.work_due = work_due  #: whether the sweep is to be started: for digests, or tending


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
    """Register a session, and return what it should know; None where memory is off.

    Args:
        environment: the process's.
        session_id: the client's.
        transcript_path: where its transcript is, or will be.
        folder: where it runs.
        source: why it starts: startup, resume, clear, compact, fork.
        silent_seconds: how long ago the agent last spoke, where it goes on.
        sweep: starts the sweep, for which the start waits a moment; None leaves it to the caller.
    """
    settings = load_settings(environment, lenient=True)
    if not is_hook_enabled("session_start", settings, environment):
        return None
    from aforesaid.adapters.system.machine import SystemClock

    store = factories.open_store(settings, hook=True)
    session = store.sessions.get(session_id)
    if source == "compact" and session is not None and session.folder:
        folder = session.folder  # it goes on, wherever its shell is by now
    surroundings = factories.read_workspace(folder, settings, environment)
    projects = factories.make_projects(store, settings)
    place = projects.settle(surroundings, session)
    if factories.is_off(place, settings):
        return None
    now = SystemClock().now()
    opened = _opening(environment, place, folder, transcript_path, now)
    opened |= {"forked_at": now} if source == "fork" and session is None else {}
    place = place.replace(session=session_id)
    ask = place.unclear and place.project.asked_at is None
    parent = _parent(store, place, source, silent_seconds) if session is None else None
    _end_others(store, settings, environment, opened, session_id, source)
    waiting = _wait_for_digests(store, settings, environment, place, sweep)
    context = factories.make_context(store, settings)
    counts = context.counts(place)
    shown = _shown(context, settings, place, session or parent, source, counts, ask, waiting.said)
    try:
        with store.transaction():
            # read anew: a sweep may have digested it since, and what that noted must stay
            current = store.sessions.get(session_id) or Session(id=session_id, started_at=now)
            current = current.replace(**opened)
            store.sessions.put(_having_seen(current, parent, shown, source, waiting.awaited))
            projects.record_commits(place, surroundings)
            if ask and shown.text:
                store.projects.change(place.project.key, asked_at=now)
    except UnavailableError as error:  # full, locked, only read: what can be read is shown
        return _with_warnings(store, shown.text, f"Aforesaid: {error}", work_due=False)
    due = sweep is None if waiting.any else is_due(store, settings, now)
    said = _line(place, counts, waiting.said, settings, ask=ask)
    return _with_warnings(store, shown.text, said, work_due=due)


def _line(
    place: CallContext, counts: tuple[int, int], said: str, settings: Settings, *, ask: bool
) -> str:
    """Return what the person is told at a session's start."""
    here, everywhere = counts
    claim = ""
    if place.claimed is not None and ask:
        claim = (
            f"this folder says that it is {place.claimed.name}, whose memories are shown here once "
            f"you confirm it: aforesaid projects map . {place.claimed.identity}"
        )
    words = [
        f"Aforesaid: {here} {'memory' if here == 1 else 'memories'} here, {everywhere} global"
        + (f", {place.project.name}" if place.known else ""),
        claim,
        said,
        settings.told_problems() if settings.problems else "",
    ]
    return "; ".join(one for one in words if one)


def _with_warnings(
    store: SqliteStore, context: str, line: str, *, work_due: bool
) -> SessionStartResult:
    """Return what a session is told, and with it what the user must know of the store."""
    warnings = [store.newer] if store.newer else []
    if losses := store.meta(LOSSES):
        from aforesaid.domain.model.loss import ADVICE, describe_losses

        warnings.insert(0, f"{describe_losses(losses)}: {ADVICE}")
    if not warnings:
        return SessionStartResult(context, line, work_due=work_due)
    said = "; ".join(warnings)
    text = f"Needs attention: {said}. Tell the user.\n\n{context}".rstrip()
    line = f"Aforesaid: {said}" if store.read_only and store.newer else f"{line}; {said}"
    return SessionStartResult(text, line, work_due=work_due)


def _opening(
    environment: Mapping[str, str], place: CallContext, folder: str, transcript_path: str, now: int
) -> dict[str, Any]:
    """Return what a start tells of its session; the rest of its row stays."""
    from aforesaid.adapters.system.machine import process_start

    client = client_pid(environment)
    return {
        "client_pid": client,
        "client_start": process_start(client),
        "project": place.project.key if place.known else None,
        "folder": folder,
        "project_dir": environment.get("CLAUDE_PROJECT_DIR") or None,
        "transcript_path": transcript_path,
        "branch": place.identity.branch if place.identity is not None else None,
        "opened_at": now,
        "ended_at": None,
    }


class _Waiting:
    """What waits for its digest at a start."""

    __slots__ = ("any", "awaited", "said")

    def __init__(self, *, any_: bool) -> None:
        self.any = any_  #: whether anything waits, in any project
        self.awaited: tuple[str, ...] = ()  #: sessions that a prompt is to show
        self.said = ""  #: what is said of sessions of this project


def _wait_for_digests(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    place: CallContext,
    sweep: Callable[[], None] | None,
) -> _Waiting:
    """Have the sweep digest what waits, and wait a moment for what ended in this project."""
    from aforesaid.adapters.system.machine import list_notes

    notes = list_notes(settings.notes_folder)
    over = []
    if settings["hooks.session_end"]:
        over = [
            one for one in store.sessions.list_open() if one.id != place.session and is_over(one)
        ]
    if not notes and not over:
        return _Waiting(any_=False)
    waiting = _Waiting(any_=True)
    from .pending_digests import describe, find_pending, wait_for_digests

    pending = find_pending(store, settings, environment, place, notes, over)
    if sweep is not None:
        sweep()
        pending = wait_for_digests(store, pending)
    if pending:
        waiting.said = describe(
            pending, with_prompt=is_hook_enabled("prompt", settings, environment)
        )
        if is_hook_enabled("prompt", settings, environment):
            waiting.awaited = tuple(one.id for one in pending)
    return waiting


def _end_others(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    opened: dict[str, Any],
    session_id: str,
    source: str,
) -> None:
    """Note the end of sessions that the client left for this one; its own hook may come later.

    One client process can hold sessions in several folders: those of other folders go on.
    """
    if source not in _AFTER_ANOTHER or not is_hook_enabled("session_end", settings, environment):
        return
    client, start = opened["client_pid"], opened["client_start"]
    here = opened["project_dir"] or opened["folder"]
    for one in store.sessions.list_open():
        if (one.client_pid, one.client_start) != (client, start) or one.id == session_id:
            continue
        if (one.project_dir or one.folder) in {None, here}:
            event = {"session_id": one.id, "transcript_path": one.transcript_path or "",
                     "cwd": one.folder or "", "hook_event_name": "SessionEnd"}  # fmt: skip
            _leave_note(settings, environment, "session-end", event)


def _having_seen(
    session: Session,
    parent: Session | None,
    shown: RenderedContext,
    source: str,
    awaited: tuple[str, ...],
) -> Session:
    """Return a session with what it knows now; one that begins anew has nothing else in sight."""
    from aforesaid.adapters.system.machine import SystemClock

    before: tuple[int, ...] = ()
    seen = session.shown_at
    if source in GOES_ON:
        awaited = (*session.awaited, *awaited)
        before = session.shown
        if parent is not None:
            before, seen = (*parent.shown, *before), seen or parent.shown_at
    return session.replace(
        shown_at=SystemClock().now() if shown.text else seen,
        shown=tuple(dict.fromkeys((*before, *shown.keys))),
        shown_tokens=session.shown_tokens + count_tokens(shown.text),
        awaited=tuple(dict.fromkeys(awaited)),
    )


def _shown(
    context: SessionContextBuilder,
    settings: Settings,
    place: CallContext,
    before: Session | None,
    source: str,
    counts: tuple[int, int],
    ask: bool,
    missing: str,
) -> RenderedContext:
    """Return the whole context, or for a session that goes on what is new since it saw one."""
    if source in GOES_ON and before is not None and before.shown_at is not None:
        # what that one stored, its digest among it, tells a fork nothing new
        place = place.replace(session=before.id)
        return context.since(
            place, before.shown_at, counts=counts, known=before.shown, missing=missing
        )
    budget = settings["retrieval.preload_token_budget"]
    return context.whole(place, budget_tokens=budget, ask=ask, counts=counts, missing=missing)


def _parent(
    store: SqliteStore, place: CallContext, source: str, silent_seconds: int | None
) -> Session | None:
    """Return the session that a new one was forked from: it carries that one's conversation.

    No client names it. One tells how long ago the agent last spoke, which finds it; else it is the
    one that was shown this project's context last, of which that time alone is taken.
    """
    if source not in GOES_ON:
        return None
    shown = store.sessions.list_shown(place.project.key, _FORKED_OF)
    if silent_seconds is not None and shown:
        from aforesaid.adapters.claude_transcripts import last_answer
        from aforesaid.adapters.system.machine import SystemClock

        spoke = SystemClock().now() - silent_seconds * 1_000 - 500  # the rest of a second is untold
        off = [abs(last_answer(one.transcript_path or "") - spoke) for one in shown]
        if min(off) <= _SPOKE_WITHIN_MS:  # others may have been answered a moment apart
            return shown[off.index(min(off))]
    return shown[0].replace(id=place.session, shown=()) if shown else None


def subagent_context(environment: Mapping[str, str], *, session_id: str, folder: str) -> str:
    """Return what a subagent is shown: this project's section; empty where there is none."""
    settings = load_settings(environment, lenient=True)
    if not is_hook_enabled("subagent_start", settings, environment):
        return ""
    store = factories.open_store(settings, hook=True)
    session = store.sessions.get(session_id)
    where = session.folder if session is not None and session.folder else folder
    surroundings = factories.read_workspace(where, settings, environment)
    place = factories.make_projects(store, settings).settle(surroundings, session)
    if factories.is_off(place, settings):
        return ""
    text = factories.make_context(store, settings).for_subagent(place).text
    if text:
        try:
            with store.transaction():
                store.sessions.spend(session_id, subagents=1, subagent_tokens=count_tokens(text))
        except UnavailableError:
            pass  # it was shown it all the same
    return text


def is_over(session: Session) -> bool:
    """Tell whether a session's client is gone."""
    from aforesaid.adapters.system.machine import SystemClock, is_running

    if session.client_pid is None:
        return SystemClock().now() - session.started_at > ABANDONED_MS
    return not is_running(session.client_pid, session.client_start)


def end_session(environment: Mapping[str, str], event: str) -> None:
    """Note that a session ended, and start the process that writes its digest."""
    _note("session_end", environment, event)


def checkpoint(environment: Mapping[str, str], event: str) -> None:
    """Note that a session is about to lose detail, and start the process that digests it so far."""
    _note("pre_compact", environment, event)


def _note(name: str, environment: Mapping[str, str], event: str) -> None:
    settings = load_settings(environment, lenient=True)
    if not is_hook_enabled(name, settings, environment):
        return
    from aforesaid.domain.text.lean_json import read_json

    _leave_note(settings, environment, name.replace("_", "-"), read_json(event))
    start_sweep()


def _leave_note(
    settings: Settings, environment: Mapping[str, str], name: str, event: Mapping[str, Any]
) -> None:
    from aforesaid.adapters.system.machine import leave_note
    from aforesaid.domain.text.invisible import remove_invisible
    from aforesaid.domain.text.lean_json import write_json

    kept = {field: str(event[field]) for field in NOTED if event.get(field)}
    kept["session_id"] = remove_invisible(kept.get("session_id", ""))
    note = write_json({**kept, "store": settings.db_path})
    leave_note(settings.notes_folder, client_pid(environment), name, note)


def start_sweep(called: str = "hook") -> None:
    """Start the sweep as a process of its own that outlives the client.

    Args:
        called: the command as which this process was started.
    """
    from aforesaid.adapters.system.machine import start_detached

    arguments = sys.orig_argv
    start_detached([sys.executable, *arguments[1 : arguments.index(called)], "hook", "sweep"])
