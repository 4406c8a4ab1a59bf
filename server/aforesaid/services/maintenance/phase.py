"""The interface of a phase: a plan made by reading only, executed in short transactions.

Here too: finding the neighbours of a page of memories in one query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.model.memory import Memory, Project
from aforesaid.domain.model.suggestion import Suggestion
from aforesaid.ports import Store

BATCH = 100  #: actions of one transaction: some tens of milliseconds
PAGE = 500  #: memories read at once


#: Returns the projects whose folders may be read: all in which memory is not switched off.
ProjectList = Callable[[], Sequence[Project]]


class Phase(Protocol):
    """One phase, in its own module; ``operations/maintenance.py`` lists them in order."""

    @property
    def name(self) -> str:
        """The name of the phase, one of ``domain.maintenance.run.PHASES``."""
        ...

    @property
    def unavailable_reason(self) -> str:
        """Why the phase cannot run in this store; empty if it can."""
        ...

    def plan(self, span: RunScope, after: str, /) -> Iterator[Batch]:
        """Yield batches of actions, in an order that does not depend on executed actions.

        Reads only. Each batch is executed before the next one is requested.

        Args:
            span: Which memories to look at.
            after: The cursor of the last executed batch; empty at the start.
        """
        ...

    def execute(self, actions: Sequence[PhaseAction], span: RunScope, /) -> list[PhaseAction]:
        """Execute the actions that still apply; return them. Runs inside a transaction.

        The store may have changed since the plan, so each action is checked again.
        """
        ...


def source_fingerprint(memories: Sequence[Memory]) -> tuple[object, ...]:
    """Return the fields that a summary of memories depends on; if they change, drop the summary."""
    return tuple(
        (
            memory.key,
            memory.project,
            memory.topic,
            memory.content,
            memory.summary,
            memory.provenance,
            memory.is_current,
        )
        for memory in memories
    )


def add_suggestion(store: Store, suggestion: Suggestion) -> bool:
    """Store a suggestion if all its memories are in force and belong to its project.

    Returns:
        Whether it was stored and is new.
    """
    memories = [memory for memory in store.memories.get(suggestion.memories) if memory.in_force]
    if len(memories) != len(suggestion.memories):
        return False
    if {memory.project for memory in memories} != {suggestion.project}:
        return False
    return store.suggestions.add(suggestion) is not None


Near = dict[int, dict[int, float]]  #: for each memory, its neighbours' cosines, nearest first

#: Memories of a page: all vectors of their project are read once for each page.
NEAR_PAGE = 1_000


def neighbours(store: Store, page: Sequence[Memory], limit: int, *, earlier: bool = False) -> Near:
    """Return the nearest memories of each memory of a page, in its own project.

    Args:
        store: The store.
        page: Memories in order of their keys.
        limit: The number of neighbours of each memory.
        earlier: Only return neighbours stored before the last memory of the page.
    """
    keys_by_project: dict[int, list[int]] = {}
    for memory in page:
        keys_by_project.setdefault(memory.project, []).append(memory.key)
    near: Near = {}
    for project, keys in keys_by_project.items():
        near |= store.neighbours.find(keys, project, limit, keys[-1] if earlier else None)
    return near
