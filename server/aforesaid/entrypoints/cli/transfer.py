"""Bulk ways in and out: ``import`` and ``export``."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

import click

from aforesaid.adapters.foreign import FORMS
from aforesaid.domain.errors import AforesaidError, InvalidInputError

from .gathering import gather
from .group import aforesaid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aforesaid.ports import DateReader
    from aforesaid.services.transfer import Line

LINE_BYTES = 1_000_000


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
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
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
    if file != "-" and _restored(file, as_json=as_json):
        return
    from aforesaid.entrypoints.calls import named_place
    from aforesaid.services.transfer import Transfer
    from aforesaid.wiring.server import Conversation

    core_of = Conversation(os.environ)
    core = core_of.core
    here = core_of.place() if project is None else named_place(core.projects.named(project))
    transfer = Transfer(core.remember, lambda name: named_place(core.projects.named(name)))
    refused: list[tuple[int, str]] = []
    size = 0 if file == "-" else os.path.getsize(file)
    stream = sys.stdin.buffer if file == "-" else open(file, "rb")  # noqa: SIM115 - closed below
    with stream, click.progressbar(length=size, label="Importing", file=sys.stderr) as bar:

        def show(_line: int) -> None:
            if size:
                bar.update(stream.tell() - bar.pos)

        done = transfer.import_lines(_lines(stream, refused, core.dates), here, show)
    core.close()
    refused += done.refused
    told = {
        "stored": done.stored,
        "recognised": done.recognised,
        "erased_before": done.erased_before,
        "refused": [{"line": number, "why": why} for number, why in sorted(refused)],
    }
    if as_json:
        click.echo(json.dumps(told, indent=2))
    else:
        click.echo(
            f"{done.stored} stored, {done.recognised} known already, {len(refused)} refused"
            + (f", {done.erased_before} left out (erased before)" if done.erased_before else "")
        )
        for number, why in sorted(refused):
            click.echo(f"line {number}: {why}", err=True)
    if refused:
        raise SystemExit(1)


def _restored(file: str, *, as_json: bool) -> bool:
    """Restore FILE if it is an export; return whether it is one."""
    from aforesaid.services.archive import import_export, is_export
    from aforesaid.wiring.core import Core

    with open(file, encoding="utf-8", errors="surrogateescape") as stream:
        if not is_export(stream.readline(LINE_BYTES)):
            return False
        stream.seek(0)
        core = Core(os.environ)
        rows = import_export(core.store, stream)
    core.remember.embed_missing(sys.maxsize)
    core.close()
    if as_json:
        click.echo(json.dumps({"restored": rows}, indent=2))
    else:
        click.echo(f"{rows.get('memories', 0)} memories restored")
    return True


@aforesaid.command("export")
@click.argument("file", type=click.File("w", encoding="utf-8", lazy=True), default="-")
def export(file: Any) -> None:
    """Write everything that is remembered to FILE (default: standard output), one row a line.

    The file holds all of it, what was forgotten too, and the key that erased texts are known by:
    keep it as private as the store. `aforesaid import FILE` restores it into an empty store.
    """
    from aforesaid.services.archive import export_lines
    from aforesaid.wiring.core import Core

    core = Core(os.environ)
    for line in export_lines(core.store):
        file.write(line)
    core.close()


def _lines(stream: Any, refused: list[tuple[int, str]], dates: DateReader) -> Iterator[Line]:
    """Yield the statements of a JSONL stream; what is none goes to ``refused``."""
    from aforesaid.entrypoints.arguments import read_arguments
    from aforesaid.entrypoints.calls import read_statement
    from aforesaid.services.transfer import Line

    number = 0
    while raw := stream.readline(LINE_BYTES + 1):
        number += 1
        if len(raw) > LINE_BYTES:
            refused.append((number, f"longer than {LINE_BYTES} bytes"))
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LINE_BYTES)
            continue
        if not raw.strip():
            continue
        try:
            given = json.loads(raw)
            if not isinstance(given, dict):
                raise InvalidInputError("not a JSON object")
            read = read_arguments("store_memory", given, any_provenance=True)
            read.setdefault("provenance", "import")
            project = read.pop("project", None)
            yield Line(number=number, statement=read_statement(read, dates), project=project)
        except (ValueError, RecursionError, AforesaidError) as error:
            refused.append((number, str(error)))
