"""The rows of a store whose schema is that of no release, moved into a new store.

Here: reading what is known by today's names, and what is made again. Not here: how the new store
comes in the old one's place (operations/backups.py).
"""

from __future__ import annotations

import apsw

from aforesaid.domain.errors import NewerSchemaError, SchemaError
from aforesaid.domain.text.hashing import text_checksum

from .database import Database, in_our_words
from .integrity import Checks
from .journal import JOURNALED
from .migration import create_store
from .schema import MIGRATIONS
from .schema_fingerprints import read_objects
from .vectors import VectorIndex
from .vocabulary import Vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: Made again from the rest. ``vectors`` come with the ``chunks`` that they belong to.
_REMADE = ("vocabulary", "unembedded")
_VECTORS = ("chunks", "vectors")
#: Facts about a file that the new one has of its own.
_OWN_META = ("min_code_schema",)
#: What older tables lack and a row cannot do without, as SQL.
_COMPUTED = {
    ("memories", "text_print"): "print_of_text(content, ifnull(summary, ''), metadata)",
}

Columns = dict[str, tuple[str, bool]]  #: by name: declared type, whether a row must name it


def rebuild(source: str, target: str) -> dict[str, int]:
    """Make a new store at target with the rows of another one; return how many each table got.

    Triggers, views, indexes and tables that are not ours stay behind.

    Raises:
        NewerSchemaError: it holds what this version does not know.
        SchemaError: rows cannot be moved as they are; the message says which.
        AforesaidError: it cannot be read or written; there may be a part of it at the target.
    """
    old = Database(source, read_only=True)
    if old.value("PRAGMA user_version") > len(MIGRATIONS):
        raise NewerSchemaError(f"{source} was made by a newer Aforesaid: update this one")
    create_store(target)
    new = Database(target)
    try:
        moved = _Move(old, new).run()
    except apsw.Error as error:
        raise in_our_words(error, source) from error
    finally:
        old.close()
        new.close()
    return moved


class _Move:
    """One store's rows on their way into another."""

    def __init__(self, old: Database, new: Database) -> None:
        self._old = old
        self._db = new
        self._tables = _plain_tables(old)

    def run(self) -> dict[str, int]:
        """Move all rows, in one transaction."""
        reader = self._old.connection()
        reader.create_scalar_function("print_of_text", _print_of_row, 3, deterministic=True)
        reader.execute("BEGIN")
        moved: dict[str, int] = {}
        with self._db.transaction():
            self._db.rows("PRAGMA defer_foreign_keys = ON")
            tables = [one for one in _plain_tables(self._db) if one not in _REMADE]
            for table in reversed(tables):  # a new store has rows of its own
                if table != "meta":
                    self._db.rows(f"DELETE FROM {table}")
            for table in tables:
                if table in self._tables and self._is_wanted(table):
                    moved[table] = self._move(table)
            Vocabulary(self._db).learn_all()
            Checks(self._db, VectorIndex(self._db)).list_unembedded()
        return moved

    def _is_wanted(self, table: str) -> bool:
        """Tell whether to move a table.

        Vectors of another form are made again, and a journal holds columns by their position.
        """
        needs = {"steps": JOURNALED, **dict.fromkeys(_VECTORS, ("models", *_VECTORS))}
        return all(
            one in self._tables
            and list(_columns(self._old, one).items()) == list(_columns(self._db, one).items())
            for one in needs.get(table, ())
        )

    def _move(self, table: str) -> int:
        there, here = _columns(self._old, table), _columns(self._db, table)
        chosen = {name: name for name in here if name in there}
        for name, (_type, needed) in here.items():
            if name not in there and needed:
                computed = _COMPUTED.get((table, name))
                if computed is None:
                    raise _unmovable(self._old.path, f"{table} has no {name}")
                chosen[name] = computed
        where = ""
        if table == "meta":
            where = " WHERE name NOT IN ({})".format(", ".join(f"'{one}'" for one in _OWN_META))
        rows = self._old.connection().execute(
            f"SELECT {', '.join(chosen.values())} FROM {table}{where}"
        )
        insert = (
            f"INSERT OR REPLACE INTO {table} ({', '.join(chosen)}) "
            f"VALUES ({', '.join('?' * len(chosen))})"
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
            raise _unmovable(self._old.path, f"a row of {table} is not valid: {error}") from error


def _print_of_row(*texts: Any) -> str:
    return text_checksum(*map(str, texts))


def _unmovable(path: str, why: str) -> SchemaError:
    return SchemaError(
        f"{path} cannot be brought up to date ({why}), nothing was changed: `aforesaid restore "
        "latest` puts a backup in its place, or move the file away to start anew"
    )


def _plain_tables(database: Database) -> list[str]:
    """Return the tables with rows of their own, in the order in which they were made."""
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
        if not any(name == one or name.startswith(f"{one}_") for one in virtual)
    ]


def _columns(database: Database, table: str) -> Columns:
    return {
        name: (str(declared), bool(required and default is None and not key))
        for _cid, name, declared, required, default, key in database.rows(
            f"PRAGMA table_info({table})"
        )
    }
