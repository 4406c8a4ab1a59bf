"""Topics as a tree; one with its memories, and its move to another path."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from starlette.datastructures import QueryParams
from starlette.routing import Route

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.topic import CONCEPT
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.api.topic_moves import plan_topic_move

from .changes import reporting, set_fields, update
from .search import find
from .services import Notice
from .undo import done
from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, RedirectResponse

    from aforesaid.domain.model.topic import Topic

WHOLE_TREE = 1_000_000  #: tokens
LISTED = 50  #: memories on the page that asks


def show_all(request: Request) -> HTMLResponse:
    """Show the tree of the chosen project and the global one."""
    visit = Visit(request)
    tree = visit.core.explorer.everything(
        visit.context.visible, max_depth=CONCEPT, budget_tokens=WHOLE_TREE
    )
    return visit.page("topics.html", {"page": "topics", "tree": tree})


def show(request: Request) -> HTMLResponse | RedirectResponse:
    """Show one topic; the tree, if a change that just ended has emptied it."""
    try:
        visit, topic = _visit_of(request)
    except NotFoundError:
        visit = Visit(request)
        notice = visit.services.take_notice()
        if notice is None:
            raise
        return visit.go("/topics", notice)
    known = visit.core.store.topics.of_projects([topic.project])
    values = {
        "page": "topics",
        "topic": topic,
        "parent": None if topic.parent is None else visit.core.store.topics.get(topic.parent),
        "concepts": [node for node in known if node.parent == topic.key],
        "counts": visit.core.store.topics.counts(visit.context.visible),
        "asked": _filters(visit, topic),
        "memories": find(visit, QueryParams(_filters(visit, topic))),
        "paths": [node.path for node in known if node.key != topic.key],
    }
    return visit.page("topic.html", values)


def ask_move(request: Request) -> HTMLResponse:
    """Show which memories a move would change."""
    visit, topic = _visit_of(request)
    path = request.query_params.get("to", "").strip()
    moves = plan_topic_move(visit.core.store, topic, path)
    values = {
        "page": "topics",
        "topic": topic,
        "to": path,
        "count": len(moves),
        "moves": moves[:LISTED],
    }
    return visit.page("topic_move.html", values)


def move(request: Request) -> RedirectResponse:
    """Move all memories of a topic to another path, at once and undone at once."""
    visit, topic = _visit_of(request)
    path = visit.form.get("to", "").strip()
    steps = []
    there = topic.key
    with visit.core.store.transaction():
        for memory, new in plan_topic_move(visit.core.store, topic, path):
            former = visit.core.store.topics.get(memory.topic or topic.key)
            changed = update(visit, memory.id, topic=new).memory
            if former is not None and changed.topic != memory.topic:
                steps.append(partial(set_fields, memory.id, {"topic": former.path}))
                there = changed.topic or there
    visit.core.writer.embed_changed()
    if not steps:
        text = f"Nothing moved: {path} counts as the same name as {topic.path}, or it is empty."
        return visit.go(f"/topics/{topic.key}", Notice(text))
    text = f"{pluralize(len(steps), 'memory', 'memories')} moved from {topic.path} to {path}."
    return done(visit, f"/topics/{there}", text, *steps)


def _filters(visit: Visit, topic: Topic) -> dict[str, str]:
    project = visit.core.store.projects.get(topic.project)
    where = {"scope": "global"} if project is None else {"project": project.identity}
    return {"topic": topic.path, **where}


def _visit_of(request: Request) -> tuple[Visit, Topic]:
    """Return a visit of a topic's own project, and the topic."""
    visit = Visit(request)
    topic = visit.core.store.topics.get(request.path_params["key"])
    if topic is None:
        raise NotFoundError("there is no such topic: its memories may have been moved")
    if topic.project in visit.context.visible.projects:
        return visit, topic
    return Visit(request, visit.core.store.projects.get(topic.project)), topic


PAGE = Page(
    "topics",
    "Topics",
    "/topics",
    "o",
    (
        Route("/topics", show_all),
        Route("/topics/{key:int}", show),
        Route("/topics/{key:int}/move", ask_move, methods=["GET"]),
        Route("/topics/{key:int}/move", reporting(move), methods=["POST"]),
    ),
)
