"""What other programs remember becomes memories: each piece once, the normal write path, `import`.

Here: which pieces are new, changed or known. Not here: reading formats (adapters/importers).
A piece is registered after it is stored: where the process dies in between, the next run stores it
again and the duplicate gate recognises it.
"""

from __future__ import annotations

from aforesaid.domain.errors import (
    AforesaidError,
    CorruptError,
    InvalidInputError,
    UnavailableError,
)
from aforesaid.domain.model.anchor import MAX_ANCHORS
from aforesaid.domain.model.import_item import (
    MAX_LINKS,
    MAX_PIECES,
    ImportedItem,
    item_checksum,
    name_hash,
)
from aforesaid.domain.value import Value

from .imported_links import link_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, Store
    from aforesaid.services.memories.results import StoreResult
    from aforesaid.services.memories.writer import MemoryWriter

BATCH = 50
PROVENANCE = "import"


class ImportSummary(Value):
    """What taking pieces in did; counts of pieces."""

    stored: int = 0
    changed: int = 0  #: a new version of what came in before
    recognised: int = 0  #: something else had said the same
    known: int = 0  #: came in before, and says the same
    erased_before: int = 0  #: left out, since the user had it erased
    redacted: int = 0  #: secrets or private spans were taken out
    linked: int = 0  #: relations between pieces
    refused: tuple[tuple[str, str], ...] = ()  #: name and why


class ItemImporter:
    """The way in for what other programs remember."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        remember: MemoryWriter,
        place_of: Callable[[str | None, str | None], CallContext | None],
        left_out: SkipCounter,
    ) -> None:
        """Join the way in.

        Args:
            store: where memories are.
            clock: the present time.
            remember: the write path.
            place_of: the place of a project by name, made if new, or of a folder; None where
                memory is switched off.
            left_out: told what is not taken, and why.
        """
        self._store = store
        self._clock = clock
        self._remember = remember
        self._place_of = place_of
        self._left_out = left_out
        self._secret = store.meta("install_secret") or ""
        self._counts: dict[str, Any] = dict.fromkeys(
            ("stored", "changed", "recognised", "known", "erased_before", "redacted", "linked"), 0
        )
        self._refused: list[tuple[str, str]] = []
        self._links: list[tuple[str, str, str]] = []  # hashed name, kind, hashed name
        self._places: dict[tuple[str | None, str | None], CallContext | None] = {}

    def take(
        self, pieces: Iterable[ImportItem], here: CallContext, progress: Callable[[int], None]
    ) -> ImportSummary:
        """Store what is new or changed; a piece that is refused stops no other.

        Args:
            pieces: in order, older versions before newer ones.
            here: where pieces without a project go.
            progress: told how many pieces are done so far.

        Raises:
            UnavailableError: the store cannot be written; what was done stays done.
            CorruptError: it is damaged.
        """
        batch: list[ImportItem] = []
        names: set[str] = set()
        done = 0
        for piece in pieces:
            if done + len(batch) >= MAX_PIECES:
                self._left_out.add(f"beyond {MAX_PIECES} pieces")
                continue
            if len(batch) == BATCH or not names.isdisjoint((piece.name, *piece.replaces)):
                done += self._finish(batch, here)
                progress(done)
                batch, names = [], set()
            batch.append(piece)
            names.add(piece.name)
        done += self._finish(batch, here)
        self._counts["linked"] = link_all(
            self._store, self._clock, self._links, self._head, self._left_out.add
        )
        progress(done)
        return ImportSummary(**self._counts, refused=tuple(self._refused))

    def preview(self, pieces: Iterable[ImportItem]) -> ImportSummary:
        """Return how many pieces are new, changed or known; nothing is written."""
        for number, piece in enumerate(pieces):
            if number >= MAX_PIECES:
                self._left_out.add(f"beyond {MAX_PIECES} pieces")
                continue
            before = self._store.import_items.get(self._key(piece.name))
            if before is None:
                self._counts["stored"] += 1
            elif self._is_known(before, piece):
                self._counts["known"] += 1
            else:
                self._counts["changed"] += 1
        return ImportSummary(**self._counts)

    def _finish(self, batch: list[ImportItem], here: CallContext) -> int:
        """Store a batch, by project; return how many pieces it had."""
        by_place: dict[
            tuple[str | None, str | None], list[tuple[ImportItem, ImportedItem | None]]
        ] = {}
        for piece in batch:
            self._note_links(piece)
            before = self._store.import_items.get(self._key(piece.name))
            if before is not None and self._is_known(before, piece):
                self._counts["known"] += 1
            else:
                asked = (piece.project, piece.folder)
                by_place.setdefault(asked, []).append((piece, before))
        for asked, group in by_place.items():
            try:
                if asked not in self._places:
                    self._places[asked] = here if asked == (None, None) else self._place_of(*asked)
            except InvalidInputError as error:
                self._refused += [(piece.name, str(error)) for piece, _ in group]
                continue
            place = self._places[asked]
            if place is None:
                self._left_out.add("pieces of projects whose memory is off", len(group))
            else:
                self._store_group(group, place)
        return len(batch)

    def _is_known(self, before: ImportedItem, piece: ImportItem) -> bool:
        """Tell whether nothing is to be done: it says the same, or the user let go of it."""
        if before.print == self._print(piece):
            return True
        memory = self._memory(before)
        return memory is None or memory.forgotten_at is not None

    def _store_group(
        self, group: list[tuple[ImportItem, ImportedItem | None]], place: CallContext
    ) -> None:
        statements = [
            piece.statement.replace(
                provenance=PROVENANCE,
                anchors=(),
                cited=self._cite(piece, place),
                supersedes=tuple(self._replaced(piece, before, place)),
            )
            for piece, before in group
        ]
        try:
            done = self._remember.store_many(statements, place, ingested=True)
        except (UnavailableError, CorruptError):
            raise  # no piece's fault: the next ones would fare no better
        except AforesaidError as error:
            if len(group) == 1:
                self._refused.append((group[0][0].name, str(error)))
                return
            middle = len(group) // 2  # find the one that is refused; the others are stored
            self._store_group(group[:middle], place)
            self._store_group(group[middle:], place)
            return
        now = self._clock.now()
        with self._store.transaction():
            for (piece, before), stored in zip(group, done, strict=True):
                self._count(before, stored)
                self._store.import_items.put(
                    ImportedItem(
                        name=self._key(piece.name),
                        print=self._print(piece),
                        memory=None if stored is None else stored.memory.key,
                    ),
                    now,
                )

    def _cite(self, piece: ImportItem, place: CallContext) -> tuple[Anchor, ...]:
        """Return anchors for those of a piece's files that are in its project now."""
        clean = self._remember.cleaner().clean
        cited: list[Anchor] = [one for one in piece.statement.cited if clean(one.path) == one.path]
        for path in piece.statement.anchors[:MAX_ANCHORS]:
            try:
                cited += self._remember.anchors.cite([path], place)
            except InvalidInputError:
                continue  # gone, or elsewhere: the piece's metadata names it
        return tuple(cited[:MAX_ANCHORS])

    def _count(self, before: ImportedItem | None, stored: StoreResult | None) -> None:
        if stored is None:
            self._counts["erased_before"] += 1
            return
        self._counts["redacted"] += bool(stored.redacted or stored.private_removed)
        if stored.deduplicated:
            self._counts["recognised"] += 1
        else:
            self._counts["stored" if before is None else "changed"] += 1

    def _replaced(
        self, piece: ImportItem, before: ImportedItem | None, place: CallContext
    ) -> list[str]:
        """Return ids of what a piece comes after: only what an import brought, and is in force."""
        older = [self._store.import_items.get(self._key(name)) for name in piece.replaces]
        found: list[str] = []
        for taken in (before, *older):
            memory = None if taken is None else self._memory(taken)
            if (
                memory is not None
                and memory.in_force
                and memory.provenance == PROVENANCE
                and memory.project in place.visible.projects
                and memory.id not in found
            ):
                found.append(memory.id)
        return found

    # -- relations between pieces

    def _note_links(self, piece: ImportItem) -> None:
        for kind, target in piece.links:
            if len(self._links) >= MAX_LINKS:
                self._left_out.add(f"relations beyond {MAX_LINKS}")
                return
            self._links.append((self._key(piece.name), kind, self._key(target)))

    def _head(self, name: str) -> Memory | None:
        taken = self._store.import_items.get(name)
        memory = None if taken is None else self._memory(taken)
        if memory is None:
            return None
        found = self._store.memories.get([memory.head])
        return found[0] if found and found[0].in_force else None

    def _memory(self, taken: ImportedItem) -> Memory | None:
        found = [] if taken.memory is None else self._store.memories.get([taken.memory])
        return found[0] if found else None

    # -- what is kept of a piece says nothing of it

    def _key(self, name: str) -> str:
        return name_hash(name, self._remember.cleaner().clean, self._secret)

    def _print(self, piece: ImportItem) -> str:
        return item_checksum(piece, self._remember.cleaner().clean, self._secret)
