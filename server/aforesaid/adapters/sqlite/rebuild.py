"""Copies the rows of a store with a foreign schema into a new store.

Here: reading known columns by name, and regenerating derived data. Not here: how the new store
replaces the old one (operations/backups.py).
"""

from __future__ import annotations

import apsw

from aforesaid.domain.errors import NewerSchemaError, SchemaError
from aforesaid.domain.text.hashing import text_checksum

from .database import Database, translate_error
from .integrity import Checks
from .journal import JOURNALED
from .migration import create_store
from .old_names import old_column, old_table
from .schema import MIGRATIONS
from .schema_fingerprints import read_objects
from .vectors import VectorIndex
from .vocabulary import Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Regenerated from the rest.
_REGENERATED = ("vocabulary", "unembedded")
_VECTORS = ("chunks", "vectors")
#: Properties for which the new file has its own values.
_OWN_META = ("min_code_schema",)
#: Required columns that older tables lack, as SQL expressions.
_COMPUTED = {
    ("memories", "text_checksum"): "checksum_of_text(content, ifnull(summary, ''), metadata)",
}

Columns = dict[str, tuple[str, bool]]  #: by name: declared type, whether a row must have it


def rebuild(source: str, target: str) -> dict[str, int]:
    """Create a new store with the rows of another one; return the number of rows by table.

    Foreign triggers, views, indexes and tables are left behind.

    Raises:
        NewerSchemaError: the source is of a newer version.
        SchemaError: a row does not fit the new tables.
        AforesaidError: a file cannot be read or written; the target may be incomplete.
    """
    old = Database(source, read_only=True)
    if old.value("PRAGMA user_version") > len(MIGRATIONS):
        raise NewerSchemaError(f"{source} was made by a newer Aforesaid: update Aforesaid")
    create_store(target)
    new = Database(target)
    try:
        moved = _Copier(old, new).run()
    except apsw.Error as error:
        raise translate_error(error, source) from error
    finally:
        old.close()
        new.close()
    return moved


class _Copier:
    def __init__(self, old: Database, new: Database) -> None:
        self._old = old
        self._db = new
        self._tables = _plain_tables(old)

    def run(self) -> dict[str, int]:
        """Copy all rows in one transaction."""
        reader = self._old.connection()
        reader.create_scalar_function("checksum_of_text", _checksum_of_row, 3, deterministic=True)
        reader.execute("BEGIN")
        counts: dict[str, int] = {}
        with self._db.transaction():
            self._db.rows("PRAGMA defer_foreign_keys = ON")
            tables = [table for table in _plain_tables(self._db) if table not in _REGENERATED]
            for table in reversed(tables):  # a new store has default rows
                if table != "meta":
                    self._db.rows(f"DELETE FROM {table}")
            for table in tables:
                if self._old_name(table) in self._tables and self._is_compatible(table):
                    counts[table] = self._copy(table)
            Vocabulary(self._db).learn_all()
            Checks(self._db, VectorIndex(self._db)).list_unembedded()
        return counts

    def _is_compatible(self, table: str) -> bool:
        """Tell whether to copy a table.

        Vectors of another form are recomputed, and a journal refers to columns by position.
        """
        needs = {"steps": JOURNALED, **dict.fromkeys(_VECTORS, ("models", *_VECTORS))}
        return all(map(self._has_same_columns, needs.get(table, ())))

    def _has_same_columns(self, table: str) -> bool:
        """Tell whether a table has the same columns in both files, renamed ones included."""
        old_columns = _columns(self._old, self._old_name(table))
        return list(old_columns) == list(self._sources(table).values()) and (
            list(old_columns.values()) == list(_columns(self._db, table).values())
        )

    def _old_name(self, table: str) -> str:
        return table if table in self._tables else old_table(table)

    def _sources(self, table: str) -> dict[str, str]:
        """Return the names that the columns of a table have in the old file."""
        old_columns = _columns(self._old, self._old_name(table))
        names = {name: (name, old_column(table, name)) for name in _columns(self._db, table)}
        return {
            name: next(old for old in candidates if old in old_columns)
            for name, candidates in names.items()
            if not old_columns.keys().isdisjoint(candidates)
        }

    def _copy(self, table: str) -> int:
        new_columns = _columns(self._db, table)
        sources = self._sources(table)
        for name, (_type, is_required) in new_columns.items():
            if name not in sources and is_required:
                computed = _COMPUTED.get((table, name))
                if computed is None:
                    raise _cannot_rebuild(self._old.path, f"{table} has no {name}")
                sources[name] = computed
        where = ""
        if table == "meta":
            where = " WHERE name NOT IN ({})".format(", ".join(f"'{name}'" for name in _OWN_META))
        rows = self._old.connection().execute(
            f"SELECT {', '.join(sources.values())} FROM {self._old_name(table)}{where}"
        )
        insert = (
            f"INSERT OR REPLACE INTO {table} ({', '.join(sources)}) "
            f"VALUES ({', '.join('?' * len(sources))})"
        )
        count = 0
        for row in rows:
            self._insert(table, insert, row)
            count += 1
        return count

    def _insert(self, table: str, sql: str, row: Sequence[Any]) -> None:
        try:
            self._db.connection().execute(sql, row)
        except (apsw.ConstraintError, apsw.MismatchError) as error:
            raise _cannot_rebuild(self._old.path, f"invalid row in {table}: {error}") from error


def _checksum_of_row(*texts: Any) -> str:
    return text_checksum(*map(str, texts))


def _cannot_rebuild(path: str, reason: str) -> SchemaError:
    return SchemaError(
        f"{path} cannot be rebuilt ({reason}): nothing was changed; run `aforesaid restore latest` "
        "to use the newest backup, or move the file away to start again with an empty store"
    )


def _plain_tables(database: Database) -> list[str]:
    """Return the tables with rows of their own, in the order of creation."""
    virtual = [
        name
        for kind, name, _table, sql in read_objects(database.connection())
        if kind == "table" and sql.upper().startswith("CREATE VIRTUAL")
    ]
    return [
        name
        for (name,) in database.rows(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
            "ESCAPE '\\' ORDER BY rowid"
        )
        if not any(name == table or name.startswith(f"{table}_") for table in virtual)
    ]


def _columns(database: Database, table: str) -> Columns:
    return {
        name: (str(declared), bool(required and default is None and not key))
        for _cid, name, declared, required, default, key in database.rows(
            f"PRAGMA table_info({table})"
        )
    }
