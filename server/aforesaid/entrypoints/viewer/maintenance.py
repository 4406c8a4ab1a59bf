"""Maintenance: its runs, what each changed and why, undoing one, running it now, and warnings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from starlette.routing import Route

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.serialize.runs import (
    PURPOSES,
    change_word,
    describe_counts,
    state_of,
)
from aforesaid.operations.automatic_backup import back_up_daily
from aforesaid.operations.doctor import check_quickly
from aforesaid.operations.maintenance import maintenance_lock, make_maintenance_runner

from .changes import reporting
from .services import Notice
from .views import Page, Visit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from starlette.requests import Request
    from starlette.responses import HTMLResponse, RedirectResponse

    from aforesaid.domain.maintenance.run import Run
    from aforesaid.domain.model.memory import Memory
    from aforesaid.services.maintenance.runner import MaintenanceRunner

MAX_RUNS = 50
MAX_MEMORIES = 200  #: of a run that its page links
_BY = {"itself": "automatically", "command": "by you"}


def show(request: Request) -> HTMLResponse:
    """Show the runs, the last backup and what is wrong."""
    visit = Visit(request)
    values = {
        "page": "maintenance",
        "runs": [_described(run) for run in visit.core.store.runs.latest(MAX_RUNS)],
        "checks": list(check_quickly(visit.core)),
        "automatic": visit.core.settings["maintenance.enabled"],
        "hours": visit.core.settings["maintenance.interval_hours"],
    }
    return visit.page("maintenance.html", values)


def show_run(request: Request) -> HTMLResponse:
    """Show one run: by phase, what it changed and why."""
    visit = Visit(request)
    run = _run_of(visit)
    steps = visit.core.store.runs.steps(run.key)
    memories = _memories(visit, (key for step in steps for key in step.memories))
    shown = list(memories)[:MAX_MEMORIES]
    phases = [
        {
            "name": phase,
            "purpose": PURPOSES[phase],
            "did": describe_counts(phase, run.counts.get(phase, {})),
            "memories": [
                memories[key]
                for key in shown
                if any(step.phase == phase and key in step.memories for step in steps)
            ],
        }
        for phase in run.phases
    ]
    values = {
        "page": "maintenance",
        "run": _described(run),
        "phases": phases,
        "steps": sum(step.undone_at is None for step in steps),
        "hidden": len(memories) - len(shown),
    }
    return visit.page("maintenance_run.html", values)


def ask_undo(request: Request) -> HTMLResponse:
    """Show what undoing a run would do, and ask."""
    visit = Visit(request)
    run = _run_of(visit)
    result = _runner(visit).preview_undo(run.key)
    steps = [step for step in visit.core.store.runs.steps(run.key) if step.undone_at is None]
    memories = _memories(visit, (key for step in steps for key in step.memories))
    values = {
        "page": "maintenance",
        "run": _described(run),
        "steps": result.steps,
        "left": list(_memories(visit, result.left).values()),
        "memories": [memory for key, memory in memories.items() if key not in result.left],
        "listed": MAX_MEMORIES,
    }
    return visit.page("maintenance_undo.html", values)


def preview(request: Request) -> HTMLResponse:
    """Show what a run would do now, and ask."""
    visit = Visit(request)
    visit.core.embedder.load()
    report = _runner(visit).dry_run()
    keys = {key for phase in report.examples.values() for item in phase for key in item.keys}
    memories = _memories(visit, keys)
    phases = [
        {
            "name": phase,
            "purpose": PURPOSES[phase],
            "did": describe_counts(phase, report.run.counts.get(phase, {})),
            "examples": [
                {
                    "what": change_word(phase, item.what),
                    "memories": [memories[key] for key in item.keys if key in memories],
                    "detail": item.detail,
                }
                for item in report.examples.get(phase, ())
                if item.keys or item.detail
            ],
        }
        for phase in report.run.phases
    ]
    values = {"page": "maintenance", "phases": phases, "notes": report.run.notes}
    return visit.page("maintenance_preview.html", values)


# -- changes


def run_now(request: Request) -> RedirectResponse:
    """Run maintenance, after the daily backup, as `aforesaid tend` does."""
    visit = Visit(request)
    core = visit.core
    core.embedder.load()
    with maintenance_lock(core.settings):
        back_up_daily(core.store, core.settings, core.environment)
        core.writer.embed_missing(sys.maxsize)
        report = _runner(visit).run()
    run = report.run
    changes = sum(sum(counts.values()) for counts in run.counts.values())
    changed = bool(core.store.runs.steps(run.key))
    text = f"Run {run.key} is {state_of(run)}: "
    text += f"{pluralize(changes, 'result')}, listed below." if changed else "it changed nothing."
    return visit.go(f"/maintenance/{run.key}", Notice(text, failed=not run.finished))


def undo_run(request: Request) -> RedirectResponse:
    """Undo a run; the page that asks shows what that is."""
    visit = Visit(request)
    run = _run_of(visit)
    if visit.form.get("agreed") != "yes":
        raise InvalidInputError("undoing a run must be confirmed: open it and choose Undo")
    with maintenance_lock(visit.core.settings):
        result = _runner(visit).undo(run.key)
    text = f"Run {run.key} was undone: {pluralize(result.steps, 'step')} reverted."
    if result.left:
        left = pluralize(len(result.left), "memory", "memories")
        text += f" {left} changed since and stayed as they are."
    return visit.go(f"/maintenance/{run.key}", Notice(text))


def _runner(visit: Visit) -> MaintenanceRunner:
    core = visit.core
    return make_maintenance_runner(core.store, core.settings, core.environment, core.get_embedder)


def _run_of(visit: Visit) -> Run:
    key = visit.request.path_params["key"]
    run = visit.core.store.runs.get(key)
    if run is None:
        raise NotFoundError(f"there is no run {key}")
    return run


def _described(run: Run) -> dict[str, Any]:
    """Return a run as the pages show it."""
    did = [(phase, describe_counts(phase, counts)) for phase, counts in run.counts.items()]
    return {
        "key": run.key,
        "started_at": run.started_at,
        "ended_at": run.ended_at,
        "undone_at": run.undone_at,
        "by": _BY.get(run.by, run.by),
        "state": state_of(run),
        "did": [(phase, text) for phase, text in did if text],
        "notes": run.notes,
    }


def _memories(visit: Visit, keys: Iterable[int]) -> dict[int, Memory]:
    """Return memories by key; those that were erased are missing."""
    distinct = list(dict.fromkeys(keys))
    return {memory.key: memory for memory in visit.core.store.memories.get(distinct)}


PAGE = Page(
    "maintenance",
    "Maintenance",
    "/maintenance",
    "m",
    (
        Route("/maintenance", show),
        Route("/maintenance/preview", preview),
        Route("/maintenance/run", reporting(run_now), methods=["POST"]),
        Route("/maintenance/{key:int}", show_run),
        Route("/maintenance/{key:int}/undo", ask_undo, methods=["GET"]),
        Route("/maintenance/{key:int}/undo", reporting(undo_run), methods=["POST"]),
    ),
)
