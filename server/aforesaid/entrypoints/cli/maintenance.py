"""``tend``, ``compact``, ``runs``, ``undo``: maintenance, what it did, and taking it back."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import ConflictError, NotFoundError
from aforesaid.domain.maintenance.run import PHASES
from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, call_tool, echo_wrapped, print_fields, show_json, show_table
from .progress import progress, tally

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.maintenance.run import Report, Run
    from aforesaid.services.maintenance.runner import UndoResult
    from aforesaid.wiring.container import ServiceContainer

RUN = "run:"  #: before the number of a run, where it could be an id as well
_SHOWN = 5  #: examples of a phase

_dry = click.option("--dry-run", is_flag=True, help="Only say what would be done.")


@aforesaid.command()
@_dry
@click.option(
    "--phase",
    "phases",
    multiple=True,
    type=click.Choice(PHASES),
    metavar="PHASE",
    help=f"Only this phase (may be repeated): {', '.join(PHASES)}.",
)
@click.option("--since", help="Look only at what was stored then or later: a date or plain words.")
@as_json
def tend(phases: tuple[str, ...], since: str | None, *, dry_run: bool, as_json: bool) -> None:
    """Keep the store true: file, link, sum up, set aside.

    It happens by itself once a day when a session starts. Nothing is erased, and `aforesaid undo
    RUN` takes all of it back.
    """
    _tend(phases or PHASES, since, dry_run=dry_run, as_json=as_json)


@aforesaid.command()
@_dry
@as_json
def compact(*, dry_run: bool, as_json: bool) -> None:
    """Sum up old events week by week, which `aforesaid tend` does too."""
    _tend(("compaction",), None, dry_run=dry_run, as_json=as_json)


@aforesaid.command()
@click.argument("number", metavar="[RUN]", type=int, required=False)
@click.option("-n", "--limit", default=20, show_default=True, type=click.IntRange(1, 1_000))
@as_json
def runs(number: int | None, limit: int, *, as_json: bool) -> None:
    """List the runs of maintenance, or what RUN did step by step."""
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        if number is not None:
            _show_run(core, number, as_json=as_json)
            return
        rows = [_row(one) for one in core.store.runs.latest(limit)]
    finally:
        core.close()
    if as_json:
        show_json({"runs": rows})
        return
    show_table(rows, ("run", "started", "by", "state", "did", "notes"))
    if not rows:
        click.echo("The store was not tended yet.")


@aforesaid.command()
@click.argument("what", metavar="ID|RUN")
@as_json
def undo(what: str, *, as_json: bool) -> None:
    """Bring back a forgotten memory, or take back a run.

    The memory has this ID; RUN is one of maintenance, as `aforesaid runs` lists them.
    """
    number = _run_number(what)
    if number is None:
        answer = call_tool("update_memory", {"id": what, "restore": True})
        show_json(answer) if as_json else print_fields(answer)
        return
    from aforesaid.operations.maintenance import maintenance_lock, make_tend
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        steps = len(core.store.runs.steps(number))
        with maintenance_lock(core.settings), progress("Undoing", steps) as bar:
            done = make_tend(core.store, core.settings, os.environ, core.embed).undo(
                number, bar.update
            )
        left = sorted(core.store.memories.short_ids(done.left).values())
    finally:
        core.close()
    _show_undone(done, left, as_json=as_json)


def _run_number(what: str) -> int | None:
    """Return the run that is meant, None for a memory.

    Raises:
        ConflictError: it may be either.
    """
    digits = what.removeprefix(RUN)
    if not digits.isdecimal():
        return None
    if digits != what:
        return int(digits)
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        is_run = core.store.runs.get(int(digits)) is not None
        is_memory = len(digits) > 3 and bool(core.store.memories.find(digits))  # noqa: PLR2004 - an id's
    finally:
        core.close()
    if is_run and is_memory:
        raise ConflictError(
            f"{what} is a run and a memory: say {RUN}{what}, or more characters of the id"
        )
    return None if is_memory else int(digits)


def _tend(phases: Sequence[str], since: str | None, *, dry_run: bool, as_json: bool) -> None:
    from contextlib import nullcontext

    from aforesaid.operations.automatic_backup import back_up_daily
    from aforesaid.operations.maintenance import maintenance_lock, make_tend
    from aforesaid.operations.maintenance_schedule import ONE_CORE
    from aforesaid.wiring.container import ServiceContainer

    os.environ |= ONE_CORE
    core = ServiceContainer(os.environ)
    try:
        from_time = None if since is None else core.dates.read(since, "since").start
        core.embedder.load()
        tending = make_tend(core.store, core.settings, os.environ, core.embed)
        with nullcontext() if dry_run else maintenance_lock(core.settings), tally() as tell:
            done = 0

            def show(phase: str, count: int) -> None:
                nonlocal done
                done += count
                tell(f"Tending: {phase}, {done}")

            if dry_run:
                report = tending.dry_run(phases, since=from_time, tell=show)
            else:
                tell("Backing up")
                back_up_daily(core.store, core.settings, os.environ)
                core.remember.embed_missing(sys.maxsize)
                report = tending.run(phases, since=from_time, tell=show)
        _show_report(core, report, as_json=as_json)
    finally:
        core.close()


# -- how it is shown


def _show_report(core: ServiceContainer, report: Report, *, as_json: bool) -> None:
    run = report.run
    keys = {key for some in report.examples.values() for one in some for key in one.keys}
    short = core.store.memories.short_ids(keys)
    rows: list[dict[str, Any]] = []
    for phase in run.phases:
        examples = [
            " ".join([one.what, *(f"[{short[key]}]" for key in one.keys if key in short)])
            + (f" {one.detail}" if one.detail else "")
            for one in report.examples.get(phase, ())
            if one.keys or one.detail
        ]
        rows.append({"phase": phase, "did": run.counts.get(phase, {}), "examples": examples})
    if as_json:
        told = {} if report.dry else {"run": run.key}
        show_json({**told, "dry_run": report.dry, "phases": rows, "notes": run.notes})
        return
    noted = {note.partition(":")[0] for note in run.notes}
    for row in rows:
        nothing = "not done" if row["phase"] in noted else "nothing to do"
        row["did"] = _counts(row["did"]) or nothing
        row["examples"] = "; ".join(row["examples"][:_SHOWN])
    show_table(rows, ("phase", "did", "examples"))
    for note in run.notes:
        echo_wrapped(note, err=True)
    if report.dry:
        click.echo("Nothing was changed: this is what a run would do.")
    elif run.finished:
        went_on = " It went on where an earlier one stopped." if report.continued else ""
        changed = bool(core.store.runs.steps(run.key))
        then = f"`aforesaid undo {run.key}` takes it back" if changed else "Nothing is to be undone"
        echo_wrapped(f"Run {run.key} is done.{went_on} {then}.")
    elif run.ended_at is None:
        echo_wrapped(f"Run {run.key} is not at its end: `aforesaid tend` goes on.")
    else:
        echo_wrapped(f"Run {run.key} is given up: `aforesaid tend` begins a new one.")


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {what}" for what, count in counts.items())


def _row(run: Run) -> dict[str, Any]:
    from aforesaid.domain.text.timestamps import to_iso

    did = [f"{phase}: {_counts(some)}" for phase, some in run.counts.items() if some]
    return {
        "run": run.key,
        "started": to_iso(run.started_at),
        "by": run.by,
        "state": _state(run),
        "did": "; ".join(did) or "nothing",
        "notes": run.notes,
    }


def _state(run: Run) -> str:
    if run.undone_at is not None:
        return "undone"
    return "done" if run.finished else "stopped" if run.ended_at is None else "given up"


def _steps(core: ServiceContainer, number: int) -> list[dict[str, Any]]:
    from aforesaid.domain.text.timestamps import to_iso

    found = core.store.runs.steps(number)
    short = core.store.memories.short_ids({key for one in found for key in one.memories})
    return [
        {
            "step": one.key,
            "at": to_iso(one.at),
            "phase": one.phase,
            "state": "undone" if one.undone_at is not None else "",
            "did": _counts(one.counts),
            "memories": [short[key] for key in one.memories if key in short],
        }
        for one in found
    ]


def _show_run(core: ServiceContainer, number: int, *, as_json: bool) -> None:
    run = core.store.runs.get(number)
    if run is None:
        raise NotFoundError(f"there is no run {number}: `aforesaid runs` lists them")
    rows = _steps(core, number)
    if as_json:
        show_json({"steps": rows, "notes": run.notes})
        return
    show_table(rows, ("step", "at", "phase", "state", "did", "memories"))
    if not rows:
        click.echo("It changed nothing.")
    for note in run.notes:
        echo_wrapped(note)


def _show_undone(done: UndoResult, left: list[str], *, as_json: bool) -> None:
    if as_json:
        show_json({"run": done.run.key, "steps": done.steps, "left": left})
        return
    click.echo(f"Run {done.run.key} is undone: {pluralize(done.steps, 'step')} taken back.")
    if left:
        echo_wrapped(
            f"Left as they are, since they were changed again: {', '.join(left)}", err=True
        )
