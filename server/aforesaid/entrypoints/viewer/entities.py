"""Entities: the list and its search; one with its names, its memories, rename and merge."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.routing import Route

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.entity import EntityUse
from aforesaid.domain.model.memory import GLOBAL_PROJECT
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.api.registry_operations import change_entities

from .changes import reporting
from .search import find
from .undo import done
from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, RedirectResponse

    from aforesaid.domain.model.entity import Entity

LISTED = 50  #: on one page, and the most that a search finds
OFFERED = 500  #: other entities that one may be merged into


def show_all(request: Request) -> HTMLResponse:
    """Show the entities of the chosen project and the global ones, or those that a query finds."""
    visit, asked = Visit(request), request.query_params
    query = asked.get("q", "").strip()
    arguments: dict[str, Any] = {"limit": LISTED}
    if query:
        arguments["query"] = query
    elif asked.get("cursor"):
        arguments["cursor"] = asked["cursor"]
    answer = visit.operations.entities(arguments, visit.context)
    later = answer.next_cursor
    values = {
        "page": "entities",
        "query": query,
        "answer": answer,
        "project_name": visit.names.project,
        "is_first": "cursor" not in asked,
        "later": f"/entities?{urlencode({'cursor': later})}" if later else "",
    }
    return visit.page("entities.html", values)


def show(request: Request) -> HTMLResponse:
    """Show one entity."""
    visit, entity = _visit_of(request)
    use = visit.core.store.entities.uses([entity.key], visit.context.visible)
    others = visit.core.store.entities.list_visible(visit.context.visible, limit=OFFERED)
    values = {
        "page": "entities",
        "entity": entity,
        "use": use.get(entity.key, EntityUse()),
        "memories": find(visit, QueryParams({"entity": entity.name})),
        "others": [other.name for other in others if other.key != entity.key],
    }
    return visit.page("entity.html", values)


def rename(request: Request) -> RedirectResponse:
    """Rename an entity; its former name stays as an alias."""
    visit, entity = _visit_of(request)
    name = visit.form.get("name", "")
    return _changed(visit, "rename", entity, name, f"{entity.name} is now called {name}.")


def ask_merge(request: Request) -> HTMLResponse:
    """Show what a merge would bring together."""
    visit, entity = _visit_of(request)
    target = visit.core.entities.get(request.query_params.get("into", ""), visit.context.visible)
    if target.key == entity.key:
        raise InvalidInputError(f"{target.name} is this entity: name another")
    uses = visit.core.store.entities.uses([entity.key, target.key], visit.context.visible)
    values = {
        "page": "entities",
        "entity": entity,
        "target": target,
        "moving": uses.get(entity.key, EntityUse()).count,
        "there": uses.get(target.key, EntityUse()).count,
        "memories": find(visit, QueryParams({"entity": entity.name})),
    }
    return visit.page("entity_merge.html", values)


def merge(request: Request) -> RedirectResponse:
    """Merge an entity into another, which takes over its names and memories."""
    visit, entity = _visit_of(request)
    into = visit.form.get("into", "")
    target = visit.core.entities.get(into, visit.context.visible)
    use = visit.core.store.entities.uses([entity.key], visit.context.visible)
    count = pluralize(use.get(entity.key, EntityUse()).count, "memory", "memories")
    text = f"{entity.name} merged into {target.name}, with {count}."
    return _changed(visit, "merge", entity, into, text, shown=target.key)


def undo_change(key: int, change: int, request: Request) -> None:
    """Undo a merge or rename of an entity."""
    visit, _entity = _visit_of(request, key)
    change_entities(visit.core, visit.context.visible, {"action": "undo", "change": change})


def _changed(
    visit: Visit, action: str, entity: Entity, target: str, text: str, shown: int | None = None
) -> RedirectResponse:
    visible = visit.context.visible
    change_entities(
        visit.core, visible, {"action": action, "source": entity.name, "target": target}
    )
    change = visit.core.entity_merger.changes(visible)[0].key
    path = f"/entities/{entity.key if shown is None else shown}"
    return done(visit, path, text, partial(undo_change, entity.key, change))


def _visit_of(request: Request, key: int | None = None) -> tuple[Visit, Entity]:
    """Return a visit of an entity's own project, and the entity."""
    visit = Visit(request)
    number = request.path_params["key"] if key is None else key
    entity = visit.core.store.entities.get(number)
    if entity is None:
        raise NotFoundError("there is no such entity: it may have been merged into another")
    if entity.project in {GLOBAL_PROJECT, visit.context.project.key}:
        return visit, entity
    return Visit(request, visit.core.store.projects.get(entity.project)), entity


PAGE = Page(
    "entities",
    "Entities",
    "/entities",
    "e",
    (
        Route("/entities", show_all),
        Route("/entities/{key:int}", show),
        Route("/entities/{key:int}/rename", reporting(rename), methods=["POST"]),
        Route("/entities/{key:int}/merge", ask_merge, methods=["GET"]),
        Route("/entities/{key:int}/merge", reporting(merge), methods=["POST"]),
    ),
)
