"""Copies of the file by the engine's own online backup: made, verified, put back.

Here: one copy at a time. Not here: where copies are kept and which go (wiring/backups.py).
A file in use is never renamed or copied as bytes: what others write would be lost or torn.
Source: SQLite, How To Corrupt An SQLite Database File, sections 1.2 and 1.4.
"""

from __future__ import annotations

import os

import apsw

from aforesaid.domain.errors import ConflictError, CorruptError, UnavailableError

from .database import APPLICATION_ID, Database, in_our_words
from .dump import DUMPED
from .private_file import keep_private, make_private_file, new_private_file
from .schema import MIGRATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    #: Told how many pages are copied, of how many.
    Progress = Callable[[int, int], None]

BACKUPS = "backups"  #: the folder beside the store that they rotate in
_PAGES = 4096  #: between two tellings of progress: 16 MB


def copy_file(source: Database, target: str, progress: Progress | None = None) -> dict[str, int]:
    """Write a copy of a store as it is at this moment, whole, whoever writes meanwhile.

    Args:
        source: the store.
        target: a path where nothing is.
        progress: told as pages are copied.

    Returns:
        How many rows each table of the copy has; they were counted on both sides.

    Raises:
        ConflictError: there is a file at the target.
        UnavailableError: there is no room for it, or it cannot be written.
        CorruptError: the store is damaged; no copy is left behind.
    """
    if os.path.lexists(target):
        raise ConflictError(f"{target} is there already and stays: name another file")
    draft = f"{target}.{os.getpid()}.part"
    try:
        new_private_file(draft)
    except OSError as error:
        raise _unwritable(target, error) from error
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
        _sync(draft)
        os.replace(draft, target)
    except apsw.FullError as error:  # the source is only read
        raise in_our_words(error, target) from error
    except apsw.Error as error:
        raise in_our_words(error, source.path) from error
    except OSError as error:
        raise _unwritable(target, error) from error
    finally:
        _remove(draft)
    return found


def _unwritable(target: str, error: OSError) -> UnavailableError:
    return UnavailableError(
        f"{target} cannot be written ({error.strerror}): check its folder's rights and free space"
    )


def verify(path: str) -> dict[str, int]:
    """Return how many rows each table of a copy has, having read all of it.

    Raises:
        CorruptError: it is damaged, or no store of ours.
        UnavailableError: it cannot be read, or only a newer version may write it.
    """
    return _read_whole(path, to_be_written=True)


def _read_whole(path: str, *, to_be_written: bool = False) -> dict[str, int]:
    try:
        connection = apsw.Connection(path, apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_NOFOLLOW)
    except apsw.Error as error:
        raise in_our_words(error, path) from error
    try:
        if connection.pragma("application_id") != APPLICATION_ID:
            raise CorruptError(f"{path} is no store of Aforesaid: name a file that `backup` wrote")
        if to_be_written:
            _refuse_newer(connection, path)
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


def _refuse_newer(connection: apsw.Connection, path: str) -> None:
    """Refuse a copy that, as the store, this version could only read."""
    needed = int(
        connection.execute("SELECT value FROM meta WHERE name = 'min_code_schema'").get or 1
    )
    if needed > len(MIGRATIONS):
        raise UnavailableError(
            f"{path} was written by a newer version (schema {needed} is needed to write it, this "
            f"Aforesaid knows {len(MIGRATIONS)}): update Aforesaid, then restore it"
        )


def state_of(database: Database) -> int:
    """Return what changes with every commit of others, as this connection sees it."""
    return int(database.value("PRAGMA data_version"))


def replace_content(
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

    Only what nobody has open may be moved.
    """
    target = f"{path}.{suffix}"
    for beside in ("-wal", "-shm", ""):
        if os.path.lexists(path + beside):
            os.replace(path + beside, target + beside)
    return target


def put_in_place(source: str, path: str) -> None:
    """Copy a verified copy to a path where nothing is, whole or not at all."""
    draft = f"{path}.{os.getpid()}.part"
    make_private_file(draft)
    try:
        origin = apsw.Connection(source, apsw.SQLITE_OPEN_READONLY)
        try:
            _copy(origin, draft, None)
        finally:
            origin.close()
        _sync(draft)
        os.replace(draft, path)
    except apsw.Error as error:
        raise in_our_words(error, path) from error
    finally:
        _remove(draft)


def list_copies(path: str) -> list[str]:
    """Return the older copies of a store, by their names from its folder on."""
    folder, name = os.path.split(path)
    found = [
        one
        for one in os.listdir(folder)
        if one.startswith(f"{name}.before-") and not one.endswith(("-wal", "-shm"))
    ]
    backups = os.path.join(folder, BACKUPS)
    if os.path.isdir(backups):
        found += [os.path.join(BACKUPS, one) for one in os.listdir(backups) if is_backup(one)]
    return sorted(found)


def is_backup(name: str) -> bool:
    """Tell whether a file of the backups' folder is one that rotates, by its name."""
    import re

    return re.fullmatch(r"memory-\d{8}T\d{6}\.\d{3}Z\.db", name) is not None


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
    return {
        table: int(str(connection.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0]))
        for table in DUMPED
    }


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _remove(path: str) -> None:
    for name in (path, f"{path}-journal", f"{path}-wal", f"{path}-shm"):
        try:
            os.unlink(name)
        except FileNotFoundError:
            continue
