"""The status that ``aforesaid`` shows without a command: read-only and fast.

Here: the current state, and suggested next commands. Not here: slow checks (doctor).
"""

from __future__ import annotations

import os
import shlex
import shutil
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.prompt_socket import list_listening
from aforesaid.adapters.sqlite.ledger import LOSSES
from aforesaid.adapters.system.machine import list_notes, list_retries, working_folder
from aforesaid.adapters.system.open_files import find_holders
from aforesaid.adapters.transcripts.discovery import transcript_folders
from aforesaid.bootstrap.paths import ROOT
from aforesaid.config import load_settings
from aforesaid.domain.model.loss import describe_losses
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.version import __version__
from aforesaid.wiring import factories

from . import client_plugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings

PREVIEW_CHARS = 60


def collect_status(environment: Mapping[str, str]) -> dict[str, Any]:
    """Return the status of this installation; nothing is created or changed.

    Raises:
        UnavailableError: The store exists but cannot be opened.
        CorruptError: The store is damaged.
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
        "off": settings.off,
        **running_servers(environment, path),
        "wrong": list(settings.problems),
    }
    other: list[dict[str, str]] = []
    lost = ""
    if state["exists"]:
        store = factories.open_store(settings, hook=True)
        try:
            state |= _stored(store, folder, settings, environment)
            lost = describe_losses(store.meta(LOSSES) or "")
            other = _suggest_merging(store, state["project"])
        finally:
            store.close()
    state["next"] = [*other, *_suggest_commands(state, environment)]
    if lost:
        state["wrong"] = [*state["wrong"], lost]
        state["next"].insert(0, {"command": "aforesaid doctor", "why": "memories are missing"})
    return state


def running_servers(environment: Mapping[str, str], path: str) -> dict[str, Any]:
    """Return how many servers of the store run, and their commands with their process ids."""
    commands = [
        f"{holder.command} (process {holder.pid})"
        for holder in find_holders(path)
        if holder.is_server
    ]
    # where no processes can be listed, those that answer prompts are known
    return {"servers": max(len(commands), len(list_listening(environment))), "running": commands}


def _project(
    folder: str,
    store: SqliteStore | None,
    settings: Settings,
    environment: Mapping[str, str],
) -> dict[str, Any] | None:
    from aforesaid.domain.projects.detection import identify

    workspace = factories.read_workspace(folder, settings, environment)
    if store is None:
        identity, project = identify(workspace), None
    else:
        identity, project = factories.make_projects(store, settings).lookup(workspace)
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
    """Return the part of the status that comes from the store."""
    project = _project(folder, store, settings, environment)
    visible = Visibility(
        projects=(GLOBAL_PROJECT, *(known.key for known in store.projects.list_all()))
    )
    counts = store.memories.statistics(visible)
    here = project["key"] if project is not None else None
    session = store.sessions.latest()
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
        "hooks_seen": None if session is None else to_iso(session.opened_at),
    }


def _suggest_merging(store: SqliteStore, here: Mapping[str, Any] | None) -> list[dict[str, str]]:
    """Suggest merging a project that has only this name, as after an import, into this one."""
    if here is None:
        return []
    projects = {project.key: project for project in store.projects.list_all()}
    key = f"name:{here['name']}"
    if not any(
        project.identity == key and project.key != here["key"] for project in projects.values()
    ):
        return []
    if here["known"]:
        command = f"aforesaid projects merge {key} {projects[here['key']].identity}"
    else:
        command = f"aforesaid projects map . {key}"
    return [{"command": command, "why": "move the memories of the other project of that name here"}]


def _active(store: SqliteStore, project: int) -> Any:
    return store.memories.statistics(Visibility(projects=(project,)))["active"]


def _suggest_commands(
    state: Mapping[str, Any], environment: Mapping[str, str]
) -> list[dict[str, str]]:
    """Return the suggested next commands, most urgent first."""
    steps = []
    if state["wrong"]:
        steps.append(("aforesaid config", "show which settings are invalid and ignored"))
    launcher = os.path.join(ROOT, "bin", "aforesaid")
    on_path = shutil.which("aforesaid", path=environment.get("PATH", ""))
    if on_path is None and os.path.isfile(launcher):
        command = f"{shlex.quote(launcher)} setup --on-path"
        steps.append((command, "put aforesaid on your PATH, so that commands work as printed"))
    if not state["hooks_seen"]:
        steps.append(
            ("claude", "start a session in a project: from now on, sessions are remembered")
            if client_plugin.list_installed(environment)
            else (
                client_plugin.install_command(),
                "install the plugin: it digests sessions automatically",
            )
        )
    if not state["memories"]["total"]:
        if transcript_folders(environment):
            steps.append(("aforesaid ingest", "digest earlier sessions from their transcripts"))
        steps.append(('aforesaid remember "We deploy on Fridays."', "store a first memory"))
        steps.append(("aforesaid demo", "try Aforesaid in a temporary folder"))
    else:
        if state["waiting"]:
            steps.append(("aforesaid digest", "digest the ended sessions now"))
        here = state["memories"]["here"]
        steps.append(
            ("aforesaid search what did we decide", "search memories by meaning and words")
            if here
            else ('aforesaid remember "We deploy on Fridays."', "store a first memory here")
        )
        steps.append(("aforesaid context", "show what a session here is told at its start"))
    steps.append(("aforesaid --help", "list all commands"))
    return [{"command": command, "why": why} for command, why in steps]
