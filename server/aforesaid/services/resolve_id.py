"""Finding the one memory that a full or short id refers to."""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.model.task import read_task_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.ports import Store


def locate(store: Store, reference: str, visible: Visibility | None) -> Memory:
    """Return the memory with an id.

    Args:
        store: where to search.
        reference: a full id, or the end of one as shown in brackets.
        visible: what the caller may see; None for everything.

    Raises:
        InvalidInputError: it is not an id.
        NotFoundError: no visible memory has it; the message says which project has it, if any.
        ConflictError: several have it; the message lists them.
    """
    try:
        matches = store.memories.find(reference, visible)
    except InvalidInputError:
        _refuse_task_name(store, reference, visible)
        raise
    if not matches:
        _refuse_task_name(store, reference, visible)
        owner = _owner(store, reference, visible)
        raise NotFoundError(f"no memory here has the id {reference!r}{owner}")
    if len(matches) > 1:
        short_ids = store.memories.short_ids([memory.key for memory in matches])
        listed = "; ".join(
            f"{short_ids[memory.key]}: "
            + ("(forgotten)" if memory.forgotten_at is not None else memory.preview[:60])
            for memory in matches
        )
        raise ConflictError(f"several ids end with {reference!r}: use one of {listed}")
    return matches[0]


def _owner(store: Store, reference: str, visible: Visibility | None) -> str:
    """Return which other project has the memory with an id; if none, how ids are found."""
    projects = {memory.project for memory in store.memories.find(reference)}
    projects -= set(visible.projects if visible is not None else ())
    for project in filter(None, map(store.projects.get, projects)):
        owner = "a folder without a project" if project.is_default else f"project {project.name}"
        return (
            f"; {owner} has it: change it there, or at a shell with AFORESAID_PROJECT="
            f'{project.name}; store_memory(project="{project.name}", supersedes="{reference}") '
            "replaces it"
        )
    return ": recall_memory(query=...) finds ids"


def _refuse_task_name(store: Store, reference: str, visible: Visibility | None) -> None:
    """Raise ``NotFoundError`` with the id to use if a reference is the name of a task."""
    try:
        name = read_task_id(reference)
    except InvalidInputError:
        return
    tasks = () if visible is None else store.tasks.find(visible.projects, task_id=name)
    stated = store.memories.get([task.objective for task in tasks if task.objective is not None])
    heads = store.memories.get([memory.head for memory in stated])
    keys = [memory.key for memory in heads if visible and memory.project in visible.projects]
    if keys:
        ids = " or ".join(store.memories.short_ids(keys).values())
        raise NotFoundError(f"{reference!r} is a task: use the id of its first memory, {ids}")


def visibility_including(visible: Visibility, *memories: Memory) -> Visibility:
    """Return a caller's visibility extended to the tasks of memories that it named by id."""
    tasks = {
        memory.task for memory in memories if memory.task is not None and memory.scope == "task"
    }
    return visible.replace(tasks=tuple(sorted(tasks | set(visible.tasks)))) if tasks else visible


def locate_head(store: Store, reference: str, visible: Visibility) -> Memory:
    """Return the head of the memory with an id. Raises as ``locate``.

    Raises:
        ConflictError: it was forgotten, or superseded by a memory that the caller may not see.
    """
    memory = locate(store, reference, visible)
    head = store.memories.get([memory.head])[0]
    if head.project not in visible.projects:
        raise ConflictError(
            f"{reference} was replaced by a memory of another project: use one that is in force "
            "here, or store it as a new memory"
        )
    if memory.forgotten_at is not None or head.forgotten_at is not None:
        raise ConflictError(
            f"{reference} was forgotten: update_memory(id, restore=true) restores it; or use one "
            "that is in force"
        )
    return head


def find_heads(store: Store, references: Sequence[str], visible: Visibility) -> list[Memory]:
    """Return the heads of the memories with these ids, without repeats."""
    heads = [locate_head(store, reference, visible) for reference in references]
    return list({head.key: head for head in heads}.values())
