"""Which project a folder is: the decision, pure, over facts that an adapter gathered.

Here: the facts (Surroundings), the answer (Identity), the order of rules 1 to 5, and what a store
does with the answer's keys. Not here: reading folders (adapters/git_reader), hints
(hint_matching.py). Why these rules: docs/adr/0005-project-identity.md.

A key is text with its kind in front; two folders with one basename never share one:
  git:host/owner/name  the remote       repo:/path    the repository that all worktrees share
  marker:/folder       a package's own  folder:/path  a plain folder
  name:text            named by hand    chosen:/path  set_project was called here
"""

from __future__ import annotations

import posixpath

from aforesaid.domain.projects.git_remote import (
    name_remote,
    normalise_remote,
    resolve_remote,
    strip_credentials,
)
from aforesaid.domain.text.invisible import remove_invisible
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = [
    "Identity",
    "Marker",
    "ProjectResolution",
    "Repository",
    "WorkspaceFacts",
    "adopt",
    "chosen_keys",
    "identify",
    "normalise_remote",
    "strip_credentials",
]

# Below this the project is provisional: used at once, asked about once. Source: DESIGN section 5.
TAKEN_SILENTLY = 0.8

CONFIDENCE_SAID = 1.0
CONFIDENCE_REMOTE = 0.95
CONFIDENCE_REPOSITORY = 0.9
CONFIDENCE_MARKER = 0.7
CONFIDENCE_FOLDER = 0.5

MAX_NAME_CHARS = 120

#: Of each project, how many commits are kept of those seen first, and of those seen last.
KEPT_COMMITS = (8, 24)

_KINDS = ("git:", "repo:", "marker:", "folder:", "name:")


class Repository(Value):
    """A git repository as read from its files. Paths are real paths."""

    root: str  # the top of this worktree; of a bare repository its own folder
    common_dir: str  # what all worktrees share
    git_dir: str  # this worktree's own part: HEAD and logs/HEAD
    branch: str | None = None  # None: detached or unknown
    commit: str | None = None  # None: no commit yet, or unknown
    detached: bool = False
    remotes: Mapping[str, str] = {}
    bare: bool = False
    user_name: str | None = None
    cloned_from: str | None = None  # what its first log line says, if it was cloned


class Marker(Value):
    """A file that makes a folder a package, and the name that it gives."""

    folder: str  # real path
    file: str
    name: str | None = None


class WorkspaceFacts(Value):
    """All that is known of where a session runs. Paths are real paths."""

    folder: str
    asked: str | None = None  # AFORESAID_PROJECT: a key, name, alias or folder
    asked_for_folder: bool = False  # then the facts below are that folder's
    chosen: str | None = None  # the key that set_project stored; filled in by who has the store
    chosen_in: str = "session"  # or "folder": chosen here in an earlier session; "start": see gone
    mapped: str | None = None  # what the path mapping of the settings names
    mapped_folder: str | None = None
    repository: Repository | None = None
    marker: Marker | None = None
    nobodys: str | None = None  # why this folder is nobody's project: "home folder", ...
    gone: bool = False  # the folder was removed: only where the session began tells its project


class Identity(Value):
    """The answer: one project, how sure, and why."""

    key: str
    name: str
    keys: tuple[str, ...]  # all that mean it now, `key` first: to be kept as aliases
    former: tuple[str, ...] = ()  # what it may be known by from before: looked up, never kept
    related: tuple[str, ...] = ()  # other remotes, and where it was cloned from
    cloned: bool = False
    root: str | None = None
    remote: str | None = None  # without credentials
    branch: str | None = None
    confidence: float  # in [0, 1]
    source: str  # environment, session, mapping, git remote, git repository, marker, folder, hint
    evidence: str  # short, for people
    given: str | None = None  # what a person wrote: resolve it as key, name or alias before making

    @property
    def provisional(self) -> bool:
        """Return whether to ask about it once."""
        return self.confidence < TAKEN_SILENTLY


class ProjectResolution(Value):
    """What a store does with an identity."""

    project: int | None  # None: make it
    record: tuple[str, ...] = ()  # keys that from now on point to it
    merge: tuple[int, ...] = ()  # projects that turned out to be this one


def identify(surroundings: WorkspaceFacts) -> Identity | None:
    """Return the project of these surroundings, or None where a folder is nobody's.

    The first rule that answers wins: what was said (set_project in this session, then
    AFORESAID_PROJECT, then set_project in this folder before), the path mapping, the repository,
    the marker, the folder. None means the install's own default project, or a hint
    (hint_matching.py).
    """
    place = _identify_place(surroundings)
    if surroundings.chosen and surroundings.chosen_in != "folder":
        began = surroundings.chosen_in == "start"
        evidence = (
            "it began there, and its folder is gone" if began else "set_project in this session"
        )
        return _said(surroundings.chosen, "session", evidence, place)
    if surroundings.asked:
        evidence = f"AFORESAID_PROJECT={_storable(surroundings.asked)}"
        if surroundings.asked_for_folder:
            meant = place or _identify_folder(surroundings.folder)
            return meant.replace(
                confidence=CONFIDENCE_SAID, source="environment", evidence=evidence
            )
        return _said(surroundings.asked, "environment", evidence, place)
    if surroundings.chosen:
        return _said(surroundings.chosen, "session", "set_project in this folder before", place)
    if surroundings.mapped:
        evidence = f"project.map has {_storable(surroundings.mapped_folder or surroundings.folder)}"
        return _said(surroundings.mapped, "mapping", evidence, place)
    return place


def chosen_keys(surroundings: WorkspaceFacts) -> tuple[str, ...]:
    """Return the keys under which set_project may have chosen a project here, nearest first.

    The first is the one to record under. A choice made at the top of a repository or package
    holds below it; elsewhere it holds for that very folder. Empty where a choice must not outlive
    the session: home, root, temporary folders (unless a repository is there), no folder.
    """
    top = surroundings.folder
    place = _identify_place(surroundings)
    if place is None or not top:
        return ()
    if place.source != "folder" and place.root and _within(top, place.root):
        top = place.root
    folder = surroundings.folder
    keys = [_path_key("chosen", folder)]
    while folder != top and folder != posixpath.dirname(folder):
        folder = posixpath.dirname(folder)
        keys.append(_path_key("chosen", folder))
    return tuple(keys)


def adopt(
    identity: Identity, owners: Mapping[str, int], keys_of: Mapping[int, Collection[str]]
) -> ProjectResolution:
    """Return which stored project an identity is, and what to record.

    Args:
        identity: what was found.
        owners: which project each of ``identity.keys`` and ``identity.former`` points to, if any.
        keys_of: all keys of those projects.

    A path alone is weak evidence: folders are deleted and paths used again. Memories kept by path
    pass to a repository that gained a remote, not to a fresh clone in an old place.
    """
    found: list[int] = []
    for key in (*identity.keys, *identity.former):
        owner = owners.get(key)
        if owner is None or owner in found:
            continue
        if key == identity.key or _is_same(identity, keys_of.get(owner, ())):
            found.append(owner)
    project = found[0] if found else None
    return ProjectResolution(
        project=project,
        record=tuple(key for key in identity.keys if project is None or owners.get(key) != project),
        merge=tuple(found[1:]),
    )


def _is_same(identity: Identity, keys: Collection[str]) -> bool:
    """Return whether a project found by path alone is still the one that is there."""
    remotes = [key for key in keys if key.startswith("git:") and not key.startswith("git:file:")]
    if remotes:
        return any(key in identity.keys or key in identity.related for key in remotes)
    if not identity.cloned:
        return True
    # Known so far only through a clone that names this place as its remote.
    stood_here = any(key.startswith("repo:") and key in keys for key in identity.keys)
    return not stood_here and any(
        key.startswith("git:file:") and key in identity.keys for key in keys
    )


def _identify_place(surroundings: WorkspaceFacts) -> Identity | None:
    """Return what rules 3 to 5 say."""
    if surroundings.repository is not None:
        return _identify_repository(surroundings.repository)
    if not surroundings.folder or surroundings.nobodys:
        return None
    if surroundings.marker is not None:
        return _identify_marker(surroundings.marker)
    return _identify_folder(surroundings.folder)


def _identify_repository(repository: Repository) -> Identity:
    """Return the project of a repository: its remote, else the repository itself."""
    shared = _path_key("repo", repository.common_dir)
    base = repository.common_dir if repository.bare else repository.root
    remotes = {
        name: (url, key)
        for name, given in repository.remotes.items()
        if (key := normalise_remote(url := resolve_remote(given, base))) is not None
    }
    chosen = _choose_remote(tuple(remotes))
    keys = [shared]
    # What a clone of this repository by its path would carry as its own remote.
    own_address = normalise_remote(repository.common_dir)
    if own_address:
        keys.append(_path_key("git", own_address))
    name = _name_repository(repository)
    found: dict[str, str | float | None] = {
        "confidence": CONFIDENCE_REPOSITORY,
        "source": "git repository",
        "evidence": f"git repository {_storable(repository.common_dir)}, no remote",
        "remote": None,
    }
    if chosen is not None:
        url, key = remotes[chosen]
        keys.insert(0, _path_key("git", key))
        name = name_remote(url) or name
        found = {
            "confidence": CONFIDENCE_REMOTE,
            "source": "git remote",
            "evidence": f"git remote {_storable(chosen)}: {_storable(key)}",
            "remote": _storable(strip_credentials(url)),
        }
    related = [_path_key("git", key) for _, key in remotes.values()]
    source = normalise_remote(repository.cloned_from or "")
    if source:
        related.append(_path_key("git", source))
    main = not repository.bare and repository.git_dir == repository.common_dir
    root = repository.root
    return Identity(
        key=keys[0],
        name=_short(name),
        keys=tuple(dict.fromkeys(keys)),
        former=(_path_key("marker", root), _path_key("folder", root)) if main else (),
        related=tuple(key for key in dict.fromkeys(related) if key not in keys),
        cloned=repository.cloned_from is not None,
        root=_storable(root),
        # It is shown unasked, and a HEAD that was unpacked may say anything: no sentence, no book.
        branch="-".join(_short(repository.branch).split()) if repository.branch else None,
        **found,  # type: ignore[arg-type]  # spelt out twice it would be longer than it is clear
    )


def _choose_remote(names: tuple[str, ...]) -> str | None:
    """Return ``origin``, else the only one, else ``upstream``, else the first in the config.

    Never the one that the current branch tracks: a project does not change with its branch.
    """
    if "origin" in names or not names:
        return "origin" if names else None
    return "upstream" if "upstream" in names else names[0]


def _name_repository(repository: Repository) -> str:
    """Return the name of a repository without remote, the same in all its worktrees."""
    folder = repository.common_dir
    name = posixpath.basename(folder)
    if name.startswith("."):  # .git, .bare: the folder around it has the name
        name = posixpath.basename(posixpath.dirname(folder))
    return name.removesuffix(".git") or posixpath.basename(repository.root) or folder


def _identify_marker(marker: Marker) -> Identity:
    key = _path_key("marker", marker.folder)
    name = _short(marker.name or "") or _short(posixpath.basename(marker.folder))
    return Identity(
        key=key,
        name=name,
        keys=(key,),
        former=(_path_key("folder", marker.folder),),
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


def _said(text: str, source: str, evidence: str, place: Identity | None) -> Identity:
    """Return what a person named, with the place's own branch and root for display."""
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
        root=place.root if place else None,
        remote=place.remote if place else None,
        branch=place.branch if place else None,
        confidence=CONFIDENCE_SAID,
        source=source,
        evidence=evidence,
        given=text,
    )


def _path_key(kind: str, path: str) -> str:
    path = _storable(path)
    if not path.isascii():
        # One folder may reach us composed or decomposed (macOS): one key for both.
        from unicodedata import normalize

        path = normalize("NFC", path)
    return f"{kind}:{path}"


def _storable(text: str) -> str:
    """Return text that UTF-8 can hold: a path may carry bytes that are none."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _short(name: str) -> str:
    """Return a name fit for one line: no control characters, single blanks, bounded."""
    return " ".join(_storable(remove_invisible(name)).split())[:MAX_NAME_CHARS]


def _within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")
