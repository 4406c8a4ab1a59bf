"""Bulk ways in, from a stream of bytes: lines for store_memory, or an export of ours.

For the shell and for programs. Not here: storing (services/sources/transfer.py), the form of an
export (services/sources/archive.py), adding one to what is here (wiring/merging.py).
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, BinaryIO

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.value import Value
from aforesaid.services.organising.projects import named_place
from aforesaid.services.sources.archive import LINE_BYTES as EXPORT_LINE_BYTES
from aforesaid.services.sources.archive import import_export, is_export
from aforesaid.services.sources.carry import Carried
from aforesaid.services.sources.merge import Merged
from aforesaid.services.sources.transfer import Imported, Line, Transfer

from .arguments import read_arguments
from .requests import read_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aforesaid.domain.place import Place
    from aforesaid.ports import DateReader
    from aforesaid.wiring.core import Core

LINE_BYTES = 1_000_000
_TOLD_EVERY = 1_000


class Brought(Value):
    """What an import did."""

    imported: Imported = Imported()  #: of lines for store_memory
    restored: dict[str, int] | None = None  #: of an export: rows of each table
    merged: Merged | None = None  #: of records, each with an id
    carried: Carried | None = None  #: of an export: what came along with what is new here
    left_out: dict[str, int] = {}  #: of an export: what did not come along


def import_stream(
    core: Core,
    stream: BinaryIO,
    here: Place,
    progress: Callable[[int], None] = lambda _line: None,
    *,
    on_conflict: str | None = None,
) -> Brought:
    """Store what a stream holds, a batch of lines in one transaction; an export all or none.

    Args:
        core: the memory to store it in.
        stream: read once, from where it stands.
        here: where lines without a project go.
        progress: told the number of the last line of each batch done.
        on_conflict: add an export to what is here, and do this (``domain.record.ON_CONFLICT``)
            where both know a memory and say something else of it; None restores it as it was.

    Raises:
        ConflictError: it is to be restored, and the store is not empty.
        CorruptError: it is an export that is cut short or altered, or the store is damaged.
        UnavailableError: the store cannot be written; what was told to progress is stored.
    """
    first = stream.readline(LINE_BYTES + 1)
    if is_export(_text(first)):
        if on_conflict is not None:
            from aforesaid.wiring.merging import merge_export

            lines = _export_lines(first, stream, lambda _line: None)
            merged, carried, left_out = merge_export(core, lines, on_conflict, progress)
            return Brought(merged=merged, carried=carried, left_out=left_out)
        rows = import_export(core.store, _export_lines(first, stream, progress))
        core.remember.embed_missing(sys.maxsize)
        return Brought(restored=rows)
    refused: list[tuple[int, str]] = []
    transfer = Transfer(core.remember, lambda name: named_place(core.projects.named(name)))
    done = transfer.import_lines(_lines(first, stream, refused, core.dates), here, progress)
    return Brought(imported=done.replace(refused=tuple(sorted((*refused, *done.refused)))))


def _export_lines(first: bytes, stream: BinaryIO, progress: Callable[[int], None]) -> Iterator[str]:
    """Yield the lines of an export, none read further than one may be long."""
    raw, number = first, 0
    while raw:
        number += 1
        if number % _TOLD_EVERY == 0:
            progress(number)
        yield _text(raw)
        raw = stream.readline(EXPORT_LINE_BYTES + 1)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _lines(
    raw: bytes, stream: BinaryIO, refused: list[tuple[int, str]], dates: DateReader
) -> Iterator[Line]:
    """Yield the statements of a stream that begins with ``raw``; what is none is refused."""
    number = 0
    while raw:
        number += 1
        if len(raw) > LINE_BYTES:
            refused.append((number, f"longer than {LINE_BYTES} bytes"))
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LINE_BYTES)
        elif raw.strip():
            try:
                yield _line(raw, number, dates)
            except (ValueError, RecursionError, AforesaidError) as error:
                refused.append((number, str(error)))
        raw = stream.readline(LINE_BYTES + 1)


def _line(raw: bytes, number: int, dates: DateReader) -> Line:
    try:
        given = json.loads(raw)
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"no JSON: {error.msg}, at character {error.pos + 1}") from None
    if not isinstance(given, dict):
        raise InvalidInputError("not a JSON object")
    read = read_arguments("store_memory", given, any_provenance=True)
    read.setdefault("provenance", "import")
    project = read.pop("project", None)
    return Line(number=number, statement=read_statement(read, dates), project=project)
