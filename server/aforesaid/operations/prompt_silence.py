"""The markers of a silent session, with which the launcher ends a hook without starting Python.

In a silent session, nothing can be recalled or suggested: memory is off in its project; or it sees
only global preferences, which prompts never show, awaits neither a digest nor a suggestion, and no
prompt can name a project to suggest.
A session's start writes the marker, and so does a prompt with which nothing was shown. It ends the
hooks of prompts and of actions. A second one, ``STATE/silent/SESSION.action``, ends those of
actions only: no memory that the session sees cites a file, has a trigger, is a guard or a failure,
and no project has a failure that was fixed. The server writes it after an action with which nothing
was shown.

The first marker is ``STATE/silent/SESSION``. It is valid only in the state in which it was written:
while ``FILE-unchanged`` beside the store is the same (adapters/sqlite/unchanged.py: every change
of the store removes it), and while everything else that decides what the session sees is as it
was. Its lines: the values of ``VARIABLES``; the path of ``FILE-unchanged``; its text; then paths of
files and folders that are older than the marker or, after ``-``, missing; ``end``. The store itself
is one of them, because older versions change it without removing ``FILE-unchanged``.

bin/aforesaid reads the marker: change both together.
"""

from __future__ import annotations

import os
import time

from aforesaid.adapters.git_reader import list_temporary_folders
from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.memory import (
    DEFAULT_IDENTITY,
    GLOBAL_PROJECT,
    TYPES,
    Filters,
    Visibility,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.domain.projects.detection import WorkspaceFacts

ACTION = ".action"  #: ends the name of the marker for actions
#: Variables on which the store, the settings and the project depend, in the launcher's order.
VARIABLES = (
    "AFORESAID_DB",
    "AFORESAID_STORAGE_DB_PATH",
    "AFORESAID_PROJECT",
    "AFORESAID_PROJECT_MAP",
    "AFORESAID_PROJECT_OFF",
    "HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
)
#: Times of files advance in steps of up to 10 ms. Source: Linux, ``CONFIG_HZ=100``.
_MAX_STEP_SECONDS = 0.012
_POLL_SECONDS = 0.001
_MAX_GLOBAL = 100  #: of each type; with more, the prompt hook checks


def mark_silent(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    context: CallContext,
    workspace: WorkspaceFacts,
    *,
    is_off: bool = False,
) -> None:
    """Write the marker of a session if nothing can be recalled in it.

    Args:
        store: The store.
        settings: The settings.
        environment: The environment variables.
        context: The call context of the session.
        workspace: The facts about its folder.
        is_off: Whether memory is switched off in its project.
    """
    has_anything = _has_nothing if is_off else _has_anything_to_recall
    if context.claimed_project is None or is_off:  # a commit that git fetches may prove the claim
        _mark(store, settings, environment, context, workspace, "", has_anything)


def mark_actions_silent(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    context: CallContext,
    workspace: WorkspaceFacts,
) -> None:
    """Write the marker of a session if nothing can apply to its actions; see ``mark_silent``."""
    if context.claimed_project is None:
        _mark(store, settings, environment, context, workspace, ACTION, _has_anything_for_actions)


def _mark(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    context: CallContext,
    workspace: WorkspaceFacts,
    suffix: str,
    has_anything: Callable[[SqliteStore, str, CallContext], bool],
) -> None:
    session_id = context.session or ""
    if not session_id.isascii() or not session_id.replace("-", "").isalnum():
        return
    if has_anything(store, session_id, context):
        return
    try:
        # nobody else can write to the store until the marker is complete
        with store.transaction(wait=False, commits=False):
            if not has_anything(store, session_id, context):
                _write(store, settings, environment, session_id + suffix, workspace)
    except (OSError, AforesaidError):
        return  # a full disk, another writer: the next event starts Python


def _has_nothing(_store: SqliteStore, _session_id: str, _context: CallContext) -> bool:
    return False


def _has_anything_for_actions(store: SqliteStore, session_id: str, context: CallContext) -> bool:
    session = store.sessions.get(session_id)
    return bool(
        session is None
        or not session.folder  # then each action's own folder decides
        or store.anchors.is_any(context.visible)
        or store.search.triggers(context.visible, 1)
        or store.search.guards(context.visible, 1)
        or store.search.has_failures(context.visible)
    )


def _has_anything_to_recall(store: SqliteStore, session_id: str, context: CallContext) -> bool:
    projects = context.visible.projects
    own = Visibility(projects=tuple(key for key in projects if key), all_tasks=True)
    session = store.sessions.get(session_id)
    return bool(
        session is None
        or not session.folder  # then each prompt's own folder decides
        or session.awaited_digests
        or _may_name_a_project(store, context)
        or (own.projects and store.memories.is_any(own, Filters()))
        or _may_show_global_memory(store)
        or store.suggestions.list_open(projects, 1)
    )


def _may_show_global_memory(store: SqliteStore) -> bool:
    """Whether there is a global memory to show: all but preferences, which only actions show."""
    memories = store.memories.most_important(GLOBAL_PROJECT, TYPES, _MAX_GLOBAL)
    if not memories:
        return False
    from aforesaid.domain.context.prompt_context import is_global_preference

    return len(memories) >= _MAX_GLOBAL or any(
        not is_global_preference(memory) or "trigger" in memory.metadata for memory in memories
    )


def _may_name_a_project(store: SqliteStore, context: CallContext) -> bool:
    """Whether a prompt may lead to the suggestion of a known project that it names."""
    own = (context.project.identity, DEFAULT_IDENTITY)
    return context.is_unclear and any(
        project.identity not in own for project in store.projects.list_all()
    )


def _write(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    name: str,
    workspace: WorkspaceFacts,
) -> None:
    folder = os.path.join(settings.state_folder, "silent")
    os.makedirs(folder, 0o700, exist_ok=True)
    unchanged, text, is_new = store.mark_unchanged()
    if is_new:  # the store changed since the other markers were written
        for other in os.listdir(folder):
            os.unlink(os.path.join(folder, other))
    variables = "|".join(environment.get(name, "") for name in VARIABLES)
    paths = [
        path if os.path.exists(path) else f"-{path}"
        for path in _deciding_paths(store.path, settings, environment, workspace)
    ]
    lines = [variables, unchanged, text, *paths]
    if any("\n" in line for line in lines):
        return
    path = os.path.join(folder, name)
    draft = f"{path}.{os.getpid()}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with open(descriptor, "wb") as file:
        file.write(os.fsencode("\n".join([*lines, "end\n"])))
    _make_newer(draft, paths)
    os.replace(draft, path)


def _deciding_paths(
    store: str, settings: Settings, environment: Mapping[str, str], workspace: WorkspaceFacts
) -> Iterator[str]:
    """Yield the files and folders that decide what a session sees.

    A folder gets a new time when a file in it, such as ``.git``, is created, replaced or removed.
    """
    yield from (os.path.dirname(store), store, f"{store}-wal", settings.config_file)
    repository = workspace.repository
    if repository is not None:
        yield os.path.join(repository.common_dir, "config")
        yield os.path.join(repository.git_dir, "config.worktree")
        if os.path.isfile(link := os.path.join(repository.root, ".git")):
            yield link  # a folder there changes with each commit
    ends = {"/", *map(os.path.realpath, list_temporary_folders(environment))}
    ends.add(os.path.realpath(environment.get("HOME", "/")))
    folder, below = workspace.folder, ""
    while folder not in {below, ""} and (not below or folder not in ends):
        yield folder
        folder, below = os.path.dirname(folder), folder


def _make_newer(draft: str, paths: Sequence[str]) -> None:
    """Wait until the clock of the file system has passed the last change of these paths."""
    deadline = time.monotonic() + _MAX_STEP_SECONDS
    last = max(os.stat(path).st_mtime_ns for path in paths if path[0] != "-")
    while os.stat(draft).st_mtime_ns <= last and time.monotonic() < deadline:
        time.sleep(_POLL_SECONDS)
        os.utime(draft)
