"""Memories from elsewhere: one JSON object a line, with the parameters of store_memory."""

from __future__ import annotations

from aforesaid.domain.errors import (
    AforesaidError,
    CorruptError,
    InvalidInputError,
    UnavailableError,
)
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from aforesaid.domain.model.statement import Statement
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.services.memories.writer import MemoryWriter

BATCH = 100


class ImportLine(Value):
    """A statement with where it came from."""

    number: int
    statement: Statement
    project: str | None = None  #: by name, made if new; None for where the import runs


class ImportResult(Value):
    """What an import did."""

    stored: int = 0
    recognised: int = 0  #: the same thing was known already
    erased_before: int = 0  #: left out, since the user had it erased
    refused: tuple[tuple[int, str], ...] = ()  #: line number and why


class JsonlImporter:
    """Bulk ways in."""

    def __init__(self, remember: MemoryWriter, place_of: Callable[[str], CallContext]) -> None:
        """Join the way in.

        Args:
            remember: the write path.
            place_of: the place of a project by name, made if new.
        """
        self._remember = remember
        self._place_of = place_of

    def import_lines(
        self, lines: Iterable[ImportLine], here: CallContext, progress: Callable[[int], None]
    ) -> ImportResult:
        """Store every line, a batch in one transaction; a line that is refused stops no other.

        Args:
            lines: what to store, in order.
            here: where lines without a project go.
            progress: told the number of the last line of each batch done.

        Raises:
            UnavailableError: the store cannot be written; what was told to progress is stored.
            CorruptError: it is damaged.
        """
        total = ImportResult()
        places: dict[str, CallContext] = {}
        for batch in _batched(lines):
            by_place: dict[str | None, list[ImportLine]] = {}
            for line in batch:
                by_place.setdefault(line.project, []).append(line)
            for project, group in by_place.items():
                try:
                    if project is not None and project not in places:
                        places[project] = self._place_of(project)
                except InvalidInputError as error:
                    why = tuple((line.number, str(error)) for line in group)
                    total = _added(total, ImportResult(refused=why))
                    continue
                place = here if project is None else places[project]
                total = _added(total, self._store(group, place))
            progress(batch[-1].number)
        return total

    def _store(self, lines: list[ImportLine], place: CallContext) -> ImportResult:
        statements = [line.statement for line in lines]
        try:
            done = self._remember.store_many(statements, place, ingested=True)
        except (UnavailableError, CorruptError):
            raise  # no line's fault: the next ones would fare no better
        except AforesaidError as error:
            if len(lines) == 1:
                return ImportResult(refused=((lines[0].number, str(error)),))
            middle = len(lines) // 2  # find the one that is refused; the others are stored
            return _added(self._store(lines[:middle], place), self._store(lines[middle:], place))
        return ImportResult(
            stored=sum(one is not None and not one.deduplicated for one in done),
            recognised=sum(one is not None and one.deduplicated for one in done),
            erased_before=sum(one is None for one in done),
        )


def _added(one: ImportResult, other: ImportResult) -> ImportResult:
    return ImportResult(
        stored=one.stored + other.stored,
        recognised=one.recognised + other.recognised,
        erased_before=one.erased_before + other.erased_before,
        refused=one.refused + other.refused,
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
