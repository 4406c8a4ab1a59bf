"""``import`` and ``export``: memories in bulk."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from aforesaid.adapters.importers import PROGRAMS
from aforesaid.domain.model.export_record import NEWER, ON_CONFLICT
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import as_json, echo_wrapped, open_connection, open_services, show_json, show_redacted
from .import_from import (
    HOW_TO_CONFIRM,
    describe_for_all,
    describe_places,
    import_program,
    target_project,
)
from .progress import progress, status_line
from .signals import clean_exit
from .tool_names import tool_calls_to_commands

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.entrypoints.api.bulk_import import BulkImportResult
    from aforesaid.services.transfer.merge import MergeResult
    from aforesaid.wiring.container import ServiceContainer

_MAX_REFUSED = 20  #: refused records that are printed
#: Counts of a merge, with words for people.
_MERGE_COUNTS = (
    ("replaced", "replaced by a newer text"),
    ("kept", "kept as they are here"),
    ("both", "added beside a different text here"),
    ("known", "already here"),
    ("recognised", "already stored under another id"),
    ("let_go", "skipped (forgotten or erased here)"),
    ("linked", "linked"),
)
#: Data merged with new memories, and data not merged: singular and plural.
_CARRIED = {
    "versions": ("former version", "former versions"),
    "uses": ("memory's usage", "memories' usage"),
    "anchors": ("cited file", "cited files"),
    "details": ("detail", "details"),
    "summed_up": ("compacted memory", "compacted memories"),
    "tasks": ("task", "tasks"),
    "names": ("alias", "aliases"),
    "overviews": ("overview", "overviews"),
}
_LEFT_OUT = {
    "forgotten": ("forgotten memory", "forgotten memories"),
    "versions": ("version of a memory that is here", "versions of memories that are here"),
    "erased": ("hash of an erased text", "hashes of erased texts"),
    "sessions": ("session", "sessions"),
    "offers": ("suggestion", "suggestions"),
}


@aforesaid.command("import")
@click.argument("file", required=False, type=click.Path(allow_dash=True))
@click.option(
    "--from",
    "program",
    type=click.Choice(list(PROGRAMS)),
    metavar="PROGRAM",
    help="; ".join(f"{program}: {source}" for program, source in PROGRAMS.items()) + ".",
)
@click.option("--project", help="The project of memories that name none; created if new.")
@click.option("--dry-run", is_flag=True, help="With --from: only count what is new.")
@click.option(
    "--on-conflict",
    type=click.Choice(ON_CONFLICT),
    help="If a memory of an export differs from the one here: skip it, let the newer one replace "
    "the older, or keep both.",
)
@as_json
def import_file(
    file: str | None,
    program: str | None,
    project: str | None,
    on_conflict: str | None,
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Import memories from a file or another program.

    FILE.jsonl has one JSON object per line, with the parameters of store_memory.

    A line may name its `project` (created if new); its `provenance` is `import` unless the line
    says otherwise. A line that cannot be stored is reported, and the others are imported.

    A file that `aforesaid export` wrote is restored as it was, if the store is empty; with
    --on-conflict it is merged into the store, memory by memory. Markdown (FILE.md, or a folder)
    that `aforesaid export --format markdown` wrote is also merged: if you edited a text there, the
    old one is kept as a version. Memories that you forgot or erased here are skipped.

    With --from, FILE is the other program's file (default: its usual place). Each entry is imported
    once with the provenance `import`, and a changed entry as a new version. The source is never
    written to, and you can repeat the import at any time.
    """
    if program is not None:
        import_program(program, file, project, dry_run=dry_run, as_json=as_json)
        return
    if dry_run:
        raise click.UsageError("--dry-run requires --from PROGRAM")
    if file is None:
        raise click.UsageError("nothing to import: name a FILE, or a program with --from")
    if os.path.isdir(file) or file.endswith(".md"):
        _import_markdown(file, on_conflict or NEWER, as_json=as_json)
        return
    from aforesaid.adapters.system.user_files import open_regular
    from aforesaid.entrypoints.api.bulk_import import MAX_BYTES, import_stream

    stream = sys.stdin.buffer if file == "-" else open_regular(file, MAX_BYTES)
    size_bytes = 0 if file == "-" else os.fstat(stream.fileno()).st_size
    with open_connection(storing=True) as connection:
        core = connection.core
        target = target_project(connection, project)
        with stream, progress("Importing", size_bytes) as bar:

            def advance(_line: int) -> None:
                if size_bytes:
                    bar.update(stream.tell() - bar.pos)

            result = import_stream(core, stream, target, advance, on_conflict=on_conflict)
    _show(result, describe_for_all(result.imported.for_all, target), as_json=as_json)
    if result.imported.refused or (result.merged is not None and result.merged.refused):
        raise SystemExit(1)


def _import_markdown(path: str, on_conflict: str, *, as_json: bool) -> None:
    from aforesaid.entrypoints.api.bulk_import import BulkImportResult
    from aforesaid.operations.merge_stores import merge_markdown

    with open_services(storing=True) as core, status_line() as show:
        merged = merge_markdown(core, path, on_conflict, lambda count: show(_memories(count)))
    _show(BulkImportResult(merged=merged), as_json=as_json)
    if merged.refused:
        raise SystemExit(1)


def _memories(count: int) -> str:
    return pluralize(count, "memory", "memories")


def _show(result: BulkImportResult, note: str = "", *, as_json: bool) -> None:
    from aforesaid.entrypoints.api.bulk_import import plain_result

    if as_json:
        show_json({**plain_result(result), **({"note": note} if note else {})})
    elif result.merged is not None:
        _show_merged(result.merged, result)
    elif result.restored is not None:
        click.echo(f"{_memories(result.restored.get('memories', 0))} restored")
        show_redacted(result.redacted)
    else:
        _show_imported(result, note)


def _show_imported(result: BulkImportResult, note: str) -> None:
    imported = result.imported
    erased = imported.erased_before
    echo_wrapped(
        f"{imported.stored} stored{describe_places(imported.by_project)}, "
        f"{imported.recognised} already known, {len(imported.refused)} refused"
        + (f", {erased} skipped (erased before)" if erased else "")
    )
    if note:
        echo_wrapped(note)
    if imported.unconfirmed:
        echo_wrapped(HOW_TO_CONFIRM)
    for project in result.without_folder:
        echo_wrapped(
            f"no folder belongs to project {project} yet; assign one with: aforesaid projects map "
            f"FOLDER {shlex.quote(project)}",
            hang=2,
        )
    _show_refused(
        [
            (f"line {number}", reason.replace("store_memory has no parameter", "there is no field"))
            for number, reason in imported.refused
        ]
    )


def _show_merged(merged: MergeResult, result: BulkImportResult) -> None:
    """Print a merge; ``result`` has the counts that only an export brings."""
    carried = {} if result.carried is None else result.carried.as_dict()
    counts = [(getattr(merged, name), label) for name, label in _MERGE_COUNTS]
    text = [f"{merged.stored} stored", *(f"{count} {label}" for count, label in counts if count)]
    echo_wrapped(", ".join(text))
    if any(carried.values()):
        echo_wrapped(f"with them: {_list_counts(carried, _CARRIED)}")
    if result.left_out:
        echo_wrapped(f"not imported: {_list_counts(result.left_out, _LEFT_OUT)}")
    show_redacted(result.redacted)
    _show_refused(merged.refused)


def _list_counts(counts: dict[str, int], words: dict[str, tuple[str, str]]) -> str:
    return ", ".join(pluralize(count, *words[name]) for name, count in counts.items() if count)


def _show_refused(refused: Sequence[tuple[str, str]]) -> None:
    for name, reason in refused[:_MAX_REFUSED]:
        echo_wrapped(f"{name}: {tool_calls_to_commands(reason)}", hang=2, err=True)
    if len(refused) > _MAX_REFUSED:
        more = len(refused) - _MAX_REFUSED
        echo_wrapped(f"and {more} more (--json lists all)", hang=2, err=True)


@aforesaid.command("export")
@click.argument("file", type=click.Path(allow_dash=True), default="-")
@click.option(
    "--format",
    "file_format",
    type=click.Choice(["jsonl", "markdown"]),
    default="jsonl",
    show_default=True,
    help="jsonl: everything, one row per line; markdown: memories in force, to read and edit.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@as_json
def export(file: str, file_format: str, *, force: bool, as_json: bool) -> None:
    """Export the whole store to FILE.

    One row per line; without FILE, to standard output. An existing file is overwritten only with
    --force, and only once the new one is complete.

    The file contains everything, including forgotten memories and the key by which erased texts are
    recognised: keep it as private as the store. `aforesaid import FILE` restores it into an empty
    store.

    With `--format markdown`, FILE is a folder, with one file per project and one for global
    memories.
    """
    if as_json and file == "-":
        raise click.UsageError("--json reports what was written to a file: name a FILE")
    if file_format == "markdown" and file == "-":
        raise click.UsageError("Markdown is written to a folder: name one")
    if file_format == "jsonl" and os.path.isdir(file):
        raise click.UsageError(f"{file} is a folder: name a FILE in it, or use --format markdown")
    write = _write_markdown if file_format == "markdown" else _write_rows
    with open_services() as core, clean_exit():
        result = write(core, file, overwrite=force)
    if file == "-":
        return
    if as_json:
        show_json({"written": os.path.abspath(file), **result})
    else:
        target = os.path.realpath(file) if os.path.islink(file) else file
        in_force = f", {result['in_force']} in force," if "in_force" in result else ""
        echo_wrapped(f"{_memories(result['memories'])}{in_force} written to {target}", err=True)


def _write_rows(core: ServiceContainer, file: str, *, overwrite: bool) -> dict[str, Any]:
    from aforesaid.adapters.system.user_files import require_folder_of, write_whole
    from aforesaid.services.transfer.export import export_lines

    core.record_usage()
    lines = export_lines(core.store)
    if file == "-":
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")  # type: ignore[union-attr]
        for line in lines:
            sys.stdout.write(line)
        return {}
    require_folder_of(file)
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
    keys = [project.key for project in core.store.projects.list_all()]
    counts = core.store.memories.statistics(Visibility(projects=(GLOBAL_PROJECT, *keys)))
    return {
        "rows": count - 2,
        "memories": core.store.dump.count_memories(),
        "in_force": counts["active"],
    }


def _write_markdown(core: ServiceContainer, folder: str, *, overwrite: bool) -> dict[str, Any]:
    from aforesaid.operations.export_markdown import write_markdown

    with status_line() as show:
        files = write_markdown(
            core.store, folder, lambda count: show(_memories(count)), overwrite=overwrite
        )
    return {"files": files, "memories": sum(files.values())}
