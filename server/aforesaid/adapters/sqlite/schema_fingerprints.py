"""A fingerprint of each version's schema: all that opening a current store needs.

Here: reading a file's schema objects, their fingerprint. Not here: the tables (schema.py), which
hooks need not import, and how schemas differ (schema_objects.py).
"""

from __future__ import annotations

import apsw

from aforesaid.domain.text.hashing import text_checksum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from .database import Database

    #: type, name, table, SQL
    Object = tuple[str, str, str, str]

#: Fingerprints of the schema after each migration of schema.py, as many as there are migrations;
#: tests/meta/test_schema_fingerprints.py prints them.
FINGERPRINTS: tuple[str, ...] = (
    "bde0dc4a1c841bf8",
    "22bcb1af694f1be9",
    "1fe3d1c2de1996e1",
    "18429ef8484b9c93",
)

#: Without what SQLite creates itself: indexes of UNIQUE, counters of AUTOINCREMENT, statistics.
_READ = """SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL
  AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
  ORDER BY type, name"""


def is_newest(database: Database) -> bool:
    """Tell whether an existing store has exactly the newest schema."""
    connection = database.connection()
    database.rows("BEGIN")  # one view: another process may migrate it meanwhile
    try:
        version = connection.execute("PRAGMA user_version").get
        return version == len(FINGERPRINTS) and has_fingerprint(connection, version)
    except apsw.Error:
        return False  # the migration reports what is wrong
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def has_fingerprint(connection: apsw.Connection, version: int) -> bool:
    """Tell whether a store has exactly the schema of a version."""
    if not 0 < version <= len(FINGERPRINTS):
        return False
    try:
        return fingerprint(read_objects(connection)) == FINGERPRINTS[version - 1]
    except UnicodeDecodeError:
        return False


def read_objects(connection: apsw.Connection) -> list[Object]:
    """Return all objects of a schema except SQLite's own."""
    rows: Any = connection.execute(_READ).fetchall()
    objects: list[Object] = rows
    return objects


def fingerprint(objects: Sequence[Object]) -> str:
    """Return the fingerprint of a schema, 16 hex digits."""
    return text_checksum(*(str(part) for row in objects for part in row))
