"""Marks memories with the branch on which they were learnt, and shows the mark elsewhere.

A mark says that something holds on its branch. It is shown where its commit is not part of what is
checked out, and removed by maintenance once the branch is merged.
"""

from __future__ import annotations

from aforesaid.domain.model.branch import BRANCH, MAX_BRANCH_CHARS, mark_of
from aforesaid.domain.model.memory import GLOBAL_PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from aforesaid.domain.model.branch import BranchMark
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import BranchReader, Store

PREDECESSOR_CHARS = 100  #: of what still holds here, shown with a mark
#: Categories that hold on every branch: what the user likes, and how work is done.
_EVERYWHERE = frozenset(("preference", "rule", "convention", "workflow", "procedure"))


class Branches:
    """The branches of memories."""

    def __init__(self, store: Store, reader: Callable[[], BranchReader] | None) -> None:
        """Create the service.

        Args:
            store: where memories are.
            reader: returns the reader of branches, called once it is needed; None: no marks.
        """
        self._store = store
        self._reader = reader

    def mark(self, statement: Statement, context: CallContext) -> Statement:
        """Return a statement with the mark of the caller's branch.

        There is no mark on the default branch, nor for what holds on all branches: events, rules,
        procedures, preferences.
        """
        identity = context.identity
        category = str(statement.metadata.get("category", "")).lower()
        if (
            self._reader is None
            or identity is None
            or identity.root is None
            or not identity.branch
            or statement.type not in {"semantic", "entity"}
            or statement.scope == "global"
            or category in _EVERYWHERE
            or BRANCH in statement.metadata
        ):
            return statement
        mark = self._reader().mark(identity.root, identity.branch)
        if mark is None or len(mark.name) > MAX_BRANCH_CHARS:
            return statement
        return statement.replace(metadata={**statement.metadata, BRANCH: mark.to_metadata()})

    def notes(self, memories: Iterable[Memory], context: CallContext) -> dict[int, str]:
        """Return notes, by key, for the memories learnt on a branch that is not merged here.

        Only memories of the caller's project are checked: other projects have other repositories.
        """
        marks = {}
        for memory in memories:
            mark = mark_of(memory)
            is_own_project = context.project.key in {memory.project, memory.origin_project}
            if mark is not None and is_own_project and memory.project != GLOBAL_PROJECT:
                marks[memory.key] = (memory, mark)
        root = None if context.identity is None else context.identity.root
        if not marks or root is None or self._reader is None:
            return {}
        unmerged = self._reader().find_unmerged(root, {mark for _, mark in marks.values()})
        return {
            key: self._note(memory, mark)
            for key, (memory, mark) in marks.items()
            if mark in unmerged
        }

    def _note(self, memory: Memory, mark: BranchMark) -> str:
        state = "deleted unmerged" if mark.is_gone else "not merged here"
        note = f"branch {mark.name}, {state}"
        predecessor = next(
            (
                version
                for version in reversed(self._store.memories.chain(memory.key))
                if version.key != memory.key and mark_of(version) is None
            ),
            None,
        )
        if predecessor is None or predecessor.forgotten_at is not None:
            return note
        text = " ".join(predecessor.content.split())
        if len(text) > PREDECESSOR_CHARS:
            text = f"{text[:PREDECESSOR_CHARS].rsplit(' ', 1)[0]} …"
        return f'{note}; before: "{text}"'


def on_branch(context: CallContext, branch: str) -> CallContext:
    """Return a context on the branch of a conversation; another may be checked out by now."""
    if context.identity is None or not branch:
        return context
    return context.replace(identity=context.identity.replace(branch=branch))


def put_last(memories: Sequence[Memory], notes: dict[int, str]) -> list[Memory]:
    """Return memories with those that have a note after the others."""
    return sorted(memories, key=lambda memory: memory.key in notes)
