"""Reads a session's commits, with their files, as import items, without running git.

Here: which commits of the reflog are still reachable, their ids after an amend or a rebase, and the
files that they changed. Not here: git objects (objects.py), finding the repository (repository.py),
the whole history (adapters/git_history.py, whose items have the same names and texts).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence

from aforesaid.domain.model.commit import (
    BLOB_BYTES,
    COMMIT_BYTES,
    MAX_FILES,
    Commit,
    commit_anchors,
    commit_item,
    commit_item_name,
    parse_commit,
)
from aforesaid.domain.model.import_item import ImportItem, SkipCounter
from aforesaid.domain.projects.detection import Repository
from aforesaid.domain.text.timestamps import DAY_MS
from aforesaid.domain.value import Value

from .git_files import read_regular
from .objects import Objects
from .repository import list_heads
from .tree_diff import changed_files

MAX_SUBJECT_CHARS = 300

# old id, new id, "Name <email>", seconds, zone, tab, action, message
_LINE = r"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) .*> (\d{1,12}) [+-]\d{4}\t([^:]*): (.*)"
_REWRITTEN = re.compile(r"(?:pull .*)?rebase.* \((?:pick|reword|edit|squash|fixup|continue)\)")
_KINDS = {
    "commit": "commit",
    "commit (initial)": "initial",
    "commit (amend)": "amend",
    "commit (cherry-pick)": "commit",
    "commit (merge)": "merge",
    "cherry-pick": "commit",
    "revert": "commit",
    "am": "commit",
}


class ReflogEntry(Value):
    """A commit created in a worktree."""

    id: str
    at_ms: int  # the reflog has whole seconds
    subject: str
    kind: str  # commit, initial, amend, merge, or rewritten (by a rebase)
    replaces: str | None = None  # the commit that was amended


def read_commits(repository: Repository, since_ms: int, until_ms: int) -> list[ReflogEntry]:
    """Return the commits created in a worktree between two times, oldest first.

    Only the last 1 MB of the reflog is read. Rebases, resets and checkouts are skipped.
    """
    log = read_log(repository, since_ms, until_ms)
    return [commit for commit in log if commit.kind != "rewritten"]


def read_log(repository: Repository, since_ms: int, until_ms: int) -> list[ReflogEntry]:
    """As ``read_commits``, including commits rewritten by a rebase."""
    raw = read_regular(os.path.join(repository.git_dir, "logs", "HEAD"), part="tail") or b""
    pattern = re.compile(_LINE)
    commits: list[ReflogEntry] = []
    for line in raw.decode("utf-8", "replace").split("\n"):
        match = pattern.fullmatch(line.rstrip("\r"))
        if match is None:
            continue
        old, new, seconds, action, text = match.groups()
        at_ms = int(seconds) * 1_000
        # a commit in the second in which the session started may have been after the start
        if at_ms + 999 < since_ms or at_ms > until_ms:
            continue
        kind = _kind(action)
        if kind:
            commits.append(_commit(old, new, at_ms, action, kind, text))
    return commits


def _kind(action: str) -> str:
    if _REWRITTEN.fullmatch(action):
        return "rewritten"
    return "merge" if action.startswith("merge ") else _KINDS.get(action, "")


def _commit(old: str, new: str, at_ms: int, action: str, kind: str, text: str) -> ReflogEntry:
    if action.startswith("merge "):
        text = f"Merge {action.removeprefix('merge ')}"
    subject = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())
    return ReflogEntry(
        id=new,
        at_ms=at_ms,
        subject=subject[:MAX_SUBJECT_CHARS],
        kind=kind,
        replaces=old if kind == "amend" else None,
    )


MAX_COMMITS = 200  #: of one session, the newest
_MAX_WALKED = 5_000  #: commits read to find out which are reachable
_COMMITTED = re.compile(rb"\ncommitter [^\n]*> (\d{1,12}) [+-]\d{4}\n")
_PARENT = re.compile(rb"\nparent ([0-9a-f]{40,64})(?=\n)")
_TREE = re.compile(rb"tree ([0-9a-f]{40,64})\n")


class _LoggedCommit(Value):
    """A commit of the reflog, with the content of its object."""

    commit: Commit
    amends: str | None  #: the id of the commit that it replaced
    rewritten: bool  #: by a rebase

    @property
    def authorship(self) -> tuple[int, str]:
        """Author date and address, which an amend, a rebase or a new message leaves unchanged."""
        return self.commit.written_at, self.commit.mail


def read_session_commits(
    repository: Repository, project: str, since_ms: int, until_ms: int, skipped: SkipCounter
) -> list[ImportItem]:
    """Return a worktree's commits between two times that are still reachable, oldest first.

    Reachable means from HEAD or a branch; merges are skipped. An amended or rebased commit has its
    newest id, and its item replaces those of the earlier ids.

    Args:
        repository: from ``read_repository``.
        project: the key of its project; part of each item's name.
        since_ms: the session's start.
        until_ms: its end.
        skipped: cleans texts, and counts what was removed.
    """
    log = read_log(repository, since_ms, until_ms)
    if not any(entry.kind != "rewritten" for entry in log):
        return []
    with Objects(os.path.join(repository.common_dir, "objects")) as objects:
        logged: dict[str, _LoggedCommit] = {}
        for entry in log[-2 * MAX_COMMITS :]:
            if entry.id in logged:
                continue
            raw = None if entry.kind == "merge" else objects.read(entry.id, "commit", COMMIT_BYTES)
            commit = parse_commit(entry.id, raw, skipped.cleaned) if raw else None
            if raw and commit is not None and len(_PARENT.findall(_head(raw))) < 2:  # noqa: PLR2004 - a merge has two
                logged[entry.id] = _LoggedCommit(
                    commit=commit, amends=entry.replaces, rewritten=entry.kind == "rewritten"
                )
        reachable = _reachable(objects, repository, logged, since_ms - DAY_MS)  # clocks differ
        return _items(objects, project, logged, reachable)


def _items(
    objects: Objects,
    project: str,
    logged: Mapping[str, _LoggedCommit],
    reachable: Sequence[str],
) -> list[ImportItem]:
    created = {entry.authorship for entry in logged.values() if not entry.rewritten}
    chosen = [logged[name] for name in reachable if logged[name].authorship in created]
    unreachable = [entry for name, entry in logged.items() if name not in reachable]
    counts: dict[str, int] = {}
    items = []
    for entry in chosen[-MAX_COMMITS:]:
        commit = entry.commit
        counts[commit.origin] = counts.get(commit.origin, 0) + 1
        name = commit_item_name(project, commit, counts[commit.origin])
        earlier = _earlier_versions(objects, entry, unreachable)
        replaced = dict.fromkeys(commit_item_name(project, old, 1) for old in earlier)
        replaced.pop(name, None)
        paths, contents = _files(objects, commit.id)
        item = commit_item(
            commit, name, [path for path, _ in paths], commit_anchors(paths, contents)
        )
        items.append(item.replace(replaces=tuple(replaced)))
    return items


def _earlier_versions(
    objects: Objects, entry: _LoggedCommit, unreachable: Iterable[_LoggedCommit]
) -> list[Commit]:
    """Return a commit's versions before it was amended or rebased, as far as they still exist."""
    versions = [other.commit for other in unreachable if other.authorship == entry.authorship]
    amended = entry.amends
    by_id = {other.commit.id: other for other in unreachable}
    while amended is not None:
        raw = objects.read(amended, "commit", COMMIT_BYTES)
        # not cleaned: names of items are cleaned where they are hashed
        commit = parse_commit(amended, raw, str) if raw else None
        if commit is not None:
            versions.append(commit)
        earlier = by_id.pop(amended, None)
        amended = None if earlier is None else earlier.amends
    return versions


def _reachable(
    objects: Objects, repository: Repository, logged: Mapping[str, _LoggedCommit], since_ms: int
) -> list[str]:
    """Return the reachable commits of the reflog, oldest first.

    A commit of another branch with the same origin as one of HEAD is a cherry-pick, and skipped.
    """
    budget = [_MAX_WALKED]
    walked: set[str] = set()
    from_head = _walk(objects, [repository.commit or ""], since_ms, walked, budget)
    from_branches = _walk(objects, list_heads(repository), since_ms, walked, budget)
    origins = {entry.commit.origin for name, entry in logged.items() if name in from_head}
    reachable = []
    for name, entry in logged.items():
        if name in from_head:
            reachable.append(name)
        elif name in from_branches and entry.commit.origin not in origins:
            origins.add(entry.commit.origin)
            reachable.append(name)
    return reachable


def _walk(
    objects: Objects, heads: Iterable[str], since_ms: int, walked: set[str], budget: list[int]
) -> set[str]:
    """Return the ancestors of these commits since a time, except those in ``walked``."""
    ancestors: set[str] = set()
    pending = [name for name in heads if name]
    while pending and budget[0]:
        name = pending.pop()
        if name in walked:
            continue
        walked.add(name)
        budget[0] -= 1
        raw = objects.read(name, "commit", COMMIT_BYTES)
        head = _head(raw or b"")
        committed = _COMMITTED.search(head)
        if committed is None or int(committed[1]) * 1000 < since_ms:
            continue
        ancestors.add(name)
        pending += [parent.decode() for parent in _PARENT.findall(head)]
    return ancestors


def _head(raw: bytes) -> bytes:
    return raw.partition(b"\n\n")[0] + b"\n"


# -- the files of a commit


def _files(objects: Objects, name: str) -> tuple[list[tuple[str, str]], dict[str, bytes]]:
    """Return the (path, blob) that a commit changed, and the contents of the first ones.

    Empty if the commit's tree or its parent's is missing.
    """
    changed = _changed(objects, name)
    if changed is None:
        return [], {}
    contents = {}
    for _, blob in changed[:MAX_FILES]:
        content = objects.read(blob, "blob", BLOB_BYTES) if blob else None
        if content is not None:
            contents[blob] = content
    return changed, contents


def _changed(objects: Objects, name: str) -> list[tuple[str, str]] | None:
    """Return path and blob ("" if deleted or not a file) of changes since the first parent."""
    tree = _tree_of(objects, name)
    parents = _PARENT.findall(_head(objects.read(name, "commit", COMMIT_BYTES) or b""))
    before = _tree_of(objects, parents[0].decode()) if parents else ""
    if tree is None or before is None:
        return None
    return changed_files(objects, before, tree)


def _tree_of(objects: Objects, name: str) -> str | None:
    match = _TREE.match(objects.read(name, "commit", COMMIT_BYTES) or b"")
    return match[1].decode() if match else None
