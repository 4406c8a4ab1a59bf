"""A store made where there is none, and brought from its version to the newest.

Here: creation, migrations in one transaction after a snapshot, what newer stores allow. Not here:
the tables (schema.py), how they are compared (schema_objects.py).
"""

from __future__ import annotations

import os
import time

import apsw

from aforesaid.domain.errors import NewerSchemaError, SchemaError, UnavailableError

from .database import Database, in_our_words
from .file_permissions import (
    make_private_file,
    place_new_file,
    refuse_log_without_store,
    remove,
    sync,
)
from .schema_fingerprints import FINGERPRINTS, has_fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Migrations = Sequence[Sequence[str]]

KEPT_SNAPSHOTS = 3  #: of those made before migrations


def migrate(
    database: Database, migrations: Migrations | None = None, *, snapshot: bool = True
) -> None:
    """Make the store if there is none, check its schema, and bring it to the newest version.

    The migrations are those of schema.py, which is imported once they are needed.

    A file of a newer version is written as long as its ``meta.min_code_schema`` allows it, and
    only read otherwise (``database.read_only`` becomes true).

    Args:
        database: the store's.
        migrations: those of schema.py, or others.
        snapshot: keep a copy of an older store beside it.

    Raises:
        SchemaError: the schema is that of no release; the message says what to do.
        UnavailableError: the file cannot be written.
        CorruptError: the file is damaged or empty, or missing beside its log.
    """
    if not os.path.lexists(database.path):
        refuse_log_without_store(database.path)
        create_store(database.path, migrations)
    target = len(FINGERPRINTS if migrations is None else migrations)
    try:
        version = _read_version(database, migrations)
    except SchemaError:
        database.close()  # so that what mends it finds nobody who holds it
        raise
    database.version = version
    if version > target:
        try:
            limit_to_newer(database, version, _known(migrations)[:target])
        except NewerSchemaError:
            database.close()
            raise
        if database.read_only:
            database.close()  # its connections are opened anew
    elif version < target:
        _upgrade(database, _known(migrations)[:target], snapshot=snapshot)
    database.on_other_version = lambda found: notice_version(
        database, found, _known(migrations)[:target]
    )


def create_store(path: str, migrations: Migrations | None = None) -> None:
    """Make a whole store where no file is; one that another process makes meanwhile stays.

    It appears at its path complete: an empty file there is a store that was lost.

    Raises:
        UnavailableError: it cannot be written.
    """
    from .schema_objects import build

    made = build(_known(migrations))
    try:
        place_new_file(path, made.serialize("main"))
    finally:
        made.close()


def _known(migrations: Migrations | None) -> Migrations:
    if migrations is not None:
        return migrations
    from .schema import MIGRATIONS

    return MIGRATIONS


def _read_version(database: Database, migrations: Migrations | None) -> int:
    """Return the file's version, having compared its schema if that version is known."""
    connection = database.connection()
    database.rows("BEGIN")  # one view: another process may migrate it meanwhile
    try:
        version = int(database.value("PRAGMA user_version"))
        if not has_fingerprint(connection, version):
            from .schema_objects import check_schema

            known = _known(migrations)
            if version <= len(known):
                check_schema(connection, database.path, version, known)
    except apsw.Error as error:
        raise in_our_words(error, database.path) from error
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return version


def _upgrade(database: Database, migrations: Migrations, *, snapshot: bool) -> None:
    """Run the missing migrations in one transaction; other processes wait for it."""
    target = len(migrations)
    with database.transaction():
        version = database.value("PRAGMA user_version")
        if version < target:  # else another process was faster
            if snapshot:
                _take_own_snapshot(database.path, version + 1)
            for migration in migrations[version:]:
                for statement in migration:
                    database.rows(statement)
            database.rows(f"PRAGMA user_version = {target}")
    database.version = target
    _remove_old_snapshots(database.path)


def _take_own_snapshot(path: str, version: int) -> None:
    # another connection: none makes a copy inside its own transaction
    reader = Database(path, read_only=True)
    try:
        take_snapshot(reader, f"{version}-{_stamp()}")
    finally:
        reader.close()


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def _remove_old_snapshots(path: str) -> None:
    """Keep the newest snapshots of migrations; those of other reasons stay."""
    folder, name = os.path.split(path)
    found = []
    for one in os.listdir(folder):
        version, _, stamp = one.removeprefix(f"{name}.before-").partition("-")
        if one.startswith(f"{name}.before-") and version.isdigit() and stamp.endswith("Z"):
            found.append((stamp, int(version), one))
    for *_, one in sorted(found)[:-KEPT_SNAPSHOTS]:
        os.unlink(os.path.join(folder, one))


def notice_version(database: Database, version: int, migrations: Migrations | None = None) -> None:
    """Go on with a file whose version another process changed, or refuse to.

    Args:
        database: the store's.
        version: the one that the file has now.
        migrations: those of schema.py, or others.

    Raises:
        NewerSchemaError: this version may not write it.
        UnavailableError: it is an older file, which another process put there.
    """
    known = _known(migrations)
    if version <= len(known):
        raise UnavailableError(
            f"{database.path} was replaced while in use: nothing was written; start the client "
            "again"
        )
    limit_to_newer(database, version, known)
    if database.read_only:
        raise NewerSchemaError(f"{database.newer}; nothing was written")


def limit_to_newer(database: Database, version: int, known: Migrations) -> None:
    """Take note that a newer version made the file, and only read it where that asks for it.

    Raises:
        NewerSchemaError: it has triggers, views or tables that this version cannot accept.
    """
    from .schema_objects import check_newer_schema

    target = len(known)
    database.version = version
    database.newer = (
        f"{database.path} was made by a newer Aforesaid (its schema is version {version}, this "
        f"Aforesaid knows {target}): update this one, and start the client again"
    )
    oldest = int(database.value("SELECT value FROM meta WHERE name = 'min_code_schema'") or 1)
    different = check_newer_schema(
        database.connection(),
        database.path,
        target,
        is_writable=oldest <= target,
        migrations=known,
    )
    if different:
        raise NewerSchemaError(
            f"{database.path} says that a newer Aforesaid made it (its schema is version "
            f"{version}, this Aforesaid knows {target}), and this one cannot use it ({different}): "
            "nothing was written; update Aforesaid and start the client again, or where none was "
            "newer, `aforesaid restore` lists the backups"
        )
    if oldest > target:
        database.read_only = True
        database.read_only_because = (
            f"its schema is version {version}, which schema {oldest} or newer may write, and "
            f"this Aforesaid knows {target}: update it"
        )


def take_snapshot(database: Database, what: str) -> str:
    """Write a copy of the file as it is before a migration, or something else; return its path.

    Raises:
        UnavailableError: there is no room for it.
    """
    target = f"{database.path}.before-{what}"
    draft = f"{database.path}.before-{what.partition('-')[0]}.part"  # one that was left is replaced
    try:
        remove(draft)
        make_private_file(draft)  # before the first byte of it
        database.connection().execute("VACUUM INTO ?", (draft,))
        sync(draft)
        os.replace(draft, target)
    except apsw.Error as error:
        raise in_our_words(error, draft) from error
    except OSError as error:
        raise UnavailableError(
            f"{target} cannot be written ({error.strerror}): check the folder's rights and free "
            "space"
        ) from error
    finally:
        remove(draft)
    return target
