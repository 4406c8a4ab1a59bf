"""Corrections that a person makes: each is several operations in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.relation import CONTRADICTS, SUPERSEDES
from aforesaid.domain.value import Value
from aforesaid.services.graph.relations import MAX_LOG_LINES
from aforesaid.services.resolve_id import locate

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext, Memory
    from aforesaid.wiring.container import ServiceContainer


def revert_edit(core: ServiceContainer, new: str, old: str, context: CallContext) -> None:
    """Put an earlier version in force again, and forget the one that replaced it.

    Raises:
        NotFoundError: one of them does not exist here.
        ConflictError: it was replaced or forgotten since.
    """
    with core.store.transaction():
        core.relations.link(new, SUPERSEDES, old, context.visible, remove=True)
        core.forgetter.forget(new, context, reason="the edit was undone", by_text=False)


class UndoneStep(Value):
    """A memory that replaced another and does no longer."""

    new: Memory
    old: Memory  #: in force again
    unlinked: bool = False  #: a link had replaced it: both are in force


def undo_edit(core: ServiceContainer, reference: str, context: CallContext) -> UndoneStep | None:
    """Revert the edit that made a memory, or remove the link by which it replaced another.

    None if it is not in force, or replaced nothing.

    Raises:
        NotFoundError: it does not exist here.
        ConflictError: it replaced several memories.
    """
    memory = locate(core.store, reference, context.visible)
    chain = core.store.memories.chain(memory.key)
    replaced = [old for old in chain if old.superseded_by == memory.key]
    if not memory.is_current or not replaced:
        return None
    if len(replaced) > 1:
        short_ids = core.store.memories.short_ids([memory.key, *(old.key for old in replaced)])
        new, *others = (short_ids[version.key] for version in (memory, *replaced))
        raise ConflictError(
            f"{new} replaced {len(others)} memories ({', '.join(others)}): take one back with "
            f"`aforesaid link {new} supersedes {others[0]} --remove`"
        )
    old = replaced[0]
    if is_linked(core, memory, old):
        core.relations.link(memory.id, SUPERSEDES, old.id, context.visible, remove=True)
        return UndoneStep(new=memory, old=old, unlinked=True)
    revert_edit(core, memory.id, old.id, context)
    return UndoneStep(new=memory, old=old)


def is_linked(core: ServiceContainer, new: Memory, old: Memory) -> bool:
    """Whether a memory replaced another by a link between two that were stored before."""
    lines = core.store.inspection.log_of(old.id, MAX_LOG_LINES)
    by = [line for line in lines if line.details.get("by") == new.id]
    return bool(by) and by[-1].details.get("linked", False)


def keep_one(core: ServiceContainer, kept: str, replaced: str, context: CallContext) -> None:
    """Settle a contradiction: one memory replaces the other.

    Raises:
        NotFoundError: one of them does not exist here.
        ConflictError: one of them was forgotten.
    """
    core.relations.link(kept, SUPERSEDES, replaced, context.visible)


def keep_both(core: ServiceContainer, first: str, second: str, context: CallContext) -> None:
    """Settle a contradiction: both memories hold.

    Raises:
        NotFoundError: one of them does not exist here.
    """
    core.relations.link(first, CONTRADICTS, second, context.visible, remove=True)


def renew_anchors(core: ServiceContainer, memory: Memory, context: CallContext) -> tuple[str, ...]:
    """Cite the present content of a memory's files; a file that is gone is cited no longer.

    Returns:
        what it cites now.

    Raises:
        InvalidInputError: the project's files cannot be read here.
    """
    labels = []
    clean = core.writer.cleaner().clean
    for anchor in core.store.anchors.of([memory.key]):
        for label in (anchor.label, anchor.path):  # a line that is gone becomes its whole file
            try:
                core.anchors.cite([label], context, clean if anchor.is_pattern else None)
            except InvalidInputError:
                continue
            labels.append(label)
            break
    core.editor.update(memory.id, {"anchors": tuple(dict.fromkeys(labels))}, context)
    return tuple(labels)
