"""The hook processes: what happens at a session's start and end, with real adapters."""

from __future__ import annotations

import sys

from aforesaid.config import Settings, load_settings
from aforesaid.domain.budget import count_tokens
from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.memory import Session

from . import parts
from .switches import client_pid, is_wanted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.domain.context import Shown
    from aforesaid.domain.place import Place
    from aforesaid.services.sessions.context import Context

#: Sources of SessionStart after which a session still knows what it was shown.
GOES_ON = ("resume", "fork")
#: A session whose client cannot be asked after counts as over when this old.
ABANDONED_MS = 24 * 3_600_000
#: What a note keeps of an event: others hold what the user typed, such as how to compact.
NOTED = ("session_id", "transcript_path", "cwd", "hook_event_name")
#: Sessions among which the one is looked for that a fork continues, and how exactly it is known.
_FORKED_OF = 10
_SPOKE_WITHIN_MS = 2_500


class Started:
    """What a starting session is told."""

    __slots__ = ("context", "line", "work_due")

    def __init__(self, context: str, line: str, *, work_due: bool) -> None:
        self.context = context  #: for the model, empty if there is nothing to say
        self.line = line  #: for the person
        self.work_due = work_due  #: whether sessions wait for a digest, or the store for tending


def start_session(
    environment: Mapping[str, str],
    *,
    session_id: str,
    transcript_path: str,
    folder: str,
    source: str,
    silent_seconds: int | None = None,
) -> Started | None:
    """Register a session, and return what it should know.

    Args:
        environment: the process's.
        session_id: the client's.
        transcript_path: where its transcript is, or will be.
        folder: where it runs.
        source: why it starts: startup, resume, clear, compact, fork.
        silent_seconds: how long ago the agent last spoke, where it goes on.

    Returns:
        None where memory is switched off for all or for this project.
    """
    settings = load_settings(environment, lenient=True)
    if not is_wanted("session_start", settings, environment):
        return None
    from aforesaid.adapters.system import SystemClock

    store = parts.open_store(settings, hook=True)
    session = store.session(session_id)
    if source == "compact" and session is not None and session.folder:
        folder = session.folder  # it goes on, wherever its shell is by now
    surroundings = parts.look(folder, settings, environment)
    place = parts.make_projects(store, settings).settle(surroundings, session)
    if parts.is_off(place, settings):
        return None
    now = SystemClock().now()
    opened = _opening(environment, place, folder, transcript_path, now)
    if source == "fork" and session is None:
        opened["forked_at"] = now
    place = place.replace(session=session_id)
    ask = (place.project.provisional or not place.known) and place.project.asked_at is None
    parent = _parent(store, place, source, silent_seconds) if session is None else None
    context = parts.make_context(store, settings)
    counts = here, everywhere = context.counts(place)
    shown = _shown(context, settings, place, session or parent, source, counts, ask=ask)
    try:
        with store.transaction():
            # read anew: a sweep may have digested it since, and what that noted must stay
            current = store.session(session_id) or Session(id=session_id, started_at=now)
            current = current.replace(**opened)
            store.put_session(_having_seen(current, parent, shown, source, now))
            if ask and shown.text:
                store.change_project(place.project.key, asked_at=now)
    except UnavailableError as error:  # full, locked, only read: what can be read is shown
        return Started(shown.text, f"Aforesaid: {error}", work_due=False)
    due = _is_work_due(store, settings, session_id, now)
    where = f", {place.project.name}" if place.known else ""
    where += f"; {settings.told_problems()}" if settings.problems else ""
    line = f"Aforesaid: {here} {'memory' if here == 1 else 'memories'} here, {everywhere} global"
    return Started(shown.text, line + where, work_due=due)


def _opening(
    environment: Mapping[str, str], place: Place, folder: str, transcript_path: str, now: int
) -> dict[str, Any]:
    """Return what a start tells of its session; the rest of its row stays."""
    from aforesaid.adapters.system import process_start

    client = client_pid(environment)
    return {
        "client_pid": client,
        "client_start": process_start(client),
        "project": place.project.key if place.known else None,
        "folder": folder,
        "transcript_path": transcript_path,
        "branch": place.identity.branch if place.identity is not None else None,
        "opened_at": now,
        "ended_at": None,
    }


def _is_work_due(store: SqliteStore, settings: Settings, session_id: str, now: int) -> bool:
    """Tell whether the sweep has something to do: sessions to digest, or a store to tend."""
    from aforesaid.adapters.system import list_notes

    from .due import is_due

    return (
        bool(list_notes(settings.notes_folder))
        or any(is_over(waiting) for waiting in store.open_sessions() if waiting.id != session_id)
        or is_due(store, settings, now)
    )


def _having_seen(
    session: Session, parent: Session | None, shown: Shown, source: str, now: int
) -> Session:
    """Return a session with what it knows now; one that begins anew has nothing else in sight."""
    before: tuple[int, ...] = ()
    seen = session.shown_at
    if source in GOES_ON:
        before = session.shown
        if parent is not None:
            before, seen = (*parent.shown, *before), seen or parent.shown_at
    return session.replace(
        shown_at=now if shown.text else seen,
        shown=tuple(dict.fromkeys((*before, *shown.keys))),
        shown_tokens=session.shown_tokens + count_tokens(shown.text),
    )


def _shown(
    context: Context,
    settings: Settings,
    place: Place,
    before: Session | None,
    source: str,
    counts: tuple[int, int],
    *,
    ask: bool,
) -> Shown:
    """Return the whole context, or for a session that goes on what is new since it saw one."""
    if source in GOES_ON and before is not None and before.shown_at is not None:
        # what that one stored, its digest among it, tells a fork nothing new
        place = place.replace(session=before.id)
        return context.since(place, before.shown_at, counts=counts)
    budget = settings["retrieval.preload_token_budget"]
    return context.whole(place, budget_tokens=budget, ask=ask, counts=counts)


def _parent(
    store: SqliteStore, place: Place, source: str, silent_seconds: int | None
) -> Session | None:
    """Return the session that a new one was forked from: it carries that one's conversation.

    No client names it. One tells how long ago the agent last spoke, which finds it; else it is the
    one that was shown this project's context last, of which that time alone is taken.
    """
    if source not in GOES_ON:
        return None
    shown = store.shown_sessions(place.project.key, _FORKED_OF)
    if silent_seconds is not None and shown:
        from aforesaid.adapters.claude_transcripts import last_answer
        from aforesaid.adapters.system import SystemClock

        spoke = SystemClock().now() - silent_seconds * 1_000 - 500  # the rest of a second is untold
        off = [abs(last_answer(one.transcript_path or "") - spoke) for one in shown]
        if min(off) <= _SPOKE_WITHIN_MS:  # others may have been answered a moment apart
            return shown[off.index(min(off))]
    return shown[0].replace(id=place.session, shown=()) if shown else None


def subagent_context(environment: Mapping[str, str], *, session_id: str, folder: str) -> str:
    """Return what a subagent is shown: this project's section; empty where there is none."""
    settings = load_settings(environment, lenient=True)
    if not is_wanted("subagent_start", settings, environment):
        return ""
    store = parts.open_store(settings, hook=True)
    session = store.session(session_id)
    where = session.folder if session is not None and session.folder else folder
    surroundings = parts.look(where, settings, environment)
    place = parts.make_projects(store, settings).settle(surroundings, session)
    if parts.is_off(place, settings):
        return ""
    text = parts.make_context(store, settings).for_subagent(place).text
    if text:
        try:
            with store.transaction():
                store.spend(session_id, subagents=1, subagent_tokens=count_tokens(text))
        except UnavailableError:
            pass  # it was shown it all the same
    return text


def is_over(session: Session) -> bool:
    """Tell whether a session's client is gone."""
    from aforesaid.adapters.system import SystemClock, is_running

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
    if not is_wanted(name, settings, environment):
        return
    from aforesaid.adapters.system import leave_note
    from aforesaid.domain.plain_json import read_json, write_json

    told = read_json(event)
    kept = {field: str(told[field]) for field in NOTED if told.get(field)}
    note = write_json({**kept, "store": settings.db_path})
    leave_note(settings.notes_folder, client_pid(environment), name.replace("_", "-"), note)
    start_sweep()


def start_sweep(called: str = "hook") -> None:
    """Start the sweep as a process of its own that outlives the client.

    Args:
        called: the command as which this process was started.
    """
    from aforesaid.adapters.system import start_detached

    arguments = sys.orig_argv
    start_detached([sys.executable, *arguments[1 : arguments.index(called)], "hook", "sweep"])
