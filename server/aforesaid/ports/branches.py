"""Port for the branches of a project's repository."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.domain.model.branch import BranchMark


class BranchReader(Protocol):
    """Reads branches and their commits; never raises."""

    def mark(self, root: str, branch: str) -> BranchMark | None:
        """Return the mark for what is learnt on a branch.

        None if it is the default branch, the only one, or unknown.

        Args:
            root: a folder of the worktree.
            branch: the name of the branch.
        """
        ...

    def find_unmerged(self, root: str, marks: Iterable[BranchMark]) -> set[BranchMark]:
        """Return the marks whose commit is not an ancestor of what is checked out in a folder."""
        ...

    def state_of(self, root: str, mark: BranchMark, since_ms: int) -> tuple[str, str]:
        """Return what became of a branch, and its newest commit, or the mark's if it has none.

        Args:
            root: a folder of a worktree.
            mark: of a memory.
            since_ms: when the memory was stored; a squashed merge is newer.
        """
        ...
