"""``tend``, ``compact``, ``runs`` and ``undo``: run maintenance, show its runs, undo them."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.maintenance.run import PHASES
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.entrypoints.serialize.runs import describe_counts, state_of
from aforesaid.services.memories.former_values import NOT_KEPT

from .app import aforesaid
from .changed_values import show_changes
from .common import (
    as_json,
    call_tool,
    echo_wrapped,
    open_connection,
    open_services,
    show_json,
    show_table,
)
from .progress import progress, status_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.maintenance.run import Report, Run
    from aforesaid.services.maintenance.runner import UndoResult
    from aforesaid.wiring.container import ServiceContainer

RUN = "run:"  #: marks the number of a run that could also be an id
_MIN_ID_CHARS = 4
_MAX_EXAMPLES = 5  #: of a phase
_COVERED = (
    f"undo covers neither {', '.join(NOT_KEPT[:-1])} nor {NOT_KEPT[-1]}: "
    "change them with aforesaid update"
)
_LABELS = {"did": "changes"}
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would be done, change nothing.")


@aforesaid.command()
@_dry_run
@click.option(
    "--phase",
    "phases",
    multiple=True,
    type=click.Choice(PHASES),
    metavar="PHASE",
    help=f"Only this phase (may be repeated): {', '.join(PHASES)}.",
)
@click.option(
    "--since", help="Only memories stored since then: a date, or words such as yesterday."
)
@as_json
def tend(phases: tuple[str, ...], since: str | None, *, dry_run: bool, as_json: bool) -> None:
    """Run maintenance: file, link, compact and archive memories.

    This also happens once a day when a session starts. Nothing is erased, and `aforesaid undo RUN`
    reverts the whole run.
    """
    _run(phases or PHASES, since, dry_run=dry_run, as_json=as_json)


@aforesaid.command()
@_dry_run
@as_json
def compact(*, dry_run: bool, as_json: bool) -> None:
    """Summarise old events by week, as `aforesaid tend` also does."""
    _run(("compaction",), None, dry_run=dry_run, as_json=as_json)


@aforesaid.command()
@click.argument("number", metavar="[RUN]", type=int, required=False)
@click.option(
    "-n",
    "--limit",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1_000),
    metavar="NUMBER",
    help="How many runs to list.",
)
@as_json
def runs(number: int | None, limit: int, *, as_json: bool) -> None:
    """List the runs of maintenance, or the steps of RUN."""
    with open_services() as core:
        if number is not None:
            _show_run(core, number, as_json=as_json)
            return
        rows = [
            _run_row(run, {step.phase for step in core.store.runs.steps(run.key)})
            for run in core.store.runs.latest(limit)
        ]
    if as_json:
        show_json({"runs": rows})
        return
    show_table(rows, ("run", "started", "by", "state", "did", "notes"), labels=_LABELS)
    if not rows:
        click.echo("Maintenance has not run yet.")


@aforesaid.command()
@click.argument("targets", metavar="ID|RUN...", nargs=-1, required=True)
@as_json
def undo(targets: tuple[str, ...], *, as_json: bool) -> None:
    """Restore a forgotten memory, or undo an edit or maintenance run.

    ID is the id of a memory, whose latest change is undone. Updated fields get their former values,
    except for project, session and task_id. A version that an edit made is forgotten,
    and the former one restored. A link by which it replaced another is removed, and both are kept.
    RUN is the number of a run, as `aforesaid runs` shows it.
    """
    answers = [_undo(target, as_json=as_json) for target in targets]
    if as_json:
        show_json(answers[0] if len(answers) == 1 else {"results": answers})


def _undo(target: str, *, as_json: bool) -> dict[str, Any]:
    """Undo one change and, unless the answer is for a program, say what was done."""
    number = _run_number(target)
    if number is None:
        answer = _undone_edit(target) or _restored(target)
        if not as_json:
            _show_undone_edit(answer)
        return answer
    from aforesaid.operations.maintenance import maintenance_lock, make_maintenance_runner

    with open_services() as core:
        steps = len(core.store.runs.steps(number))
        with maintenance_lock(core.settings), progress("Undoing", steps) as bar:
            result = make_maintenance_runner(
                core.store, core.settings, os.environ, core.get_embedder
            ).undo(number, bar.update)
        left = sorted(core.store.memories.short_ids(result.left).values())
    if not as_json:
        _show_undone(result, left)
    return {"run": result.run.key, "steps": result.steps, "left": left}


def _undone_edit(memory_id: str) -> dict[str, Any] | None:
    """Undo the edit that made a memory, if any; return what was done."""
    from aforesaid.entrypoints.api.corrections import undo_edit
    from aforesaid.entrypoints.api.plain import plain
    from aforesaid.entrypoints.api.undo_fields import undo_fields

    with open_connection() as connection:
        core = connection.core
        try:
            context = connection.call_context()
            set_back = undo_fields(core, memory_id, context)
            undone = None if set_back else undo_edit(core, memory_id, context)
        except (InvalidInputError, NotFoundError):
            return None  # restoring it says what is wrong with the id
        if set_back is not None:
            answer = plain(set_back, core.store)
            return {**answer, "message": answer["message"].replace("Updated", "Set back", 1)}
        if undone is None:
            return None
        short_ids = core.store.memories.short_ids([undone.new.key, undone.old.key])
        new, old = short_ids[undone.new.key], short_ids[undone.old.key]
        core.writer.embed_changed()
    message = f"Restored {old}: {undone.old.preview} " + (
        f"(removed the link by which {new} had replaced it; {new} is kept)"
        if undone.unlinked
        else f"(and forgot {new}, which had replaced it; to keep both: aforesaid undo {new})"
    )
    return {"id": old, "message": message, "changed": ["restored"]}


def _restored(memory_id: str) -> dict[str, Any]:
    """Restore a forgotten or archived memory."""
    try:
        return call_tool("update_memory", {"id": memory_id, "restore": True})
    except ConflictError as error:
        raise ConflictError(f"{error}, and no edit of it is left to undo. {_COVERED}") from None


def _show_undone_edit(answer: dict[str, Any]) -> None:
    echo_wrapped(answer["message"])
    show_changes(answer)
    if note := answer.get("note"):
        echo_wrapped(note)


def _run_number(argument: str) -> int | None:
    """Return the number of a run, None for a memory's id.

    Raises:
        ConflictError: it could be either.
    """
    digits = argument.removeprefix(RUN)
    if not digits.isdecimal():
        return None
    if digits != argument:
        return int(digits)
    with open_services() as core:
        is_run = core.store.runs.get(int(digits)) is not None
        is_memory = len(digits) >= _MIN_ID_CHARS and bool(core.store.memories.find(digits))
    if is_run and is_memory:
        raise ConflictError(
            f"{argument} is both a run and a memory: use {RUN}{argument} for the run, or more "
            "characters of the memory's id"
        )
    return None if is_memory else int(digits)


def _run(phases: Sequence[str], since: str | None, *, dry_run: bool, as_json: bool) -> None:
    from aforesaid.operations.automatic_backup import back_up_daily
    from aforesaid.operations.maintenance import maintenance_lock, make_maintenance_runner
    from aforesaid.operations.maintenance_schedule import ONE_CORE

    os.environ |= ONE_CORE
    with open_services() as core:
        since_ms = None if since is None else core.dates.read(since, "since").start
        core.embedder.load()
        maintenance = make_maintenance_runner(
            core.store, core.settings, os.environ, core.get_embedder
        )
        with nullcontext() if dry_run else maintenance_lock(core.settings), status_line() as show:
            total = 0

            def show_phase(phase: str, count: int) -> None:
                nonlocal total
                total += count
                show(f"Maintenance: {phase}, {total}")

            if dry_run:
                report = maintenance.dry_run(phases, since=since_ms, progress=show_phase)
            else:
                show("Backing up")
                back_up_daily(core.store, core.settings, os.environ)
                core.writer.embed_missing(sys.maxsize)
                report = maintenance.run(phases, since=since_ms, progress=show_phase)
        _show_report(core, report, as_json=as_json)


# -- output


def _show_report(core: ServiceContainer, report: Report, *, as_json: bool) -> None:
    run = report.run
    keys = {key for phase in report.examples.values() for item in phase for key in item.keys}
    short_ids = core.store.memories.short_ids(keys)
    rows: list[dict[str, Any]] = []
    for phase in run.phases:
        examples = [
            " ".join([item.what, *(f"[{short_ids[key]}]" for key in item.keys if key in short_ids)])
            + (f" {item.detail}" if item.detail else "")
            for item in report.examples.get(phase, ())
            if item.keys or item.detail
        ]
        rows.append({"phase": phase, "did": run.counts.get(phase, {}), "examples": examples})
    if as_json:
        number = {} if report.is_dry_run else {"run": run.key}
        show_json({**number, "dry_run": report.is_dry_run, "phases": rows, "notes": run.notes})
        return
    incomplete = {note.partition(":")[0] for note in run.notes}
    for row in rows:
        row["did"] = describe_counts(row["phase"], row["did"]) or (
            "not done" if row["phase"] in incomplete else "none"
        )
        row["examples"] = "; ".join(row["examples"][:_MAX_EXAMPLES])
    show_table(rows, ("phase", "did", "examples"), labels=_LABELS)
    for note in run.notes:
        echo_wrapped(note, err=True)
    if report.is_dry_run:
        click.echo("Dry run: nothing was changed.")
    elif run.is_finished:
        resumed = " It resumed an interrupted run." if report.is_resumed else ""
        changed = bool(core.store.runs.steps(run.key))
        hint = f"Undo it with: aforesaid undo {run.key}" if changed else "It changed nothing."
        echo_wrapped(f"Run {run.key} is complete.{resumed} {hint}")
    elif run.ended_at is None:
        echo_wrapped(f"Run {run.key} is incomplete. Resume it with: aforesaid tend")
    else:
        echo_wrapped(f"Run {run.key} was abandoned. Start a new one with: aforesaid tend")


def _run_row(run: Run, changed: set[str]) -> dict[str, Any]:
    changes = [
        f"{phase}: {describe_counts(phase, counts)}"
        for phase, counts in run.counts.items()
        if counts and phase in changed
    ]
    return {
        "run": run.key,
        "started": to_iso(run.started_at),
        "by": run.by,
        "state": state_of(run),
        "did": "; ".join(changes) or "nothing",
        "notes": run.notes,
    }


def _show_run(core: ServiceContainer, number: int, *, as_json: bool) -> None:
    run = core.store.runs.get(number)
    if run is None:
        raise NotFoundError(f"there is no run {number}: `aforesaid runs` lists them")
    steps = core.store.runs.steps(number)
    short_ids = core.store.memories.short_ids({key for step in steps for key in step.memories})
    rows = [
        {
            "step": step.key,
            "at": to_iso(step.at),
            "phase": step.phase,
            "state": "undone" if step.undone_at is not None else "",
            "did": describe_counts(step.phase, step.counts),
            "memories": [short_ids[key] for key in step.memories if key in short_ids],
        }
        for step in steps
    ]
    if as_json:
        show_json({"steps": rows, "notes": run.notes})
        return
    show_table(rows, ("step", "at", "phase", "state", "did", "memories"), labels=_LABELS)
    if not rows:
        click.echo("This run changed nothing.")
    for note in run.notes:
        echo_wrapped(note)


def _show_undone(result: UndoResult, left: list[str]) -> None:
    click.echo(f"Run {result.run.key} was undone: {pluralize(result.steps, 'step')} reverted.")
    if left:
        echo_wrapped(f"Not reverted, because they changed since: {', '.join(left)}", err=True)
