"""Today: what the next session is shown, what was learnt, what needs a decision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.routing import Route

from aforesaid.domain.model.suggestion import GUARD, describe_suggestion
from aforesaid.operations.session_preview import preview_session
from aforesaid.services.sessions.review import (
    imported_to_confirm,
    learnt_lately,
    stale_memories,
)

from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse

MAX_CONTRADICTIONS = 20
MAX_IMPORTED = 5  #: shown here; search shows all


def show(request: Request) -> HTMLResponse:
    """Show the page."""
    visit = Visit(request)
    core, context = visit.core, visit.context
    suggestions = core.suggestions.list_open(context)
    short_ids = core.store.memories.short_ids(
        {key for suggestion in suggestions for key in suggestion.memories}
    )
    imported, imported_total = imported_to_confirm(core.store, context.visible, MAX_IMPORTED)
    values = {
        "page": "today",
        "preview": preview_session(core, context),
        "learnt": learnt_lately(core.store, context.visible, context.project.key),
        "contradictions": core.context_builder.contradictions(context, MAX_CONTRADICTIONS),
        "suggestions": [
            {
                "key": suggestion.key,
                "text": describe_suggestion(suggestion, short_ids),
                "is_guard": suggestion.kind == GUARD,
                "memories": core.store.memories.get(suggestion.memories),
            }
            for suggestion in suggestions
        ],
        "stale": stale_memories(core.store, core.anchors, context),
        "imported": imported,
        "imported_total": imported_total,
    }
    return visit.page("today.html", values)


PAGE = Page("today", "Today", "/", "t", (Route("/", show),))
