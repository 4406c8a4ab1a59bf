"""Bulk ways in, from a stream of bytes: lines for store_memory, or an export of ours.

For the shell and for programs. Not here: storing (services/sources/transfer.py), the form of an
export (services/sources/archive.py).
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, BinaryIO

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.record import NEWER
from aforesaid.domain.value import Value
from aforesaid.services.sources.archive import LINE_BYTES as EXPORT_LINE_BYTES
from aforesaid.services.sources.archive import import_export, is_export
from aforesaid.services.sources.carry import Carried, Carry
from aforesaid.services.sources.merge import Merge, Merged
from aforesaid.services.sources.records import read_records
from aforesaid.services.sources.transfer import Imported, Line, Transfer

from .arguments import read_arguments
from .requests import named_place, read_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aforesaid.domain.place import Place
    from aforesaid.domain.record import Record
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
            return _merge_export(core, first, stream, on_conflict, progress)
        rows = import_export(core.store, _export_lines(first, stream, progress))
        core.remember.embed_missing(sys.maxsize)
        return Brought(restored=rows)
    refused: list[tuple[int, str]] = []
    transfer = Transfer(core.remember, lambda name: named_place(core.projects.named(name)))
    done = transfer.import_lines(_lines(first, stream, refused, core.dates), here, progress)
    return Brought(imported=done.replace(refused=tuple(sorted((*refused, *done.refused)))))


def import_markdown(
    core: Core,
    path: str,
    on_conflict: str = NEWER,
    progress: Callable[[int], None] = lambda _count: None,
) -> Merged:
    """Add the memories of a Markdown export, each by its id, to what is here.

    Args:
        core: the memory to store them in.
        path: a file, or a folder of them.
        on_conflict: what is done where both know a memory and say something else of it.
        progress: told how many are done.

    Raises:
        NotFoundError: there is nothing at the path.
        InvalidInputError: a file is no such export; what was done before stays done.
        UnavailableError: the store cannot be written; what was done stays done.
    """
    from aforesaid.adapters.markdown import read_path

    return _way_in(core, on_conflict).take(read_path(path), progress)


def _merge_export(
    core: Core, first: bytes, stream: BinaryIO, on_conflict: str, progress: Callable[[int], None]
) -> Brought:
    """Restore an export into a store of its own, and add what is known there to this one."""
    from tempfile import TemporaryDirectory

    from aforesaid.adapters.sqlite.store import SqliteStore

    with TemporaryDirectory(prefix="aforesaid-") as folder:
        other = SqliteStore(os.path.join(folder, "other.db"))
        try:
            rows = import_export(other, _export_lines(first, stream, lambda _line: None))
            keys = [GLOBAL_PROJECT, *(project.key for project in other.projects())]
            records = (one for key in keys for one in read_records(other, key))
            merge = _way_in(core, on_conflict)
            clean = core.remember.cleaner().clean
            carry = Carry(core.store, other, core.clock, clean, merge.became)
            merged = merge.take(records, progress)
            carried = carry.bring(merge.stored)
            core.remember.embed_missing(sys.maxsize)
            counted = other.statistics(Visibility(projects=tuple(keys)))
            left_out = {
                "forgotten": int(str(counted["forgotten"])),
                "versions": int(str(counted["superseded"])) - carried.versions,
                **{name: rows.get(name, 0) for name in ("erased", "sessions", "offers")},
            }
            left_out = {name: count for name, count in left_out.items() if count}
            return Brought(merged=merged, carried=carried, left_out=left_out)
        finally:
            other.close()


def _way_in(core: Core, on_conflict: str) -> Merge:
    from aforesaid.wiring.gather import refuse_if_off

    def place_of(record: Record) -> Place:
        if record.project is None:
            return named_place(core.projects.default())
        name, key = record.project, record.project_key
        place = named_place(core.projects.keyed(key, name) if key else core.projects.named(name))
        refuse_if_off(core, place)
        return place

    return Merge(core.store, core.clock, core.remember, place_of, on_conflict)


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
    given = json.loads(raw)
    if not isinstance(given, dict):
        raise InvalidInputError("not a JSON object")
    read = read_arguments("store_memory", given, any_provenance=True)
    read.setdefault("provenance", "import")
    project = read.pop("project", None)
    return Line(number=number, statement=read_statement(read, dates), project=project)
