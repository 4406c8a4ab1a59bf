"""The suggestions of maintenance that a session's start offers to the user."""

from __future__ import annotations

from aforesaid.domain.context.session_context import Line, offer_line
from aforesaid.domain.model.memory import GLOBAL_PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.ports import Store

MAX_SUGGESTIONS, MAX_OPEN = 3, 50  #: shown at one start; read
MAX_OFFERS = 2  #: sessions that are shown a suggestion: of its project, or of all if it is global


def offer_lines(store: Store, context: CallContext) -> list[Line]:
    """Return a line for the newest suggestions that nobody answered in the last sessions.

    ``aforesaid offers`` lists all that nobody answered.
    """
    projects = (context.project.key, GLOBAL_PROJECT)
    suggestions = store.suggestions.list_open(projects, MAX_OPEN)
    if not suggestions:
        return []
    from aforesaid.domain.model.suggestion import describe_suggestion
    from aforesaid.services.guards import describe_guards

    starts: dict[int, list[int]] = {}
    for project in {suggestion.project for suggestion in suggestions}:
        key = None if project == GLOBAL_PROJECT else project
        sessions = store.sessions.list_shown(key, MAX_OFFERS + 1)
        starts[project] = [each.started_at for each in sessions if each.id != context.session]
    suggestions = [
        suggestion
        for suggestion in suggestions
        if sum(at > suggestion.created_at for at in starts[suggestion.project]) < MAX_OFFERS
    ][:MAX_SUGGESTIONS]
    keys = {key for suggestion in suggestions for key in suggestion.memories}
    short_ids = store.memories.short_ids(keys) if keys else {}
    return [
        offer_line(suggestion.key, describe_suggestion(suggestion, short_ids))
        for suggestion in describe_guards(store, suggestions)
    ]
