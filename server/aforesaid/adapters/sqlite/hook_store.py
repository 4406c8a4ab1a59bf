"""The store as hooks open it: what a session's start asks for, and the rest once it is asked for.

Importing every table costs a start a fifth of a bare one. Not here: any query. Held by
tests/integration/test_hook_store.py: whatever this has is what the whole store has.
"""

from __future__ import annotations

import os

from .anchors import AnchorTable
from .database import HOOK_BUSY_TIMEOUT_MS, Database
from .ledger import look_for_loss
from .maintenance_queries import MaintenanceQueries
from .projects import ProjectTable, SessionTable
from .relations import RelationTable
from .runs import RunTable
from .schema_fingerprints import FINGERPRINTS, is_newest
from .suggestions import OfferTable
from .tasks import TaskTable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .store import SqliteStore


class HookStore(
    RelationTable,
    TaskTable,
    AnchorTable,
    ProjectTable,
    SessionTable,
    RunTable,
    MaintenanceQueries,
    OfferTable,
):
    """A store that becomes the whole one (store.py) when more is asked of it than is here."""

    def __init__(self, path: str) -> None:
        """Open the file, make or migrate its tables; hooks wait less for others, and for the disk.

        They write who is there and what was shown, no memories: a power cut may take back the last.
        """
        self._db = Database(path, busy_timeout_ms=HOOK_BUSY_TIMEOUT_MS, durable=False)
        _open(self._db)
        look_for_loss(self._db)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._whole(), name)

    def _whole(self) -> SqliteStore:
        from .store import SqliteStore

        return SqliteStore.of(self)

    # -- what the whole store does with tables that are not here

    def erase(self, key: int, keyed_hash: str, at: int) -> None:
        """Do as the whole store does."""
        self._whole().erase(key, keyed_hash, at)

    def supersede(self, old: int, new: int, at: int) -> None:
        """Do as the whole store does."""
        self._whole().supersede(old, new, at)

    def unchain(self, key: int) -> None:
        """Do as the whole store does."""
        self._whole().unchain(key)

    def merge_projects(self, source: int, target: int) -> int:
        """Do as the whole store does."""
        return self._whole().merge_projects(source, target)


def _open(database: Database) -> None:
    """Do as ``migration.migrate``, which is imported only where there is something to migrate."""
    if os.path.lexists(database.path) and is_newest(database):
        database.version = len(FINGERPRINTS)
        database.on_other_version = lambda version: _notice_version(database, version)
    else:
        from .migration import migrate

        migrate(database)


def _notice_version(database: Database, version: int) -> None:
    from .migration import notice_version

    notice_version(database, version)


def open_hook_store(path: str) -> SqliteStore:
    """Return the store, with as little of it as will do."""
    store: Any = HookStore(path)
    opened: SqliteStore = store
    return opened
