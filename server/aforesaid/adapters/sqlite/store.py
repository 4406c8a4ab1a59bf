"""The store: one SQLite file, and a repository for each kind of data in it.

A repository is imported at its first use, so that a hook loads only those that it asks for.
"""

from __future__ import annotations

import os

from . import unchanged
from .database import BUSY_TIMEOUT_MS, Database
from .ledger import look_for_loss
from .schema_fingerprints import FINGERPRINTS, is_newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import cached_property as once

    from .anchors import AnchorRepository
    from .dump import StoreDump
    from .engine import Transaction
    from .entities import EntityRepository
    from .erasure import ErasureRepository
    from .extractions import ExtractionRepository
    from .import_items import ImportItemRepository
    from .inspection import InspectionRepository
    from .integrity import Checks
    from .maintenance_queries import MaintenanceQueries
    from .memories import MemoryRepository
    from .models import ModelRepository
    from .neighbours import NeighbourQueries
    from .projects import ProjectRepository, SessionRepository
    from .relations import RelationRepository
    from .runs import RunRepository
    from .search import SearchIndex
    from .session_neighbours import SessionOrder
    from .suggestions import SuggestionRepository
    from .tasks import TaskRepository
    from .text_rewrite import TextRepository
    from .topics import TopicRepository
    from .usage import UsageRepository
    from .vectors import VectorIndex
    from .vocabulary import Vocabulary
else:

    class once:  # noqa: N801 - functools.cached_property, a module that hooks must not import
        """A value that is computed when it is first read."""

        def __init__(self, make: Callable[[SqliteStore], object]) -> None:
            self._make = make
            self._name = make.__name__
            self.__doc__ = make.__doc__

        def __get__(self, store: SqliteStore | None, owner: object = None) -> object:
            if store is None:
                return self
            value = store.__dict__[self._name] = self._make(store)
            return value


_CLEAN_PENDING = "clean_pending"  #: of meta
_CLEAN_WAIT_MS = 10_000  #: for readers; after that the next call finishes the work
_COMPACT = "compact"  #: value of clean_pending: the file must be rewritten


class SqliteStore:
    """All data of Aforesaid in one SQLite file.

    Raises, from its methods and those of its repositories:
        UnavailableError: the file is locked, full, read-only or cannot be opened.
        CorruptError: the file is damaged.
    """

    def __init__(
        self,
        path: str,
        *,
        vec_extension: str | None = None,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        exact_vectors: int | None = None,
        whole_words: int | None = None,
        snapshot: bool = True,
        for_hook: bool = False,
    ) -> None:
        """Open the file; create or migrate its tables.

        Args:
            path: the file; created with its folder if missing.
            vec_extension: path of sqlite-vec's library; None means search by words only.
            busy_timeout_ms: how long a write waits for other processes.
            exact_vectors: up to this many visible vectors, a search compares all of them.
            whole_words: up to this many memories, a search ranks every match.
            snapshot: keep a copy of an older store before migrating it.
            for_hook: the process is short and stores only sessions and what they were shown, no
                memories: a power cut may undo its last writes.
        """
        self._exact_vectors = exact_vectors
        self.whole_words = whole_words
        self.database = Database(
            path,
            vec_extension=vec_extension,
            busy_timeout_ms=busy_timeout_ms,
            writes_back=not for_hook,
            durable=not for_hook,
        )
        self._open(snapshot=snapshot)
        look_for_loss(self.database)

    def _open(self, *, snapshot: bool) -> None:
        """Call ``migration.migrate``, imported only if the schema is not the newest."""
        database = self.database
        if os.path.lexists(database.path) and is_newest(database):
            database.version = len(FINGERPRINTS)
            database.on_other_version = self._notice_version
        else:
            from .migration import migrate

            migrate(database, snapshot=snapshot)

    def _notice_version(self, version: int) -> None:
        from .migration import notice_version

        notice_version(self.database, version)

    # -- repositories

    @once
    def memories(self) -> MemoryRepository:
        """Memories: stored, read, changed, superseded, erased."""
        from .memories import MemoryRepository

        return MemoryRepository(self)

    @once
    def topics(self) -> TopicRepository:
        """The topic tree."""
        from .topics import TopicRepository

        return TopicRepository(self)

    @once
    def search(self) -> SearchIndex:
        """Full-text and vector search."""
        from .search import SearchIndex

        return SearchIndex(self)

    @once
    def session_order(self) -> SessionOrder:
        """The order of memories within their sessions."""
        from .session_neighbours import SessionOrder

        return SessionOrder(self)

    @once
    def relations(self) -> RelationRepository:
        """Links between memories."""
        from .relations import RelationRepository

        return RelationRepository(self)

    @once
    def usage(self) -> UsageRepository:
        """How often memories are used."""
        from .usage import UsageRepository

        return UsageRepository(self)

    @once
    def inspection(self) -> InspectionRepository:
        """Where memories come from, and how they are used."""
        from .inspection import InspectionRepository

        return InspectionRepository(self)

    @once
    def tasks(self) -> TaskRepository:
        from .tasks import TaskRepository

        return TaskRepository(self)

    @once
    def entities(self) -> EntityRepository:
        """Entities and their names."""
        from .entities import EntityRepository

        return EntityRepository(self)

    @once
    def anchors(self) -> AnchorRepository:
        """The files that memories cite."""
        from .anchors import AnchorRepository

        return AnchorRepository(self)

    @once
    def import_items(self) -> ImportItemRepository:
        """Import items, by their names in other programs."""
        from .import_items import ImportItemRepository

        return ImportItemRepository(self)

    @once
    def projects(self) -> ProjectRepository:
        """Projects and their keys."""
        from .projects import ProjectRepository

        return ProjectRepository(self)

    @once
    def sessions(self) -> SessionRepository:
        from .projects import SessionRepository

        return SessionRepository(self)

    @once
    def extractions(self) -> ExtractionRepository:
        """How far a summariser has read each session."""
        from .extractions import ExtractionRepository

        return ExtractionRepository(self)

    @once
    def models(self) -> ModelRepository:
        """Embedding models."""
        from .models import ModelRepository

        return ModelRepository(self)

    @once
    def runs(self) -> RunRepository:
        """Maintenance runs."""
        from .runs import RunRepository

        return RunRepository(self)

    @once
    def maintenance(self) -> MaintenanceQueries:
        """Queries of the maintenance phases."""
        from .maintenance_queries import MaintenanceQueries

        return MaintenanceQueries(self)

    @once
    def neighbours(self) -> NeighbourQueries:
        """Nearest neighbours of many memories at once."""
        from .neighbours import NeighbourQueries

        return NeighbourQueries(self)

    @once
    def suggestions(self) -> SuggestionRepository:
        """Suggestions of maintenance."""
        from .suggestions import SuggestionRepository

        return SuggestionRepository(self)

    @once
    def texts(self) -> TextRepository:
        """Every text column of the store."""
        from .text_rewrite import TextRepository

        return TextRepository(self)

    @once
    def erasure(self) -> ErasureRepository:
        """Rows and files that quote a memory, and their removal."""
        from .erasure import ErasureRepository

        return ErasureRepository(self)

    @once
    def dump(self) -> StoreDump:
        """All rows, for exports."""
        from .dump import StoreDump

        return StoreDump(self)

    @once
    def vectors(self) -> VectorIndex:
        """The vectors of memories."""
        from .vectors import EXACT_VECTORS, VectorIndex

        exact = self._exact_vectors
        return VectorIndex(self.database, EXACT_VECTORS if exact is None else exact)

    @once
    def vocabulary(self) -> Vocabulary:
        """The words of memories, to correct misspelt query terms."""
        from .vocabulary import Vocabulary

        return Vocabulary(self.database)

    # -- the file

    def mark_unchanged(self) -> tuple[str, str, bool]:
        """Return a file that any change of the store removes, its text, and whether it is new.

        Call this inside a transaction that does not commit.

        Raises:
            OSError: the file cannot be written.
        """
        return unchanged.create(self.path)

    @property
    def path(self) -> str:
        """The file."""
        return self.database.path

    @property
    def read_only(self) -> bool:
        """Whether a newer version wrote the file and forbids this one to write."""
        return self.database.read_only

    @property
    def newer(self) -> str:
        """The error message if a newer version made the file, else empty."""
        return self.database.newer

    def transaction(self, *, wait: bool = True, commits: bool = True) -> Transaction:
        """Open a write transaction; without ``wait``, only if nobody else is writing.

        Without ``commits`` it changes nothing, and only keeps others from writing.
        """
        return self.database.transaction(wait=wait, commits=commits)

    def meta(self, name: str) -> str | None:
        """Return a property of the store file."""
        value: str | None = self.database.value("SELECT value FROM meta WHERE name = ?", (name,))
        return value

    def set_meta(self, name: str, value: str) -> None:
        """Set a property of the store file."""
        self.database.rows("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def clean_file(self) -> bool:
        """Checkpoint and truncate the log, so that no erased byte is left in it.

        Returns:
            False while another process reads; ``finish_cleaning`` completes it later.
        """
        from .checkpoints import truncate_log

        clean = truncate_log(self.database, _CLEAN_WAIT_MS)
        if not clean:
            self.set_meta(_CLEAN_PENDING, "1")
        elif self.meta(_CLEAN_PENDING):
            self.database.rows("DELETE FROM meta WHERE name = ?", (_CLEAN_PENDING,))
        return clean

    def finish_cleaning(self) -> None:
        """Complete a cleanup that another process prevented, if one is pending."""
        pending = self.meta(_CLEAN_PENDING)
        if pending and (pending != _COMPACT or self.compact_file()):
            self.clean_file()

    def compact_file(self) -> bool:
        """Rewrite the whole file without free pages; False while it is in use."""
        if self.database.vacuum():
            return True
        self.set_meta(_CLEAN_PENDING, _COMPACT)
        return False

    def checks(self) -> Checks:
        """Return the integrity checks of the file."""
        from .integrity import Checks

        return Checks(self.database, self.vectors)

    def keep_copy(self, reason: str) -> str:
        """Write a snapshot of the file beside it; return its path."""
        from .migration import take_snapshot

        return take_snapshot(self.database, reason)

    def checkpoint(self) -> bool:
        """Write the log back into the file; False while other processes use it."""
        return self.database.checkpoint()

    def close(self) -> None:
        """Close the file."""
        self.database.close()
