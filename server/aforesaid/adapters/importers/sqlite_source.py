"""SQLite files of other programs, read and never written.

A file from elsewhere may be made to harm: its schema is not trusted, only real tables are read,
each row for itself, and no value above a bound.
"""

from __future__ import annotations

import os

import apsw

from aforesaid.adapters.system.user_files import open_regular
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.model.import_item import MAX_PIECES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Self

    from aforesaid.domain.model.import_item import SkipCounter

MAGIC = b"SQLite format 3\0"
VALUE_BYTES = 4_000_000


def is_sqlite(path: str) -> bool:
    """Tell whether a file is a SQLite database. Raises as ``open_regular``."""
    with open_regular(path) as file:
        return file.read(len(MAGIC)) == MAGIC


class Tables:
    """The tables of one file."""

    def __init__(self, path: str) -> None:
        """Open the file for reading only.

        Raises:
            UnavailableError: it cannot be read now.
        """
        self._path = path
        real = os.path.realpath(path)
        try:
            self._connection = self._open(real)
        except apsw.Error as error:
            raise UnavailableError(
                f"{path} cannot be read: {error}; close the program that it belongs to, "
                "or name a copy"
            ) from error

    @staticmethod
    def _open(real: str) -> apsw.Connection:
        """Open it; without its write-ahead log only if it has none, so that nothing is missed."""
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        name = "file:" + real.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        alone = not os.path.exists(real + "-wal")
        connection = apsw.Connection(name + ("?immutable=1" if alone else "?mode=ro"), flags=flags)
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
        """Return the columns of a table; none where there is no such table."""
        found = self._connection.execute(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ? "
            "AND sql NOT LIKE 'CREATE VIRTUAL%'",
            (table,),
        ).fetchall()
        if not found:
            return []
        return [str(row[1]) for row in self._connection.execute(f"PRAGMA table_info({table})")]

    def count(self, table: str) -> int:
        """Return how many rows a table has; 0 where there is none."""
        if not self.columns(table):
            return 0
        found = self._connection.execute(f"SELECT count(*) FROM {table}").fetchall()  # noqa: S608 - names are ours
        return int(str(found[0][0]))

    def rows(
        self, table: str, left_out: SkipCounter, order: str = "rowid"
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table by column, texts cleaned; one that cannot be read is counted.

        Args:
            table: its name, one of ours.
            left_out: told what is not read.
            order: a column, one of ours.
        """
        columns = self.columns(table)
        if not columns:
            return
        by = order if order in columns else "rowid"
        try:
            keys = [
                row[0]
                for row in self._connection.execute(
                    f"SELECT rowid FROM {table} ORDER BY {by} LIMIT {MAX_PIECES + 1}"  # noqa: S608 - names are ours
                )
            ]
        except apsw.Error as error:
            raise InvalidInputError(f"{self._path} is damaged: {error}") from error
        if len(keys) > MAX_PIECES:
            left_out.add(f"rows beyond {MAX_PIECES}")
        named = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
        for key in keys[:MAX_PIECES]:
            try:
                found = self._connection.execute(
                    f"SELECT {named} FROM {table} WHERE rowid = ?",  # noqa: S608 - quoted
                    (key,),
                ).fetchall()
            except (apsw.Error, UnicodeDecodeError):
                left_out.add("rows that are too large or damaged")
                continue
            for row in found:
                texts = (left_out.cleaned(one) if isinstance(one, str) else one for one in row)
                yield dict(zip(columns, texts, strict=True))
