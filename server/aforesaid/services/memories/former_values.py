"""The former values of updated fields, in the form that an update takes: logged for undoing it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from aforesaid.domain.model.anchor import Anchor
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, stored_cues
from aforesaid.ports import Store

_OF_TASK = ("title", "status", "priority", "due")
#: Fields that an update changes and whose former value it does not keep.
NOT_KEPT = ("project", "session", "task_id")


def read_values(
    store: Store, memory: Memory, changed: Collection[str], entity: str | None
) -> dict[str, Any]:
    """Return the values of those changed fields to which an update can set a memory back.

    Args:
        store: where its task and topic are.
        memory: as it is now.
        changed: names of fields.
        entity: the name of its entity; None if it has none.
    """
    values: dict[str, Any] = {
        "tags": list(memory.tags),
        "cues": list(stored_cues(memory.metadata)),
        "pinned": memory.pinned,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "summary": memory.summary or "",
        "provenance": memory.provenance,
        "valid_from": memory.valid_from or 0,
        "valid_to": memory.valid_to or 0,
        "trigger": memory.metadata.get("trigger", ""),
        # what is missing here would stay
        "metadata": {"cues": [], "trigger": "", **memory.metadata},
    }
    if entity is not None:
        values["entity"] = entity
    if "topic" in changed:
        topic = None if memory.topic is None else store.topics.get(memory.topic)
        values["topic"] = "" if topic is None else topic.path
    if memory.task is None and memory.project in {GLOBAL_PROJECT, memory.origin_project}:
        values["scope"] = memory.scope
    if memory.task is not None and "task_id" not in changed:
        (task,) = store.tasks.get([memory.task])
        for name in _OF_TASK:
            values[name] = getattr(task, name) or (0 if name == "due" else "")
    kept = {name: value for name, value in values.items() if name in changed}
    if "anchors" in changed:
        anchors = store.anchors.of([memory.key])
        kept["anchors"] = [anchor.label for anchor in anchors]
        kept["cited"] = [(anchor.path, anchor.line, anchor.fingerprint) for anchor in anchors]
    if "metadata" in kept:
        kept["event_at"] = memory.event_at
    return kept


def former_anchors(cited: list[tuple[str, int, str]]) -> tuple[Anchor, ...]:
    """Return the anchors whose values ``read_values`` gave as ``cited``."""
    return tuple(
        Anchor(path=path, line=line, fingerprint=fingerprint) for path, line, fingerprint in cited
    )
