"""The results of storing and updating a memory as plain data. Other answers are in memories.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.text.timestamps import local_due_text, local_time

from .memories import LabelResolver, drop_empty
from .phrases import CHOOSE_PROJECT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.task import Task
    from aforesaid.services.graph.entities import EntityMatch
    from aforesaid.services.memories.editor import UpdateResult
    from aforesaid.services.memories.results import StoreResult


_DATES = {"valid_from", "valid_to"}
_TIMES = {*_DATES, "due"}


def store_result(result: StoreResult, names: LabelResolver) -> dict[str, Any]:
    """Return the result of storing a statement."""
    memory = result.memory
    short_id = names.short(memory.key)
    past_due = names.past_due(memory)
    verb = "Already remembered as" if result.deduplicated else "Remembered"
    return drop_empty(
        {
            "id": short_id,
            "message": f"{verb} {short_id} ({_where(memory, names)}): {memory.preview}",
            "type": memory.type,
            "scope": memory.scope,
            "project": None if memory.scope == "global" else names.project(memory.project),
            "topic": result.filing.path,
            "event_date": memory.metadata.get("event_date"),
            "valid": _validity(memory),
            **names.task(memory.task),
            **_entity(result.named),
            "deduplicated": result.deduplicated,
            "superseded": [names.short(old.key) for old in result.superseded],
            "conflicts": [
                {
                    "id": (other := names.short(conflict.memory.key)),
                    "preview": conflict.memory.preview,
                    "differs": list(conflict.differs),
                    "choices": _choices(short_id, other, memory),
                }
                for conflict in result.conflicts
            ],
            "redacted": list(result.redacted),
            "note": "; ".join(filter(None, (_note(result, short_id), past_due))),
        }
    )


def _where(memory: Memory, names: LabelResolver) -> str:
    """Return a memory's project, type and scope, each word once."""
    return ", ".join(dict.fromkeys((names.project(memory.project), memory.type, memory.scope)))


def _validity(memory: Memory) -> str:
    """Return the days from and until which a memory is true, as its dates were understood."""
    parts = []
    if memory.valid_from:
        parts.append(f"from {local_time(memory.valid_from)[:10]}")
    if memory.valid_to:
        parts.append(f"until {local_due_text(memory.valid_to)}")
    return " ".join(parts)


def _choices(new: str, old: str, memory: Memory) -> dict[str, str]:
    """Return how to settle a conflict between a new memory and an older one, by their ids."""
    replace = f'link_memories(source_id="{new}", kind="supersedes", target_id="{old}")'
    if memory.is_to_come(memory.updated_at):
        last = local_time((memory.valid_from or 0) - 1)[:10]
        replace = f'update_memory(id="{old}", valid_to="{last}")'
    return {
        "if the new one replaces it": replace,
        "if the old one is right": f'forget_memory(id="{new}")',
        "if both are true": "nothing to do",
    }


def _note(result: StoreResult, short_id: str) -> str:
    """Return what was chosen for the caller, and how to change it."""
    notes = [_released_note(result.released)] if result.released else []
    if result.deduplicated:
        added = f", {result.linked} relations added" if result.linked else ""
        notes.append(f"already known: confidence raised{added}")
    elif result.scope_chosen and result.memory.scope == "global":
        in_project = result.memory.origin_project is not None
        notes.append(
            'stored for all projects; for this one only: update_memory(id, scope="project")'
            if in_project
            else f"stored for all projects: {no_project(result.outside)}"
        )
    if result.memory.valid_to and result.memory.valid_to < result.memory.updated_at:
        notes.append("that date is past: marked as expired, and not shown to sessions")
    if result.memory.says_nothing:
        why = "too little is left" if result.redacted else "too short"
        notes.append(f"{why} to be shown to sessions: say in a sentence what to remember")
    if result.filing.note:
        notes.append(result.filing.note)
    notes.append(_entity_note(result.named, short_id))
    notes.append(_anchor_note(result.given.cited))
    if result.given.unread_date:
        notes.append(
            f"stored without event_date: {result.given.unread_date[:60]!r} is not a date; to add "
            f'one: update_memory(id="{short_id}", metadata={{"event_date": "2026-11-22"}}), with '
            "its other metadata"
        )
    if result.redacted or result.private_removed:
        removed = [*result.redacted, *(["private text"] if result.private_removed else [])]
        notes.append(f"removed before storing: {', '.join(removed)}")
    return "; ".join(filter(None, notes))


def _anchor_note(cited: Sequence[Anchor]) -> str:
    """Say which cited files do not exist."""
    paths = ", ".join(anchor.path for anchor in cited if anchor.is_to_come)
    return f"no such file now: {paths}; shown when it is made, not checked for changes" * bool(
        paths
    )


def no_project(reason: str) -> str:
    """Say why a folder is in no project, and how to name one."""
    why = f"cannot be a project ({reason})" if reason else "is in none"
    return f"this folder {why}; {CHOOSE_PROJECT}"


def _released_note(tasks: Sequence[Task]) -> str:
    """Say which tasks an ended one leaves without anything to wait for."""
    return f"no longer waiting: {', '.join(task.task_id for task in tasks)}"


def _entity(match: EntityMatch | None) -> dict[str, Any]:
    """Return the entity that a memory is about, and those with a similar name."""
    if match is None:
        return {}
    return drop_empty(
        {"entity": match.entity.name, "near_entities": [near.name for near in match.near]}
    )


def _entity_note(match: EntityMatch | None, short_id: str) -> str:
    """Return which entity was chosen for a name, and how to change it; empty if it is obvious."""
    if match is None:
        return ""
    notes = []
    if match.new:
        notes.append(f"entity {match.entity.name!r} is new")
        if match.near:
            near = match.near[0].name
            notes.append(f'for {near!r} instead: update_memory(id="{short_id}", entity="{near}")')
    elif match.entity.name != match.given:
        notes.append(f"entity {match.given!r} is known as {match.entity.name!r}")
    if match.skipped:
        notes.append(f"aliases of another entity were left out: {', '.join(match.skipped)}")
    return "; ".join(notes)


def _readable(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of fields with times as text."""
    texts = {
        name: "" if not at else local_due_text(at) if name == "due" else local_time(at)[:10]
        for name, at in values.items()
        if name in _TIMES
    }
    shown = {**values, **texts}
    return {name: value for name, value in shown.items() if name not in {"cited", "event_at"}}


def updated(result: UpdateResult, names: LabelResolver) -> dict[str, Any]:
    stored = {} if result.stored is None else store_result(result.stored, names)
    notes = [
        _released_note(result.released) if result.released else "",
        "" if result.filing is None else result.filing.note,
        _anchor_note(result.cited),
    ]
    short_id, changed = names.short(result.memory.key), {*result.changed}
    if "due" in changed:
        notes.append(names.past_due(result.memory))
    where = f" ({_where(result.memory, names)})" if "scope" in changed else ""
    verb = "Restored" if "restored" in result.changed else "Updated"
    return drop_empty(
        {
            "id": short_id,
            "message": f"{verb} {short_id}{where}: {result.memory.preview}",
            "superseded": names.short(result.superseded.key) if result.superseded else None,
            "changed": list(result.changed),
            "before": _readable(result.before),
            "after": _readable(result.after),
            "valid": _validity(result.memory) if _DATES & changed else None,
            "topic": None if result.filing is None else result.filing.path,
            "note": "; ".join(filter(None, notes)),
            **_entity(result.named),
            "conflicts": stored.get("conflicts"),
            "redacted": stored.get("redacted"),
        }
    )
