"""What an update does to fields that depend on others: metadata, scope and project."""

from __future__ import annotations

from typing import Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import (
    GLOBAL_PROJECT,
    GUARD,
    NAMED_DAYS,
    SUMMARY_CHARS,
    CallContext,
    Memory,
    stored_cues,
)
from aforesaid.domain.model.statement import without_guard
from aforesaid.domain.text.sanitize import visible_length


def changed_metadata(memory: Memory, changes: dict[str, Any]) -> dict[str, Any]:
    """Return a memory's metadata after changes.

    Its cues and its trigger stay unless new ones are given, by themselves or in new metadata.
    """
    metadata = dict(memory.metadata)
    trigger = changes.get("trigger")
    if "metadata" in changes:
        metadata = without_guard(changes["metadata"])
        # kept: only the user removes a guard, and only new content the days that a text names
        for name in (GUARD, NAMED_DAYS):
            if name in memory.metadata:
                metadata[name] = memory.metadata[name]
        if trigger is None:
            trigger = metadata.get("trigger", memory.metadata.get("trigger"))
    cues = list(stored_cues(memory.metadata))
    if "metadata" in changes:
        cues = metadata.get("cues", cues)
    cues = changes.get("cues", cues)
    metadata.pop("cues", None)
    if trigger is not None:
        metadata = {name: value for name, value in metadata.items() if name != "trigger"}
        metadata |= {"trigger": trigger} if trigger else {}
    return {**metadata, "cues": cues} if cues else metadata


def refuse_default_project(memory: Memory, scope: str | None, context: CallContext) -> None:
    """Refuse to move a global memory into the project of sessions outside projects.

    Raises:
        InvalidInputError: the caller is in no project, and the memory was stored in none.
    """
    if scope != "project" or memory.project != GLOBAL_PROJECT or context.has_project:
        return
    if context.project.is_default and local_project(memory, context) == context.project.key:
        reason = f" ({context.excluded_reason})" if context.excluded_reason else ""
        raise InvalidInputError(
            f"scope project: this folder is in no project{reason}: update it in the project's "
            'folder, or name one with update_memory(id, project="...")'
        )


def moved(memory: Memory, project: int, scope: str) -> dict[str, Any]:
    """Return the columns that move a memory to another project."""
    if scope == "task" or memory.task is not None:
        raise InvalidInputError("project: the memory belongs to a task, which stays in its project")
    if scope == "global" and memory.scope != "global":
        raise InvalidInputError("project: a global memory has none; leave out project or scope")
    return {"project": project, "scope": "project"}


def local_project(memory: Memory, context: CallContext) -> int:
    """Return the project that a memory has, or gets if it stops being global.

    The latter is its project of origin if the caller may see that, else the caller's.
    """
    origin = memory.origin_project
    visible_origin = origin if origin in context.visible.projects else None
    return memory.project or visible_origin or context.project.key


def checked_summary(summary: str) -> str | None:
    if visible_length(summary) > SUMMARY_CHARS:
        raise InvalidInputError(f"summary has {len(summary)} characters, {SUMMARY_CHARS} at most")
    return summary.strip() or None
