"""The viewer's application: its pages, and how errors are shown.

To add a page: a module with a ``PAGE`` (views.py), its entry in ``PAGES``, its template, and its
icon in templates/_icons.html.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from markupsafe import escape
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from aforesaid.domain.errors import AforesaidError

from . import (
    bulk,
    changes,
    editing,
    entities,
    graph,
    maintenance,
    memory,
    projects,
    search,
    settings,
    statistics,
    today,
    topics,
)
from .security import Access, SecurityMiddleware
from .statuses import message_of, status_of
from .views import FOLDER, THEME_COOKIE, THEMES, Page, Visit, make_templates

if TYPE_CHECKING:
    from starlette.exceptions import HTTPException
    from starlette.requests import Request
    from starlette.responses import RedirectResponse
    from starlette.types import ASGIApp

    from .services import Services

#: The navigation, in its order.
PAGES: tuple[Page, ...] = (
    today.PAGE,
    search.PAGE,
    projects.PAGE,
    entities.PAGE,
    topics.PAGE,
    graph.PAGE,
    maintenance.PAGE,
    statistics.PAGE,
    settings.PAGE,
)
YEAR_SECONDS = 365 * 86_400  #: that the theme is kept in the browser


def make_app(services: Services, access: Access) -> ASGIApp:
    """Return the application, behind the security middleware.

    Args:
        services: of the store.
        access: who is let in.
    """
    app = Starlette(
        routes=[
            *(route for page in PAGES for route in page.routes),
            *memory.ROUTES,
            *editing.ROUTES,
            *changes.ROUTES,
            *bulk.ROUTES,
            Route("/project", choose_project, methods=["POST"]),
            Route("/theme", choose_theme, methods=["POST"]),
            Mount("/static", StaticFiles(directory=os.path.join(FOLDER, "static"))),
        ],
        exception_handlers={
            AforesaidError: _show_error,  # type: ignore[dict-item]
            404: _show_missing,  # type: ignore[dict-item]
            405: _show_missing,  # type: ignore[dict-item]
            500: _show_bug,
        },
    )
    app.state.services = services
    app.state.templates = make_templates(PAGES, access.csrf)
    return SecurityMiddleware(app, access)


def choose_project(request: Request) -> RedirectResponse:
    """Show another project's pages from now on; without a name, those of the viewer's folder."""
    visit = Visit(request)
    name = visit.form.get("project", "")
    visit.services.chosen = visit.core.projects.get(name).key if name else None
    return visit.go(visit.form.get("next", "/"))


def choose_theme(request: Request) -> RedirectResponse:
    """Show pages in another theme, in this browser from now on."""
    visit = Visit(request)
    answer = visit.go(visit.form.get("next", "/"))
    theme = visit.form.get("theme", "")
    if theme in THEMES:
        answer.set_cookie(
            THEME_COOKIE, theme, max_age=YEAR_SECONDS, httponly=True, samesite="strict"
        )
    return answer


def _show_error(request: Request, error: AforesaidError) -> HTMLResponse:
    return _error_page(request, message_of(error), status_of(error))


def _show_missing(request: Request, error: HTTPException) -> HTMLResponse:
    return _error_page(request, "There is no such page.", error.status_code)


def _show_bug(request: Request, error: Exception) -> HTMLResponse:
    from aforesaid.adapters.system.log import type_and_location

    Visit(request).connection.log.write("error", f"viewer: {type_and_location(error)}")
    return _error_page(request, "This is a bug; its location is in the log. No data is lost.", 500)


def _error_page(request: Request, text: str, status: int) -> HTMLResponse:
    try:
        return _page_with_error(request, text, status)
    except AforesaidError:  # the store itself cannot be read
        return HTMLResponse(f"<!doctype html><title>Aforesaid</title><p>{escape(text)}", status)


def _page_with_error(request: Request, text: str, status: int) -> HTMLResponse:
    title = "This did not work" if status != 404 else "Not found"  # noqa: PLR2004
    return Visit(request).page("error.html", {"title": title, "text": text}, status=status)
