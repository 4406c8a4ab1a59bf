"""Reads what became of a branch: merged into what is checked out, into the default branch, deleted.

A merge is recognised by ancestry. A squashed one has none: it is recognised by a commit of the
default branch that changed the same files as the branch, most of them to the same content, or that
names the branch as git and the usual hosts do. Only this repository is read; walks are bounded.
"""

from __future__ import annotations

import os

from aforesaid.domain.model.branch import GONE, MERGED, OPEN, UNKNOWN, BranchMark

from .git_files import read_regular
from .objects import Objects
from .repository import find_ref, list_heads, read_repository
from .tree_diff import changed_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aforesaid.domain.projects.detection import Repository

_COMMIT_BYTES = 1 << 20
_MAX_WALKED = 1_000  #: commits that are read for one question
_MAX_SQUASHED = 200  #: commits of the default branch that may be a squashed merge
_SKEW_SECONDS = 86_400  #: by how much a commit may be older than its parent
_USUAL_DEFAULTS = ("main", "master", "trunk", "develop", "dev")


class GitBranches:
    """Implements ``BranchReader`` with the files of a repository."""

    def mark(self, root: str, branch: str) -> BranchMark | None:
        """Implement ``BranchReader``."""
        repository = read_repository(root)
        if repository is None or not branch:
            return None
        default = _default_branch(repository)
        tip = find_ref(repository, f"refs/heads/{branch}")
        if default is None or default == branch or tip is None:
            return None
        with _objects(repository) as objects:
            known = _Commits(objects)
            is_start = any(known.is_ancestor(tip, end) for end in _tips(repository, default))
        return BranchMark(name=branch, commit=tip, is_start=is_start)

    def find_unmerged(self, root: str, marks: Iterable[BranchMark]) -> set[BranchMark]:
        """Implement ``BranchReader``."""
        repository = read_repository(root)
        if repository is None:
            return set(marks)
        unmerged = {mark for mark in marks if mark.name != repository.branch}
        if unmerged and repository.commit:
            with _objects(repository) as objects:
                known = _Commits(objects)
                unmerged = {
                    mark
                    for mark in unmerged
                    if mark.is_start or not known.is_ancestor(mark.commit, repository.commit)
                }
        return unmerged

    def state_of(self, root: str, mark: BranchMark, since_ms: int) -> tuple[str, str]:
        """Implement ``BranchReader``."""
        # the nearest folder above a deleted one may be in another repository
        repository = read_repository(root) if os.path.isdir(root) else None
        default = None if repository is None else _default_branch(repository)
        if repository is None or default is None:
            return UNKNOWN, mark.commit
        own = [tip for tip in _tips(repository, mark.name) if tip != mark.commit]
        newest = own[0] if own else mark.commit
        if default == mark.name:
            return MERGED, newest
        with _objects(repository) as objects:
            known = _Commits(objects)
            commit = newest if mark.is_start else mark.commit
            started = not mark.is_start or bool(own)
            for end in _tips(repository, default):
                if started and known.is_ancestor(commit, end):
                    return MERGED, newest
                if known.is_squashed(mark.name, newest if started else "", end, since_ms):
                    return MERGED, newest
            if _tips(repository, mark.name):
                return OPEN, newest
            return (UNKNOWN if known.get(mark.commit) is None else GONE), newest  # another clone?


def _objects(repository: Repository) -> Objects:
    return Objects(os.path.join(repository.common_dir, "objects"))


def _default_branch(repository: Repository) -> str | None:
    """Return the branch into which others are merged: the remote's, else one with a usual name."""
    for remote in ("origin", "upstream"):
        path = os.path.join(repository.common_dir, "refs", "remotes", remote, "HEAD")
        text = os.fsdecode(read_regular(path) or b"").strip()
        prefix = f"ref: refs/remotes/{remote}/"
        if text.startswith(prefix):
            return text.removeprefix(prefix)
    named = (name for name in _USUAL_DEFAULTS if _tips(repository, name))
    found = next(named, None)
    if found is None and len(list_heads(repository)) == 1:
        return repository.branch
    return found


def _tips(repository: Repository, branch: str) -> list[str]:
    """Return the newest commits of a branch: here, and as last fetched from remotes."""
    refs = [f"refs/heads/{branch}"]
    refs += [f"refs/remotes/{remote}/{branch}" for remote in repository.remotes]
    tips = (find_ref(repository, ref) for ref in refs)
    return list(dict.fromkeys(tip for tip in tips if tip))


class _Commit:
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


class _Commits:
    """The commits of a repository; each is read once."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._read: dict[str, _Commit | None] = {}

    def get(self, name: str) -> _Commit | None:
        if name not in self._read:
            raw = self._objects.read(name, "commit", _COMMIT_BYTES)
            self._read[name] = None if raw is None else _Commit(name, raw)
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

    def is_squashed(self, branch: str, tip: str, end: str, since_ms: int) -> bool:
        """Return whether a commit since a time has a branch's changes, or names it as merged.

        Args:
            branch: its name.
            tip: its newest commit; "" if nothing was committed there.
            end: the newest commit of the default branch.
            since_ms: the time.
        """
        changes = self._changes_of_branch(tip, end) if tip else None
        for commit in self._first_parents(end, since_ms // 1000):
            if changes and self._has_changes(commit, changes):
                return True
            merged = commit.subject.partition(" into ")[0]
            if merged.startswith("Merge ") and any(
                word == branch or word.endswith(f"/{branch}")
                for word in merged.replace("'", " ").replace('"', " ").split()
            ):
                return True
        return False

    def _changes_of_branch(self, tip: str, end: str) -> dict[str, str] | None:
        """Return path and blob of what a branch changed since it left the default branch."""
        newest = self.get(tip)
        base = next(
            (
                commit
                for commit in self._first_parents(end, 0)
                if self.is_ancestor(commit.name, tip)
            ),
            None,
        )
        if newest is None or base is None:
            return None
        return dict(changed_files(self._objects, base.tree, newest.tree) or ())

    def _has_changes(self, commit: _Commit, changes: dict[str, str]) -> bool:
        """Return whether a commit changed just these files, most of them to the same content."""
        parent = self.get(commit.parents[0]) if len(commit.parents) == 1 else None
        if parent is None:
            return False
        own = dict(changed_files(self._objects, parent.tree, commit.tree) or ())
        same = sum(blob == changes.get(path) for path, blob in own.items())
        return own.keys() == changes.keys() and same * 2 > len(changes)

    def _first_parents(self, end: str, since: int) -> Iterator[_Commit]:
        """Yield a branch's own commits since a time (seconds), newest first."""
        name = end
        for _ in range(_MAX_SQUASHED):
            commit = self.get(name)
            if commit is None or commit.seconds < since:
                return
            yield commit
            if not commit.parents:
                return
            name = commit.parents[0]
