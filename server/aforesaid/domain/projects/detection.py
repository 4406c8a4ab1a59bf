"""Detects the project of a folder from facts that an adapter collected (a pure function).

``identify`` applies the rules of docs/adr/0005-project-identity.md to ``WorkspaceFacts``; ``adopt``
decides which stored project the resulting ``Identity`` is. Reading folders: adapters/git_reader.
Hints in texts: hint_matching.py.

A project key begins with its kind; different folders with the same basename have different keys:
  git:host/owner/name  a remote          repo:/path    a repository, with all its worktrees
  marker:/folder       a package         folder:/path  a plain folder
  name:text            named by a user   chosen:/path  set_project was called here
"""

from __future__ import annotations

import posixpath

from aforesaid.domain.model.memory import Identity
from aforesaid.domain.projects.git_remote import (
    name_remote,
    normalise_remote,
    resolve_remote,
    strip_credentials,
)
from aforesaid.domain.text.sanitize import remove_invisible
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = [
    "Marker",
    "ProjectResolution",
    "Repository",
    "WorkspaceFacts",
    "adopt",
    "chosen_keys",
    "identify",
    "is_within",
    "normalise_remote",
    "strip_credentials",
]

CONFIDENCE_STATED = 1.0
CONFIDENCE_REMOTE = 0.95
CONFIDENCE_REPOSITORY = 0.9
CONFIDENCE_MARKER = 0.7
CONFIDENCE_FOLDER = 0.5

MAX_NAME_CHARS = 120

#: Number of commits stored per project: of those seen first, and of those seen last.
KEPT_COMMITS = (8, 24)

_KINDS = ("git:", "repo:", "marker:", "folder:", "name:")


class Repository(Value):
    """A git repository, as read from its files. Paths are real paths."""

    root: str  # top of this worktree; for a bare repository its own folder
    common_dir: str  # git folder shared by all worktrees
    git_dir: str  # this worktree's own git folder, with HEAD and logs/HEAD
    branch: str | None = None  # None: detached or unknown
    commit: str | None = None  # None: no commit yet, or unknown
    remotes: Mapping[str, str] = {}  # address by name
    is_bare: bool = False
    user_name: str | None = None
    cloned_from: str | None = None  # source in its first reflog entry, if it was cloned


class Marker(Value):
    """A file that marks a folder as a package, and the package's name in it."""

    folder: str  # real path
    file: str
    name: str | None = None


class WorkspaceFacts(Value):
    """The facts about where a session runs. Paths are real paths."""

    folder: str
    asked: str | None = None  # AFORESAID_PROJECT: a key, name, alias or folder
    asked_for_folder: bool = False  # ``asked`` is a folder; the facts below are about it
    chosen: str | None = None  # the key that set_project stored; filled in by the service
    chosen_in: str = "session"  # "folder": chosen here in an earlier session; "start": see ``gone``
    mapped: str | None = None  # the project that project.map names
    mapped_folder: str | None = None
    repository: Repository | None = None
    marker: Marker | None = None
    excluded_reason: str | None = None  # why this folder belongs to no project: "home folder", ...
    is_gone: bool = False  # the folder was deleted; its project is that in which the session began


class ProjectResolution(Value):
    """The stored project of an identity, and the changes that this requires."""

    project: int | None  # key; None: create it
    record: tuple[str, ...] = ()  # project keys to store for it
    merge: tuple[int, ...] = ()  # keys of projects that are the same and are merged into it


def identify(facts: WorkspaceFacts) -> Identity | None:
    """Return the project of a workspace, or None if its folder belongs to no project.

    The first rule that applies wins: explicit choices (set_project in this session, then
    AFORESAID_PROJECT, then set_project in this folder before), the path mapping, the repository,
    the marker, the folder. With None, use the default project or a hint (hint_matching.py).
    """
    detected = _identify_workspace(facts)
    if facts.chosen and facts.chosen_in != "folder":
        is_start = facts.chosen_in == "start"
        evidence = (
            "the session began there, and its folder was deleted"
            if is_start
            else "set_project in this session"
        )
        return _identify_named(facts.chosen, "session", evidence, detected)
    if facts.asked:
        evidence = f"AFORESAID_PROJECT={_storable(facts.asked)}"
        if facts.asked_for_folder:
            identity = detected or _identify_folder(facts.folder)
            return identity.replace(
                confidence=CONFIDENCE_STATED, source="environment", evidence=evidence
            )
        return _identify_named(facts.asked, "environment", evidence, detected)
    if facts.chosen:
        return _identify_named(
            facts.chosen, "session", "set_project in this folder before", detected
        )
    if facts.mapped:
        evidence = f"project.map has {_storable(facts.mapped_folder or facts.folder)}"
        return _identify_named(facts.mapped, "mapping", evidence, detected)
    return detected


def chosen_keys(facts: WorkspaceFacts) -> tuple[str, ...]:
    """Return the keys under which set_project may have stored a choice for a folder, nearest first.

    A new choice is stored under the first. A choice made at the top of a repository or package
    applies to everything below; elsewhere it applies to that folder only. The result is empty where
    a choice must not outlive the session: without a folder, and in the home folder, the root and
    temporary folders, unless there is a repository.
    """
    top = facts.folder
    detected = _identify_workspace(facts)
    if detected is None or not top:
        return ()
    if detected.source != "folder" and detected.root and is_within(top, detected.root):
        top = detected.root
    folder = facts.folder
    keys = [_path_key("chosen", folder)]
    while folder != top and folder != posixpath.dirname(folder):
        folder = posixpath.dirname(folder)
        keys.append(_path_key("chosen", folder))
    return tuple(keys)


def adopt(
    identity: Identity, owners: Mapping[str, int], keys_of: Mapping[int, Collection[str]]
) -> ProjectResolution:
    """Return which stored project an identity is, and what to change in the store.

    A path alone is weak evidence, as folders are deleted and paths reused. Memories stored by path
    pass to a repository that gained a remote, but not to a new clone at an old path.

    Args:
        identity: the detected identity.
        owners: the project that each of the identity's keys, current or former, belongs to,
            if any.
        keys_of: all project keys of those projects.
    """
    projects: list[int] = []
    for key in (*identity.keys, *identity.former_keys):
        owner = owners.get(key)
        if owner is None or owner in projects:
            continue
        if key == identity.key or _is_same(identity, keys_of.get(owner, ())):
            projects.append(owner)
    project = projects[0] if projects else None
    return ProjectResolution(
        project=project,
        record=tuple(key for key in identity.keys if project is None or owners.get(key) != project),
        merge=tuple(projects[1:]),
    )


def _is_same(identity: Identity, keys: Collection[str]) -> bool:
    """Return whether a project found by its path alone is still the one at this path."""
    remotes = [key for key in keys if key.startswith("git:") and not key.startswith("git:file:")]
    if remotes:
        return any(key in identity.keys or key in identity.related_keys for key in remotes)
    if not identity.is_cloned:
        return True
    # Known so far only through a clone whose remote is this path.
    was_here = any(key.startswith("repo:") and key in keys for key in identity.keys)
    return not was_here and any(
        key.startswith("git:file:") and key in identity.keys for key in keys
    )


def _identify_workspace(facts: WorkspaceFacts) -> Identity | None:
    """Apply the rules for repository, marker and folder."""
    if facts.repository is not None:
        return _identify_repository(facts.repository)
    if not facts.folder or facts.excluded_reason:
        return None
    if facts.marker is not None:
        return _identify_marker(facts.marker)
    return _identify_folder(facts.folder)


def _identify_repository(repository: Repository) -> Identity:
    shared = _path_key("repo", repository.common_dir)
    base = repository.common_dir if repository.is_bare else repository.root
    remotes = {
        name: (url, key)
        for name, address in repository.remotes.items()
        if (key := normalise_remote(url := resolve_remote(address, base))) is not None
    }
    chosen = _choose_remote(tuple(remotes))
    keys = [shared]
    # The key of the remote that a local clone of this repository has.
    own_address = normalise_remote(repository.common_dir)
    if own_address:
        keys.append(_path_key("git", own_address))
    name = _name_repository(repository)
    fields: dict[str, str | float | None] = {
        "confidence": CONFIDENCE_REPOSITORY,
        "source": "git repository",
        "evidence": f"git repository {_storable(repository.common_dir)}, no remote",
        "remote": None,
    }
    if chosen is not None:
        url, key = remotes[chosen]
        keys.insert(0, _path_key("git", key))
        name = name_remote(url) or name
        fields = {
            "confidence": CONFIDENCE_REMOTE,
            "source": "git remote",
            "evidence": f"git remote {_storable(chosen)}: {_storable(key)}",
            "remote": _storable(strip_credentials(url)),
        }
    related = [_path_key("git", key) for _, key in remotes.values()]
    source = normalise_remote(repository.cloned_from or "")
    if source:
        related.append(_path_key("git", source))
    main = not repository.is_bare and repository.git_dir == repository.common_dir
    root = repository.root
    return Identity(
        key=keys[0],
        name=_short(name),
        keys=tuple(dict.fromkeys(keys)),
        former_keys=(_path_key("marker", root), _path_key("folder", root)) if main else (),
        related_keys=tuple(key for key in dict.fromkeys(related) if key not in keys),
        is_cloned=repository.cloned_from is not None,
        root=_storable(root),
        # Shown in the context, and HEAD may hold any text: make it short, without spaces.
        branch="-".join(_short(repository.branch).split()) if repository.branch else None,
        **fields,  # type: ignore[arg-type]
    )


def _choose_remote(names: tuple[str, ...]) -> str | None:
    """Return ``origin``, else ``upstream``, else the first in the configuration.

    The remote that the current branch tracks is irrelevant: the project must not depend on it.
    """
    if "origin" in names or not names:
        return "origin" if names else None
    return "upstream" if "upstream" in names else names[0]


def _name_repository(repository: Repository) -> str:
    """Return the name of a repository without remote, equal in all worktrees."""
    folder = repository.common_dir
    name = posixpath.basename(folder)
    if name.startswith("."):  # .git, .bare: use the parent folder's name
        name = posixpath.basename(posixpath.dirname(folder))
    return name.removesuffix(".git") or posixpath.basename(repository.root) or folder


def _identify_marker(marker: Marker) -> Identity:
    key = _path_key("marker", marker.folder)
    name = _short(marker.name or "") or _short(posixpath.basename(marker.folder))
    return Identity(
        key=key,
        name=name,
        keys=(key,),
        former_keys=(_path_key("folder", marker.folder),),
        root=_storable(marker.folder),
        confidence=CONFIDENCE_MARKER,
        source="marker",
        evidence=f"{_storable(marker.file)} in {_storable(marker.folder)}",
    )


def _identify_folder(folder: str) -> Identity:
    key = _path_key("folder", folder)
    return Identity(
        key=key,
        name=_short(posixpath.basename(folder)) or _storable(folder),
        keys=(key,),
        root=_storable(folder),
        confidence=CONFIDENCE_FOLDER,
        source="folder",
        evidence=f"the folder {_storable(folder)}: no repository, no package",
    )


def _identify_named(text: str, source: str, evidence: str, detected: Identity | None) -> Identity:
    """Return the identity for a user's text, with the workspace's branch and root for display."""
    text = _storable(text).strip()
    kind = next((kind for kind in _KINDS if text.startswith(kind)), "")
    key = text if kind else "name:" + " ".join(text.casefold().split())
    name = text
    if kind:
        name = text.removeprefix(kind).rstrip("/")
        if kind == "git:" and not name.startswith("file:"):
            name = name.partition("/")[2] or name
        elif kind != "name:":
            name = posixpath.basename(name) or name
    return Identity(
        key=key,
        name=_short(name),
        keys=(key,),
        root=detected.root if detected else None,
        remote=detected.remote if detected else None,
        branch=detected.branch if detected else None,
        confidence=CONFIDENCE_STATED,
        source=source,
        evidence=evidence,
        user_text=text,
    )


def _path_key(kind: str, path: str) -> str:
    path = _storable(path)
    if not path.isascii():
        # macOS may report one path in composed or decomposed Unicode: use one key.
        from unicodedata import normalize

        path = normalize("NFC", path)
    return f"{kind}:{path}"


def _storable(text: str) -> str:
    """Return a text that can be encoded as UTF-8, unlike paths with undecodable bytes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _short(name: str) -> str:
    """Return a name on one line: truncated, with single spaces, without control characters."""
    return " ".join(_storable(remove_invisible(name)).split())[:MAX_NAME_CHARS]


def is_within(path: str, folder: str) -> bool:
    """Return whether a normalised path is a folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
