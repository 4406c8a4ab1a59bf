"""Importing JSON lines: one object per line, with the parameters of store_memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from aforesaid.domain.errors import (
    AforesaidError,
    CorruptError,
    InvalidInputError,
    UnavailableError,
)
from aforesaid.domain.model.memory import CallContext
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.value import Value
from aforesaid.services.memories.writer import MemoryWriter

from .import_items import is_for_all, place_of

BATCH = 100


class ImportLine(Value):
    """A statement and its line number."""

    number: int
    statement: Statement
    project: str | None = None  #: name, created if new; None for the current project


class ImportResult(Value):
    """The result of an import: counts of lines."""

    stored: int = 0
    recognised: int = 0  #: a memory already says the same
    unconfirmed: int = 0  #: stored, and shown automatically only once the user confirms them
    erased_before: int = 0  #: skipped, because the user had them erased
    for_all: int = 0  #: stored for all projects, because they are from no project
    by_project: dict[str, int] = {}  #: stored ones, see ``place_of``
    refused: tuple[tuple[int, str], ...] = ()  #: line numbers and reasons


class JsonlImporter:
    """Imports JSON lines."""

    def __init__(self, writer: MemoryWriter, context_of: Callable[[str], CallContext]) -> None:
        """Set up the importer.

        Args:
            writer: The write path.
            context_of: Returns the call context of a project by name, created if new.
        """
        self._writer = writer
        self._context_of = context_of

    def import_lines(
        self,
        lines: Iterable[ImportLine],
        default_context: CallContext,
        progress: Callable[[int], None],
    ) -> ImportResult:
        """Store all lines, in batches; a refused line does not stop the others.

        Args:
            lines: The lines, in order.
            default_context: The call context of lines without a project.
            progress: Called with the number of the last line of each stored batch.

        Raises:
            UnavailableError: The store cannot be written; batches reported to progress are stored.
            CorruptError: The store is damaged.
        """
        total = ImportResult()
        contexts: dict[str, CallContext] = {}
        for batch in _batched(lines):
            groups: dict[str | None, list[ImportLine]] = {}
            for line in batch:
                groups.setdefault(line.project, []).append(line)
            for project, group in groups.items():
                try:
                    if project is not None and project not in contexts:
                        contexts[project] = self._context_of(project)
                except InvalidInputError as error:
                    refused = tuple((line.number, str(error)) for line in group)
                    total = _sum(total, ImportResult(refused=refused))
                    continue
                context = default_context if project is None else contexts[project]
                total = _sum(total, self._store(group, context))
            progress(batch[-1].number)
        return total

    def _store(self, lines: list[ImportLine], context: CallContext) -> ImportResult:
        statements = [line.statement for line in lines]
        try:
            results = self._writer.store_many(statements, context, ingested=True)
        except (UnavailableError, CorruptError):
            raise  # not caused by a line: the next ones would fail too
        except AforesaidError as error:
            if len(lines) == 1:
                return ImportResult(refused=((lines[0].number, str(error)),))
            middle = len(lines) // 2  # bisect to find the refused line and store the others
            return _sum(self._store(lines[:middle], context), self._store(lines[middle:], context))
        new = [result.memory for result in results if result and not result.deduplicated]
        return ImportResult(
            stored=len(new),
            unconfirmed=sum(not memory.trusted for memory in new),
            for_all=sum(is_for_all(memory, context) for memory in new),
            by_project=dict(Counter(place_of(memory, context) for memory in new)),
            recognised=sum(result is not None and result.deduplicated for result in results),
            erased_before=sum(result is None for result in results),
        )


def _sum(first: ImportResult, second: ImportResult) -> ImportResult:
    return ImportResult(
        stored=first.stored + second.stored,
        unconfirmed=first.unconfirmed + second.unconfirmed,
        recognised=first.recognised + second.recognised,
        erased_before=first.erased_before + second.erased_before,
        for_all=first.for_all + second.for_all,
        by_project=dict(Counter(first.by_project) + Counter(second.by_project)),
        refused=first.refused + second.refused,
    )


def _batched(lines: Iterable[ImportLine]) -> Iterator[list[ImportLine]]:
    batch: list[ImportLine] = []
    for line in lines:
        batch.append(line)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
