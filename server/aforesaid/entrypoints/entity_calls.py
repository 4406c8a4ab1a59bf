"""What calls do with entities: looking, filters by name, and for people merging and renaming."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.memory import SCOPES, one_of
from aforesaid.domain.times import to_iso

from . import render

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.entity import Entity, EntityChange
    from aforesaid.domain.memory import Visibility
    from aforesaid.services.find_entities import FoundEntity
    from aforesaid.wiring.core import Core

BEST = 5  #: of a search
PAGE = 20  #: of a list
HINT_NAMES = 200  #: of each project that a hint is compared with
MOST_RELATED = 5
SHARED_NAMES = 5


def search_entities(core: Core, visible: Visibility, given: dict[str, Any]) -> dict[str, Any]:
    """Return what fits a query, or a page of all."""
    query = given.get("query")
    chosen: dict[str, Any] = {
        "scopes": [one_of("scope", one, SCOPES) for one in given.get("scope", ())],
        "types": [" ".join(one.lower().split()) for one in given.get("type", ())],
    }
    if query is not None:
        if given.get("cursor") is not None:
            raise InvalidInputError("cursor pages through the list: leave query out, or cursor")
        found = core.entity_search.search(
            query, visible, **chosen, limit=int(given.get("limit", BEST))
        )
    else:
        found = core.entity_search.page(
            visible, **chosen, limit=int(given.get("limit", PAGE)), cursor=given.get("cursor")
        )
    names = render.Names(core.store)
    return {
        "results": [shown(one, names) for one in found.results],
        "total_matched": found.total_matched,
        **render.lean({"next_cursor": found.next_cursor}),
    }


def shown(found: FoundEntity, names: render.Names) -> dict[str, Any]:
    """Return one entity as plain data."""
    entity, use = found.entity, found.use
    first = entity.created_at if use.first_at is None else use.first_at
    last = max(entity.updated_at, use.last_at or 0)
    return {
        **render.lean(
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
        **render.lean(
            {
                "tags": list(use.tags),
                "first_seen": to_iso(first) if first else None,
                "last_updated": to_iso(last) if last else None,
            }
        ),
    }


def keys_of(core: Core, names: Sequence[str], visible: Visibility) -> tuple[int, ...]:
    """Return the keys of all visible entities that have one of these names.

    Raises:
        NotFoundError: nothing visible has one of them; near ones are named.
    """
    return tuple(key for name in names for key in core.entities.keys_named(name, visible))


def related_projects(core: Core, project: int, names: render.Names) -> list[dict[str, Any]]:
    """Return projects that speak of the same entities, and of which."""
    return [
        {"project": names.project(other), "shares": shared[:SHARED_NAMES]}
        for other, shared in core.store.sharing_projects(project, MOST_RELATED)
    ]


# -- for people; no tools of the model's


def change_entities(core: Core, visible: Visibility, given: dict[str, Any]) -> dict[str, Any]:
    """Merge, rename, undo, or list what can be undone: ``action`` says which."""
    mend, action = core.mend_entities, given["action"]
    if action == "changes":
        return {"changes": [_change(one) for one in mend.changes(visible)]}
    if action == "undo":
        return {"undone": _change(mend.undo(given.get("change"), visible))}
    if action == "merge":
        done = mend.merge(given["source"], given["target"], visible)
    else:
        done = mend.rename(given["source"], given["target"], visible)
    last = mend.changes(visible)[0]
    return {**_entity(done), "undo": f"aforesaid entities undo {last.key}"}


def _entity(entity: Entity) -> dict[str, Any]:
    return render.lean({"entity": entity.name, "aliases": list(entity.aliases)})


def _change(change: EntityChange) -> dict[str, Any]:
    names = change.details.get("names", [])
    first, second = names if isinstance(names, list) else ("", "")
    word = "merged into" if change.operation == "entity_merge" else "renamed"
    return {
        "change": change.key,
        "at": to_iso(change.at),
        "what": f"{first} {word} {second}",
    }
