"""From an id, whole or short, to the one memory that it names."""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, NotFoundError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.ports import Store


def locate(store: Store, reference: str, visible: Visibility | None) -> Memory:
    """Return the one memory that an id names.

    Args:
        store: where to look.
        reference: a whole id, or the end of one as shown in brackets.
        visible: what the caller may see; None for all.

    Raises:
        InvalidInputError: it is no id.
        NotFoundError: nothing visible has it.
        ConflictError: several have; the message lists them.
    """
    found = store.memories.find(reference, visible)
    if not found:
        raise NotFoundError(
            f"no memory here has the id {reference!r}: recall_memory(query=...) finds ids"
        )
    if len(found) > 1:
        shown = store.memories.short_ids([memory.key for memory in found])
        listed = "; ".join(
            f"{shown[memory.key]}: "
            + ("(forgotten)" if memory.forgotten_at is not None else memory.preview[:60])
            for memory in found
        )
        raise ConflictError(f"{reference!r} is the end of several ids: use one of {listed}")
    return found[0]


def visibility_including(visible: Visibility, *named: Memory) -> Visibility:
    """Return what a caller sees who named memories by their ids: the inside of their tasks too."""
    tasks = {one.task for one in named if one.task is not None and one.scope == "task"}
    return visible.replace(tasks=tuple(sorted(tasks | set(visible.tasks)))) if tasks else visible


def locate_head(store: Store, reference: str, visible: Visibility) -> Memory:
    """Return what is in force of the memory that an id names. Raises as ``locate``.

    Raises:
        ConflictError: it was forgotten, or replaced by what the caller may not see.
    """
    named = locate(store, reference, visible)
    head = store.memories.get([named.head])[0]
    if head.project not in visible.projects:
        raise ConflictError(
            f"{reference} was replaced by a memory of another project: use one that is in force "
            "here, or store it anew"
        )
    if named.forgotten_at is not None or head.forgotten_at is not None:
        raise ConflictError(
            f"{reference} was forgotten: update_memory(id, restore=true) brings it back, "
            "or use one that is in force"
        )
    return head
