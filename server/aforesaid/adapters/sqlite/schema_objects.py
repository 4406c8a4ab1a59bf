"""The objects of a file's schema, compared with those that the migrations create.

Here: the differences, and the error for a foreign schema. Not here: what happens then
(migration.py, rebuild.py), the fingerprint that hooks compare first (schema_fingerprints.py).
"""

from __future__ import annotations

import apsw

from aforesaid.domain.errors import CorruptError, SchemaError

from .database import APPLICATION_ID
from .schema import MIGRATIONS
from .schema_fingerprints import FINGERPRINTS, fingerprint, read_objects

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .schema_fingerprints import Object

MAX_NAMED = 3  #: differences that a message lists
_FOREIGN = " does not belong to Aforesaid"
MAX_NAME = 40  #: characters of a name that a message quotes


def build(migrations: Sequence[Sequence[str]]) -> apsw.Connection:
    """Return an in-memory store with these migrations applied."""
    connection = apsw.Connection(":memory:")
    with connection:
        for migration in migrations:
            for statement in migration:
                connection.execute(statement)
        connection.pragma("application_id", APPLICATION_ID)
        connection.pragma("user_version", len(migrations))
    return connection


def check_schema(
    connection: apsw.Connection,
    path: str,
    version: int,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> None:
    """Check that a store has exactly the objects of its version.

    Args:
        connection: to the store.
        path: of the store, for the message.
        version: of the store, at most that of the migrations.
        migrations: all known ones.

    Raises:
        SchemaError: objects are missing, unknown or different.
        CorruptError: the schema cannot be read.
    """
    if differences := find_differences(connection, path, version, migrations):
        raise SchemaError(
            f"{path} does not have the tables of a released Aforesaid ({differences}): nothing was "
            "changed; close the clients that use it, then `aforesaid doctor --fix` moves its "
            "memories into a new store and keeps this file beside it"
        )


def find_differences(
    connection: apsw.Connection,
    path: str,
    version: int,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> str:
    """Describe how a file's objects differ from those of its version; empty if they do not.

    Raises:
        CorruptError: the schema cannot be read.
    """
    objects = _read(connection, path)
    version = max(version, 0)  # a file may claim any number
    if version and fingerprint(objects) in FINGERPRINTS[version - 1 : version]:
        return ""
    return describe_differences(objects, read_objects(build(migrations[:version])))


def check_newer_schema(
    connection: apsw.Connection,
    path: str,
    target: int,
    *,
    is_writable: bool,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> str:
    """Describe what a file of a newer version has that this one cannot accept; empty if nothing.

    Triggers run code on the rows, so only known triggers and views are accepted. Tables may be new
    or have more columns; if this version only reads the file, they may also differ or be missing.

    Args:
        connection: to the store.
        path: of the store.
        target: the newest version known here.
        is_writable: whether the file lets this version write to it.
        migrations: all known ones.

    Raises:
        CorruptError: the schema cannot be read.
    """
    ours = read_objects(build(migrations[:target]))
    remaining = {(kind, name): (table, sql) for kind, name, table, sql in ours}
    accepted = []
    for kind, name, table, sql in _read(connection, path):
        expected = remaining.pop((kind, name), None)
        if expected is None:
            is_accepted = kind in ("table", "index")
        elif kind in ("table", "index") and not is_writable:
            is_accepted = True
        else:
            is_accepted = kind == "table" and _is_extended(sql, expected[1])
        if not is_accepted:
            accepted.append((kind, name, table, sql))
        elif expected is not None:
            accepted.append((kind, name, *expected))
    if not is_writable:  # a query that needs a missing table reports it
        accepted += [(*key, *remaining[key]) for key in remaining if key[0] in ("table", "index")]
    return describe_differences(accepted, ours)


def _is_extended(sql: str, expected: str) -> bool:
    """Tell whether a table is the expected one, perhaps with more columns."""
    if len(sql) <= len(expected):
        return sql == expected
    pairs = enumerate(zip(sql, expected, strict=False))
    prefix = next((index for index, (a, b) in pairs if a != b), len(expected))
    rest = expected[prefix:]
    added = sql[prefix : len(sql) - len(rest)].strip()
    # SQLite puts a new column before the table's constraints, so a comma may stand on either side
    return sql.endswith(rest) and (added.startswith(",") or added.endswith(","))


def _read(connection: apsw.Connection, path: str) -> list[Object]:
    try:
        return read_objects(connection)
    except UnicodeDecodeError as error:
        raise CorruptError(
            f"{path} is damaged (its tables cannot be read): `aforesaid restore` lists the backups "
            "to replace it with"
        ) from error


def describe_differences(actual: Sequence[Object], expected: Sequence[Object]) -> str:
    """Describe how a schema differs from the expected one; empty if it does not."""
    ours = {(kind, name): (table, sql.split()) for kind, name, table, sql in expected}
    theirs = {(kind, name): (table, sql.split()) for kind, name, table, sql in actual}
    differences = [
        *(f"{_label(*key)}{_FOREIGN}" for key in theirs if key not in ours),
        *(f"{_label(*key)} is missing" for key in ours if key not in theirs),
        *(f"{_label(*key)} differs" for key in ours if theirs.get(key, ours[key]) != ours[key]),
    ]
    differences.sort(key=lambda text: _FOREIGN not in text and not text.startswith("table "))
    more = f", and {len(differences) - MAX_NAMED} more" if len(differences) > MAX_NAMED else ""
    return ", ".join(differences[:MAX_NAMED]) + more


def _label(kind: str, name: str) -> str:
    # a foreign name may be text that addresses the model
    is_plain = name.isascii() and name.isidentifier() and len(name) <= MAX_NAME
    return f"{kind} {name}" if is_plain else f"a {kind} with an odd name"
