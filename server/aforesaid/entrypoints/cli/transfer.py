"""Bulk ways in and out: ``import`` and ``export``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from aforesaid.adapters.foreign import FORMS
from aforesaid.domain.errors import InvalidInputError

from .asking import as_json, show_json
from .gathering import gather
from .group import aforesaid

if TYPE_CHECKING:
    from aforesaid.entrypoints.importing import Brought


@aforesaid.command("import")
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.option(
    "--from",
    "form",
    type=click.Choice(["jsonl", *FORMS]),
    default="jsonl",
    show_default=True,
    help="; ".join(f"{form}: {what}" for form, what in FORMS.items()) + ".",
)
@click.option("--project", help="Where what names no project goes; made if new.")
@click.option("--dry-run", is_flag=True, help="Only count what is new (with --from).")
@as_json
def import_file(
    file: str | None, form: str, project: str | None, *, dry_run: bool, as_json: bool
) -> None:
    """Store the memories of FILE.jsonl: one JSON object a line, as for store_memory.

    A line may name its `project` (made if new); its `provenance` is `import` unless it says
    otherwise. A line that cannot be stored is named and stops no other.

    A file that `aforesaid export` wrote is restored as it was, into an empty store.

    With --from, FILE is what another program keeps (where it lies if left out): each thing comes in
    once, marked `import`, through the same gates; a changed one as a new version. Nothing is ever
    written there, and it may be said again at any time.
    """
    if form != "jsonl":
        gather(form, file, project, dry_run=dry_run, as_json=as_json)
        return
    if file is None or dry_run:
        raise click.UsageError("FILE is needed, and --dry-run needs --from a program")
    if file != "-" and not os.path.isfile(file):
        raise InvalidInputError(f"there is no file at {file}")
    from aforesaid.entrypoints.importing import import_stream
    from aforesaid.entrypoints.requests import named_place
    from aforesaid.wiring.server import Conversation

    conversation = Conversation(os.environ)
    core = conversation.core
    here = conversation.place() if project is None else named_place(core.projects.named(project))
    size = 0 if file == "-" else os.path.getsize(file)
    stream = sys.stdin.buffer if file == "-" else open(file, "rb")  # noqa: SIM115 - closed below
    with stream, click.progressbar(length=size, label="Importing", file=sys.stderr) as bar:

        def show(_line: int) -> None:
            if size:
                bar.update(stream.tell() - bar.pos)

        done = import_stream(core, stream, here, show)
    core.close()
    _show(done, as_json=as_json)
    if done.imported.refused:
        raise SystemExit(1)


def _show(done: Brought, *, as_json: bool) -> None:
    """Print what an import did."""
    told = done.imported
    if done.restored is not None:
        if as_json:
            show_json({"restored": done.restored})
        else:
            click.echo(f"{done.restored.get('memories', 0)} memories restored")
        return
    if as_json:
        refused = [{"line": number, "why": why} for number, why in told.refused]
        counts = {name: getattr(told, name) for name in ("stored", "recognised", "erased_before")}
        show_json({**counts, "refused": refused})
        return
    click.echo(
        f"{told.stored} stored, {told.recognised} known already, {len(told.refused)} refused"
        + (f", {told.erased_before} left out (erased before)" if told.erased_before else "")
    )
    for number, why in told.refused:
        click.echo(f"line {number}: {why}", err=True)


@aforesaid.command("export")
@click.argument("file", type=click.File("w", encoding="utf-8", lazy=True), default="-")
def export(file: Any) -> None:
    """Write everything that is remembered to FILE (default: standard output), one row a line.

    The file holds all of it, what was forgotten too, and the key that erased texts are known by:
    keep it as private as the store. `aforesaid import FILE` restores it into an empty store.
    """
    from aforesaid.services.sources.archive import export_lines
    from aforesaid.wiring.core import Core

    core = Core(os.environ)
    for line in export_lines(core.store):
        file.write(line)
    core.close()
