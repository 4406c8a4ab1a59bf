"""Derived memories are forgotten and restored with their sources.

A summary repeats its sources, so it cannot outlive a forgotten one; once a summary is forgotten,
its sources are in lists again. Everything here runs inside the caller's transaction.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.maintenance.summary import SUMMARY, is_derived

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import Store

_LOG_LINES = 100  #: of a memory, searched for how it was forgotten


def is_summary(statement: Statement) -> bool:
    """Tell whether a statement summarises several memories, which stay in force."""
    return statement.metadata.get(SUMMARY) is True and len(statement.supersedes) > 1


def compact_into(store: Store, sources: Sequence[Memory], summary: Memory, now: int) -> None:
    """Compact memories into a summary; a generated summary left without sources is superseded.

    Raises:
        InvalidInputError: a source belongs to another project, which would not see the summary.
    """
    if any(source.project != summary.project for source in sources):
        raise InvalidInputError(
            "a summary can only cover memories of its own project: leave out the global ones and "
            "those of other projects, or give scope"
        )
    earlier = {source.compacted_into for source in sources if source.compacted_into is not None}
    for source in sources:
        if summary.key not in {source.key, source.compacted_into}:
            store.memories.change(source.key, compacted_into=summary.key)
            store.memories.record("compact", source.key, now, into=summary.id)
    for old in store.memories.get(sorted(earlier)):
        if is_derived(old) and old.in_force and not store.maintenance.sources_of_summary(old.key):
            store.memories.supersede(old.key, summary.key, now)
            store.memories.record("supersede", old.key, now, by=summary.id)


def derived_from(store: Store, memory: Memory, *, forgotten: bool = False) -> list[Memory]:
    """Return the memories that maintenance derived from any version of a memory.

    Args:
        store: where they are.
        memory: any version.
        forgotten: whether to include forgotten ones.
    """
    chain = store.memories.chain(memory.key)
    keys = {version.compacted_into for version in chain if version.compacted_into is not None}
    keys |= store.maintenance.supported_by([version.key for version in chain])
    return [
        derived
        for derived in store.memories.get(sorted(keys))
        if is_derived(derived)
        and derived.head != memory.head
        and (forgotten or derived.forgotten_at is None)
    ]


def free_sources(store: Store, summary: Memory) -> list[str]:
    """Put a summary's sources back into lists; return their ids for the log."""
    sources = store.maintenance.sources_of_summary(summary.key)
    for source in sources:
        store.memories.change(source.key, compacted_into=None)
    return [source.id for source in sources]


def restore_derived(store: Store, memory: Memory, now: int) -> None:
    """Restore the derived memories that were forgotten with this one, and compact its sources."""
    for line in store.inspection.log_of(memory.id, _LOG_LINES)[::-1]:
        if line.operation != "forget":
            continue
        for source_id in line.details.get("sources", ()):
            for source in store.memories.find(str(source_id)):
                if source.compacted_into is None and source.in_force:
                    store.memories.change(source.key, compacted_into=memory.key)
        for derived_id in line.details.get("made", ()):
            for derived in store.memories.find(derived_id):
                if derived.forgotten_at is not None:
                    store.memories.change(derived.key, forgotten_at=None)
                    store.memories.record("restore", derived.key, now)
                    restore_derived(store, derived, now)
        return
