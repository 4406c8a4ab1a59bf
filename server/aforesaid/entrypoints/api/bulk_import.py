"""Bulk import from a stream of bytes: lines for store_memory, or an export.

For the shell and for programs. Not here: storing (services/transfer/import_jsonl.py), the format of
an export (services/transfer/export.py), merging one into a store
(operations/merge_stores.py).
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from aforesaid.adapters.system.user_files import DATABASE_HEADER
from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.value import Value
from aforesaid.services.projects.registry import context_for_project
from aforesaid.services.transfer.export import LINE_BYTES as EXPORT_LINE_BYTES
from aforesaid.services.transfer.export import is_export
from aforesaid.services.transfer.import_jsonl import ImportLine, ImportResult, JsonlImporter
from aforesaid.services.transfer.merge import MergeResult
from aforesaid.services.transfer.merge_details import DetailCounts
from aforesaid.wiring import factories

from .arguments import read_statement
from .program_arguments import read_program_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aforesaid.domain.model.memory import CallContext
    from aforesaid.wiring.container import ServiceContainer

MAX_LINE_BYTES = 1_000_000
MAX_BYTES = 4_000_000_000  #: of a file or stream
MAX_REFUSED = 10_000  #: after this many bad lines the file is refused as of another kind
_COUNTED = ("stored", "recognised", "erased_before", "for_all", "by_project")
_PROGRESS_LINES = 1_000  #: of an export, between two calls of progress


class BulkImportResult(Value):
    """What an import did."""

    imported: ImportResult = ImportResult()  #: of lines for store_memory
    restored: dict[str, int] | None = None  #: of an export: rows of each table
    merged: MergeResult | None = None  #: of records, each with an id
    carried: DetailCounts | None = None  #: of an export: what was merged with new memories
    left_out: dict[str, int] = {}  #: of an export: what was not merged
    without_folder: tuple[str, ...] = ()  #: projects of lines for which no folder is known
    redacted: int = 0  #: of an export: texts from which a secret was removed


def plain_result(result: BulkImportResult) -> dict[str, Any]:
    """Return what the import of a file did."""
    if result.restored is not None:
        return {"restored": result.restored, "redacted": result.redacted}
    if result.merged is not None:
        refused = [{"id": memory_id, "why": reason} for memory_id, reason in result.merged.refused]
        answer: dict[str, Any] = {**result.merged.as_dict(), "refused": refused}
        if result.carried is not None:
            answer |= {"brought": result.carried.as_dict(), "left_out": result.left_out}
            answer["redacted"] = result.redacted
        return answer
    imported = result.imported
    lines = [{"line": number, "why": reason} for number, reason in imported.refused]
    counts = {name: getattr(imported, name) for name in _COUNTED}
    return {**counts, "refused": lines, "without_folder": list(result.without_folder)}


def import_stream(
    core: ServiceContainer,
    source: BinaryIO,
    context: CallContext,
    progress: Callable[[int], None] = lambda _line: None,
    *,
    on_conflict: str | None = None,
) -> BulkImportResult:
    """Store the contents of a stream: lines in batches of one transaction each, an export at once.

    Args:
        core: the services of the store.
        source: read once, from its current position; at most ``MAX_BYTES``.
        context: where lines without a project go.
        progress: called with the number of the last line of each batch stored.
        on_conflict: what to do with a memory that differs from the one here, when an export is
            merged (``export_record.ON_CONFLICT``); None restores it into an empty store.

    Raises:
        ConflictError: an export is to be restored, and the store is not empty.
        CorruptError: an export is cut short or altered, or the store is damaged.
        InvalidInputError: it is a database or too large, or too many lines are not memories. The
            batches reported to progress are stored; of an export nothing is.
        UnavailableError: the store cannot be written; the batches reported to progress are stored.
    """
    stream = _BoundedStream(source, MAX_BYTES)
    first = stream.readline(MAX_LINE_BYTES + 1)
    _refuse_database(first)
    if not is_export(_text(first)):
        return _import_lines(core, first, stream, context, progress)
    if on_conflict is not None:
        from aforesaid.operations.merge_stores import merge_export

        lines = _export_lines(first, stream, lambda _line: None)
        return BulkImportResult(**merge_export(core, lines, on_conflict, progress))
    from aforesaid.operations.redaction import import_redacted

    lines = _export_lines(first, stream, progress)
    rows, redacted = import_redacted(core.store, lines, core.settings)
    core.writer.embed_missing(sys.maxsize)
    return BulkImportResult(restored=rows, redacted=redacted)


def _import_lines(
    core: ServiceContainer,
    first: bytes,
    stream: _BoundedStream,
    context: CallContext,
    progress: Callable[[int], None],
) -> BulkImportResult:
    refused: list[tuple[int, str]] = []
    contexts: dict[int, CallContext] = {}

    def context_of(project: str) -> CallContext:
        named_context = context_for_project(core.projects.named(project))
        factories.refuse_if_off(named_context, core.settings)
        return contexts.setdefault(named_context.project.key, named_context)

    def check(line: ImportLine) -> ImportLine:
        if line.project is None:
            factories.refuse_if_off(context, core.settings)
        return line

    importer = JsonlImporter(core.writer, context_of)
    statements = _statements(first, stream, refused, core, check)
    imported = importer.import_lines(statements, context, progress)
    without_folder = [
        named_context.project.name
        for key, named_context in contexts.items()
        if not core.projects.has_folder(key)
    ]
    return BulkImportResult(
        imported=imported.replace(refused=tuple(sorted((*refused, *imported.refused)))),
        without_folder=tuple(without_folder),
    )


def _refuse_database(first: bytes) -> None:
    if first.startswith(DATABASE_HEADER):
        raise InvalidInputError(
            "the input is a database, not JSON lines: `aforesaid restore FILE` restores a backup, "
            "and `AFORESAID_DB=FILE aforesaid export` exports a store as JSON lines"
        )


class _BoundedStream:
    """A stream that fails beyond a number of bytes."""

    def __init__(self, source: BinaryIO, max_bytes: int) -> None:
        self._source = source
        self._max_bytes = max_bytes
        self._read_bytes = 0

    def readline(self, max_bytes: int) -> bytes:
        """Return the next line, cut at ``max_bytes``.

        Raises:
            InvalidInputError: the stream is larger than the limit.
        """
        line = self._source.readline(max_bytes)
        self._read_bytes += len(line)
        if self._read_bytes > self._max_bytes:
            raise InvalidInputError(f"the input is larger than {self._max_bytes} bytes: split it")
        return line


def _export_lines(
    first: bytes, stream: _BoundedStream, progress: Callable[[int], None]
) -> Iterator[str]:
    """Yield the lines of an export, each cut at the greatest length that is valid."""
    raw, number = first, 0
    while raw:
        number += 1
        if number % _PROGRESS_LINES == 0:
            progress(number)
        yield _text(raw)
        raw = stream.readline(EXPORT_LINE_BYTES + 1)


def _text(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape").replace("\r\n", "\n")


def _statements(
    raw: bytes,
    stream: _BoundedStream,
    refused: list[tuple[int, str]],
    core: ServiceContainer,
    check: Callable[[ImportLine], ImportLine],
) -> Iterator[ImportLine]:
    """Yield the statements of a stream that begins with ``raw``; add bad lines to ``refused``."""
    number = 0
    while raw:
        number += 1
        if len(refused) > MAX_REFUSED:
            first, reason = refused[0]
            raise InvalidInputError(
                f"more than {MAX_REFUSED} lines contain no memory; the first is line {first} "
                f"({reason}): name a file in the JSON lines format"
            )
        if len(raw) > MAX_LINE_BYTES:
            refused.append((number, f"longer than {MAX_LINE_BYTES} bytes"))
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(MAX_LINE_BYTES)
        elif raw.strip():
            try:
                yield check(_read_line(raw, number, core))
            except (ValueError, RecursionError, AforesaidError) as error:
                refused.append((number, str(error)))
        raw = stream.readline(MAX_LINE_BYTES + 1)


def _read_line(raw: bytes, number: int, core: ServiceContainer) -> ImportLine:
    try:
        parsed = json.loads(raw)
    except UnicodeDecodeError:
        raise InvalidInputError("not UTF-8 text") from None
    except json.JSONDecodeError as error:
        raise InvalidInputError(f"not JSON: {error.msg}, at character {error.pos + 1}") from None
    if not isinstance(parsed, dict):
        raise InvalidInputError("not a JSON object")
    arguments = read_program_arguments("store_memory", parsed, core, any_provenance=True)
    arguments.setdefault("provenance", "import")
    statement = read_statement(arguments, core.dates)
    return ImportLine(number=number, statement=statement, project=arguments.get("project"))
