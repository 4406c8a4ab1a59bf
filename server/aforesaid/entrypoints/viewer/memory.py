"""The page of one memory: text, versions, relations, files, its words in the session, its log."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from aforesaid.adapters.git_reader.earlier_content import GitContents
from aforesaid.adapters.system.cited_files import CitedFiles
from aforesaid.domain.model.client_names import client_of
from aforesaid.domain.model.relation import KINDS, SYSTEM_KINDS
from aforesaid.domain.model.triggers import commands_in
from aforesaid.domain.text.differences import compare_words
from aforesaid.operations.session_words import find_words
from aforesaid.services.anchor_changes import compare_anchors
from aforesaid.services.sessions.review import is_confirmed

from .reasons import certainty, importance_word, percent
from .views import Visit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from starlette.requests import Request
    from starlette.responses import HTMLResponse

    from aforesaid.domain.model.memory import Memory
    from aforesaid.services.recall.inspect import Inspection

#: What the log's operations are called on the page.
OPERATIONS = {
    "create": "stored", "update": "changed", "supersede": "replaced", "forget": "forgotten",
    "restore": "restored", "archive": "archived", "link": "linked", "unlink": "link removed",
    "merge": "stated again", "import": "imported", "compact": "compacted", "extract": "extracted",
    "guard": "guard changed",
}  # fmt: skip


def show(request: Request) -> HTMLResponse:
    """Show the page of a memory, whichever project it belongs to."""
    visit, memory = Visit.of_memory(request, request.path_params["id"])
    names = visit.names
    if memory.forgotten_at is not None:
        values: dict[str, Any] = {"memory": memory, "short": names.short(memory.key)}
        return visit.page("memory_forgotten.html", values)
    arguments = {"id": memory.id, "include_log": True}
    inspection = visit.operations.inspect(arguments, visit.context)
    shown, shown_at = visit.core.store.inspection.times_shown(memory.key)
    values = {
        "memory": memory,
        "short": names.short(memory.key),
        "inspection": inspection,
        "details": _details(visit, inspection),
        "strength": _strength(inspection),
        "log": _log(inspection),
        "is_confirmed": is_confirmed(memory),
        "client": _client(inspection),
        "shown": shown,
        "shown_at": shown_at,
        "files": compare_anchors(
            visit.core.store, memory, visit.context, CitedFiles(), GitContents()
        ),
        "versions": compare_versions(inspection.history),
        "kinds": KINDS,
        "system_kinds": SYSTEM_KINDS,
    }
    return visit.page("memory.html", values)


def show_words(request: Request) -> HTMLResponse:
    """Show the words of the session that a memory comes from."""
    visit, memory = Visit.of_memory(request, request.path_params["id"])
    session = visit.core.store.sessions.get(memory.session) if memory.session else None
    if memory.forgotten_at is not None:
        session = None
    values = {"memory": memory, "words": find_words(visit.core, memory, session)}
    return visit.page("memory_words.html", values)


def compare_versions(history: Sequence[Memory]) -> list[dict[str, Any]]:
    """Return the versions of a memory, latest first, each with what differs from the one before."""
    versions = [
        {
            "memory": version,
            "parts": compare_words(earlier.content, version.content)
            if earlier is not None and earlier.forgotten_at is None
            else [],
        }
        for earlier, version in zip([None, *history], history, strict=False)
        if version.forgotten_at is None
    ]
    return versions[::-1]


def _client(inspection: Inspection) -> str:
    session = inspection.session
    path = None if session is None else session.transcript_path
    return client_of(path) if path else ""


def _details(visit: Visit, inspection: Inspection) -> list[tuple[str, str, str]]:
    """Return what a memory is filed under, each with its page if it has one; no empty ones."""
    memory, names = inspection.memory, visit.names
    task = names.task(memory.task)
    project = f"/projects/{memory.project}" if memory.project else ""
    fields = (
        ("Project", names.project(memory.project), project),
        ("Topic", names.topic(memory.topic), f"/topics/{memory.topic}"),
        ("About", names.entity(memory.entity) or "", f"/entities/{memory.entity}"),
        ("Task", f"{task['task_id']} ({task['status']})" if task else "", ""),
        ("Summary", memory.summary or "", ""),
        ("Other words", "; ".join(memory.cues), ""),
        ("Shown before", "; ".join(commands_in(memory.metadata.get("trigger"))), ""),
        ("Importance", importance_word(memory.importance), ""),
    )
    return [(label, value, path) for label, value, path in fields if value]


def _strength(inspection: Inspection) -> list[tuple[str, str]]:
    """Return how well a memory is kept and found."""
    vectors = inspection.traces is not None and bool(inspection.traces.windows)
    return [
        ("Certainty", certainty(inspection.memory.confidence, inspection.confidence)),
        ("Retention", f"{percent(inspection.retention)}; falls while unused"),
        ("Found by", "words and meaning" if vectors else "words only, as it has no vector yet"),
    ]


_REFERENCES = frozenset(("source", "target", "by", "into", "id"))  #: details that are short ids


def _log(inspection: Inspection) -> list[dict[str, Any]]:
    """Return the log, latest first, each entry with its details as one text."""
    return [
        {
            "at": entry.at,
            "what": OPERATIONS.get(entry.operation, entry.operation),
            "details": _told(entry.details),
        }
        for entry in reversed(inspection.log or ())
    ]


def _told(details: dict[str, Any]) -> str:
    told = {name: _detail(name, value) for name, value in details.items() if value}
    link = [f"{told.pop('kind')} {told.pop('target')}"] if {"kind", "target"} <= set(told) else []
    return " · ".join(
        [*link, *(f"{name.replace('_', ' ')}: {text}" for name, text in told.items())]
    )


def _detail(name: str, value: Any) -> str:
    if name == "kind":
        return str(value).replace("_", " ")
    if name in _REFERENCES:
        return f"[{value}]"
    if isinstance(value, dict):  # former values; fingerprints of files tell a reader nothing
        return str({field: former for field, former in value.items() if field != "cited"})
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


ROUTES = (
    Route("/memory/{id}", show),
    Route("/memory/{id}/words", show_words),
)
