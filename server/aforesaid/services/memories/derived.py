"""What maintenance made of a memory goes where the memory goes: hidden with it, and brought back.

A summary says what its sources say, so it cannot outlive one that was forgotten; and what a summary
stood for stands for itself again once the summary is forgotten. Inside the caller's transaction.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.maintenance.summary import SUMMARY, is_made

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import Store

_LINES = 100  #: of a memory's log, read to bring back what was hidden with it


def is_summary(statement: Statement) -> bool:
    """Tell whether a statement stands for several memories, which stay what they are."""
    return statement.metadata.get(SUMMARY) is True and len(statement.supersedes) > 1


def compact_into(store: Store, sources: Sequence[Memory], summary: Memory, now: int) -> None:
    """Let a summary stand for memories; one by rules that stood for them all is replaced by it.

    Raises:
        InvalidInputError: one belongs elsewhere, where the summary would not be seen.
    """
    if any(one.project != summary.project for one in sources):
        raise InvalidInputError(
            "a summary stands for memories of its own project: leave out those that are global or "
            "of another one, or give scope"
        )
    before = {one.compacted_into for one in sources if one.compacted_into is not None}
    for one in sources:
        if summary.key not in {one.key, one.compacted_into}:
            store.memories.change(one.key, compacted_into=summary.key)
            store.memories.record("compact", one.key, now, into=summary.id)
    for old in store.memories.get(sorted(before)):
        if is_made(old) and old.in_force and not store.maintenance.sources_of_summary(old.key):
            store.memories.supersede(old.key, summary.key, now)
            store.memories.record("supersede", old.key, now, by=summary.id)


def derived_from(store: Store, memory: Memory, *, forgotten: bool = False) -> list[Memory]:
    """Return what maintenance wrote out of any version of a memory.

    Args:
        store: where they are.
        memory: any version.
        forgotten: also what was forgotten since.
    """
    chain = store.memories.chain(memory.key)
    keys = {one.compacted_into for one in chain if one.compacted_into is not None}
    keys |= store.maintenance.supported_by([one.key for one in chain])
    found = [
        one for one in store.memories.get(sorted(keys)) if is_made(one) and one.head != memory.head
    ]
    return [one for one in found if forgotten or one.forgotten_at is None]


def free_sources(store: Store, summary: Memory) -> list[str]:
    """Let what a summary stands for stand for itself again; return the ids for the log."""
    sources = store.maintenance.sources_of_summary(summary.key)
    for one in sources:
        store.memories.change(one.key, compacted_into=None)
    return [one.id for one in sources]


def restore_derived(store: Store, memory: Memory, now: int) -> None:
    """Bring back what was hidden with a memory, and bind what was freed, as far as it holds."""
    for line in store.inspection.log_of(memory.id, _LINES)[::-1]:
        if line.operation == "forget":
            _bind(store, memory, line.details.get("sources", ()))
            for made in line.details.get("made", ()):
                for one in store.memories.find(made):
                    if one.forgotten_at is not None:
                        store.memories.change(one.key, forgotten_at=None)
                        store.memories.record("restore", one.key, now)
                        restore_derived(store, one, now)
            return


def _bind(store: Store, summary: Memory, sources: Any) -> None:
    for source in sources:
        for one in store.memories.find(str(source)):
            if one.compacted_into is None and one.in_force:
                store.memories.change(one.key, compacted_into=summary.key)
