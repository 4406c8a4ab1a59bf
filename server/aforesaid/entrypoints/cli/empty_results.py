"""Hints after a search without results: the query may be an id, or a tag may be misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.statement import check_tags

from .common import call_tool, open_connection

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_MATCH = "No matching memories."
EMPTY = "No memories yet. Add one with: aforesaid remember TEXT, or aforesaid ingest"
FORGOTTEN = "No memories here but forgotten ones: aforesaid list --state forgotten"
_MIN_ID_CHARS = 4
_MAX_TAGS = 10  #: named in a message


def find_by_id(query: str, project: str | None, *, everywhere: bool) -> dict[str, Any] | None:
    """Return the answer with the memory whose id a query is, if there is one here."""
    if len(query) < _MIN_ID_CHARS or not query.isalnum():
        return None
    try:
        options = {"ids": (query,), "project": project}
        answer = call_tool("recall_memory", options, everywhere=everywhere)
    except AforesaidError:
        return None
    return answer if answer["results"] else None


def why_nothing(answer: Mapping[str, Any], options: Mapping[str, Any], *, everywhere: bool) -> str:
    """Return what to say if a search with these options found nothing."""
    if answer["results"]:
        return ""
    scope = {"project": options.get("project")}
    counts = call_tool("memory_stats", scope, everywhere=everywhere)
    if not counts["total"]:
        return EMPTY
    if counts["total"] == counts["forgotten"]:
        return FORGOTTEN
    return _unknown_tag(options, everywhere=everywhere) or NO_MATCH


def _unknown_tag(options: Mapping[str, Any], *, everywhere: bool) -> str:
    """Say that no memory here has the tag that a search asks for; empty if one has."""
    from difflib import get_close_matches  # only needed by mistyped tags

    tags = check_tags(options.get("tags") or ())
    if not tags:
        return ""
    with open_connection() as connection:
        core, context = connection.core, connection.call_context()
        visible = core.visibility_of("*" if everywhere else options.get("project"), context)
        known = core.store.inspection.tags_of(visible.projects)
    for tag in tags:
        if known and tag not in known:
            near = get_close_matches(tag, known, 1)
            listed = ", ".join(known[:_MAX_TAGS])
            hint = f"did you mean {near[0]!r}?" if near else f"tags here: {listed}"
            return f"No memory here has the tag {tag!r}: {hint}"
    return ""
