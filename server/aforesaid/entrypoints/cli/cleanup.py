"""``cleanup``: what is no longer believed nor used is erased, after it was counted and asked."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import click

from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, confirm, echo_wrapped, show_json, show_table
from .progress import progress

if TYPE_CHECKING:
    from aforesaid.services.maintenance.cleanup import Candidate
    from aforesaid.wiring.container import ServiceContainer

_SHOWN = 10


@aforesaid.command()
@click.option("--dry-run", is_flag=True, help="Only count and show.")
@click.option("--yes", is_flag=True, help="Erase without asking.")
@as_json
def cleanup(*, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Erase what is hardly believed and was not used for long.

    It cannot be undone, so it never happens by itself. What is pinned is left alone, and so is
    what a summary stands for.
    """
    from aforesaid.operations.maintenance import maintenance_lock, thresholds
    from aforesaid.services.maintenance.cleanup import Cleanup
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        cleaner = Cleanup(core.store, core.clock, core.curate, thresholds(core.settings))
        found = cleaner.find()
        erased = 0
        if not as_json:
            _show(core, found)
        if found and not dry_run:
            confirm(f"Erase {len(found)} for good?", yes=yes, why="erasing cannot be undone")
            with maintenance_lock(core.settings), progress("Erasing", len(found)) as bar:
                erased = cleaner.erase(found, bar.update)
        if as_json:
            show_json({"found": len(found), **_counts(core, found), "erased": erased})
        elif erased:
            click.echo(f"{erased} erased.")
    finally:
        core.close()


def _counts(core: ServiceContainer, found: list[Candidate]) -> dict[str, dict[str, int]]:
    names = {one.key: one.name for one in core.store.projects.list_all()}
    return {
        "by_type": dict(Counter(one.type for one in found)),
        "by_project": dict(Counter(names.get(one.project, "global") for one in found)),
    }


def _show(core: ServiceContainer, found: list[Candidate]) -> None:
    if not found:
        click.echo("Nothing is due: all that is doubtful is young, in use or pinned.")
        return
    counts = _counts(core, found)
    said = ", ".join(f"{count} {name}" for name, count in counts["by_type"].items())
    where = ", ".join(f"{count} in {name}" for name, count in counts["by_project"].items())
    echo_wrapped(f"{pluralize(len(found), 'memory is', 'memories are')} due: {said}; {where}.")
    shown = found[:_SHOWN]
    short = core.store.memories.short_ids([one.key for one in shown])
    rows = [{"id": short[one.key], "type": one.type, "memory": one.preview} for one in shown]
    show_table(rows, ("id", "type", "memory"))
    if len(found) > len(shown):
        click.echo(f"... and {len(found) - len(shown)} more")
