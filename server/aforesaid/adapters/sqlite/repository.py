"""What every repository of the store has: the database, and the repositories beside it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Database
    from .store import SqliteStore


class Repository:
    """The part of a store that reads and writes some of its tables."""

    def __init__(self, store: SqliteStore) -> None:
        """Join the repository to its store.

        Args:
            store: opened; its other repositories are made when they are first used.
        """
        self._store = store
        self._db: Database = store.database
