"""The marker of a silent session: by it the launcher ends the prompt hook without Python.

Nothing can be recalled or offered in the session: memory is off in its project; or it sees no
memory but global preferences, which prompts never show, awaits no digest and no suggestion, and no
prompt can name a project to offer.
A session's start writes the marker, and so does a prompt with which nothing was shown.

The marker is ``STATE/silent/SESSION``. It holds only for the state in which it was written: while
``FILE-unchanged`` beside the store is the same (adapters/sqlite/unchanged.py: every change of the
store removes it), and while everything else that decides what the session sees is as it was. Its
lines: the values of ``VARIABLES``; the path of ``FILE-unchanged``; its text; then paths of files
and folders that are older than the marker or, after ``-``, missing; ``end``. The store itself is
one of them, because older versions change it without removing ``FILE-unchanged``.

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
    from collections.abc import Iterator, Mapping, Sequence

    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.domain.projects.detection import WorkspaceFacts

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
_MAX_GLOBAL = 100  #: of each type; with more, the prompt hook looks itself


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
    if context.claimed is not None and not is_off:
        return  # a commit that git fetches may prove the claim
    session_id = context.session or ""
    if not session_id.isascii() or not session_id.replace("-", "").isalnum():
        return
    if not is_off and _is_anything_recallable(store, session_id, context):
        return
    try:
        # nobody else can write to the store until the marker is complete
        with store.transaction(wait=False, commits=False):
            if is_off or not _is_anything_recallable(store, session_id, context):
                _write(store, settings, environment, session_id, workspace)
    except (OSError, AforesaidError):
        return  # a full disk, another writer: the next prompt starts Python


def _is_anything_recallable(store: SqliteStore, session_id: str, context: CallContext) -> bool:
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
    """Whether there is a global memory that prompts may show: all but preferences."""
    memories = store.memories.most_important(GLOBAL_PROJECT, TYPES, _MAX_GLOBAL)
    if not memories:
        return False
    from aforesaid.domain.context.prompt_context import is_global_preference

    return len(memories) >= _MAX_GLOBAL or not all(map(is_global_preference, memories))


def _may_name_a_project(store: SqliteStore, context: CallContext) -> bool:
    """Whether a prompt may be answered with the offer of a known project that it names."""
    own = (context.project.identity, DEFAULT_IDENTITY)
    return context.unclear and any(
        project.identity not in own for project in store.projects.list_all()
    )


def _write(
    store: SqliteStore,
    settings: Settings,
    environment: Mapping[str, str],
    session_id: str,
    workspace: WorkspaceFacts,
) -> None:
    folder = os.path.join(settings.state_folder, "silent")
    os.makedirs(folder, 0o700, exist_ok=True)
    unchanged, text, is_new = store.mark_unchanged()
    if is_new:  # the store changed since the other markers were written
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
    variables = "|".join(environment.get(name, "") for name in VARIABLES)
    paths = [
        path if os.path.exists(path) else f"-{path}"
        for path in _deciding_paths(store.path, settings, environment, workspace)
    ]
    lines = [variables, unchanged, text, *paths]
    if any("\n" in line for line in lines):
        return
    path = os.path.join(folder, session_id)
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
