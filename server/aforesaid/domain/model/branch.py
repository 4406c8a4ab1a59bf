"""The branch on which a memory was learnt, until that branch is merged.

Read from git by adapters/git_reader/branches.py; when memories are marked, and how a mark is shown:
services/branches.py.
"""

from __future__ import annotations

from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .memory import Memory

BRANCH = "branch"  #: the key of the mark in a memory's metadata
MAX_BRANCH_CHARS = 200
#: State of a branch: merged into the default one, not merged, deleted unmerged, or unknown.
MERGED, OPEN, GONE, UNKNOWN = "merged", "open", "gone", "unknown"


class BranchMark(Value):
    """A branch other than the default one, and the commit at which a memory was learnt there."""

    name: str
    commit: str  #: its id
    #: The commit was the start of the branch: nothing was committed there yet.
    is_start: bool = False
    is_gone: bool = False  #: maintenance saw that the branch was deleted without a merge

    def to_metadata(self) -> dict[str, Any]:
        """Return the mark as it is stored."""
        fields: dict[str, Any] = {"name": self.name, "commit": self.commit}
        if self.is_start:
            fields["start"] = True
        if self.is_gone:
            fields["gone"] = True
        return fields


def mark_of(memory: Memory) -> BranchMark | None:
    """Return the mark of a memory; None if it holds on every branch."""
    fields = memory.metadata.get(BRANCH)
    if not isinstance(fields, dict):
        return None  # a text is the user's own metadata
    name, commit = fields.get("name"), fields.get("commit")
    if not (isinstance(name, str) and isinstance(commit, str) and name and commit):
        return None
    return BranchMark(
        name=name[:MAX_BRANCH_CHARS],
        commit=commit,
        is_start=fields.get("start") is True,
        is_gone=fields.get("gone") is True,
    )
