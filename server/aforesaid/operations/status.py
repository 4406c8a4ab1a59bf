"""How things stand, for ``aforesaid`` alone: read only, and light, for it is the first thing typed.

Here: what is seen, and what to do next. Not here: checks that take time (doctor).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.prompt_socket import list_listening
from aforesaid.adapters.sqlite.ledger import LOSSES
from aforesaid.adapters.system.machine import list_notes, working_folder
from aforesaid.adapters.system.notes import list_retries
from aforesaid.config import load_settings
from aforesaid.domain.model.loss import describe_losses
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.version import __version__
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings

PREVIEW_CHARS = 60


def collect_status(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return how things stand; nothing is made or changed.

    Raises:
        UnavailableError: the store is there and cannot be opened.
        CorruptError: it is damaged.
    """
    settings = load_settings(environment, lenient=True)
    path = settings.db_path
    folder = working_folder()
    state: dict[str, Any] = {
        "version": __version__,
        "database": path,
        "exists": os.path.exists(path),
        "bytes": 0,
        "memories": {"here": 0, "global": 0, "total": 0},
        "folder": folder,
        "project": _project(folder, None, settings, environment),
        "last_digest": None,
        "waiting": len(list_notes(settings.notes_folder))
        + len(list_retries(settings.notes_folder)),
        "hooks_seen": None,
        "servers": len(list_listening(environment)),
        "wrong": list(settings.problems),
    }
    other: list[dict[str, str]] = []
    lost = ""
    if state["exists"]:
        store = factories.open_store(settings, hook=True)
        try:
            state |= _stored(store, folder, settings, environment)
            lost = describe_losses(store.meta(LOSSES) or "")
            other = _namesake(store, state["project"])
        finally:
            store.close()
    state["next"] = [*other, *_next(state)]
    if lost:
        state["wrong"] = [*state["wrong"], lost]
        state["next"].insert(0, {"command": "aforesaid doctor", "why": "memories are missing"})
    return state


def _project(
    folder: str,
    store: SqliteStore | None,
    settings: Settings,
    environment: Mapping[str, str],
) -> dict[str, Any] | None:
    from aforesaid.domain.projects.detection import identify

    surroundings = factories.read_workspace(folder, settings, environment)
    if store is None:
        identity, project = identify(surroundings), None
    else:
        identity, project = factories.make_projects(store, settings).lookup(surroundings)
    if identity is None:
        return None
    return {
        "name": project.name if project is not None else identity.name,
        "key": project.key if project is not None else None,
        "source": identity.source,
        "known": project is not None,
    }


def _stored(
    store: SqliteStore, folder: str, settings: Settings, environment: Mapping[str, str]
) -> dict[str, Any]:
    """Return what the store tells."""
    project = _project(folder, store, settings, environment)
    everything = Visibility(
        projects=(GLOBAL_PROJECT, *(one.key for one in store.projects.list_all()))
    )
    counts = store.memories.statistics(everything)
    here = project["key"] if project is not None else None
    seen = store.sessions.latest()
    digest = store.memories.latest_digest()
    return {
        "bytes": counts["db_size_bytes"],
        "memories": {
            "here": 0 if here is None else _active(store, here),
            "global": _active(store, GLOBAL_PROJECT),
            "total": counts["active"],
        },
        "project": project,
        "last_digest": None
        if digest is None
        else {
            "at": to_iso(digest.event_at or digest.created_at),
            "preview": digest.preview[:PREVIEW_CHARS],
        },
        "hooks_seen": None if seen is None else to_iso(seen.opened_at),
    }


def _namesake(store: SqliteStore, here: Mapping[str, Any] | None) -> list[dict[str, str]]:
    """Return how a project that only has this name, from an import perhaps, becomes this one."""
    if here is None:
        return []
    known = {one.key: one for one in store.projects.list_all()}
    named = f"name:{here['name']}"
    if not any(one.identity == named and one.key != here["key"] for one in known.values()):
        return []
    if here["known"]:
        command = f"aforesaid projects merge {named} {known[here['key']].identity}"
    else:
        command = f"aforesaid projects map . {named}"
    return [{"command": command, "why": "brings what was stored under that name alone here"}]


def _active(store: SqliteStore, project: int) -> Any:
    return store.memories.statistics(Visibility(projects=(project,)))["active"]


def _next(state: Mapping[str, Any]) -> list[dict[str, str]]:
    """Return what to do next, most pressing first."""
    steps = []
    if state["wrong"]:
        steps.append(("aforesaid config", "settings that are not in force"))
    if not state["hooks_seen"]:
        steps.append(("claude plugin install aforesaid", "so that sessions remember by themselves"))
    if not state["memories"]["total"]:
        steps.append(("aforesaid ingest", "digests of the sessions that are on this disk"))
        steps.append(('aforesaid remember "…"', "a first memory by hand"))
        steps.append(("aforesaid demo", "a whole life of a memory, in a temporary folder"))
    else:
        if state["waiting"]:
            steps.append(("aforesaid digest", "sessions that ended are digested now"))
        steps.append(("aforesaid search …", "what is remembered, by meaning and words"))
        steps.append(("aforesaid context", "what a session that starts here is told"))
    steps.append(("aforesaid --help", "every command"))
    return [{"command": command, "why": why} for command, why in steps]
