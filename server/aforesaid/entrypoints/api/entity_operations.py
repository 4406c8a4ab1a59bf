"""What calls do with entities: looking, and for people merging and renaming."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.text.timestamps import to_iso
from aforesaid.entrypoints.serialize import memories
from aforesaid.entrypoints.serialize.labels import LabelResolver

if TYPE_CHECKING:
    from aforesaid.domain.model.entity import Entity, EntityChange
    from aforesaid.domain.model.memory import Visibility
    from aforesaid.services.graph.entity_search import FoundEntities, FoundEntity
    from aforesaid.wiring.container import ServiceContainer

HINT_NAMES = 200  #: of each project that a hint is compared with
MAX_RELATED = 5
SHARED_NAMES = 5


def found_entities(found: FoundEntities, names: LabelResolver) -> dict[str, Any]:
    """Return what was found as plain data."""
    return {
        "results": [shown(one, names) for one in found.results],
        "total_matched": found.total_matched,
        **memories.drop_empty({"next_cursor": found.next_cursor}),
    }


def shown(found: FoundEntity, names: LabelResolver) -> dict[str, Any]:
    """Return one entity as plain data."""
    entity, use = found.entity, found.use
    first = entity.created_at if use.first_at is None else use.first_at
    last = max(entity.updated_at, use.last_at or 0)
    return {
        **memories.drop_empty(
            {
                "entity": entity.name,
                "entity_type": entity.entity_type,
                "aliases": list(entity.aliases),
                "scope": "project" if entity.project else "global",
                "project": names.project(entity.project) if entity.project else None,
                "score": found.score,
            }
        ),
        "memory_count": use.count,
        **memories.drop_empty(
            {
                "tags": list(use.tags),
                "first_seen": to_iso(first) if first else None,
                "last_updated": to_iso(last) if last else None,
            }
        ),
    }


def related_projects(
    core: ServiceContainer, project: int, names: LabelResolver
) -> list[dict[str, Any]]:
    """Return projects that speak of the same entities, and of which."""
    return [
        {"project": names.project(other), "shares": shared[:SHARED_NAMES]}
        for other, shared in core.store.entities.sharing_projects(project, MAX_RELATED)
    ]


# -- for people; no tools of the model's


def change_entities(
    core: ServiceContainer, visible: Visibility, given: dict[str, Any]
) -> dict[str, Any]:
    """Merge, rename, undo, or list what can be undone: ``action`` says which."""
    mend, action = core.mend_entities, given["action"]
    if action == "changes":
        return {"changes": [_change(one) for one in mend.changes(visible)]}
    if action == "undo":
        return {"undone": _change(mend.undo(given.get("change"), visible))}
    if action == "merge":
        done = mend.merge(given["source"], given["target"], visible)
    else:
        done = mend.rename(given["source"], core.remember.cleaner().clean(given["target"]), visible)
    last = mend.changes(visible)[0]
    return {**_entity(done), "undo": f"aforesaid entities undo {last.key}"}


def _entity(entity: Entity) -> dict[str, Any]:
    return memories.drop_empty({"entity": entity.name, "aliases": list(entity.aliases)})


def _change(change: EntityChange) -> dict[str, Any]:
    names = change.details.get("names", [])
    first, second = names if isinstance(names, list) else ("", "")
    word = "merged into" if change.operation == "entity_merge" else "renamed"
    return {
        "change": change.key,
        "at": to_iso(change.at),
        "what": f"{first} {word} {second}",
    }
