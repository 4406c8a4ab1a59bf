"""One memory from all sides as plain data; the rest of what is shown is in memories.py."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.memory import GLOBAL_PROJECT, REPLY_CHARS
from aforesaid.domain.model.relation import SYSTEM_KINDS
from aforesaid.domain.model.topic import FACT
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.text.token_budget import cut_to_tokens

from .labels import LabelResolver
from .memories import drop_empty

if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory
    from aforesaid.services.recall.inspect import Inspection, RelatedMemory

CONTENT_TOKENS = 2_000  #: recall by id shows the whole text
PREVIEW_CHARS = 120  #: a summary may be longer


def inspected(found: Inspection, names: LabelResolver) -> dict[str, Any]:
    """Return everything known of a memory; of a forgotten one the fact and the date."""
    memory = found.memory
    if memory.forgotten_at is not None:
        return {"id": names.short(memory.key), "forgotten_at": to_iso(memory.forgotten_at)}
    fields = drop_empty(
        {
            "id": names.short(memory.key),
            "uuid": memory.id,
            "state": _state(found, names),
            "type": memory.type,
            "scope": memory.scope,
            "project": names.project(memory.project) if memory.project != GLOBAL_PROJECT else None,
            "topic": names.topic(memory.topic),
            "depth": memory.depth if memory.depth != FACT else None,
            "detail_of": None if found.parent is None else names.short(found.parent.key),
            **names.task(memory.task),
            "entity": names.entity(memory.entity),
            "tags": list(memory.tags),
            "content": "(cut)",  # keeps its place; filled in below
            "summary": memory.summary,
            "metadata": memory.metadata,
            **_origin(found, names),
            **_times(memory),
            "kept": _kept(found),
            "recall": _signals(found),
            "relations": [_relation(one, memory, names) for one in found.relations],
            "relations_total": _if_more(found.relations_total, len(found.relations)),
            "sums_up": [
                {"id": names.short(one.key), "preview": _brief(one)} for one in found.sums_up
            ],
            "sums_up_total": _if_more(found.sums_up_total, len(found.sums_up)),
            "history": _history(found, names),
            "history_total": _if_more(found.history_total, len(found.history) or 1),
            "anchors": [
                f"{path}:{line}" if line else path
                for path, line in (found.traces.anchors if found.traces is not None else ())
            ],
            "stale": list(found.stale),
            "log": None
            if found.log is None
            else [
                drop_empty(
                    {"at": to_iso(one.at), "operation": one.operation, **drop_empty(one.details)}
                )
                for one in found.log
            ],
        }
    )
    return {**fields, "content": _fitting(memory.content, fields)}


def _fitting(content: str, fields: dict[str, Any]) -> str:
    """Return as much of the content as a reply holds beside the other fields."""
    room = REPLY_CHARS - len(json.dumps(fields, ensure_ascii=False))
    tokens = CONTENT_TOKENS
    while tokens and len(json.dumps(text := cut_to_tokens(content, tokens))) > room:
        tokens //= 2
    return text


def _state(found: Inspection, names: LabelResolver) -> str:
    """Return whether it is in force, in words."""
    memory = found.memory
    if memory.superseded_by is not None:
        if found.head is None:
            return "superseded, in force now: a memory out of sight"
        by = names.short(memory.head)
        if found.head.forgotten_at is not None:
            return f"superseded by {by}, which was forgotten"
        return f"superseded, in force now: {by}"
    if memory.archived_at is not None:
        return f"archived {to_iso(memory.archived_at)}"
    if memory.compacted_into is not None:
        return f"summed up in {names.short(memory.compacted_into)}"
    return "in force"


def _origin(found: Inspection, names: LabelResolver) -> dict[str, Any]:
    memory, session = found.memory, found.session
    return {
        "provenance": memory.provenance,
        "stored_in": names.project(memory.origin_project) if memory.origin_project else None,
        "session": None
        if memory.session is None
        else drop_empty(
            {
                "id": memory.session,
                "started_at": to_iso(session.started_at) if session is not None else None,
                "branch": session.branch if session is not None else None,
            }
        ),
    }


def _times(memory: Memory) -> dict[str, Any]:
    return {
        name: to_iso(value)
        for name in (
            "created_at", "updated_at", "event_at", "valid_from", "valid_to", "superseded_at",
        )
        if (value := getattr(memory, name)) is not None
    }  # fmt: skip


def _kept(found: Inspection) -> dict[str, Any]:
    """Return how well it is kept, as stored and as it is now."""
    memory = found.memory
    return drop_empty(
        {
            "importance": round(memory.importance, 2),
            "confidence": round(memory.confidence, 2),
            "confidence_now": round(found.confidence, 2),
            "activation": round(found.activation, 2),
            "retention": round(found.retention, 2),
            "pinned": memory.pinned,
            "recalled_times": memory.access_count,
            "last_recalled_at": to_iso(memory.last_accessed_at)
            if memory.last_accessed_at
            else None,
            "last_reinforced_at": to_iso(memory.last_reinforced_at),
        }
    )


def _signals(found: Inspection) -> dict[str, Any]:
    """Return what recall can find it by, and what moves its rank."""
    windows = found.traces.windows if found.traces is not None else {}
    return drop_empty(
        {
            "words": "indexed",
            "meaning": ", ".join(
                f"{count} {'window' if count == 1 else 'windows'} ({model})"
                for model, count in windows.items()
            )
            or "no vector yet: found by words alone",
            "boost": f"+{found.boost:.3f}: retention {found.retention:.2f}"
            + (", pinned" if found.memory.pinned else ""),
            "stands_for_itself": None
            if found.memory.superseded_by is None
            else "no: a match returns the version in force",
        }
    )


def _relation(one: RelatedMemory, memory: Memory, names: LabelResolver) -> dict[str, Any]:
    """Return a relation as the inspected memory sees it."""
    weight = round(one.relation.weight, 2)
    return drop_empty(
        {
            "id": names.short(one.memory.key),
            "kind": one.relation.kind,
            "direction": one.relation.shown_direction,
            "preview": _brief(one.memory),
            "project": _elsewhere(one.memory, memory, names),
            "weight": weight if one.relation.weight != 1 else None,
            "by_system": one.relation.kind in SYSTEM_KINDS,
            "since": to_iso(one.relation.created_at),
        }
    )


def _history(found: Inspection, names: LabelResolver) -> list[dict[str, Any]]:
    """Return the versions of its chain; of forgotten ones the fact and the date."""
    inside = {one.key for one in found.history}
    return [
        drop_empty(
            {
                "id": names.short(one.key),
                "this": one.key == found.memory.key,
                "created_at": to_iso(one.created_at),
                "superseded_at": to_iso(one.superseded_at) if one.superseded_at else None,
                "superseded_by": names.short(one.superseded_by)
                if one.superseded_by in inside
                else None,
                "preview": _brief(one) if one.forgotten_at is None else None,
                "forgotten_at": to_iso(one.forgotten_at) if one.forgotten_at else None,
            }
        )
        for one in found.history
    ]


def _brief(one: Memory) -> str:
    text = one.preview
    return text if len(text) <= PREVIEW_CHARS else text[: PREVIEW_CHARS - 1].rstrip() + "…"


def _elsewhere(one: Memory, other: Memory, names: LabelResolver) -> str | None:
    return (
        names.project(one.project) if one.project not in (other.project, GLOBAL_PROJECT) else None
    )


def _if_more(total: int, shown: int) -> int | None:
    return total if total > shown else None
