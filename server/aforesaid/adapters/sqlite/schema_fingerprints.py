"""The schema of each version in 16 hex digits: all that opening a current store needs of it.

Here: reading a file's objects, their fingerprint. Not here: the tables (schema.py), which hooks
thus need not import, how a schema differs (schema_objects.py).
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

#: Of the schema after each migration of schema.py, in 16 hex digits each;
#: tests/meta/test_schema_fingerprints.py says which. As many as there are, so far a store is
#: migrated.
FINGERPRINTS: tuple[str, ...] = ("bde0dc4a1c841bf8", "22bcb1af694f1be9", "1fe3d1c2de1996e1")

#: Without what the engine makes itself: indexes of UNIQUE, counters of AUTOINCREMENT, statistics.
_READ = """SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL
  AND NOT (type = 'table' AND name IN ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))
  ORDER BY type, name"""


def is_newest(database: Database) -> bool:
    """Tell whether a store that is there has the newest schema, in number and text."""
    connection = database.connection()
    database.rows("BEGIN")  # one view: another process may migrate it meanwhile
    try:
        version = connection.execute("PRAGMA user_version").get
        return version == len(FINGERPRINTS) and has_fingerprint(connection, version)
    except apsw.Error:
        return False  # migrating says what is wrong
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def has_fingerprint(connection: apsw.Connection, version: int) -> bool:
    """Tell whether a store has the schema of a version."""
    if not 0 < version <= len(FINGERPRINTS):
        return False
    try:
        return fingerprint(read_objects(connection)) == FINGERPRINTS[version - 1]
    except UnicodeDecodeError:
        return False


def read_objects(connection: apsw.Connection) -> list[Object]:
    """Return all objects of a schema but the engine's own."""
    objects: Any = connection.execute(_READ).fetchall()
    found: list[Object] = objects
    return found


def fingerprint(objects: Sequence[Object]) -> str:
    """Return 16 hex digits of a schema."""
    return text_checksum(*(str(part) for row in objects for part in row))
