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
    from aforesaid.domain.projects.call_context import Place
    from aforesaid.services.memories.writer import Remember

BATCH = 100


class Line(Value):
    """A statement with where it came from."""

    number: int
    statement: Statement
    project: str | None = None  #: by name, made if new; None for where the import runs


class Imported(Value):
    """What an import did."""

    stored: int = 0
    recognised: int = 0  #: the same thing was known already
    erased_before: int = 0  #: left out, since the user had it erased
    refused: tuple[tuple[int, str], ...] = ()  #: line number and why


class Transfer:
    """Bulk ways in."""

    def __init__(self, remember: Remember, place_of: Callable[[str], Place]) -> None:
        """Join the way in.

        Args:
            remember: the write path.
            place_of: the place of a project by name, made if new.
        """
        self._remember = remember
        self._place_of = place_of

    def import_lines(
        self, lines: Iterable[Line], here: Place, progress: Callable[[int], None]
    ) -> Imported:
        """Store every line, a batch in one transaction; a line that is refused stops no other.

        Args:
            lines: what to store, in order.
            here: where lines without a project go.
            progress: told the number of the last line of each batch done.

        Raises:
            UnavailableError: the store cannot be written; what was told to progress is stored.
            CorruptError: it is damaged.
        """
        total = Imported()
        places: dict[str, Place] = {}
        for batch in _batched(lines):
            by_place: dict[str | None, list[Line]] = {}
            for line in batch:
                by_place.setdefault(line.project, []).append(line)
            for project, group in by_place.items():
                try:
                    if project is not None and project not in places:
                        places[project] = self._place_of(project)
                except InvalidInputError as error:
                    why = tuple((line.number, str(error)) for line in group)
                    total = _added(total, Imported(refused=why))
                    continue
                place = here if project is None else places[project]
                total = _added(total, self._store(group, place))
            progress(batch[-1].number)
        return total

    def _store(self, lines: list[Line], place: Place) -> Imported:
        statements = [line.statement for line in lines]
        try:
            done = self._remember.store_many(statements, place, ingested=True)
        except (UnavailableError, CorruptError):
            raise  # no line's fault: the next ones would fare no better
        except AforesaidError as error:
            if len(lines) == 1:
                return Imported(refused=((lines[0].number, str(error)),))
            middle = len(lines) // 2  # find the one that is refused; the others are stored
            return _added(self._store(lines[:middle], place), self._store(lines[middle:], place))
        return Imported(
            stored=sum(one is not None and not one.deduplicated for one in done),
            recognised=sum(one is not None and one.deduplicated for one in done),
            erased_before=sum(one is None for one in done),
        )


def _added(one: Imported, other: Imported) -> Imported:
    return Imported(
        stored=one.stored + other.stored,
        recognised=one.recognised + other.recognised,
        erased_before=one.erased_before + other.erased_before,
        refused=one.refused + other.refused,
    )


def _batched(lines: Iterable[Line]) -> Iterator[list[Line]]:
    batch: list[Line] = []
    for line in lines:
        batch.append(line)
        if len(batch) == BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
