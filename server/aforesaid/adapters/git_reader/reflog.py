"""Reads a session's commits from the reflog (logs/HEAD), without running git.

Not here: finding the repository (repository.py), older history (adapters/git_history.py).
"""

from __future__ import annotations

import os
import re

from aforesaid.adapters.git_reader.files import read_regular
from aforesaid.domain.projects.detection import Repository
from aforesaid.domain.value import Value

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
