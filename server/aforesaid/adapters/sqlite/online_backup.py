"""Copies of the file by the engine's own online backup: made, verified, put back.

Here: one copy at a time. Not here: where copies are kept and which go (operations/backups.py).
A file in use is never renamed or copied as bytes: what others write would be lost or torn.
Source: SQLite, How To Corrupt An SQLite Database File, sections 1.2 and 1.4.
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

from . import ledger
from .database import APPLICATION_ID, Database, in_our_words
from .dump import DUMPED
from .file_permissions import keep_private, make_private_file, new_private_file, remove, sync
from .schema import MIGRATIONS
from .schema_objects import check_schema, find_differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: Told how many pages are copied, of how many.
    Progress = Callable[[int, int], None]

_PAGES = 4096  #: between two tellings of progress: 16 MB


def backup_file(
    source: Database, target: str, progress: Progress | None = None, *, overwrite: bool = False
) -> dict[str, int]:
    """Write a copy of a store as it is at this moment, whole, whoever writes meanwhile.

    Args:
        source: the store.
        target: a path where nothing is.
        progress: told as pages are copied.
        overwrite: replace the file that is there, once the copy is verified.

    Returns:
        How many rows each table of the copy has; they were counted on both sides.

    Raises:
        ConflictError: there is a file at the target.
        UnavailableError: there is no room for it, or it cannot be written.
        CorruptError: the store is damaged; no copy is left behind.
    """
    if not overwrite and os.path.lexists(target):
        raise ConflictError(f"{target} is there already and stays: name another file")
    draft = f"{target}.{os.getpid()}.part"
    try:
        new_private_file(draft)
    except OSError as error:
        raise unwritable(target, error) from error
    try:
        connection = source.connection()
        connection.execute("BEGIN")  # one view: what is counted is what is copied
        try:
            counted = _count(connection)
            _copy(connection, draft, progress)
        finally:
            connection.execute("ROLLBACK")
        found = _read_whole(draft)
        if found != counted:
            raise CorruptError(f"the copy of {source.path} has other rows than it: none was kept")
        sync(draft)
        os.replace(draft, target)
        sync_folder(target)
    except apsw.FullError as error:  # the source is only read
        raise in_our_words(error, target) from error
    except apsw.Error as error:
        raise in_our_words(error, source.path) from error
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        remove(draft)
    return found


def unwritable(target: str, error: OSError) -> UnavailableError:
    """Return the error that says why a copy cannot be written, and what to do."""
    return UnavailableError(
        f"{target} cannot be written ({error.strerror}): check its folder's rights and free space"
    )


def verify(path: str) -> dict[str, int]:
    """Return how many rows each table of a copy has, having read all of it.

    Raises:
        CorruptError: it is damaged, or no store of ours.
        SchemaError: it has other tables, triggers or views than a release makes.
        NewerSchemaError: a newer Aforesaid made it.
        UnavailableError: it cannot be read.
    """
    return _read_whole(path, to_be_store=True)


def _read_whole(path: str, *, to_be_store: bool = False) -> dict[str, int]:
    try:
        connection = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW)
    except apsw.Error as error:
        raise in_our_words(error, path) from error
    try:
        connection.pragma("trusted_schema", False)
        if connection.pragma("application_id") != APPLICATION_ID:
            raise CorruptError(f"{path} is no store of Aforesaid: name a file that `backup` wrote")
        if to_be_store:
            _check_schema_of_copy(connection, path)
        writable = not connection.readonly("main")
        if writable:
            connection.pragma("journal_mode", "delete")  # a copy is one file, wherever it is put
        wrong = connection.execute("PRAGMA integrity_check(3)").fetchall()
        if wrong != [("ok",)]:
            raise CorruptError(f"{path} is damaged: {'; '.join(str(row[0]) for row in wrong)}")
        if writable:
            connection.execute(
                "INSERT INTO memories_fts (memories_fts, rank) VALUES ('integrity-check', 1)"
            )
        return _count(connection)
    except apsw.Error as error:
        raise in_our_words(error, path) from error
    finally:
        connection.close()


def _check_schema_of_copy(connection: apsw.Connection, path: str) -> None:
    """Refuse a copy whose objects are not exactly those of a schema that this version knows."""
    version = int(connection.pragma("user_version"))
    if version > len(MIGRATIONS):
        raise NewerSchemaError(
            f"{path} was made by a newer Aforesaid (its schema is version {version}, this one "
            f"knows {len(MIGRATIONS)}): update Aforesaid, then restore it"
        )
    if different := find_differences(connection, path, version):
        raise SchemaError(
            f"{path} does not have the tables of a released Aforesaid ({different}): name another "
            f"backup, or `AFORESAID_DB={path} aforesaid doctor --fix` first moves its memories "
            "into a sound store"
        )


def refuse_foreign_schema(database: Database) -> None:
    """Refuse a store whose schema is that of no release; what newer ones have is not known.

    Raises:
        SchemaError: it has other tables, triggers or views.
    """
    version = int(database.value("PRAGMA user_version"))
    if version <= len(MIGRATIONS):
        check_schema(database.connection(), database.path, version)


def state_of(database: Database) -> int:
    """Return what changes with every commit of others, as this connection sees it."""
    return int(database.value("PRAGMA data_version"))


def restore_content(
    database: Database, source: str, seen: int, progress: Progress | None = None
) -> None:
    """Give a store the content of a copy, in one transaction of the engine.

    Whoever else has it open sees the old or the new content, never both.

    Args:
        database: of the store; it is closed afterwards.
        source: the copy.
        seen: its ``state_of`` when what it held was last kept.
        progress: told as pages are copied.

    Raises:
        ConflictError: somebody wrote since; it is as they left it.
        UnavailableError: it is locked or cannot be written; it is as it was.
    """
    written = Database(database.path)
    try:
        origin = apsw.Connection(source, apsw.SQLITE_OPEN_READONLY)
        try:
            with written.connection().backup("main", origin, "main") as backup:
                backup.step(0)  # from here on nobody else writes
                if state_of(database) != seen:
                    raise ConflictError(
                        f"{database.path} was written meanwhile: nothing was replaced; say it again"
                    )
                ledger.remove(database.path)  # its numbers are those of the old content
                _step(backup, progress)
        finally:
            origin.close()
        written.rows("PRAGMA wal_checkpoint(TRUNCATE)")
    except apsw.Error as error:
        raise in_our_words(error, database.path) from error
    finally:
        written.close()
        database.close()  # what it knows of the file is old


def move_aside(path: str, suffix: str) -> str:
    """Move a damaged store and what stands beside it to another name; return that.

    Where the store is missing, what is left beside it is moved.

    Only what nobody has open may be moved.
    """
    target = f"{path}.{suffix}"
    for beside in ("-wal", "-shm", ""):
        if os.path.lexists(path + beside):
            os.replace(path + beside, target + beside)
    return target


def swap_in(source: str, path: str) -> None:
    """Copy a verified copy to a path where nothing is, whole or not at all."""
    ledger.remove(path)
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
        raise in_our_words(error, path) from error
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
    """Copy all pages; in one go where nobody is told, for each step looks for foreign writes."""
    while not backup.done:
        backup.step(-1 if progress is None else _PAGES)
        if progress is not None:
            progress(backup.page_count - backup.remaining, backup.page_count)


def _count(connection: apsw.Connection) -> dict[str, int]:
    """Count the rows of the tables that an older or newer version has, too."""
    there = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema").fetchall()}
    return {
        table: int(str(connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]))
        for table in DUMPED
        if table in there
    }
