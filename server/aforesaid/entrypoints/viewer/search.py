"""Search as recall ranks, with filters; without a query, a list by filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from starlette.routing import Route

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.memory import PROVENANCES, SCOPES, TYPES
from aforesaid.domain.text.passage import cut_to_passage
from aforesaid.entrypoints.api.person_filters import FORGOTTEN
from aforesaid.entrypoints.api.program_arguments import read_program_arguments
from aforesaid.services.recall.query import MAX_RESULTS, MAX_TOKENS

from .reasons import reasons_of
from .statuses import message_of
from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.datastructures import QueryParams
    from starlette.requests import Request
    from starlette.responses import HTMLResponse

    from aforesaid.services.recall.query import RecallResult

RESULTS = 20  #: on one page
PASSAGE_TOKENS = 90  #: of each result
SUGGESTED_NAMES = 200  #: of topics and entities, offered while typing
EVERYWHERE = "*"
#: The choices of the filter by state, each with what recall is asked for.
STATES: dict[str, tuple[str, dict[str, Any]]] = {
    "": ("in force", {}),
    "archived": ("in force or archived", {"include_archived": True}),
    "history": ("every version", {"include_history": True, "include_archived": True}),
    FORGOTTEN: ("forgotten", {"state": FORGOTTEN}),
}
_SINGLE = (
    "project",
    "scope",
    "type",
    "entity",
    "topic",
    "tag",
    "since",
    "until",
    "state",
    "session",
)


def show(request: Request) -> HTMLResponse:
    """Show the page; htmx takes only its results."""
    visit, parameters = Visit(request), request.query_params
    query, chosen, origins = _read(parameters)
    answer, error = None, ""
    try:
        answer = find(visit, parameters)
    except AforesaidError as failure:
        error = message_of(failure)
    values = {
        "page": "search",
        "query": query,
        "chosen": chosen,
        "origins": origins,
        "filtered": any(chosen.values()) or bool(origins),
        "answer": answer,
        "error": error,
        "reasons": [] if answer is None else [reasons_of(hit) for hit in answer.results],
        "passages": [] if answer is None else _passages(answer, query),
        "project_names": visit.names.project if chosen["project"] else None,
        "choices": {"scope": SCOPES, "type": TYPES, "origin": PROVENANCES, "state": STATES},
        "filters": urlencode(parameters.multi_items()),
        "next_page": _next_page(answer, parameters),
    }
    if request.headers.get("hx-request"):  # while typing only the results are wanted
        projects = visit.core.store.projects.list_all()
        return visit.part("_results.html", {**values, "projects": projects, "path": visit.path})
    return visit.page("search.html", values)


def show_names(request: Request) -> HTMLResponse:
    """Return the names of topics and entities, to choose from."""
    visit = Visit(request)
    store = visit.core.store
    values = {
        "topics": sorted(
            {topic.path for topic in store.topics.of_projects(visit.everything.projects)}
        ),
        "entities": sorted(
            {name for names in store.entities.names(SUGGESTED_NAMES).values() for name in names}
        )[:SUGGESTED_NAMES],
    }
    return visit.part("_names.html", values)


def _read(parameters: QueryParams) -> tuple[str, dict[str, str], list[str]]:
    """Return the query, the filters with one value, and the origins."""
    chosen = {name: parameters.get(name, "").strip() for name in _SINGLE}
    origins = [origin for origin in parameters.getlist("origin") if origin]
    return parameters.get("q", "").strip(), chosen, origins


def find(visit: Visit, parameters: QueryParams) -> RecallResult:
    """Return one page of what the form asks for.

    Raises:
        InvalidInputError: a filter is invalid.
        NotFoundError: there is no such project, topic or entity.
    """
    query, chosen, origins = _read(parameters)
    count = parameters.get("n", "")[:4]
    more = int(count) if count.isdecimal() else RESULTS
    arguments: dict[str, Any] = {
        "query": query or None,
        "project": chosen["project"],
        "scope": chosen["scope"],
        "type": chosen["type"],
        "entity": chosen["entity"],
        "topic": chosen["topic"],
        "tags": chosen["tag"],
        "since": chosen["since"],
        "until": chosen["until"],
        "provenance": ",".join(origins),
        "session": chosen["session"],
        "cursor": None if query else parameters.get("cursor"),
        "max_results": max(1, min(more, MAX_RESULTS)),
        "token_budget": MAX_TOKENS,
        "include_related": 0,
        **STATES.get(chosen["state"], STATES[""])[1],
    }
    arguments = {name: value for name, value in arguments.items() if value not in {None, ""}}
    if not query:
        arguments.setdefault("type", TYPES)  # a list needs a filter
    arguments = read_program_arguments("recall_memory", arguments, visit.core)
    return visit.operations.list_memories(arguments, visit.context)


def _passages(answer: RecallResult, query: str) -> list[str]:
    """Return of each result the passage that matches the query, else its beginning."""
    return [
        cut_to_passage(" ".join(hit.memory.content.split()), query, PASSAGE_TOKENS, "…")
        for hit in answer.results
    ]


def _next_page(answer: RecallResult | None, parameters: QueryParams) -> str:
    """Return the address of more results; empty if there are none."""
    if answer is None:
        return ""
    fields = [
        (name, value) for name, value in parameters.multi_items() if name not in {"n", "cursor"}
    ]
    if answer.next_cursor:
        return "/search?" + urlencode([*fields, ("cursor", answer.next_cursor)])
    shown = len(answer.results)
    if parameters.get("q") and shown == RESULTS < answer.total_matched:
        return "/search?" + urlencode([*fields, ("n", str(MAX_RESULTS))])
    return ""


PAGE = Page(
    "search", "Search", "/search", "s", (Route("/search", show), Route("/search/names", show_names))
)
