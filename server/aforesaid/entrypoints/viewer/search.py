"""Search as recall ranks, with filters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse


def show(request: Request) -> HTMLResponse:
    """Show the page."""
    visit = Visit(request)
    query = request.query_params.get("q", "").strip()
    answer = visit.call("recall_memory", query=query) if query else {"results": []}
    return visit.page("search.html", {"page": "search", "query": query, **answer})


PAGE = Page("search", "Search", "/search", "s", (Route("/search", show),))
