"""Bulk ways in, from a stream of bytes: lines for store_memory, or an export of ours.

For the shell and for programs. Not here: storing (services/transfer/import_jsonl.py), the form of
an export (services/transfer/export_archive.py), adding one to what is here
(operations/merge_stores.py).
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, BinaryIO

from aforesaid.adapters.system.user_files import DATABASE_HEADER
from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.value import Value
from aforesaid.services.projects.registry import named_place
from aforesaid.services.transfer.export_archive import LINE_BYTES as EXPORT_LINE_BYTES
from aforesaid.services.transfer.export_archive import is_export
from aforesaid.services.transfer.import_jsonl import ImportLine, ImportResult, JsonlImporter
from aforesaid.services.transfer.merge import MergeResult
from aforesaid.services.transfer.merge_details import DetailCounts
from aforesaid.wiring import factories

from .arguments import read_arguments
from .operations import read_statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import DateReader
    from aforesaid.wiring.container import ServiceContainer

LINE_BYTES = 1_000_000
MAX_BYTES = 4_000_000_000  #: of a file or stream
MAX_REFUSED = 10_000  #: lines; a file with more of them holds something else
_TOLD_EVERY = 1_000


class BulkImportResult(Value):
    """What an import did."""

    imported: ImportResult = ImportResult()  #: of lines for store_memory
    restored: dict[str, int] | None = None  #: of an export: rows of each table
    merged: MergeResult | None = None  #: of records, each with an id
    carried: DetailCounts | None = None  #: of an export: what came along with what is new here
    left_out: dict[str, int] = {}  #: of an export: what did not come along
    without_folder: tuple[str, ...] = ()  #: projects of lines that no folder is known to be
    redacted: int = 0  #: of an export: texts that lost a secret


def import_stream(
    core: ServiceContainer,
    source: BinaryIO,
    here: CallContext,
    progress: Callable[[int], None] = lambda _line: None,
    *,
    on_conflict: str | None = None,
) -> BulkImportResult:
    """Store what a stream holds, a batch of lines in one transaction; an export all or none.

    Args:
        core: the memory to store it in.
        source: read once, from where it stands; at most ``MAX_BYTES`` of it.
        here: where lines without a project go.
        progress: told the number of the last line of each batch done.
        on_conflict: add an export to what is here, and do this
            (``export_record.ON_CONFLICT``) where both know a memory and say something else of it;
            None restores it as it was.

    Raises:
        ConflictError: it is to be restored, and the store is not empty.
        CorruptError: it is an export that is cut short or altered, or the store is damaged.
        InvalidInputError: it is a database or too large, or too many lines hold no memory; what was
            told to progress is stored, of an export nothing.
        UnavailableError: the store cannot be written; what was told to progress is stored.
    """
    stream = _Bounded(source, MAX_BYTES)
    first = stream.readline(LINE_BYTES + 1)
    _refuse_database(first)
    if is_export(_text(first)):
        if on_conflict is not None:
            from aforesaid.operations.merge_stores import merge_export

            lines = _export_lines(first, stream, lambda _line: None)
            return BulkImportResult(**merge_export(core, lines, on_conflict, progress))
        from aforesaid.operations.redaction import import_redacted

        lines = _export_lines(first, stream, progress)
        rows, redacted = import_redacted(core.store, lines, core.settings)
        core.remember.embed_missing(sys.maxsize)
        return BulkImportResult(restored=rows, redacted=redacted)
    refused: list[tuple[int, str]] = []
    named: dict[int, CallContext] = {}

    def place_of(name: str) -> CallContext:
        place = named_place(core.projects.named(name))
        factories.refuse_if_off(place, core.settings)
        return named.setdefault(place.project.key, place)

    def check(line: ImportLine) -> ImportLine:
        if line.project is None:
            factories.refuse_if_off(here, core.settings)
        return line

    transfer = JsonlImporter(core.remember, place_of)
    statements = _lines(first, stream, refused, core.dates, check)
    done = transfer.import_lines(statements, here, progress)
    unknown = [one.project.name for key, one in named.items() if not core.projects.has_folder(key)]
    refusals = tuple(sorted((*refused, *done.refused)))
    return BulkImportResult(imported=done.replace(refused=refusals), without_folder=tuple(unknown))


def _refuse_database(first: bytes) -> None:
    if first.startswith(DATABASE_HEADER):
        raise InvalidInputError(
            "the input is a database, not JSON lines: `aforesaid restore FILE` puts a backup back, "
            "and `AFORESAID_DB=FILE aforesaid export` makes lines of a store"
        )


class _Bounded:
    """A stream of which at most so many bytes are read."""

    def __init__(self, source: BinaryIO, max_bytes: int) -> None:
        self._source = source
        self._max_bytes = max_bytes
        self._read_bytes = 0

    def readline(self, max_bytes: int) -> bytes:
        """Return the next line, or so many bytes of it.

        Raises:
            InvalidInputError: the stream has more bytes than are read.
        """
        line = self._source.readline(max_bytes)
        self._read_bytes += len(line)
        if self._read_bytes > self._max_bytes:
            raise InvalidInputError(
                f"the input has more than {self._max_bytes} bytes, the most that is read: split it"
            )
        return line


def _export_lines(first: bytes, stream: _Bounded, progress: Callable[[int], None]) -> Iterator[str]:
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
    raw: bytes,
    stream: _Bounded,
    refused: list[tuple[int, str]],
    dates: DateReader,
    check: Callable[[ImportLine], ImportLine],
) -> Iterator[ImportLine]:
    """Yield the statements of a stream that begins with ``raw``; what is none is refused."""
    number = 0
    while raw:
        number += 1
        if len(refused) > MAX_REFUSED:
            where, why = refused[0]
            raise InvalidInputError(
                f"more than {MAX_REFUSED} lines hold no memory, the first of them line {where} "
                f"({why}): name a file of JSON lines"
            )
        if len(raw) > LINE_BYTES:
            refused.append((number, f"longer than {LINE_BYTES} bytes"))
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LINE_BYTES)
        elif raw.strip():
            try:
                yield check(_line(raw, number, dates))
            except (ValueError, RecursionError, AforesaidError) as error:
                refused.append((number, str(error)))
        raw = stream.readline(LINE_BYTES + 1)


def _line(raw: bytes, number: int, dates: DateReader) -> ImportLine:
    try:
        given = json.loads(raw)
    except UnicodeDecodeError:
        raise InvalidInputError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"no JSON: {error.msg}, at character {error.pos + 1}") from None
    if not isinstance(given, dict):
        raise InvalidInputError("not a JSON object")
    read = read_arguments("store_memory", given, any_provenance=True)
    read.setdefault("provenance", "import")
    project = read.pop("project", None)
    return ImportLine(number=number, statement=read_statement(read, dates), project=project)
