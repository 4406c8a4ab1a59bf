"""Everything known about one memory, as plain data. Other answers are in memories.py."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aforesaid.domain.model.client_names import client_of
from aforesaid.domain.model.memory import GLOBAL_PROJECT, REPLY_CHARS
from aforesaid.domain.model.relation import SYSTEM_KINDS
from aforesaid.domain.model.topic import FACT
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.domain.text.token_budget import count_tokens, cut_to_tokens

from .memories import NOT_VISIBLE, LabelResolver, drop_empty

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.domain.model.memory import Memory
    from aforesaid.services.recall.inspect import Inspection, RelatedMemory

_MARK = " … [truncated: recall_memory(ids=[...]) returns the whole text]"
MAX_PREVIEW_CHARS = 120  #: a summary may be longer


def inspected(inspection: Inspection, names: LabelResolver) -> dict[str, Any]:
    """Return everything known about a memory; for a forgotten one, only its id and date."""
    memory = inspection.memory
    if memory.forgotten_at is not None:
        return {"id": names.short(memory.key), "forgotten_at": to_iso(memory.forgotten_at)}
    fields = drop_empty(
        {
            "id": names.short(memory.key),
            "uuid": memory.id,
            "state": _state(inspection, names),
            "type": memory.type,
            "scope": memory.scope,
            "project": names.project(memory.project) if memory.project != GLOBAL_PROJECT else None,
            "topic": names.topic(memory.topic),
            "depth": memory.depth if memory.depth != FACT else None,
            "detail_of": None if inspection.parent is None else names.short(inspection.parent.key),
            **names.task(memory.task),
            "entity": names.entity(memory.entity),
            "tags": list(memory.tags),
            "content": "(cut)",  # set below; listed here for the order of fields
            "summary": memory.summary,
            "metadata": memory.metadata,
            **_origin(inspection, names),
            **_times(memory),
            "kept": _retention(inspection),
            "recall": _signals(inspection),
            "relations": [_relation(related, memory, names) for related in inspection.relations],
            "relations_total": _if_more(inspection.relations_total, len(inspection.relations)),
            "sums_up": [
                {"id": names.short(source.key), "preview": _brief(source)}
                for source in inspection.sums_up
            ],
            "sums_up_total": _if_more(inspection.sums_up_total, len(inspection.sums_up)),
            "history": _history(inspection, names),
            "history_total": _if_more(inspection.history_total, len(inspection.history) or 1),
            "anchors": [
                f"{path}:{line}" if line else path
                for path, line in (
                    inspection.traces.anchors if inspection.traces is not None else ()
                )
            ],
            "stale": list(inspection.stale),
            "log": None
            if inspection.log is None
            else [
                drop_empty(
                    {
                        "at": to_iso(entry.at),
                        "operation": entry.operation,
                        **_details(entry.details),
                    }
                )
                for entry in inspection.log
            ],
        }
    )
    return {**fields, "content": _fitting(memory.content, fields)}


def _details(details: Mapping[str, Any]) -> dict[str, Any]:
    """Return the details of a line of the log, with times as text and without fingerprints."""
    shown = dict(details)
    if "undoes" in details:
        shown["undoes"] = to_iso(details["undoes"])
    if isinstance(before := details.get("before"), dict):
        shown["before"] = {name: value for name, value in before.items() if name != "cited"}
    return drop_empty(shown)


def _fitting(content: str, fields: dict[str, Any]) -> str:
    """Return as much of the content as fits into a reply beside the other fields."""
    room = REPLY_CHARS - len(json.dumps(fields, ensure_ascii=False))
    tokens = count_tokens(content)
    while (
        tokens
        and len(json.dumps(text := cut_to_tokens(content, tokens, _MARK), ensure_ascii=False))
        > room
    ):
        tokens = tokens * 3 // 4
    return text


def _state(inspection: Inspection, names: LabelResolver) -> str:
    memory = inspection.memory
    if memory.superseded_by is not None:
        if inspection.head is None:
            return f"superseded, in force now: {NOT_VISIBLE}"
        by = names.short(memory.head)
        if inspection.head.forgotten_at is not None:
            return f"superseded by {by}, which was forgotten"
        return f"superseded, in force now: {by}"
    if memory.archived_at is not None:
        return f"archived {to_iso(memory.archived_at)}"
    if memory.compacted_into is not None:
        return f"compacted into {names.short(memory.compacted_into)}"
    return "in force"


def _origin(inspection: Inspection, names: LabelResolver) -> dict[str, Any]:
    memory, session = inspection.memory, inspection.session
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
                "client": (
                    client_of(session.transcript_path)
                    if session is not None and session.transcript_path
                    else None
                ),
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


def _retention(inspection: Inspection) -> dict[str, Any]:
    """Return the figures of its retention, as stored and as of now."""
    memory = inspection.memory
    return drop_empty(
        {
            "importance": round(memory.importance, 2),
            "confidence": round(memory.confidence, 2),
            "confidence_now": round(inspection.confidence, 2),
            "activation": round(inspection.activation, 2),
            "retention": round(inspection.retention, 2),
            "pinned": memory.pinned,
            "recalled_times": memory.access_count,
            "last_recalled_at": to_iso(memory.last_accessed_at)
            if memory.last_accessed_at
            else None,
            "last_reinforced_at": to_iso(memory.last_reinforced_at),
        }
    )


def _signals(inspection: Inspection) -> dict[str, Any]:
    """Return what recall can match, and what affects the rank."""
    windows = inspection.traces.windows if inspection.traces is not None else {}
    return drop_empty(
        {
            "words": "indexed",
            "meaning": ", ".join(
                f"{count} {'window' if count == 1 else 'windows'} ({model})"
                for model, count in windows.items()
            )
            or "no vector yet: found by words only",
            "boost": f"+{inspection.boost:.3f}: retention {inspection.retention:.2f}"
            + (", pinned" if inspection.memory.pinned else ""),
            "stands_for_itself": None
            if inspection.memory.superseded_by is None
            else "no: a match returns the version in force",
        }
    )


def _relation(related: RelatedMemory, memory: Memory, names: LabelResolver) -> dict[str, Any]:
    weight = round(related.relation.weight, 2)
    return drop_empty(
        {
            "id": names.short(related.memory.key),
            "kind": related.relation.kind,
            "direction": related.relation.shown_direction,
            "preview": _brief(related.memory),
            "project": _other_project(related.memory, memory, names),
            "weight": weight if related.relation.weight != 1 else None,
            "by_system": related.relation.kind in SYSTEM_KINDS,
            "since": to_iso(related.relation.created_at),
        }
    )


def _history(inspection: Inspection, names: LabelResolver) -> list[dict[str, Any]]:
    """Return all versions of the memory; of forgotten ones only id and dates."""
    keys = {version.key for version in inspection.history}
    return [
        drop_empty(
            {
                "id": names.short(version.key),
                "this": version.key == inspection.memory.key,
                "created_at": to_iso(version.created_at),
                "superseded_at": to_iso(version.superseded_at) if version.superseded_at else None,
                "superseded_by": names.short(version.superseded_by)
                if version.superseded_by in keys
                else None,
                "preview": _brief(version) if version.forgotten_at is None else None,
                "forgotten_at": to_iso(version.forgotten_at) if version.forgotten_at else None,
            }
        )
        for version in inspection.history
    ]


def _brief(memory: Memory) -> str:
    text = memory.preview
    if len(text) <= MAX_PREVIEW_CHARS:
        return text
    return text[: MAX_PREVIEW_CHARS - 1].rstrip() + "…"


def _other_project(related: Memory, memory: Memory, names: LabelResolver) -> str | None:
    if related.project in (memory.project, GLOBAL_PROJECT):
        return None
    return names.project(related.project)


def _if_more(total: int, shown: int) -> int | None:
    return total if total > shown else None
