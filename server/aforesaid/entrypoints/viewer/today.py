"""Today: what the next session is shown, what was learnt, what needs a decision."""

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
    rendered = visit.operations.context({}, visit.context)
    return visit.page("today.html", {"page": "today", "text": rendered.text})


PAGE = Page("today", "Today", "/", "t", (Route("/", show),))
