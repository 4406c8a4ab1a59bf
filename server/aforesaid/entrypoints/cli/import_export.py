"""Bulk ways in and out: ``import`` and ``export``."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from aforesaid.adapters.importers import FORMS
from aforesaid.domain.model.export_record import NEWER, ON_CONFLICT
from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, echo_wrapped, say_redacted, show_json
from .import_from import gather
from .progress import progress, tally
from .signals import clean_exit

if TYPE_CHECKING:
    from aforesaid.entrypoints.api.bulk_import import BulkImportResult
    from aforesaid.services.transfer.merge import MergeResult
    from aforesaid.wiring.container import ServiceContainer


@aforesaid.command("import")
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.option(
    "--from",
    "form",
    type=click.Choice(["jsonl", *FORMS]),
    metavar="PROGRAM",
    default="jsonl",
    show_default=True,
    help="; ".join(f"{form}: {what}" for form, what in FORMS.items()) + ".",
)
@click.option("--project", help="Where what names no project goes; made if new.")
@click.option("--dry-run", is_flag=True, help="Only count what is new (with --from).")
@click.option(
    "--on-conflict",
    type=click.Choice(ON_CONFLICT),
    help="Of an export, where a memory here says something else: skip it, let the newer stand, "
    "or keep both.",
)
@as_json
def import_file(
    file: str | None,
    form: str,
    project: str | None,
    on_conflict: str | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Store the memories of a file, or of another program.

    FILE.jsonl has one JSON object a line, as for store_memory.

    A line may name its `project` (made if new); its `provenance` is `import` unless it says
    otherwise. A line that cannot be stored is named and stops no other.

    A file that `aforesaid export` wrote is restored as it was, into an empty store; with
    --on-conflict it is added to what is here, each memory by its id. So is Markdown (FILE.md, or a
    folder) that `aforesaid export --format markdown` wrote: of a text that you changed there, the
    former one stays as a version. What you forgot or erased here stays away.

    With --from, FILE is what another program keeps (where it lies if left out): each thing comes in
    once, marked `import`, through the same gates; a changed one as a new version. Nothing is ever
    written there, and it may be said again at any time.
    """
    if form != "jsonl":
        gather(form, file, project, dry_run=dry_run, as_json=as_json)
        return
    if dry_run:
        raise click.UsageError("--dry-run goes with --from a program")
    if file is None:
        raise click.UsageError("name a FILE, or say --from which program")
    if os.path.isdir(file) or file.endswith(".md"):
        _import_markdown(file, on_conflict or NEWER, as_json=as_json)
        return
    from aforesaid.adapters.system.user_files import open_regular
    from aforesaid.entrypoints.api.bulk_import import MAX_BYTES, import_stream
    from aforesaid.operations.client_connection import ClientConnection
    from aforesaid.services.projects.registry import named_place

    stream = sys.stdin.buffer if file == "-" else open_regular(file, MAX_BYTES)
    size = 0 if file == "-" else os.fstat(stream.fileno()).st_size
    conversation = ClientConnection(os.environ)
    core = conversation.core
    here = conversation.place() if project is None else named_place(core.projects.named(project))
    with stream, progress("Importing", size) as bar:

        def show(_line: int) -> None:
            if size:
                bar.update(stream.tell() - bar.pos)

        done = import_stream(core, stream, here, show, on_conflict=on_conflict)
    core.close()
    _show(done, as_json=as_json)
    if done.imported.refused or (done.merged is not None and done.merged.refused):
        raise SystemExit(1)


def _import_markdown(path: str, on_conflict: str, *, as_json: bool) -> None:
    from aforesaid.entrypoints.api.bulk_import import BulkImportResult
    from aforesaid.operations.merge_stores import merge_markdown
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        with tally() as tell:
            merged = merge_markdown(core, path, on_conflict, lambda n: tell(_memories(n)))
    finally:
        core.close()
    _show(BulkImportResult(merged=merged), as_json=as_json)
    if merged.refused:
        raise SystemExit(1)


def _memories(count: int) -> str:
    return pluralize(count, "memory", "memories")


def _show_merged(merged: MergeResult, done: BulkImportResult, *, as_json: bool) -> None:
    refused = [{"id": one, "why": why} for one, why in merged.refused]
    carried = {} if done.carried is None else done.carried.as_dict()
    if as_json:
        told = {**merged.as_dict(), "refused": refused}
        if done.carried is not None:
            told |= {"brought": carried, "left_out": done.left_out, "redacted": done.redacted}
        show_json(told)
        return
    said = [f"{merged.stored} stored"]
    said += [f"{getattr(merged, name)} {what}" for name, what in _MERGED if getattr(merged, name)]
    echo_wrapped(", ".join(said))
    if any(carried.values()):
        came = (pluralize(carried[name], *what) for name, what in _CARRIED.items() if carried[name])
        echo_wrapped(f"with them: {', '.join(came)}")
    if done.left_out:
        left = (pluralize(count, *_LEFT_OUT[name]) for name, count in done.left_out.items())
        echo_wrapped(f"left in the file: {', '.join(left)}")
    say_redacted(done.redacted)
    for one in refused[:_MAX_SHOWN]:
        echo_wrapped(f"{one['id']}: {one['why']}", hang=2, err=True)
    if len(refused) > _MAX_SHOWN:
        echo_wrapped(f"and {len(refused) - _MAX_SHOWN} more (--json lists all)", hang=2, err=True)


_MAX_SHOWN = 20  #: refusals
_MERGED = (
    ("replaced", "newer than what was here"),
    ("kept", "left, since what is here stands"),
    ("both", "beside what was here"),
    ("known", "known already"),
    ("recognised", "said by another already"),
    ("let_go", "left out (forgotten or erased here)"),
    ("linked", "linked"),
)


#: What came along and what stayed, each for one and for many.
_CARRIED = {
    "versions": ("former version", "former versions"),
    "uses": ("memory's use", "memories' use"),
    "anchors": ("cited file", "cited files"),
    "details": ("detail", "details"),
    "summed_up": ("memory behind a summary", "memories behind summaries"),
    "tasks": ("task", "tasks"),
    "names": ("further name", "further names"),
    "overviews": ("overview", "overviews"),
}
_LEFT_OUT = {
    "forgotten": ("forgotten memory", "forgotten memories"),
    "versions": ("version of what is known here", "versions of what is known here"),
    "erased": ("hash of an erased text", "hashes of erased texts"),
    "sessions": ("session", "sessions"),
    "offers": ("offer", "offers"),
}


def _show(done: BulkImportResult, *, as_json: bool) -> None:
    """Print what an import did."""
    if done.merged is not None:
        _show_merged(done.merged, done, as_json=as_json)
        return
    told = done.imported
    if done.restored is not None:
        if as_json:
            show_json({"restored": done.restored, "redacted": done.redacted})
        else:
            click.echo(f"{_memories(done.restored.get('memories', 0))} restored")
            say_redacted(done.redacted)
        return
    if as_json:
        refused = [{"line": number, "why": why} for number, why in told.refused]
        counts = {name: getattr(told, name) for name in ("stored", "recognised", "erased_before")}
        show_json({**counts, "refused": refused, "without_folder": list(done.without_folder)})
        return
    click.echo(
        f"{told.stored} stored, {told.recognised} known already, {len(told.refused)} refused"
        + (f", {told.erased_before} left out (erased before)" if told.erased_before else "")
    )
    for name in done.without_folder:
        echo_wrapped(
            f"no folder is known to be {name} yet: aforesaid projects map FOLDER "
            f"{shlex.quote(name)}",
            hang=2,
        )
    for number, why in told.refused[:_MAX_SHOWN]:
        echo_wrapped(f"line {number}: {why}", hang=2, err=True)
    if len(told.refused) > _MAX_SHOWN:
        more = len(told.refused) - _MAX_SHOWN
        echo_wrapped(f"and {pluralize(more, 'more line')} (--json lists all)", hang=2, err=True)


@aforesaid.command("export")
@click.argument("file", type=click.Path(allow_dash=True), default="-")
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "markdown"]),
    default="jsonl",
    show_default=True,
    help="jsonl: everything, a row a line; markdown: what is in force, to read and edit.",
)
@click.option("--force", is_flag=True, help="Overwrite files that are there.")
@as_json
def export(file: str, form: str, *, force: bool, as_json: bool) -> None:
    """Write everything that is remembered to FILE.

    One row a line; without FILE, to standard output. A file that is there stays as it is, unless
    --force says to overwrite it, and is replaced only when the new one is complete.

    The file holds all of it, what was forgotten too, and the key that erased texts are known by:
    keep it as private as the store. `aforesaid import FILE` restores it into an empty store.

    As Markdown, FILE is a folder, which gets a file for each project, and one for what is global.
    """
    from aforesaid.wiring.container import ServiceContainer

    if as_json and file == "-":
        raise click.UsageError("--json tells what was written: name a FILE")
    if form == "markdown" and file == "-":
        raise click.UsageError("Markdown goes to a folder: name one")
    if form == "jsonl" and os.path.isdir(file):
        raise click.UsageError(f"{file} is a folder: name a FILE in it, or say --format markdown")
    core = ServiceContainer(os.environ)
    write = _write_markdown if form == "markdown" else _write_rows
    try:
        with clean_exit():
            done = write(core, file, overwrite=force)
    finally:
        core.close()
    if file == "-":
        return
    if as_json:
        show_json({"written": os.path.abspath(file), **done})
    else:
        where = os.path.realpath(file) if os.path.islink(file) else file
        echo_wrapped(f"{_memories(done.get('memories', 0))} written to {where}", err=True)


def _write_rows(core: ServiceContainer, file: str, *, overwrite: bool) -> dict[str, Any]:
    from aforesaid.adapters.system.user_files import write_whole
    from aforesaid.services.transfer.export_archive import export_lines

    core.write_uses()
    lines = export_lines(core.store)
    if file == "-":
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")  # type: ignore[union-attr]
        for line in lines:
            sys.stdout.write(line)
        return {}
    count = 0
    with (
        write_whole(file, overwrite=overwrite, database=core.store.path) as target,
        progress(
            "Exporting", core.store.dump.count_rows() + 2, iterable=lines, update_min_steps=500
        ) as bar,
    ):
        for line in bar:
            target.write(line)
            count += 1
    return {"rows": count - 2, "memories": core.store.dump.count_memories()}


def _write_markdown(core: ServiceContainer, folder: str, *, overwrite: bool) -> dict[str, Any]:
    from aforesaid.operations.export_markdown import write_markdown

    with tally() as tell:
        files = write_markdown(
            core.store, folder, lambda n: tell(_memories(n)), overwrite=overwrite
        )
    return {"files": files, "memories": sum(files.values())}
