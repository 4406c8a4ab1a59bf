"""What an answer says about the caller's folder: changed files, and branches not merged there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.services.anchors import Anchors
    from aforesaid.services.branches import Branches

    from .query import RecallResult


def check_folder(
    answer: RecallResult, context: CallContext, anchors: Anchors, branches: Branches
) -> RecallResult:
    """Return an answer with the cited files that have changed, and the branches of its memories.

    Memories of a branch that is not merged in the caller's folder come after the others.
    """
    cited = [hit.memory for hit in answer.results if hit.memory.forgotten_at is None]
    stale = anchors.find_stale(cited, context)
    notes = branches.notes(cited, context)
    if not stale and not notes:
        return answer
    hits = [
        hit.replace(stale=stale.get(hit.memory.key, ()), branch=notes.get(hit.memory.key, ""))
        for hit in answer.results
    ]
    return answer.replace(results=tuple(sorted(hits, key=lambda hit: bool(hit.branch))))
