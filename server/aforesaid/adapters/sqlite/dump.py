"""The whole store as rows, and back: the content of an export.

Tables and columns have the names of the first schema, so that every version reads every export.
Left out are derived data (full-text index, vectors) and the file's own history (log, runs). Rows
are ordered by key, so that equal stores give equal dumps.
"""

from __future__ import annotations

import apsw

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.maintenance.backup_schedule import BACKUP_FAILURE

from .database import Database, translate_error
from .ledger import COMMITS, LOSSES
from .old_names import old_column, old_table
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any


#: Every table of a dump.
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
    "expired_links",
    "suggestions",
    "anchors",
    "erased",
    "import_items",
)
#: Properties of this file, for which another file has its own values.
_OWN_META = ("min_code_schema", "clean_pending", "checked", BACKUP_FAILURE, COMMITS, LOSSES)
#: Columns that can be regenerated, or have a meaning on this machine only.
_EXCLUDED_COLUMNS = {"entities": ("model", "embedding"), "sessions": ("project_dir",)}


class StoreDump(SqliteRepository):
    """The store as rows."""

    def rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield (table, row by column) of everything in a dump, always in the same order.

        Rows are read one at a time from a snapshot taken at the first one.
        """
        reader = Database(self._db.path, read_only=True)
        try:
            connection = reader.connection()
            connection.execute("BEGIN")
            for table in DUMPED:
                columns = self._columns(table)
                names = [old_column(table, column) for column in columns]
                order = ", ".join(self._primary_key(table))
                sql = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}"
                for row in connection.execute(sql):
                    fields = dict(zip(names, row, strict=True))
                    if table != "meta" or fields["name"] not in _OWN_META:
                        yield old_table(table), fields
        except apsw.Error as error:
            raise translate_error(error, self._db.path) from error
        finally:
            reader.close()

    def count_rows(self) -> int:
        """Return roughly how many rows a dump has."""
        counts = (self._db.value(f"SELECT count(*) FROM {table}") for table in DUMPED)
        return sum(int(count) for count in counts)

    def count_memories(self) -> int:
        """Return the number of rows of memories, including old versions and forgotten ones."""
        return int(self._db.value("SELECT count(*) FROM memories"))

    def load(self, rows: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, int]:
        """Fill an empty store with dumped rows, all or none; return the number of rows by table.

        Raises:
            ConflictError: the store is not empty.
            InvalidInputError: a table or column is unknown.
        """
        loaded: dict[str, int] = {}
        with self._db.transaction():
            if self._db.value("SELECT count(*) FROM memories"):
                raise ConflictError(
                    f"{self._db.path} is not empty, but an export is restored into an empty store: "
                    "set AFORESAID_DB to a new file, or merge the export into this store with "
                    "--on-conflict newer, skip or both"
                )
            self._db.rows("PRAGMA defer_foreign_keys = ON")
            for table in reversed(DUMPED):  # an empty store has default rows
                if table != "meta":
                    self._db.rows(f"DELETE FROM {table}")
            tables = {
                old_table(table): (table, self._columns_by_old_name(table)) for table in DUMPED
            }
            for name, fields in rows:
                table, known = tables.get(name, ("", {}))
                if not fields.keys() <= known.keys():
                    raise InvalidInputError(
                        f"the export has {name}({', '.join(fields)}), which this version does "
                        "not know: update Aforesaid, then import it"
                    )
                columns = [known[column] for column in fields]
                self._db.rows(
                    f"INSERT OR REPLACE INTO {table} ({', '.join(columns)}) "
                    f"VALUES ({', '.join('?' * len(columns))})",
                    list(fields.values()),
                )
                loaded[name] = loaded.get(name, 0) + 1
            self._store.vocabulary.learn_all()
        return loaded

    def take_erased(self, secret: str, rows: Iterable[tuple[str, str, int]]) -> None:
        """Take over another store's keyed hashes of erased texts, so that none is stored again."""
        with self._db.transaction():
            self._db.rows("UPDATE meta SET value = ? WHERE name = 'install_secret'", (secret,))
            self._db.many("INSERT OR IGNORE INTO erased VALUES (?, ?, ?)", list(rows))

    def _columns(self, table: str) -> list[str]:
        excluded = _EXCLUDED_COLUMNS.get(table, ())
        names = [row[1] for row in self._db.rows(f"PRAGMA table_info({table})")]
        return [name for name in names if name not in excluded]

    def _columns_by_old_name(self, table: str) -> dict[str, str]:
        return {old_column(table, column): column for column in self._columns(table)}

    def _primary_key(self, table: str) -> list[str]:
        rows = self._db.rows(f"PRAGMA table_info({table})")
        return [name for _position, name in sorted((row[5], row[1]) for row in rows if row[5])]
