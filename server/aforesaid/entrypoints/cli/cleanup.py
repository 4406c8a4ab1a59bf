"""``cleanup``: erases memories of very low confidence that were unused for long, after asking."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, confirm, echo_wrapped, open_services, show_json, show_table
from .progress import progress

if TYPE_CHECKING:
    from aforesaid.services.maintenance.cleanup import Candidate
    from aforesaid.wiring.container import ServiceContainer

_MAX_ROWS = 10


@aforesaid.command()
@click.option("--dry-run", is_flag=True, help="List what would be erased, erase nothing.")
@click.option("--yes", is_flag=True, help="Erase without asking.")
@as_json
def cleanup(*, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Erase unused memories of very low confidence.

    This cannot be undone, so it never happens automatically. Pinned memories and memories replaced
    by a summary are kept.
    """
    from aforesaid.operations.maintenance import maintenance_lock, thresholds
    from aforesaid.services.maintenance.cleanup import Cleanup

    with open_services() as core:
        cleaner = Cleanup(core.store, core.clock, core.forgetter, thresholds(core.settings))
        candidates = cleaner.find()
        erased = 0
        if not as_json:
            _show(core, candidates)
        if candidates and not dry_run:
            count = pluralize(len(candidates), "memory", "memories")
            confirm(f"Erase {count} for good?", yes=yes, reason="erasing cannot be undone")
            with maintenance_lock(core.settings), progress("Erasing", len(candidates)) as bar:
                erased = cleaner.erase(candidates, bar.update)
        if as_json:
            show_json({"found": len(candidates), **_counts(core, candidates), "erased": erased})
        elif erased:
            click.echo(f"{erased} erased.")


def _counts(core: ServiceContainer, candidates: list[Candidate]) -> dict[str, dict[str, int]]:
    names = {project.key: project.name for project in core.store.projects.list_all()}
    return {
        "by_type": dict(Counter(memory.type for memory in candidates)),
        "by_project": dict(Counter(names.get(memory.project, "global") for memory in candidates)),
    }


def _show(core: ServiceContainer, candidates: list[Candidate]) -> None:
    if not candidates:
        click.echo("Nothing to clean up.")
        return
    counts = _counts(core, candidates)
    types = ", ".join(f"{count} {name}" for name, count in counts["by_type"].items())
    projects = ", ".join(f"{count} in {name}" for name, count in counts["by_project"].items())
    total = pluralize(len(candidates), "memory", "memories")
    echo_wrapped(f"{total} to erase: {types}; {projects}.")
    shown = candidates[:_MAX_ROWS]
    short_ids = core.store.memories.short_ids([memory.key for memory in shown])
    rows = [
        {"id": short_ids[memory.key], "type": memory.type, "memory": memory.preview}
        for memory in shown
    ]
    show_table(rows, ("id", "type", "memory"))
    if len(candidates) > len(shown):
        click.echo(f"... and {len(candidates) - len(shown)} more")
