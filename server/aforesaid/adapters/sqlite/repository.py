"""The base of every repository: the database and its sibling repositories."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .database import Database
    from .siblings import Siblings


class SqliteRepository:
    """The part of a store that reads and writes some of its tables."""

    def __init__(self, store: Siblings) -> None:
        """Attach the repository to its store.

        Args:
            store: an open store, whose repositories are created at their first use.
        """
        self._store = store
        self._db: Database = store.database
