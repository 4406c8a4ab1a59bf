"""Entities, and changes of their registry, as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.text.timestamps import to_iso

from .memories import drop_empty

if TYPE_CHECKING:
    from aforesaid.domain.model.entity import Entity, EntityChange
    from aforesaid.services.graph.entity_search import FoundEntities, FoundEntity

    from .labels import LabelResolver


def found_entities(answer: FoundEntities, names: LabelResolver) -> dict[str, Any]:
    """Return the entities of one answer."""
    return {
        "results": [_result(result, names) for result in answer.results],
        "total_matched": answer.total_matched,
        **drop_empty({"next_cursor": answer.next_cursor}),
    }


def _result(result: FoundEntity, names: LabelResolver) -> dict[str, Any]:
    entity, use = result.entity, result.use
    first = entity.created_at if use.first_at is None else use.first_at
    last = max(entity.updated_at, use.last_at or 0)
    return {
        **drop_empty(
            {
                "entity": entity.name,
                "entity_type": entity.entity_type,
                "aliases": list(entity.aliases),
                "scope": "project" if entity.project else "global",
                "project": names.project(entity.project) if entity.project else None,
                "score": result.score,
            }
        ),
        "memory_count": use.count,
        **drop_empty(
            {
                "tags": list(use.tags),
                "first_seen": to_iso(first) if first else None,
                "last_updated": to_iso(last) if last else None,
            }
        ),
    }


def entity(changed: Entity) -> dict[str, Any]:
    """Return an entity that was merged or renamed."""
    return drop_empty({"entity": changed.name, "aliases": list(changed.aliases)})


def entity_change(change: EntityChange) -> dict[str, Any]:
    """Return a merge or rename that can be undone, or was."""
    names = change.details.get("names", [])
    first, second = names if isinstance(names, list) else ("", "")
    verb = "merged into" if change.operation == "entity_merge" else "renamed"
    return {
        "change": change.key,
        "at": to_iso(change.at),
        "what": f"{first} {verb} {second}",
    }
