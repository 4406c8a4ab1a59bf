"""The tools as tools/list shows them, at the cost of every session; complete: tool_schemas.py."""

from __future__ import annotations

from .tool_schemas import TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The parameters that tools/list shows, each with a text that replaces the full one. Every session
#: pays for their tokens, so parameters that models rarely need are left out: calls may still pass
#: them, and docs/TOOLS.md names them. Tools that are missing here are shown in full.
LISTED: dict[str, dict[str, str | None]] = {
    "store_memory": {
        "content": None,
        "type": "what happened, what is true (default), how to do it, who or what it is",
        "scope": "global: about the user, everywhere. Default: project",
        "project": "Another project",
        "task_id": "Its task; a new one's first memory is the objective",
        "topic": "auth or auth/jwt",
        "entity": "Whom or what it is about",
        "cues": "Up to 4 phrases that someone who needs this may type: task, symptom, question; "
        "not in content's words",
        "supersedes": "Ids that this replaces",
        "provenance": "Who says so; default assistant",
        "valid_to": "True until",
        "anchors": "path[:line]; files whose edit may break it: db/*.sql, src/api/, !*_test.go, "
        "existing:*.sql, new:*.sql",
        "trigger": "Commands that may break it, as typed: helm upgrade without --atomic",
        "metadata": "Such as steps, event_date, aliases",
    },
    "recall_memory": {
        "query": None,
        "ids": "Return these",
        "project": "Another project, or * for all",
        "task_id": "Also inside this task",
        "entity": "About any of these",
        "path": "About this file",
        "error": "What fixed this error before",
        "since": "Date or words (last week)",
        "until": None,
        "max_results": None,
        "summary_only": None,
        "include_history": None,
        "cursor": None,
    },
    "update_memory": {
        "id": "The id in brackets",
        "content": "The new text",
        "type": None,
        "scope": None,
        "status": "Of its task",
        "due": None,
        "topic": None,
        "entity": None,
        "tags": "Replaces the tags",
        "cues": None,
        "pinned": "Always shown first, never fades",
        "provenance": None,
        "valid_to": "True until",
        "anchors": "Replaces the anchors; empty removes them",
        "trigger": "Replaces the trigger; empty removes it",
        "restore": "Bring it back",
    },
    "search_entities": {
        "query": "A name or description",
        "project": "Another project, or * for all",
        "cursor": None,
    },
}


#: Parameters that are shown as a list only; calls may still pass one text.
_LISTS = frozenset(("anchors", "cues", "ids", "trigger"))


def listed_schemas() -> dict[str, dict[str, Any]]:
    """Return the tools by name as tools/list shows them: see ``LISTED``."""
    listed = {}
    for name, tool in TOOLS.items():
        schema = tool["inputSchema"]
        properties = schema["properties"]
        if name in LISTED:
            properties = {
                parameter: _described(parameter, properties[parameter], text)
                for parameter, text in LISTED[name].items()
            }
        listed[name] = {**tool, "inputSchema": {**schema, "properties": properties}}
    return listed


def _described(parameter: str, schema: dict[str, Any], text: str | None) -> dict[str, Any]:
    """Return a parameter with another description, or without one."""
    rest = {name: value for name, value in schema.items() if name != "description"}
    if parameter in _LISTS:
        rest["type"] = "array"
    return {**rest, "description": text} if text else rest
