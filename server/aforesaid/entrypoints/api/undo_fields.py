"""Undoing an update that changed fields in place, from the values that the log keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.services.graph.relations import MAX_LOG_LINES
from aforesaid.services.resolve_id import locate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.inspection import LogLine
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.services.memories.editor import UpdateResult
    from aforesaid.wiring.container import ServiceContainer


def undo_fields(
    core: ServiceContainer, reference: str, context: CallContext
) -> UpdateResult | None:
    """Give a memory the values that its latest update in place changed.

    None if it is not in force, has no such update, or replaced another memory since.

    Raises:
        NotFoundError: it does not exist here.
    """
    memory = locate(core.store, reference, context.visible)
    line = last_update(core, memory)
    if line is None or not line.details.get("before") or _replaced_since(core, memory, line.at):
        return None
    return core.editor.set_back(memory.id, line.details["before"], line.at, context)


def last_update(core: ServiceContainer, memory: Memory) -> LogLine | None:
    """Return the latest update of a memory's fields that was not undone; None if not in force."""
    if not memory.in_force:
        return None
    lines: Sequence[LogLine] = core.store.inspection.log_of(memory.id, MAX_LOG_LINES)
    updates = [line for line in lines if line.operation == "update"]
    undone = {line.details["undoes"] for line in updates if "undoes" in line.details}
    for line in reversed(updates):
        if "redacted" in line.details:
            return line  # what was removed does not come back
        if "before" in line.details and line.at not in undone:
            return line
    return None


def _replaced_since(core: ServiceContainer, memory: Memory, at: int) -> bool:
    """Whether a memory replaced another after a time."""
    return any(
        old.superseded_by == memory.key
        and any(
            line.at > at and line.details.get("by") == memory.id
            for line in core.store.inspection.log_of(old.id, MAX_LOG_LINES)
        )
        for old in core.store.memories.chain(memory.key)
    )
