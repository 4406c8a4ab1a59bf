"""Creating a store, and migrating one to the newest schema.

Here: creation, migrations in one transaction after a snapshot, stores of a newer version. Not here:
the tables (schema.py), comparing schemas (schema_objects.py).
"""

from __future__ import annotations

import os
import time

import apsw

from aforesaid.domain.errors import NewerSchemaError, SchemaError, UnavailableError

from .database import Database, translate_error
from .file_permissions import (
    make_private_file,
    place_new_file,
    refuse_log_without_store,
    remove,
    sync,
)
from .schema import MIGRATIONS
from .schema_fingerprints import has_fingerprint
from .schema_objects import build, check_newer_schema, check_schema

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Migrations = Sequence[Sequence[str]]

KEPT_SNAPSHOTS = 3  #: snapshots made before migrations


def migrate(
    database: Database, migrations: Migrations = MIGRATIONS, *, snapshot: bool = True
) -> None:
    """Create the store if missing, check its schema, and migrate it to the newest version.

    A file of a newer version is written if its ``meta.min_code_schema`` allows that, and only
    read otherwise (``database.read_only`` becomes true).

    Args:
        database: of the store.
        migrations: all known ones.
        snapshot: keep a copy of an older store beside it.

    Raises:
        SchemaError: the schema is not that of a release.
        UnavailableError: the file cannot be written.
        CorruptError: the file is damaged or empty, or missing although its log is there.
    """
    if not os.path.lexists(database.path):
        refuse_log_without_store(database.path)
        create_store(database.path, migrations)
    target = len(migrations)
    try:
        version = _read_version(database, migrations)
    except SchemaError:
        database.close()  # a repair needs the file unused
        raise
    database.version = version
    if version > target:
        try:
            limit_to_newer(database, version, migrations)
        except NewerSchemaError:
            database.close()
            raise
        if database.read_only:
            database.close()  # reopened for reading only
    elif version < target:
        _upgrade(database, migrations, snapshot=snapshot)
    database.on_other_version = lambda version: notice_version(database, version, migrations)


def create_store(path: str, migrations: Migrations = MIGRATIONS) -> None:
    """Create a complete store; one that another process creates meanwhile stays.

    It appears at its path complete, so an empty file there is a store that was lost.

    Raises:
        UnavailableError: it cannot be written.
    """
    draft = build(migrations)
    try:
        place_new_file(path, draft.serialize("main"))
    finally:
        draft.close()


def _read_version(database: Database, migrations: Migrations) -> int:
    """Return the file's version; if it is a known one, compare the schema first."""
    connection = database.connection()
    database.rows("BEGIN")  # one view: another process may migrate it meanwhile
    try:
        version = int(database.value("PRAGMA user_version"))
        if version <= len(migrations) and not has_fingerprint(connection, version):
            check_schema(connection, database.path, version, migrations)
    except apsw.Error as error:
        raise translate_error(error, database.path) from error
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return version


def _upgrade(database: Database, migrations: Migrations, *, snapshot: bool) -> None:
    """Run the missing migrations in one transaction; other processes wait."""
    target = len(migrations)
    with database.transaction():
        version = database.value("PRAGMA user_version")
        if version < target:  # else another process did it
            if snapshot:
                _take_own_snapshot(database.path, version + 1)
            for migration in migrations[version:]:
                for statement in migration:
                    database.rows(statement)
            database.rows(f"PRAGMA user_version = {target}")
    database.version = target
    _remove_old_snapshots(database.path)


def _take_own_snapshot(path: str, version: int) -> None:
    # another connection: VACUUM INTO cannot run inside a transaction
    reader = Database(path, read_only=True)
    try:
        take_snapshot(reader, f"{version}-{_stamp()}")
    finally:
        reader.close()


def _stamp() -> str:
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def _remove_old_snapshots(path: str) -> None:
    """Remove all but the newest snapshots made before migrations; other snapshots stay."""
    folder, name = os.path.split(path)
    snapshots = []
    for file in os.listdir(folder):
        version, _, stamp = file.removeprefix(f"{name}.before-").partition("-")
        if file.startswith(f"{name}.before-") and version.isdigit() and stamp.endswith("Z"):
            snapshots.append((stamp, int(version), file))
    for *_, file in sorted(snapshots)[:-KEPT_SNAPSHOTS]:
        os.unlink(os.path.join(folder, file))


def notice_version(database: Database, version: int, migrations: Migrations = MIGRATIONS) -> None:
    """Continue with a file whose version another process changed, or refuse to.

    Args:
        database: of the store.
        version: that the file has now.
        migrations: all known ones.

    Raises:
        NewerSchemaError: this version of Aforesaid may not write the file.
        UnavailableError: another process replaced the file with an older one.
    """
    if version <= len(migrations):
        raise UnavailableError(
            f"{database.path} was replaced while in use: nothing was written; restart the client"
        )
    limit_to_newer(database, version, migrations)
    if database.read_only:
        raise NewerSchemaError(f"{database.newer}; nothing was written")


def limit_to_newer(database: Database, version: int, migrations: Migrations) -> None:
    """Note that a newer version made the file; open it for reading only if it demands that.

    Raises:
        NewerSchemaError: it has triggers, views or tables that this version cannot accept.
    """
    target = len(migrations)
    database.version = version
    database.newer = (
        f"{database.path} was made by a newer Aforesaid (its schema is version {version}, this "
        f"one knows {target}): update Aforesaid, then restart the client"
    )
    min_writer = int(database.value("SELECT value FROM meta WHERE name = 'min_code_schema'") or 1)
    differences = check_newer_schema(
        database.connection(),
        database.path,
        target,
        is_writable=min_writer <= target,
        migrations=migrations,
    )
    if differences:
        raise NewerSchemaError(
            f"{database.path} has the schema of a newer Aforesaid (version {version}, this one "
            f"knows {target}) and cannot be used by this one ({differences}): nothing was written; "
            "update Aforesaid and restart the client. If you never had a newer version, "
            "`aforesaid restore` lists the backups to replace it with"
        )
    if min_writer > target:
        database.read_only = True
        database.read_only_because = (
            f"writing its schema, version {version}, requires an Aforesaid that supports version "
            f"{min_writer}, and this one supports version {target}: update Aforesaid"
        )


def take_snapshot(database: Database, reason: str) -> str:
    """Copy the file as it is now to ``FILE.before-REASON``; return the copy's path.

    Raises:
        UnavailableError: the copy cannot be written.
    """
    target = f"{database.path}.before-{reason}"
    draft = f"{database.path}.before-{reason.partition('-')[0]}.part"  # a stale one is replaced
    try:
        remove(draft)
        make_private_file(draft)  # before the first byte is written
        database.connection().execute("VACUUM INTO ?", (draft,))
        sync(draft)
        os.replace(draft, target)
    except apsw.Error as error:
        raise translate_error(error, draft) from error
    except OSError as error:
        raise UnavailableError(
            f"{target} cannot be written ({error.strerror}): check the folder's permissions and "
            "free space"
        ) from error
    finally:
        remove(draft)
    return target
