"""Reads the commits of a session from logs/HEAD, without any process.

Here: the lines of the log that made a commit. Not here: finding the repository (repository.py),
older history (only on request, in a hardened environment, elsewhere).
"""

from __future__ import annotations

import os
import re

from aforesaid.adapters.git_reader.files import read_regular
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.projects.detection import Repository

MAX_SUBJECT_CHARS = 300

# old id, new id, "Name <email>", seconds, zone, tab, what was done: its first word is the kind.
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


class Commit(Value):
    """One commit made in a worktree."""

    id: str
    at_ms: int  # the log counts whole seconds
    subject: str
    kind: str  # commit, initial, amend, merge; rewritten: by a rebase
    replaces: str | None = None  # of an amended one: the commit that it replaced


def read_commits(repository: Repository, since_ms: int, until_ms: int) -> list[Commit]:
    """Return the commits made in this worktree between two times, oldest first.

    Of a log above 1 MB only the end is read. Rebases, resets and checkouts are left out.
    """
    log = read_log(repository, since_ms, until_ms)
    return [commit for commit in log if commit.kind != "rewritten"]


def read_log(repository: Repository, since_ms: int, until_ms: int) -> list[Commit]:
    """Return the commits made, and those that a rebase made anew. See ``read_commits``."""
    raw = read_regular(os.path.join(repository.git_dir, "logs", "HEAD"), part="tail") or b""
    pattern = re.compile(_LINE)
    made: list[Commit] = []
    for line in raw.decode("utf-8", "replace").split("\n"):
        found = pattern.fullmatch(line.rstrip("\r"))
        if found is None:
            continue
        old, new, seconds, what, text = found.groups()
        at_ms = int(seconds) * 1_000
        # A commit in the second in which the session began may be after its beginning.
        if at_ms + 999 < since_ms or at_ms > until_ms:
            continue
        kind = _kind(what)
        if kind:
            made.append(_commit(old, new, at_ms, what, kind, text))
    return made


def _kind(what: str) -> str:
    if _REWRITTEN.fullmatch(what):
        return "rewritten"
    return "merge" if what.startswith("merge ") else _KINDS.get(what, "")


def _commit(old: str, new: str, at_ms: int, what: str, kind: str, text: str) -> Commit:
    if what.startswith("merge "):
        text = f"Merge {what.removeprefix('merge ')}"
    subject = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f]", " ", text).split())
    return Commit(
        id=new,
        at_ms=at_ms,
        subject=subject[:MAX_SUBJECT_CHARS],
        kind=kind,
        replaces=old if kind == "amend" else None,
    )
