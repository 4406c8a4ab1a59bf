"""Reads SQLite files of other programs, read-only.

The file may be hostile: its schema is not trusted, only real tables are read, one row at a time,
and the size of values is limited.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Self

import apsw

from aforesaid.adapters.system.user_files import DATABASE_HEADER, open_regular
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.import_item import MAX_IMPORT_ITEMS, SkipCounter

VALUE_BYTES = 4_000_000


def is_sqlite(path: str) -> bool:
    """Return whether a file is a SQLite database. Raises the same errors as ``open_regular``."""
    with open_regular(path) as file:
        return file.read(len(DATABASE_HEADER)) == DATABASE_HEADER


class Tables:
    """The tables of a database file."""

    def __init__(self, path: str) -> None:
        """Open the file read-only.

        Raises:
            UnavailableError: it cannot be read.
        """
        self._path = path
        real = os.path.realpath(path)
        try:
            self._connection = self._open(real)
        except apsw.Error as error:
            raise UnavailableError(
                f"cannot read {path}: {error}; close the program that uses it, or name a copy"
            ) from error

    @staticmethod
    def _open(real: str) -> apsw.Connection:
        """Open the file, as immutable if it has no write-ahead log."""
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        name = "file:" + real.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        mode = "?mode=ro" if os.path.exists(real + "-wal") else "?immutable=1"
        connection = apsw.Connection(name + mode, flags=flags)
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, VALUE_BYTES)
        connection.set_busy_timeout(5_000)
        for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        return connection

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._connection.close()

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table; empty if it does not exist."""
        rows = self._connection.execute(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? "
            "AND sql NOT LIKE 'CREATE VIRTUAL%'",
            (table,),
        ).fetchall()
        if not rows:
            return []
        return [str(row[1]) for row in self._connection.execute(f"PRAGMA table_info({table})")]

    def count(self, table: str) -> int:
        """Return the number of rows of a table; 0 if it does not exist."""
        if not self.columns(table):
            return 0
        rows = self._connection.execute(f"SELECT count(*) FROM {table}").fetchall()  # noqa: S608 - names are ours
        return int(str(rows[0][0]))

    def rows(
        self, table: str, skipped: SkipCounter, order: str = "rowid"
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table as dicts, texts cleaned; unreadable rows are counted.

        Args:
            table: a table name from our code, not from the file.
            skipped: removes secrets from texts, and counts skipped rows.
            order: a column name from our code.
        """
        columns = self.columns(table)
        if not columns:
            return
        by = order if order in columns else "rowid"
        try:
            keys = [
                row[0]
                for row in self._connection.execute(
                    f"SELECT rowid FROM {table} ORDER BY {by} LIMIT {MAX_IMPORT_ITEMS + 1}"  # noqa: S608 - names are ours
                )
            ]
        except apsw.Error as error:
            raise InvalidInputError(f"{self._path} is damaged: {error}") from error
        if len(keys) > MAX_IMPORT_ITEMS:
            skipped.add(f"rows beyond the limit of {MAX_IMPORT_ITEMS}")
        quoted = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
        for key in keys[:MAX_IMPORT_ITEMS]:
            try:
                rows = self._connection.execute(
                    f"SELECT {quoted} FROM {table} WHERE rowid = ?",  # noqa: S608 - quoted
                    (key,),
                ).fetchall()
            except (apsw.Error, UnicodeDecodeError):
                skipped.add("rows that are too large or damaged")
                continue
            for row in rows:
                values = (
                    skipped.cleaned(value) if isinstance(value, str) else value for value in row
                )
                yield dict(zip(columns, values, strict=True))
