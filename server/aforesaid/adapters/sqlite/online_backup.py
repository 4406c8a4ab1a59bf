"""Copies of the store by SQLite's online backup: written, verified, restored.

Here: one copy at a time. Not here: where backups are kept and which are deleted
(operations/backups.py). A file in use is never renamed or copied as bytes: concurrent writes would
be lost or torn. Source: SQLite, How To Corrupt An SQLite Database File, sections 1.2 and 1.4.
"""

from __future__ import annotations

import os

import apsw

from aforesaid.adapters.system.user_files import sync_folder
from aforesaid.domain.errors import (
    ConflictError,
    CorruptError,
    NewerSchemaError,
    SchemaError,
    UnavailableError,
)

from . import ledger, unchanged
from .database import APPLICATION_ID, Database, translate_error
from .dump import DUMPED
from .file_permissions import keep_private, make_private_file, new_private_file, remove, sync
from .old_names import old_table
from .schema import MIGRATIONS
from .schema_objects import check_schema, find_differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: Called with the number of copied pages and of all pages.
    Progress = Callable[[int, int], None]

_PAGES = 4096  #: between two progress reports: 16 MB


def backup_file(
    source: Database, target: str, progress: Progress | None = None, *, overwrite: bool = False
) -> dict[str, int]:
    """Write a verified copy of a store as it is now, even while others write to it.

    Args:
        source: the store.
        target: path of the copy.
        progress: called as pages are copied.
        overwrite: replace an existing file, once the copy is verified.

    Returns:
        The number of rows by table, the same in the store and the copy.

    Raises:
        ConflictError: there is a file at the target.
        UnavailableError: the copy cannot be written.
        CorruptError: the store is damaged; no copy is left behind.
    """
    if not overwrite and os.path.lexists(target):
        raise ConflictError(f"{target} exists and was not replaced: name another file")
    draft = f"{target}.{os.getpid()}.part"
    try:
        new_private_file(draft)
    except OSError as error:
        raise unwritable(target, error) from error
    try:
        connection = source.connection()
        connection.execute("BEGIN")  # one snapshot: count the rows that are copied
        try:
            expected = _count(connection)
            _copy(connection, draft, progress)
        finally:
            connection.execute("ROLLBACK")
        counts = _read_whole(draft, name=source.path)
        if counts != expected:
            raise CorruptError(
                f"the copy of {source.path} does not have the same rows and was deleted: check the "
                "disk, then run `aforesaid doctor --deep`"
            )
        sync(draft)
        os.replace(draft, target)
        sync_folder(target)
    except apsw.FullError as error:  # the disk of the copy: the source is only read
        raise translate_error(error, target) from error
    except apsw.Error as error:
        raise translate_error(error, source.path) from error
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        remove(draft)
    return counts


def unwritable(target: str, error: OSError) -> UnavailableError:
    """Return the error for a copy that cannot be written."""
    return UnavailableError(
        f"{target} cannot be written ({error.strerror}): check its folder's permissions and free "
        "space"
    )


def verify(path: str) -> dict[str, int]:
    """Read a whole copy and check it; return the number of rows by table.

    Raises:
        CorruptError: it is damaged, or not a store of Aforesaid.
        SchemaError: its tables, triggers or views are not those of a release.
        NewerSchemaError: a newer Aforesaid made it.
        UnavailableError: it cannot be read.
    """
    return _read_whole(path, name=path, check_schema_too=True)


def _read_whole(path: str, *, name: str, check_schema_too: bool = False) -> dict[str, int]:
    try:
        connection = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW)
    except apsw.Error as error:
        raise translate_error(error, name) from error
    try:
        connection.pragma("trusted_schema", False)
        if connection.pragma("application_id") != APPLICATION_ID:
            raise CorruptError(
                f"{name} is not a store of Aforesaid: name a file that `aforesaid backup` wrote"
            )
        if check_schema_too:
            _check_schema_of_copy(connection, path)
        writable = not connection.readonly("main")
        if writable:
            connection.pragma("journal_mode", "delete")  # a copy is a single file
        problems = connection.execute("PRAGMA integrity_check(3)").fetchall()
        if problems != [("ok",)]:
            details = "; ".join(str(row[0]) for row in problems)
            raise CorruptError(
                f"{name} is damaged ({details}): `aforesaid restore` lists the backups"
            )
        if writable:
            connection.execute(
                "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
            )
        return _count(connection)
    except apsw.Error as error:
        raise translate_error(error, name) from error
    finally:
        connection.close()


def _check_schema_of_copy(connection: apsw.Connection, path: str) -> None:
    """Refuse a copy whose objects are not exactly those of a known schema."""
    version = int(connection.pragma("user_version"))
    if version > len(MIGRATIONS):
        raise NewerSchemaError(
            f"{path} was made by a newer Aforesaid (its schema is version {version}, this one "
            f"knows {len(MIGRATIONS)}): update Aforesaid, then restore it"
        )
    if differences := find_differences(connection, path, version):
        raise SchemaError(
            f"{path} does not have the tables of a released Aforesaid ({differences}): name "
            f"another backup, or first run `AFORESAID_DB={path} aforesaid doctor --fix` to move "
            "its memories into a new store"
        )


def refuse_foreign_schema(database: Database) -> None:
    """Refuse a store whose schema is not that of a release; newer versions cannot be checked.

    Raises:
        SchemaError: its tables, triggers or views differ.
    """
    version = int(database.value("PRAGMA user_version"))
    if version <= len(MIGRATIONS):
        check_schema(database.connection(), database.path, version)


def data_version(database: Database) -> int:
    """Return a number that changes with every commit of other connections."""
    return int(database.value("PRAGMA data_version"))


def restore_content(
    database: Database, source: str, expected_version: int, progress: Progress | None = None
) -> None:
    """Replace a store's content with that of a copy, in one transaction.

    Other processes that have it open see the old or the new content, never both.

    Args:
        database: of the store; closed afterwards.
        source: the copy.
        expected_version: the store's ``data_version`` when its content was last saved.
        progress: called as pages are copied.

    Raises:
        ConflictError: the store was written since; nothing was replaced.
        UnavailableError: the store is locked or cannot be written; nothing was replaced.
    """
    target = Database(database.path)
    try:
        origin = apsw.Connection(source, apsw.SQLITE_OPEN_READONLY)
        try:
            with target.connection().backup("main", origin, "main") as backup:
                backup.step(0)  # takes the write lock
                if data_version(database) != expected_version:
                    raise ConflictError(
                        f"{database.path} was written meanwhile: nothing was replaced; run the "
                        "command again"
                    )
                ledger.remove(database.path)  # it belongs to the old content
                unchanged.remove(database.path)
                _step(backup, progress)
        finally:
            origin.close()
        target.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    except apsw.Error as error:
        raise translate_error(error, database.path) from error
    finally:
        target.close()
        database.close()  # its cached state is stale


def move_aside(path: str, suffix: str) -> str:
    """Rename a damaged store and the files beside it; return the new path.

    No process may have it open. If the store is missing, the files beside it are renamed.
    """
    target = f"{path}.{suffix}"
    for ending in ("-wal", "-shm", ""):
        if os.path.lexists(path + ending):
            os.replace(path + ending, target + ending)
    return target


def copy_into_place(source: str, path: str) -> None:
    """Put a copy of a verified backup at a free path, complete or not at all."""
    ledger.remove(path)
    unchanged.remove(path)
    draft = f"{path}.{os.getpid()}.part"
    make_private_file(draft)
    try:
        origin = apsw.Connection(source, apsw.SQLITE_OPEN_READONLY)
        try:
            _copy(origin, draft, None)
        finally:
            origin.close()
        sync(draft)
        os.replace(draft, path)
    except apsw.Error as error:
        raise translate_error(error, path) from error
    finally:
        remove(draft)


def _copy(source: apsw.Connection, target: str, progress: Progress | None) -> None:
    copy = apsw.Connection(target, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW)
    try:
        with copy.backup("main", source, "main") as backup:
            _step(backup, progress)
    finally:
        copy.close()
    keep_private(target)


def _step(backup: apsw.Backup, progress: Progress | None) -> None:
    """Copy all pages, without progress in one step: other writes between steps restart the copy."""
    while not backup.done:
        backup.step(-1 if progress is None else _PAGES)
        if progress is not None:
            progress(backup.page_count - backup.remaining, backup.page_count)


def _count(connection: apsw.Connection) -> dict[str, int]:
    """Count the rows of the tables that this file has; another version may lack some."""
    existing = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
    names = {table: table if table in existing else old_table(table) for table in DUMPED}
    return {
        table: int(str(connection.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0]))
        for table, name in names.items()
        if name in existing
    }
