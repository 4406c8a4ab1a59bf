"""A graph around a memory, an entity or a project, drawn in the browser; the same as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import JSONResponse
from starlette.routing import Route

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import TYPES, Filters
from aforesaid.services.graph.neighbourhood import find_neighbourhood

from .views import Page, Visit, cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import HTMLResponse

    from aforesaid.domain.model.memory import Memory

MAX_NODES = 500
MAX_MEMORIES = 400  #: the other nodes are topics and entities
LABEL_CHARS = 60
TOPIC, ENTITY = "topic", "about"
KINDS = {
    "semantic": "what is true",
    "procedural": "how to do it",
    "episodic": "what happened",
    "entity": "who or what something is",
    TOPIC: "a topic",
    ENTITY: "an entity",
}
assert set(TYPES) < set(KINDS)


class Subject(NamedTuple):
    """What a graph is around."""

    visit: Visit
    name: str
    path: str
    query: str  #: that selects it
    start: Sequence[Memory]
    steps: int  #: how many relations away from these memories others may be


def show(request: Request) -> HTMLResponse:
    """Show the page."""
    subject = _read(request)
    graph = make_graph(subject)
    values = {
        "page": "graph",
        "subject": subject,
        "graph": graph,
        "kinds": {kind: KINDS[kind] for kind in KINDS if _has(graph, kind)},
    }
    return subject.visit.page("graph.html", values)


def send(request: Request) -> JSONResponse:
    """Return the nodes and edges."""
    return JSONResponse(make_graph(_read(request)))


def make_graph(subject: Subject) -> dict[str, Any]:
    """Return at most ``MAX_NODES`` nodes, and the edges between them."""
    store, names = subject.visit.core.store, subject.visit.names
    visible = subject.visit.context.visible
    near = find_neighbourhood(store, subject.start, visible, MAX_MEMORIES, subject.steps)
    starts = {memory.key for memory in subject.start}
    nodes = {
        f"m{memory.key}": _node(
            f"m{memory.key}", memory.preview, memory.type, f"/memory/{memory.id}",
            start=memory.key in starts and len(starts) == 1,
        )
        for memory in near.memories
        if memory.forgotten_at is None
    }  # fmt: skip
    edges = [
        _edge(f"m{link.head}", f"m{link.other}", link.kind.replace("_", " "))
        for link in near.relations
    ]
    for memory in near.memories:
        for key, kind, name, path in (
            (f"t{memory.topic}", TOPIC, names.topic(memory.topic), f"/topics/{memory.topic}"),
            (
                f"e{memory.entity}",
                ENTITY,
                names.entity(memory.entity),
                f"/entities/{memory.entity}",
            ),
        ):
            if name and (key in nodes or len(nodes) < MAX_NODES):
                nodes.setdefault(key, _node(key, name, kind, path))
                edges.append(_edge(f"m{memory.key}", key, "in" if kind == TOPIC else "about"))
    return {
        "nodes": list(nodes.values()),
        "edges": [edge for edge in edges if {edge["source"], edge["target"]} <= nodes.keys()],
        "is_cut": near.is_cut,
    }


def _node(key: str, text: str, kind: str, path: str, *, start: bool = False) -> dict[str, Any]:
    return {"id": key, "label": cut(text, LABEL_CHARS), "kind": kind, "path": path, "start": start}


def _edge(source: str, target: str, kind: str) -> dict[str, str]:
    return {"source": source, "target": target, "kind": kind}


def _has(graph: dict[str, Any], kind: str) -> bool:
    return any(node["kind"] == kind for node in graph["nodes"])


def _read(request: Request) -> Subject:
    """Return what the graph is around: a memory, an entity, or the chosen project."""
    asked = request.query_params
    if "memory" in asked:
        visit, memory = Visit.of_memory(request, asked["memory"])
        (head,) = visit.core.store.memories.get([memory.head])
        if head.forgotten_at is not None:
            raise NotFoundError("this memory was forgotten: restore it first")
        path = f"/memory/{head.id}"
        return Subject(visit, cut(head.preview, LABEL_CHARS), path, f"memory={head.id}", [head], 2)
    visit = Visit(request)
    store = visit.core.store
    if "entity" in asked:
        key = _number(asked["entity"])
        entity = store.entities.get(key)
        if entity is None:
            raise NotFoundError("there is no such entity: it may have been merged into another")
        if entity.project:
            visit = Visit(request, store.projects.get(entity.project))
        about = Filters(entities=(key,))
        start = store.memories.select(visit.context.visible, about, MAX_MEMORIES + 1)
        return Subject(visit, entity.name, f"/entities/{key}", f"entity={key}", start, 1)
    project = visit.context.project
    if "project" in asked:
        named = store.projects.get(_number(asked["project"]))
        if named is None:
            raise NotFoundError("there is no such project: it may have been merged into another")
        visit, project = Visit(request, named), named
    own = visit.context.visible.replace(projects=(project.key,))
    start = store.memories.select(own, Filters(), MAX_MEMORIES + 1)
    path = f"/projects/{project.key}"
    return Subject(visit, project.name, path, f"project={project.key}", start, 1)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 18:  # noqa: PLR2004
        raise InvalidInputError(f"{text[:40]!r} is not the number of an entity or a project")
    return int(text)


PAGE = Page("graph", "Graph", "/graph", "g", (Route("/graph", show), Route("/graph/data", send)))
