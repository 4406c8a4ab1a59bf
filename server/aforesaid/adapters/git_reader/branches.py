"""Reads the state of a branch: merged into what is checked out or the default branch, or deleted.

A merge is recognised by ancestry. A squashed merge has none: it is recognised by a commit of the
default branch that changed the same files as the branch, most of them to the same content, or that
names the branch in the way git and the usual hosts do. Only this repository is read; walks are
bounded.
"""

from __future__ import annotations

import os

from aforesaid.domain.model.branch import GONE, MERGED, OPEN, UNKNOWN, BranchMark

from .commits import CommitObject, Commits, default_branch, open_objects, tips_of
from .repository import find_ref, read_repository
from .tree_diff import changed_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class GitBranches:
    """Implements ``BranchReader`` with the files of a repository."""

    def mark(self, root: str, branch: str) -> BranchMark | None:
        repository = read_repository(root)
        if repository is None or not branch:
            return None
        default = default_branch(repository)
        tip = find_ref(repository, f"refs/heads/{branch}")
        if default is None or default == branch or tip is None:
            return None
        with open_objects(repository) as objects:
            known = Commits(objects)
            is_start = any(known.is_ancestor(tip, end) for end in tips_of(repository, default))
        return BranchMark(name=branch, commit=tip, is_start=is_start)

    def find_unmerged(self, root: str, marks: Iterable[BranchMark]) -> set[BranchMark]:
        repository = read_repository(root)
        if repository is None:
            return set(marks)
        unmerged = {mark for mark in marks if mark.name != repository.branch}
        if unmerged and repository.commit:
            with open_objects(repository) as objects:
                known = Commits(objects)
                unmerged = {
                    mark
                    for mark in unmerged
                    if mark.is_start or not known.is_ancestor(mark.commit, repository.commit)
                }
        return unmerged

    def state_of(self, root: str, mark: BranchMark, since_ms: int) -> tuple[str, str]:
        # the nearest folder above a deleted one may be in another repository
        repository = read_repository(root) if os.path.isdir(root) else None
        default = None if repository is None else default_branch(repository)
        if repository is None or default is None:
            return UNKNOWN, mark.commit
        own = [tip for tip in tips_of(repository, mark.name) if tip != mark.commit]
        newest = own[0] if own else mark.commit
        if default == mark.name:
            return MERGED, newest
        with open_objects(repository) as objects:
            known = Commits(objects)
            commit = newest if mark.is_start else mark.commit
            started = not mark.is_start or bool(own)
            for end in tips_of(repository, default):
                if started and known.is_ancestor(commit, end):
                    return MERGED, newest
                if _is_squashed(known, mark.name, newest if started else "", end, since_ms):
                    return MERGED, newest
            if tips_of(repository, mark.name):
                return OPEN, newest
            return (UNKNOWN if known.get(mark.commit) is None else GONE), newest  # another clone?


def _is_squashed(known: Commits, branch: str, tip: str, end: str, since_ms: int) -> bool:
    """Return whether a later commit has the changes of a branch, or names it as merged.

    Args:
        known: the commits of the repository.
        branch: its name.
        tip: its newest commit; "" if nothing was committed there.
        end: the newest commit of the default branch.
        since_ms: the time after which commits are read.
    """
    changes = _changes_of_branch(known, tip, end) if tip else None
    for commit in known.first_parents(end, since_ms // 1000):
        if changes and _has_changes(known, commit, changes):
            return True
        merged = commit.subject.partition(" into ")[0]
        if merged.startswith("Merge ") and any(
            word == branch or word.endswith(f"/{branch}")
            for word in merged.replace("'", " ").replace('"', " ").split()
        ):
            return True
    return False


def _changes_of_branch(known: Commits, tip: str, end: str) -> dict[str, str] | None:
    """Return the files that a branch changed since it left the default branch: blobs by path."""
    newest = known.get(tip)
    base = next(
        (commit for commit in known.first_parents(end, 0) if known.is_ancestor(commit.name, tip)),
        None,
    )
    if newest is None or base is None:
        return None
    return dict(changed_files(known.objects, base.tree, newest.tree) or ())


def _has_changes(known: Commits, commit: CommitObject, changes: dict[str, str]) -> bool:
    """Return whether a commit changed just these files, most of them to the same content."""
    parent = known.get(commit.parents[0]) if len(commit.parents) == 1 else None
    if parent is None:
        return False
    own = dict(changed_files(known.objects, parent.tree, commit.tree) or ())
    same = sum(blob == changes.get(path) for path, blob in own.items())
    return own.keys() == changes.keys() and same * 2 > len(changes)
