"""The whole store: one object over one file, for all ports."""

from __future__ import annotations

from .anchors import AnchorTable
from .database import BUSY_TIMEOUT_MS, Database
from .dump import Dump
from .entities import EntityTable
from .erasure import ErasureTable
from .extractions import ExtractionTable
from .import_items import PieceTable
from .inspection import InspectionTable
from .ledger import look_for_loss
from .maintenance_queries import MaintenanceQueries
from .migration import migrate, take_snapshot
from .models import ModelTable
from .neighbours import NeighbourTable
from .projects import ProjectTable
from .relations import RelationTable
from .runs import RunTable
from .search import WHOLE_WORDS, SearchIndex
from .suggestions import OfferTable
from .tasks import TaskTable
from .topics import TopicTable
from .usage import UseTable
from .vectors import EXACT_VECTORS, VectorIndex
from .vocabulary import Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from aforesaid.domain.model.memory import Memory

    from .integrity import Checks


class SqliteStore(
    TopicTable,
    SearchIndex,
    RelationTable,
    UseTable,
    InspectionTable,
    TaskTable,
    EntityTable,
    AnchorTable,
    PieceTable,
    ErasureTable,
    ProjectTable,
    ExtractionTable,
    ModelTable,
    RunTable,
    MaintenanceQueries,
    NeighbourTable,
    OfferTable,
    Dump,
):
    """Memories in their tree, relations, projects and sessions in one SQLite file.

    Raises, from any method:
        UnavailableError: the file is locked, full, read-only or cannot be opened.
        CorruptError: the file is damaged.
    """

    def __init__(
        self,
        path: str,
        *,
        vec_extension: str | None = None,
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        exact_vectors: int = EXACT_VECTORS,
        whole_words: int = WHOLE_WORDS,
        snapshot: bool = True,
    ) -> None:
        """Open the file, make or migrate its tables.

        Args:
            path: the file; made with its folder where missing.
            vec_extension: path of sqlite-vec's library; None means words only.
            busy_timeout_ms: how long a write waits for other processes.
            exact_vectors: up to so many visible vectors, all are compared with a question's.
            whole_words: up to so many memories, every one that holds a word is ranked.
            snapshot: keep a copy of an older store before it is migrated.
        """
        self._db = Database(
            path, vec_extension=vec_extension, busy_timeout_ms=busy_timeout_ms, writes_back=True
        )
        self.equip(exact_vectors, whole_words)
        migrate(self._db, snapshot=snapshot)
        look_for_loss(self._db)

    def equip(self, exact_vectors: int = EXACT_VECTORS, whole_words: int = WHOLE_WORDS) -> None:
        """Make what stands beside the rows; for opening alone."""
        self._vectors = VectorIndex(self._db, exact_vectors)
        self._vocabulary = Vocabulary(self._db)
        self._whole_words = whole_words
        self._counted = {}

    @classmethod
    def of(cls, part: object) -> SqliteStore:
        """Return a hook's store (hook_store.py) made the whole one, over the same connections."""
        whole: Any = part
        whole.__class__ = cls
        whole.equip()
        made: SqliteStore = whole
        return made

    @property
    def path(self) -> str:
        """The file."""
        return self._db.path

    @property
    def read_only(self) -> bool:
        """Whether the file was written by a newer version that forbids this one to write."""
        return self._db.read_only

    def merge_projects(self, source: int, target: int) -> int:
        """Move all that source holds to target, keys included; return how many memories moved."""
        self.move_topics(source, target)
        moved = super().merge_projects(source, target)
        self.settle_strays(target)
        return moved

    def unchain(self, key: int) -> None:
        """Take back that a memory was superseded: it ends its chain, and keeps its place, again."""
        super().unchain(key)
        self.settle(key)

    def latest_digest(self) -> Memory | None:
        """Return the digest in force that was written last."""
        key = self._db.value(
            "SELECT m.key FROM sessions s JOIN memories m ON m.key = s.digest "
            "WHERE m.forgotten_at IS NULL AND m.superseded_by IS NULL "
            "ORDER BY m.created_at DESC LIMIT 1"
        )
        return None if key is None else self.get([key])[0]

    def in_force_after(self, project: int, key: int, limit: int) -> list[Memory]:
        """Return a project's memories in force behind a key, oldest first."""
        return self._read(
            "WHERE m.project = ? AND m.key > ? AND m.superseded_by IS NULL "
            "AND m.forgotten_at IS NULL ORDER BY m.key LIMIT ?",
            (project, key, limit),
        )

    def checks(self) -> Checks:
        """Return what looks whether the file holds what it should."""
        from .integrity import Checks

        return Checks(self._db, self._vectors)

    def keep_copy(self, reason: str) -> str:
        """Write a copy of the file as it is, beside it; return its path."""
        return take_snapshot(self._db, reason)

    def checkpoint(self) -> bool:
        """Write the log back into the file; False while others use it."""
        return self._db.checkpoint()

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
