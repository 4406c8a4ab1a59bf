"""Records of another store, or of a file that a person edited, become part of this one.

Each is known again by its id: here, or as what it became when it came in before. Nothing that was
forgotten or erased here comes back, and what is replaced stays as a former version.
Not here: reading records (export_records.py, adapters/markdown.py).
"""

from __future__ import annotations

from aforesaid.domain.errors import (
    AforesaidError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.model.export_record import BOTH, NEWER
from aforesaid.domain.model.import_item import ImportedItem, name_hash
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.task import Assignment
from aforesaid.domain.text.hashing import text_checksum
from aforesaid.domain.value import Value

from .imported_links import link_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from aforesaid.domain.model.export_record import Record
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, Store
    from aforesaid.services.memories.writer import MemoryWriter

BATCH = 50
MAX_LINKS = 200_000


class MergeResult(Value):
    """What a merge did; counts of records."""

    stored: int = 0
    replaced: int = 0  #: what was here became a former version
    kept: int = 0  #: it says something else, and what is here stays
    both: int = 0  #: it says something else, and stands beside what is here
    known: int = 0  #: it says what is here already
    recognised: int = 0  #: something else here says the same
    let_go: int = 0  #: it was forgotten or erased here
    linked: int = 0
    refused: tuple[tuple[str, str], ...] = ()  #: id and why


class _Due:
    """A record that is to be stored."""

    __slots__ = ("count", "name", "record", "replaces")

    def __init__(self, record: Record, name: str, count: str, replaces: str | None = None) -> None:
        self.record = record
        self.name = name  #: what it is known by later
        self.count = count  #: which count it adds to
        self.replaces = replaces  #: id of what it is a newer version of


class StoreMerger:
    """The way in for records."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        remember: MemoryWriter,
        place_of: Callable[[Record], CallContext],
        on_conflict: str = NEWER,
    ) -> None:
        """Join the way in.

        Args:
            store: where memories are.
            clock: the present time.
            remember: the write path.
            place_of: the place of a record's project, made if new.
            on_conflict: one of ``ON_CONFLICT``.
        """
        self._store = store
        self._clock = clock
        self._remember = remember
        self._place_of = place_of
        self._on_conflict = on_conflict
        self._secret = store.meta("install_secret") or ""
        self._counts: dict[str, Any] = dict.fromkeys(MergeResult().as_dict(), 0)
        self._refused: list[tuple[str, str]] = []
        self._links: list[tuple[str, str, str]] = []
        self.stored: dict[str, int] = {}  #: id of a record to key here, of those that are new here
        self._places: dict[tuple[str | None, str | None], CallContext] = {}

    def take(self, records: Iterable[Record], progress: Callable[[int], None]) -> MergeResult:
        """Store what is new or newer; a record that is refused stops no other.

        Args:
            records: in any order.
            progress: told how many are done so far.

        Raises:
            UnavailableError: the store cannot be written; what was done stays done.
            CorruptError: it is damaged.
        """
        batch: list[Record] = []
        done = 0
        for record in records:
            batch.append(record)
            if len(batch) == BATCH:
                self._finish(batch)
                done += len(batch)
                progress(done)
                batch = []
        self._finish(batch)
        linked = link_all(self._store, self._clock, self._links, self.became)
        progress(done + len(batch))
        return MergeResult(**{**self._counts, "linked": linked, "refused": tuple(self._refused)})

    def _finish(self, batch: list[Record]) -> None:
        """Store what is due of a batch, by project."""
        due: dict[tuple[str | None, str | None], list[_Due]] = {}
        for record in batch:
            if record.id and len(self._links) < MAX_LINKS:
                self._links += [(record.id, kind, other) for kind, other in record.links]
            one = self._judge(record)
            if one is not None:
                due.setdefault((record.project_key, record.project), []).append(one)
        for asked, group in due.items():
            try:
                if asked not in self._places:
                    self._places[asked] = self._place_of(group[0].record)
            except (InvalidInputError, NotFoundError) as error:
                self._refused += [(one.record.id, str(error)) for one in group]
                continue
            self._store_group(group, self._places[asked])

    def _judge(self, record: Record) -> _Due | None:
        """Return what is to be stored of a record; None where nothing is, which is counted."""
        said = text_checksum(record.content)
        name = self._key(f"{record.id or said}")
        mine, came = self._mine(record.id), self._store.import_items.get(name)
        if mine is None and came is None:
            return _Due(record, name, "stored")
        if mine is None and came is not None and came.memory is not None:
            mine = next(iter(self._store.memories.get([came.memory])), None)
        if mine is None:
            self._counts["let_go"] += 1
            return None
        return self._compare(record, mine, self._key(f"{record.id} says {said}"))

    def _compare(self, record: Record, mine: Memory, exact: str) -> _Due | None:
        """Return what is to be stored of a record that is known here as ``mine``."""
        (head,) = self._store.memories.get([mine.head])
        count = "kept"
        if mine.forgotten_at is not None or head.forgotten_at is not None:
            count = "let_go"
        elif self._store.import_items.get(exact) is not None or record.content in {
            version.content for version in self._store.memories.chain(head.key)
        }:
            count = "known"
        elif self._on_conflict == BOTH:
            return _Due(record, exact, "both")
        elif self._on_conflict == NEWER and (record.updated_at or 0) > head.updated_at:
            return _Due(record, exact, "replaced", head.id)
        self._counts[count] += 1
        return None

    def _mine(self, memory_id: str) -> Memory | None:
        found = self._store.memories.find(memory_id) if memory_id else []
        return found[0] if len(found) == 1 and found[0].id == memory_id else None

    def _store_group(self, group: list[_Due], place: CallContext) -> None:
        statements = [_statement(one) for one in group]
        try:
            done = self._remember.store_many(statements, place, ingested=True)
        except (UnavailableError, CorruptError):
            raise  # no record's fault: the next ones would fare no better
        except AforesaidError as error:
            if len(group) == 1:
                self._refused.append((group[0].record.id, str(error)))
                return
            middle = len(group) // 2  # find the one that is refused; the others are stored
            self._store_group(group[:middle], place)
            self._store_group(group[middle:], place)
            return
        with self._store.transaction():
            for one, stored in zip(group, done, strict=True):
                new = stored is not None and not stored.deduplicated
                key = None if stored is None else stored.memory.key
                told = one.count if new else "let_go" if key is None else "recognised"
                self._counts[told] += 1
                if new and key is not None:
                    self.stored[one.record.id] = key
                if new and key is not None and one.record.archived_at is not None:
                    self._store.memories.change(key, archived_at=one.record.archived_at)
                self._store.import_items.put(
                    ImportedItem(name=one.name, print="record", memory=key), self._clock.now()
                )

    def became(self, memory_id: str) -> Memory | None:
        """Return the version in force of what a record is here."""
        mine = self._mine(memory_id)
        if mine is None:
            taken = self._store.import_items.get(self._key(memory_id))
            found = (
                []
                if taken is None or taken.memory is None
                else self._store.memories.get([taken.memory])
            )
            if not found:
                return None
            mine = found[0]
        (head,) = self._store.memories.get([mine.head])
        return head if head.in_force else None

    def _key(self, name: str) -> str:
        return name_hash(f"aforesaid {name}", self._remember.cleaner().clean, self._secret)


def _statement(due: _Due) -> Statement:
    record = due.record
    return Statement(
        content=record.content,
        type=record.type,
        scope=record.scope,
        summary=record.summary,
        entity=record.entity,
        tags=record.tags,
        importance=record.importance,
        confidence=record.confidence,
        pinned=record.pinned,
        supersedes=() if due.replaces is None else (due.replaces,),
        provenance=record.provenance,
        assignment=Assignment(task_id=record.task_id),
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        event_at=record.event_at,
        topic=record.topic,
        created_at=record.created_at if due.replaces is None else None,
        metadata=record.metadata,
    )
