"""Commits of a git repository, its default branch, and walks along that branch."""

from __future__ import annotations

import os

from .git_files import read_regular
from .objects import Objects
from .repository import find_ref, list_heads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.domain.projects.detection import Repository

_COMMIT_BYTES = 1 << 20
_MAX_WALKED = 1_000  #: commits that are read for one question
_MAX_FIRST_PARENTS = 200  #: commits of a branch that are read, newest first
_SKEW_SECONDS = 86_400  #: by how much a commit may be older than its parent
_USUAL_DEFAULTS = ("main", "master", "trunk", "develop", "dev")


def open_objects(repository: Repository) -> Objects:
    """Return a reader of a repository's objects, to be used in a ``with`` block."""
    return Objects(os.path.join(repository.common_dir, "objects"))


def default_branch(repository: Repository) -> str | None:
    """Return the branch into which others are merged: the remote's, else one with a usual name."""
    for remote in ("origin", "upstream"):
        path = os.path.join(repository.common_dir, "refs", "remotes", remote, "HEAD")
        text = os.fsdecode(read_regular(path) or b"").strip()
        prefix = f"ref: refs/remotes/{remote}/"
        if text.startswith(prefix):
            return text.removeprefix(prefix)
    named = (name for name in _USUAL_DEFAULTS if tips_of(repository, name))
    branch = next(named, None)
    if branch is None and len(list_heads(repository)) == 1:
        return repository.branch
    return branch


def tips_of(repository: Repository, branch: str) -> list[str]:
    """Return the newest commits of a branch: here, and as last fetched from remotes."""
    refs = [f"refs/heads/{branch}"]
    refs += [f"refs/remotes/{remote}/{branch}" for remote in repository.remotes]
    tips = (find_ref(repository, ref) for ref in refs)
    return list(dict.fromkeys(tip for tip in tips if tip))


class CommitObject:
    """The fields of a commit that are needed here."""

    __slots__ = ("name", "parents", "seconds", "subject", "tree")

    def __init__(self, name: str, raw: bytes) -> None:
        self.name = name
        head, _, message = raw.partition(b"\n\n")
        self.parents: list[str] = []
        self.tree = ""
        self.seconds = 0
        self.subject = message.strip().partition(b"\n")[0].decode("utf-8", "replace")
        for line in head.split(b"\n"):
            key, _, value = line.partition(b" ")
            if key == b"parent":
                self.parents.append(value.decode("ascii", "replace"))
            elif key == b"tree":
                self.tree = value.decode("ascii", "replace")
            elif key == b"committer":
                seconds = value.rpartition(b"> ")[2].partition(b" ")[0]
                self.seconds = int(seconds) if seconds.isdigit() else 0


class Commits:
    """The commits of a repository; each is read once."""

    def __init__(self, objects: Objects) -> None:
        self.objects = objects
        self._read: dict[str, CommitObject | None] = {}

    def get(self, name: str) -> CommitObject | None:
        """Return a commit by its id; None if it cannot be read."""
        if name not in self._read:
            raw = self.objects.read(name, "commit", _COMMIT_BYTES)
            self._read[name] = None if raw is None else CommitObject(name, raw)
        return self._read[name]

    def is_ancestor(self, name: str, end: str) -> bool:
        """Return whether a commit is an ancestor of another, or the same."""
        commit = self.get(name)
        if commit is None:
            return False
        oldest = commit.seconds - _SKEW_SECONDS
        pending, seen = [end], set[str]()
        while pending and len(seen) < _MAX_WALKED:
            current = pending.pop()
            if current == name:
                return True
            if current in seen:
                continue
            seen.add(current)
            walked = self.get(current)
            if walked is not None and walked.seconds >= oldest:
                pending += reversed(walked.parents)
        return False

    def first_parents(self, end: str, since: int) -> Iterator[CommitObject]:
        """Yield a branch's own commits since a time (seconds), newest first."""
        name = end
        for _ in range(_MAX_FIRST_PARENTS):
            commit = self.get(name)
            if commit is None or commit.seconds < since:
                return
            yield commit
            if not commit.parents:
                return
            name = commit.parents[0]
