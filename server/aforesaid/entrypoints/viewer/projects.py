"""Projects: the list; one project with its sessions, its folders, its merge and its switch."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from aforesaid.config import load_settings
from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.client_names import client_of
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.api.project_switch import is_project_off, switch_project

from .changes import reporting
from .times import week
from .undo import done
from .views import Page, Visit

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import HTMLResponse, RedirectResponse

    from aforesaid.domain.model.memory import Project

SESSIONS = 40  #: on one page
JUMPS = ((1, "a week ago"), (2, "2 weeks ago"), (3, "3 weeks ago"), (13, "3 months ago"))
#: How a folder was recognised, by the kind of its key.
KINDS = {
    "git": "by the address of its git remote, or of its repository here",
    "repo": "as a git repository, with all its worktrees",
    "marker": "by the file that makes it a package",
    "folder": "as a plain folder",
    "name": "by the name that it was given",
    "chosen": "because it was assigned to the project",
}


def show_all(request: Request) -> HTMLResponse:
    """Show all projects."""
    visit = Visit(request)
    listed = visit.operations.projects()
    settings = load_settings(visit.core.environment, lenient=True)
    usage = visit.core.store.inspection.usage([project.key for project, _count in listed])
    sessions = {counts["project"]: counts["sessions"] for counts in usage}
    rows = [
        {
            "project": project,
            "memories": memories,
            "sessions": sessions.get(project.key, 0),
            "folders": folders_of(visit, project),
            "is_off": is_project_off(project, visit.context, settings),
        }
        for project, memories in listed
    ]
    return visit.page("projects.html", {"page": "projects", "rows": rows})


def show(request: Request) -> HTMLResponse:
    """Show one project."""
    visit, shown = _visit_of(request)
    asked = request.query_params
    before = _before(asked.get("before", ""), asked.get("until", ""))
    found = visit.core.store.inspection.session_usage([shown.key], SESSIONS + 1, before=before)
    sessions, more = found[:SESSIONS], len(found) > SESSIONS
    settings = load_settings(visit.core.environment, lenient=True)
    today = datetime.now().astimezone().date()
    values = {
        "page": "projects",
        "shown": shown,
        "memories": next(
            count for project, count in visit.operations.projects() if project.key == shown.key
        ),
        "folders": folders_of(visit, shown),
        "is_off": is_project_off(shown, visit.context, settings),
        "weeks": _by_week(visit, sessions),
        "until": asked.get("until", ""),
        "jumps": [(label, str(today - timedelta(weeks=number))) for number, label in JUMPS],
        "is_latest": before is None,
        "earlier": sessions[-1]["opened_at"] if more else None,
    }
    return visit.page("project.html", values)


def ask_merge(request: Request) -> HTMLResponse:
    """Show what a merge would move."""
    visit, shown = _visit_of(request)
    into = request.query_params.get("into", "")
    plan = visit.call(
        "change_projects", check=False, action="plan", source=shown.identity, target=into
    )
    target = visit.core.projects.get(into)
    values = {"page": "projects", "shown": shown, "target": target, "plan": plan}
    return visit.page("project_merge.html", values)


def merge(request: Request) -> RedirectResponse:
    """Move everything from one project to another."""
    visit, shown = _visit_of(request)
    target = visit.core.projects.get(visit.form.get("into", ""))
    answer = visit.call(
        "change_projects",
        check=False,
        action="merge",
        source=shown.identity,
        target=target.identity,
    )
    if visit.services.chosen == shown.key:
        visit.services.chosen = target.key
    moved = pluralize(answer.get("memories", 0), "memory", "memories")
    text = (
        f"{moved} moved from {shown.name} to {target.name}. The store before it: {answer['copy']}"
    )
    return done(visit, f"/projects/{target.key}", text)


def switch(request: Request) -> RedirectResponse:
    """Stop remembering a project, or start again."""
    visit, shown = _visit_of(request)
    off = visit.form.get("off") == "yes"
    set_off(shown.key, off, request)
    text = (
        f"Nothing is remembered about {shown.name} from now on; what is stored stays."
        if off
        else f"{shown.name} is remembered again."
    )
    return done(visit, f"/projects/{shown.key}", text, partial(set_off, shown.key, not off))


def set_off(key: int, off: bool, request: Request) -> None:
    """Switch memory off or on in a project."""
    visit = Visit(request)
    switch_project(_project(visit, key), visit.context, visit.core.environment, off=off)


def folders_of(visit: Visit, project: Project) -> list[tuple[str, str]]:
    """Return what a project is recognised by, each with how."""
    parts = [key.partition(":") for key in visit.core.store.projects.aliases(project.key)]
    return [(place.removeprefix("file:"), KINDS.get(kind, "")) for kind, _colon, place in parts]


def _project(visit: Visit, key: int) -> Project:
    project = visit.core.store.projects.get(key)
    if project is None:
        raise NotFoundError("there is no such project: it may have been merged into another")
    return project


def _visit_of(request: Request) -> tuple[Visit, Project]:
    visit = Visit(request)
    return visit, _project(visit, request.path_params["key"])


def _before(before: str, until: str) -> int | None:
    """Return the time (ms) before which sessions are listed; None for the latest.

    Raises:
        InvalidInputError: it is not a time.
    """
    try:
        if until:
            end = datetime.fromisoformat(until).astimezone() + timedelta(days=1)
            return int(end.timestamp() * 1000)
        return int(before) if before else None
    except (ValueError, OverflowError):
        raise InvalidInputError(
            f"{until or before!r} is not a day: use one such as 2026-11-05"
        ) from None


def _by_week(visit: Visit, sessions: list[dict[str, Any]]) -> list[tuple[str, list[Any]]]:
    """Return sessions by the week that they were last opened in, each with its digest."""
    digests = {
        memory.key: memory
        for memory in visit.core.store.memories.get(
            [session["digest"] for session in sessions if session["digest"] is not None]
        )
    }
    now = int(time.time() * 1000)
    for session in sessions:
        digest = digests.get(session["digest"])
        session["text"] = None if digest is None or digest.forgotten_at is not None else digest
        path = session["transcript_path"]
        session["client"] = client_of(path) if path else ""
    grouped = groupby(sessions, key=lambda session: week(session["opened_at"], now))
    return [(label, list(members)) for label, members in grouped]


PAGE = Page(
    "projects",
    "Projects",
    "/projects",
    "p",
    (
        Route("/projects", show_all),
        Route("/projects/{key:int}", show),
        Route("/projects/{key:int}/merge", ask_merge, methods=["GET"]),
        Route("/projects/{key:int}/merge", reporting(merge), methods=["POST"]),
        Route("/projects/{key:int}/switch", reporting(switch), methods=["POST"]),
    ),
)
