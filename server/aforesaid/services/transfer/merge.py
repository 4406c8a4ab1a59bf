"""Merging records of another store, or of an edited Markdown export, into this store.

A record matches a memory here if their ids are equal, or if a record with that id was merged
before. Memories that were forgotten or erased here stay so; a replaced memory becomes a former
version. Not here: reading records (export.py, adapters/markdown.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from aforesaid.domain.errors import (
    AforesaidError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.model.export_record import BOTH, NEWER, Record
from aforesaid.domain.model.import_item import ImportedItem, name_hash
from aforesaid.domain.model.memory import CallContext, Memory
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.task import Assignment
from aforesaid.domain.text.hashing import text_checksum
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store
from aforesaid.services.memories.writer import MemoryWriter

from .imported_links import link_all

BATCH = 50
MAX_LINKS = 200_000


class MergeResult(Value):
    """The result of a merge: counts of records."""

    stored: int = 0
    replaced: int = 0  #: the memory here differed and became a former version
    kept: int = 0  #: the memory here differs and was kept
    both: int = 0  #: both were kept: the memory here differs, and the record was stored beside it
    known: int = 0  #: unchanged: the memory with the same id has, or had, the same text
    recognised: int = 0  #: duplicates: a memory with another id says the same
    let_go: int = 0  #: left deleted: the memory was forgotten or erased here
    linked: int = 0
    refused: tuple[tuple[str, str], ...] = ()  #: ids and reasons


class _PendingRecord:
    """A record to be stored."""

    __slots__ = ("count", "name", "record", "replaces")

    def __init__(self, record: Record, name: str, count: str, replaces: str | None = None) -> None:
        self.record = record
        self.name = name  #: identifies it in later merges
        self.count = count  #: the count that it adds to
        self.replaces = replaces  #: id of the memory that it supersedes


class StoreMerger:
    """Merges records into a store."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        writer: MemoryWriter,
        context_of: Callable[[Record], CallContext],
        on_conflict: str = NEWER,
    ) -> None:
        """Set up the merger.

        Args:
            store: The store.
            clock: The current time.
            writer: The write path.
            context_of: Returns the call context of a record's project, created if new.
            on_conflict: One of ``ON_CONFLICT``.
        """
        self._store = store
        self._clock = clock
        self._writer = writer
        self._context_of = context_of
        self._on_conflict = on_conflict
        self._secret = store.meta("install_secret") or ""
        self._counts: dict[str, Any] = dict.fromkeys(MergeResult().as_dict(), 0)
        self._refused: list[tuple[str, str]] = []
        self._links: list[tuple[str, str, str]] = []
        self.stored: dict[str, int] = {}  #: keys of new memories, by the id of the record
        self._contexts: dict[tuple[str | None, str | None], CallContext] = {}

    def merge(self, records: Iterable[Record], progress: Callable[[int], None]) -> MergeResult:
        """Store new and newer records; a refused record does not stop the others.

        Args:
            records: The records, in any order.
            progress: Called with the number of records processed so far.

        Raises:
            UnavailableError: The store cannot be written; finished batches stay stored.
            CorruptError: The store is damaged.
        """
        batch: list[Record] = []
        done = 0
        for record in records:
            batch.append(record)
            if len(batch) == BATCH:
                self._store_batch(batch)
                done += len(batch)
                progress(done)
                batch = []
        self._store_batch(batch)
        linked = link_all(self._store, self._clock, self._links, self.merged_head)
        progress(done + len(batch))
        return MergeResult(**{**self._counts, "linked": linked, "refused": tuple(self._refused)})

    def _store_batch(self, batch: list[Record]) -> None:
        """Store the new and changed records of a batch, one project at a time."""
        groups: dict[tuple[str | None, str | None], list[_PendingRecord]] = {}
        for record in batch:
            if record.id and len(self._links) < MAX_LINKS:
                self._links += [(record.id, kind, target) for kind, target in record.links]
            pending = self._decide(record)
            if pending is not None:
                groups.setdefault((record.project_key, record.project), []).append(pending)
        for project, group in groups.items():
            try:
                if project not in self._contexts:
                    self._contexts[project] = self._context_of(group[0].record)
            except (InvalidInputError, NotFoundError) as error:
                self._refused += [(pending.record.id, str(error)) for pending in group]
                continue
            self._store_group(group, self._contexts[project])

    def _decide(self, record: Record) -> _PendingRecord | None:
        """Return the record to be stored; None, after counting the reason, if it need not be."""
        checksum = text_checksum(record.content)
        name = self._key(f"{record.id or checksum}")
        local, imported = self._find_local(record.id), self._store.import_items.get(name)
        if local is None and imported is None:
            return _PendingRecord(record, name, "stored")
        if local is None and imported is not None and imported.memory is not None:
            local = next(iter(self._store.memories.get([imported.memory])), None)
        if local is None:
            self._counts["let_go"] += 1
            return None
        return self._compare(record, local, self._key(f"{record.id} says {checksum}"))

    def _compare(self, record: Record, local: Memory, exact: str) -> _PendingRecord | None:
        """Decide on a record that matches a memory here.

        Args:
            record: the record.
            local: the memory here.
            exact: the name under which a merge registers this very text of the record.
        """
        (head,) = self._store.memories.get([local.head])
        count = "kept"
        if local.forgotten_at is not None or head.forgotten_at is not None:
            count = "let_go"
        elif self._store.import_items.get(exact) is not None or record.content in {
            version.content for version in self._store.memories.chain(head.key)
        }:
            count = "known"
        elif self._on_conflict == BOTH:
            return _PendingRecord(record, exact, "both")
        elif self._on_conflict == NEWER and (record.updated_at or 0) > head.updated_at:
            return _PendingRecord(record, exact, "replaced", head.id)
        self._counts[count] += 1
        return None

    def _find_local(self, memory_id: str) -> Memory | None:
        """Return the memory here with exactly this id."""
        matches = self._store.memories.find(memory_id) if memory_id else []
        return matches[0] if len(matches) == 1 and matches[0].id == memory_id else None

    def _store_group(self, group: list[_PendingRecord], context: CallContext) -> None:
        statements = [_statement(pending) for pending in group]
        try:
            results = self._writer.store_many(statements, context, ingested=True)
        except (UnavailableError, CorruptError):
            raise  # not caused by a record: the next ones would fail too
        except AforesaidError as error:
            if len(group) == 1:
                self._refused.append((group[0].record.id, str(error)))
                return
            middle = len(group) // 2  # bisect to find the refused record and store the others
            self._store_group(group[:middle], context)
            self._store_group(group[middle:], context)
            return
        with self._store.transaction():
            for pending, result in zip(group, results, strict=True):
                record = pending.record
                key = None if result is None else result.memory.key
                if result is None:
                    self._counts["let_go"] += 1
                elif result.deduplicated:
                    self._counts["recognised"] += 1
                else:
                    self._counts[pending.count] += 1
                    self.stored[record.id] = result.memory.key
                    if record.archived_at is not None:
                        self._store.memories.change(
                            result.memory.key, archived_at=record.archived_at
                        )
                self._store.import_items.put(
                    ImportedItem(name=pending.name, checksum="record", memory=key),
                    self._clock.now(),
                )

    def merged_head(self, memory_id: str) -> Memory | None:
        """Return the head, if in force, of the memory that a record was merged into."""
        local = self._find_local(memory_id)
        if local is None:
            imported = self._store.import_items.get(self._key(memory_id))
            if imported is None or imported.memory is None:
                return None
            local = next(iter(self._store.memories.get([imported.memory])), None)
            if local is None:
                return None
        (head,) = self._store.memories.get([local.head])
        return head if head.in_force else None

    def _key(self, name: str) -> str:
        return name_hash(f"aforesaid {name}", self._writer.cleaner().clean, self._secret)


def _statement(pending: _PendingRecord) -> Statement:
    record = pending.record
    return Statement(
        content=record.content,
        type=record.type,
        scope=record.scope,
        summary=record.summary,
        session=record.session,
        entity=record.entity,
        tags=record.tags,
        importance=record.importance,
        confidence=record.confidence,
        pinned=record.pinned,
        supersedes=() if pending.replaces is None else (pending.replaces,),
        provenance=record.provenance,
        assignment=Assignment(task_id=record.task_id),
        valid_from=record.valid_from,
        valid_to=record.valid_to,
        event_at=record.event_at,
        topic=record.topic,
        created_at=record.created_at if pending.replaces is None else None,
        metadata=record.metadata,
    )
