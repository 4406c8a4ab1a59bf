"""The whole store as rows, and back: what an export holds, and what it leaves out.

Left out is what can be made again (words, vectors) and what tells the history of the file itself
(log, runs). Rows come in order of their keys, so that equal stores give equal dumps.
"""

from __future__ import annotations

import apsw

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.maintenance.backup_schedule import BACKUP_FAILURE

from .database import Database, in_our_words
from .ledger import COMMITS, LOSSES
from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


#: Every table that is kept.
DUMPED = (
    "meta",
    "projects",
    "project_aliases",
    "project_commits",
    "entities",
    "entity_aliases",
    "topics",
    "tasks",
    "memories",
    "sessions",
    "extractions",
    "tags",
    "relations",
    "faded",
    "offers",
    "anchors",
    "erased",
    "pieces",
)
#: Facts about this very file, which another file has of its own.
_OWN_META = ("min_code_schema", "clean_pending", "checked", BACKUP_FAILURE, COMMITS, LOSSES)
#: Columns that can be made again, or mean something on this machine alone.
_LEFT_OUT = {"entities": ("model", "embedding"), "sessions": ("project_dir",)}


class StoreDump(Repository):
    """The store as rows."""

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (table, row by column) of everything that is kept, always in the same order.

        As it is when the first row is taken, whoever writes meanwhile, and a row at a time.
        """
        reader = Database(self._db.path, read_only=True)
        try:
            connection = reader.connection()
            connection.execute("BEGIN")
            for table in DUMPED:
                columns = self._columns(table)
                order = ", ".join(self._primary_key(table))
                sql = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}"
                for row in connection.execute(sql):
                    fields = dict(zip(columns, row, strict=True))
                    if table != "meta" or fields["name"] not in _OWN_META:
                        yield table, fields
        except apsw.Error as error:
            raise in_our_words(error, self._db.path) from error
        finally:
            reader.close()

    def count_rows(self) -> int:
        """Return about how many rows a dump has."""
        counts = (self._db.value(f"SELECT count(*) FROM {table}") for table in DUMPED)
        return sum(int(count) for count in counts)

    def count_memories(self) -> int:
        """Return how many rows of memories there are, versions and forgotten ones too."""
        return int(self._db.value("SELECT count(*) FROM memories"))

    def load(self, rows: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, int]:
        """Fill an empty store with dumped rows, all or none; return how many a table got.

        Raises:
            ConflictError: the store is not empty.
            InvalidInputError: a table or column is unknown here.
        """
        loaded: dict[str, int] = {}
        with self._db.transaction():
            if self._db.value("SELECT count(*) FROM memories"):
                raise ConflictError(
                    f"{self._db.path} holds memories already, and an export is restored into an "
                    "empty store: name another file with AFORESAID_DB, or add it to what is here "
                    "by --on-conflict newer, skip or both"
                )
            self._db.rows("PRAGMA defer_foreign_keys = ON")
            for table in reversed(DUMPED):  # an empty store has its own global project, and more
                if table != "meta":
                    self._db.rows(f"DELETE FROM {table}")
            known = {table: self._columns(table) for table in DUMPED}
            for table, fields in rows:
                columns = list(fields)
                if table not in known or not set(columns) <= set(known[table]):
                    raise InvalidInputError(
                        f"the export has {table}({', '.join(columns)}), which this version does "
                        "not know: update Aforesaid"
                    )
                self._db.rows(
                    f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) "
                    f"VALUES ({', '.join('?' * len(columns))})",
                    list(fields.values()),
                )
                loaded[table] = loaded.get(table, 0) + 1
            self._store.vocabulary.learn_all()
        return loaded

    def take_erased(self, other: StoreDump) -> None:
        """Know what another store knows of erased texts, so that none comes back here."""
        secret = other._db.value("SELECT value FROM meta WHERE name = 'install_secret'")
        rows = other._db.rows("SELECT keyed_hash, id, at FROM erased")
        with self._db.transaction():
            self._db.rows("UPDATE meta SET value = ? WHERE name = 'install_secret'", (secret,))
            self._db.many("INSERT OR IGNORE INTO erased VALUES (?, ?, ?)", rows)

    def _columns(self, table: str) -> list[str]:
        left_out = _LEFT_OUT.get(table, ())
        names = [row[1] for row in self._db.rows(f"PRAGMA table_info({table})")]
        return [name for name in names if name not in left_out]

    def _primary_key(self, table: str) -> list[str]:
        keyed = [(row[5], row[1]) for row in self._db.rows(f"PRAGMA table_info({table})") if row[5]]
        return [name for _position, name in sorted(keyed)]
