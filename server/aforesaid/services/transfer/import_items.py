"""Importing items of other programs: each one once, through the normal write path.

Here: which items are new, changed or already imported. Not here: reading formats
(adapters/importers). An item is registered after it is stored: if the process dies in between, the
next run stores it again, and the duplicate check recognises it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from aforesaid.domain.errors import (
    AforesaidError,
    CorruptError,
    InvalidInputError,
    UnavailableError,
)
from aforesaid.domain.model.anchor import MAX_ANCHORS, Anchor
from aforesaid.domain.model.import_item import (
    MAX_IMPORT_ITEMS,
    MAX_LINKS,
    ImportedItem,
    ImportItem,
    SkipCounter,
    item_checksum,
    name_hash,
)
from aforesaid.domain.model.memory import CallContext, Memory
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store
from aforesaid.services.memories.results import StoreResult
from aforesaid.services.memories.writer import MemoryWriter

from .imported_links import link_all

BATCH = 50
PROVENANCE = "import"


class ImportSummary(Value):
    """The result of an import: counts of items."""

    stored: int = 0
    changed: int = 0  #: new versions of items imported before
    recognised: int = 0  #: another memory already says the same
    known: int = 0  #: imported before, and unchanged
    erased_before: int = 0  #: skipped, because the user had them erased
    redacted: int = 0  #: items from which secrets or private spans were removed
    linked: int = 0  #: relations between items
    for_all: int = 0  #: stored for all projects, because they are from no project
    by_project: dict[str, int] = {}  #: stored ones, see ``place_of``
    refused: tuple[tuple[str, str], ...] = ()  #: names and reasons


def is_for_all(memory: Memory, context: CallContext) -> bool:
    """Whether a memory holds for all projects because it was imported outside of any."""
    return memory.scope == "global" and not context.has_project


def place_of(memory: Memory, context: CallContext) -> str:
    """Return the name of the project that a memory was stored in, or ``global``."""
    return "global" if memory.scope == "global" else context.project.name


class ItemImporter:
    """Imports items of other programs."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        writer: MemoryWriter,
        context_of: Callable[[str | None, str | None], CallContext | None],
        skipped: SkipCounter,
    ) -> None:
        """Set up the importer.

        Args:
            store: The store.
            clock: The current time.
            writer: The write path.
            context_of: Returns the call context of a project by name, created if new, or of a
                folder; None if its memory is switched off.
            skipped: Counts skipped items by reason.
        """
        self._store = store
        self._clock = clock
        self._writer = writer
        self._context_of = context_of
        self._skipped = skipped
        self._secret = store.meta("install_secret") or ""
        self._counts: dict[str, Any] = dict.fromkeys(
            (
                "stored", "changed", "recognised", "known", "erased_before", "redacted", "linked",
                "for_all",
            ),
            0,
        )  # fmt: skip
        self._by_project: Counter[str] = Counter()
        self._refused: list[tuple[str, str]] = []
        self._links: list[tuple[str, str, str]] = []  # hashed name, kind, hashed name
        self._contexts: dict[tuple[str | None, str | None], CallContext | None] = {}

    def import_all(
        self,
        items: Iterable[ImportItem],
        default_context: CallContext,
        progress: Callable[[int], None],
    ) -> ImportSummary:
        """Store new and changed items; a refused item does not stop the others.

        Args:
            items: The items, older versions before newer ones.
            default_context: The call context of items without a project.
            progress: Called with the number of items processed so far.

        Raises:
            UnavailableError: The store cannot be written; finished batches stay stored.
            CorruptError: The store is damaged.
        """
        batch: list[ImportItem] = []
        names: set[str] = set()
        done = 0
        for item in items:
            if done + len(batch) >= MAX_IMPORT_ITEMS:
                self._skipped.add(f"entries beyond the limit of {MAX_IMPORT_ITEMS}")
                continue
            if len(batch) == BATCH or not names.isdisjoint((item.name, *item.replaces)):
                done += self._store_batch(batch, default_context)
                progress(done)
                batch, names = [], set()
            batch.append(item)
            names.add(item.name)
        done += self._store_batch(batch, default_context)
        self._counts["linked"] = link_all(
            self._store, self._clock, self._links, self._head, self._skipped.add
        )
        progress(done)
        return ImportSummary(
            **self._counts, by_project=dict(self._by_project), refused=tuple(self._refused)
        )

    def preview(self, items: Iterable[ImportItem]) -> ImportSummary:
        """Return how many items are new, changed or known, without writing."""
        for number, item in enumerate(items):
            if number >= MAX_IMPORT_ITEMS:
                self._skipped.add(f"entries beyond the limit of {MAX_IMPORT_ITEMS}")
                continue
            registered = self._store.import_items.get(self._key(item.name))
            if registered is None:
                self._counts["stored"] += 1
            elif self._is_known(registered, item):
                self._counts["known"] += 1
            else:
                self._counts["changed"] += 1
        return ImportSummary(**self._counts)

    def _store_batch(self, batch: list[ImportItem], default_context: CallContext) -> int:
        """Store the new and changed items of a batch, one project at a time; return its size."""
        groups: dict[
            tuple[str | None, str | None], list[tuple[ImportItem, ImportedItem | None]]
        ] = {}
        for item in batch:
            self._collect_links(item)
            registered = self._store.import_items.get(self._key(item.name))
            if registered is not None and self._is_known(registered, item):
                self._counts["known"] += 1
            else:
                groups.setdefault((item.project, item.folder), []).append((item, registered))
        for location, group in groups.items():
            try:
                if location not in self._contexts:
                    is_default = location == (None, None)
                    self._contexts[location] = (
                        default_context if is_default else self._context_of(*location)
                    )
            except InvalidInputError as error:
                self._refused += [(item.name, str(error)) for item, _ in group]
                continue
            context = self._contexts[location]
            if context is None:
                self._skipped.add("entries of projects whose memory is off", len(group))
            else:
                self._store_group(group, context)
        return len(batch)

    def _is_known(self, registered: ImportedItem, item: ImportItem) -> bool:
        """Whether an item needs no import: it is unchanged, or the user forgot or erased it."""
        if registered.checksum == self._checksum(item):
            return True
        memory = self._memory(registered)
        return memory is None or memory.forgotten_at is not None

    def _store_group(
        self, group: list[tuple[ImportItem, ImportedItem | None]], context: CallContext
    ) -> None:
        statements = [
            item.statement.replace(
                provenance=PROVENANCE,
                anchors=(),
                cited=self._cite(item, context),
                supersedes=tuple(self._replaced(item, registered, context)),
            )
            for item, registered in group
        ]
        try:
            results = self._writer.store_many(statements, context, ingested=True)
        except (UnavailableError, CorruptError):
            raise  # not caused by an item: the next ones would fail too
        except AforesaidError as error:
            if len(group) == 1:
                self._refused.append((group[0][0].name, str(error)))
                return
            middle = len(group) // 2  # bisect to find the refused item and store the others
            self._store_group(group[:middle], context)
            self._store_group(group[middle:], context)
            return
        now = self._clock.now()
        with self._store.transaction():
            for (item, registered), stored in zip(group, results, strict=True):
                self._count(registered, stored, context)
                self._store.import_items.put(
                    ImportedItem(
                        name=self._key(item.name),
                        checksum=self._checksum(item),
                        memory=None if stored is None else stored.memory.key,
                    ),
                    now,
                )

    def _cite(self, item: ImportItem, context: CallContext) -> tuple[Anchor, ...]:
        """Return anchors for the files of an item that exist in its project."""
        clean = self._writer.cleaner().clean
        cited: list[Anchor] = [
            anchor for anchor in item.statement.cited if clean(anchor.path) == anchor.path
        ]
        for path in item.statement.anchors[:MAX_ANCHORS]:
            try:
                cited += self._writer.anchors.cite([path], context)
            except InvalidInputError:
                continue  # missing or outside the project: the item's metadata names it
        return tuple(cited[:MAX_ANCHORS])

    def _count(
        self, registered: ImportedItem | None, stored: StoreResult | None, context: CallContext
    ) -> None:
        if stored is None:
            self._counts["erased_before"] += 1
            return
        self._counts["redacted"] += bool(stored.redacted or stored.private_removed)
        if stored.deduplicated:
            self._counts["recognised"] += 1
        else:
            self._counts["stored" if registered is None else "changed"] += 1
            self._counts["for_all"] += is_for_all(stored.memory, context)
            if registered is None:
                self._by_project[place_of(stored.memory, context)] += 1

    def _replaced(
        self, item: ImportItem, registered: ImportedItem | None, context: CallContext
    ) -> list[str]:
        """Return the ids of the imported memories in force that an item supersedes."""
        older = [self._store.import_items.get(self._key(name)) for name in item.replaces]
        ids: list[str] = []
        for imported in (registered, *older):
            memory = None if imported is None else self._memory(imported)
            if (
                memory is not None
                and memory.in_force
                and memory.provenance == PROVENANCE
                and memory.project in context.visible.projects
                and memory.id not in ids
            ):
                ids.append(memory.id)
        return ids

    # -- relations between items

    def _collect_links(self, item: ImportItem) -> None:
        for kind, target in item.links:
            if len(self._links) >= MAX_LINKS:
                self._skipped.add(f"relations beyond the limit of {MAX_LINKS}")
                return
            self._links.append((self._key(item.name), kind, self._key(target)))

    def _head(self, name: str) -> Memory | None:
        """Return the head, if in force, of the memory that an item with this hashed name became."""
        imported = self._store.import_items.get(name)
        memory = None if imported is None else self._memory(imported)
        if memory is None:
            return None
        heads = self._store.memories.get([memory.head])
        return heads[0] if heads and heads[0].in_force else None

    def _memory(self, imported: ImportedItem) -> Memory | None:
        memories = [] if imported.memory is None else self._store.memories.get([imported.memory])
        return memories[0] if memories else None

    # -- keyed hashes: the register of items reveals no content

    def _key(self, name: str) -> str:
        return name_hash(name, self._writer.cleaner().clean, self._secret)

    def _checksum(self, item: ImportItem) -> str:
        return item_checksum(item, self._writer.cleaner().clean, self._secret)
