"""The objects of a file's schema, compared with those that the migrations make.

Here: differences, and the sentence for a schema that is not ours. Not here: what is done about it
(migration.py, rebuild.py), the comparison that hooks make first (schema_fingerprints.py).
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

MAX_NAMED = 3  #: differences that a sentence names
_FOREIGN = " does not belong to Aforesaid"
MAX_NAME = 40  #: characters of a name that a sentence holds


def build(migrations: Sequence[Sequence[str]]) -> apsw.Connection:
    """Return a store in memory that these migrations made."""
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
    """Check that a store has exactly the objects that its version has.

    Args:
        connection: to the store.
        path: of the store, for the sentence.
        version: the store's, at most that of the migrations.
        migrations: all that are known.

    Raises:
        SchemaError: it has others, or lacks some; the message says what to do.
        CorruptError: they cannot be read.
    """
    if different := find_differences(connection, path, version, migrations):
        raise SchemaError(
            f"{path} does not have the tables of a released Aforesaid ({different}): end the "
            "clients that use it, then `aforesaid doctor --fix` moves its memories into a sound "
            "store and keeps this file beside it"
        )


def find_differences(
    connection: apsw.Connection,
    path: str,
    version: int,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> str:
    """Say how the objects of a file differ from those of its version; empty where they do not.

    Raises:
        CorruptError: they cannot be read.
    """
    objects = _read(connection, path)
    known = max(version, 0)  # a file may say anything
    if known and fingerprint(objects) in FINGERPRINTS[known - 1 : known]:
        return ""
    return describe_differences(objects, read_objects(build(migrations[:known])))


def check_newer_schema(
    connection: apsw.Connection,
    path: str,
    target: int,
    *,
    is_writable: bool,
    migrations: Sequence[Sequence[str]] = MIGRATIONS,
) -> str:
    """Say what a file of a newer version has that this one cannot accept; empty for nothing.

    A trigger runs code on our rows, so each must be one that is known here, and so must a view.
    Tables may be new, and ours may have further columns; where this version only reads the file,
    they may be different or missing as well.

    Args:
        connection: to the store.
        path: of the store.
        target: the version that is known here.
        is_writable: whether the file lets this version write to it.
        migrations: all that are known.

    Raises:
        CorruptError: the objects cannot be read.
    """
    ours = read_objects(build(migrations[:target]))
    known = {(kind, name): (table, sql) for kind, name, table, sql in ours}
    accepted = []
    for kind, name, table, sql in _read(connection, path):
        expected = known.pop((kind, name), None)
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
    if not is_writable:  # what is missing is not asked for, or the query says so
        accepted += [(*one, *known[one]) for one in known if one[0] in ("table", "index")]
    return describe_differences(accepted, ours)


def _is_extended(sql: str, expected: str) -> bool:
    """Tell whether a table is the expected one, perhaps with columns that were added to it."""
    if len(sql) <= len(expected):
        return sql == expected
    pairs = enumerate(zip(sql, expected, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), len(expected))
    rest = expected[same:]
    added = sql[same : len(sql) - len(rest)].strip()
    # SQLite puts a new column before the table's constraints, so a comma may stand on either side
    return sql.endswith(rest) and (added.startswith(",") or added.endswith(","))


def _read(connection: apsw.Connection, path: str) -> list[Object]:
    try:
        return read_objects(connection)
    except UnicodeDecodeError as error:
        raise CorruptError(
            f"{path} is damaged, its tables cannot be read: `aforesaid restore` lists the backups "
            "that can take its place"
        ) from error


def describe_differences(found: Sequence[Object], expected: Sequence[Object]) -> str:
    """Say how a schema differs from the expected one; empty where it does not."""
    ours = {(kind, name): _without_blanks(table, sql) for kind, name, table, sql in expected}
    theirs = {(kind, name): _without_blanks(table, sql) for kind, name, table, sql in found}
    told = [
        *(f"{_named(one)}{_FOREIGN}" for one in theirs if one not in ours),
        *(f"{_named(one)} is missing" for one in ours if one not in theirs),
        *(f"{_named(one)} differs" for one in ours if theirs.get(one, ours[one]) != ours[one]),
    ]
    told.sort(key=lambda one: _FOREIGN not in one and not one.startswith("table "))
    more = f", and {len(told) - MAX_NAMED} more" if len(told) > MAX_NAMED else ""
    return ", ".join(told[:MAX_NAMED]) + more


def _named(one: tuple[str, str]) -> str:
    """Return what a person calls an object; a foreign name may be text made for a model to read."""
    kind, name = one
    plain = name.isascii() and name.isidentifier() and len(name) <= MAX_NAME
    return f"{kind} {name}" if plain else f"a {kind} with an odd name"


def _without_blanks(table: str, sql: str) -> tuple[str, str]:
    return table, " ".join(sql.split())
