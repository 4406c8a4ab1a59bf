"""Copies of the store: where they are kept, which go, and how one is put back.

Here: the order of steps. Not here: the engine's part (adapters/sqlite/online_backup.py).
"""

from __future__ import annotations

import os
import time
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.sqlite import backup_files, online_backup
from aforesaid.adapters.sqlite.database import Database
from aforesaid.adapters.sqlite.file_permissions import keep_private_folder
from aforesaid.adapters.sqlite.file_permissions import remove as remove_database
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.system.open_files import find_holders
from aforesaid.adapters.system.user_files import resolve_output
from aforesaid.domain.errors import (
    AforesaidError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    SchemaError,
)
from aforesaid.domain.text.pluralize import pluralize

from .redaction import redact_store

if TYPE_CHECKING:
    from aforesaid.adapters.sqlite.backup_files import Backup
    from aforesaid.adapters.sqlite.online_backup import Progress
    from aforesaid.config import Settings

LATEST = "latest"
_PATIENCE_SECONDS = 3.0  #: for hooks, which hold the store for moments


def backups_folder(settings: Settings) -> str:
    """Return where backups without a name are kept: beside the store."""
    return os.path.join(os.path.dirname(settings.db_path), backup_files.FOLDER)


def list_backups(settings: Settings) -> list[str]:
    """Return the paths of the backups of this store, oldest first."""
    return [one.path for one in backup_files.list_backups(settings.db_path)]


def back_up(
    settings: Settings,
    target: str | None = None,
    *,
    keep: int | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Copy the store, verify the copy, and let the oldest such backups beyond so many go.

    Args:
        settings: where the store is.
        target: a file; without one the copy is named by its store and time, and those rotate.
        keep: how many stay; None for as many as the settings say.
        progress: told as pages are copied.
        overwrite: replace the target if it is there.

    Raises:
        NotFoundError: there is no store yet.
        ConflictError, InvalidInputError: the target may not be written, as ``resolve_output``.
        AforesaidError: as ``copy_file``.
    """
    _refuse_without_store(settings)
    if target is not None:
        chosen = _resolve_target(settings, target, overwrite=overwrite)
        with closing(Database(settings.db_path)) as source:
            counts = online_backup.backup_file(source, chosen, progress, overwrite=overwrite)
        gone: list[str] = []
    else:
        chosen, counts = copy_to_folder(settings, automatic=False, progress=progress)
        rotated = backup_files.list_rotated(settings.db_path, automatic=False)
        most = settings["storage.backups"] if keep is None else keep
        gone = remove([one.path for one in rotated[: -max(most, 1)]])
    return {
        "backup": chosen,
        "bytes": os.path.getsize(chosen),
        "rows": counts,
        "removed": gone,
    }


def copy_to_folder(
    settings: Settings, *, automatic: bool, progress: Progress | None = None
) -> tuple[str, dict[str, int]]:
    """Write a verified copy into the folder of backups; return its path and the rows it has.

    Raises:
        AforesaidError: as ``copy_file``.
    """
    with closing(Database(settings.db_path)) as source:
        identity = backup_files.store_id(source.value(backup_files.ID_QUERY) or "")
        keep_private_folder(backups_folder(settings))
        path = backup_files.new_name(settings.db_path, identity, automatic=automatic)
        return path, online_backup.backup_file(source, path, progress)


def _resolve_target(settings: Settings, target: str, *, overwrite: bool) -> str:
    path = os.path.abspath(target)
    try:
        return resolve_output(path, overwrite=overwrite, database=settings.db_path)
    except OSError as error:
        raise online_backup.unwritable(path, error) from error


def remove(paths: list[str]) -> list[str]:
    """Remove backups; return their paths."""
    for path in paths:
        with suppress(FileNotFoundError):  # another process removed it
            os.unlink(path)
    return paths


def _refuse_without_store(settings: Settings) -> None:
    if not os.path.exists(settings.db_path):
        raise NotFoundError(f"there is no store at {settings.db_path} yet: nothing to copy")


def restore(settings: Settings, wanted: str, progress: Progress | None = None) -> dict[str, Any]:
    """Give the store the content of a backup; what it held before is kept beside it.

    Args:
        settings: where the store is.
        wanted: a file, or ``latest`` for the newest backup of this store.
        progress: told as pages are copied.

    Raises:
        NotFoundError: there is no such backup.
        CorruptError: the backup is damaged; nothing was changed.
        ConflictError: another process has the store open.
    """
    source = find_backup(settings, wanted)
    counts = online_backup.verify(source)
    kept = _replace(settings, source, "restore", progress)
    return {"restored": source, "rows": counts, "kept": kept, "redacted": redact_store(settings)}


def reset(settings: Settings) -> dict[str, Any]:
    """Begin anew with an empty store; what it held is kept beside it.

    What the user had erased stays erased: its keyed hashes move along.

    Raises:
        NotFoundError: there is no store.
        ConflictError: another process has the store open.
    """
    _refuse_without_store(settings)
    path = settings.db_path
    _refuse_while_held(path)
    empty = f"{path}.{os.getpid()}.empty"
    try:
        new = SqliteStore(empty)
        try:
            _keep_erased(new, path)
        finally:
            new.close()
        online_backup.verify(empty)  # and with it one file
        return {"kept": _replace(settings, empty, "reset", None)}
    finally:
        remove_database(empty)


def _keep_erased(new: SqliteStore, path: str) -> None:
    try:
        old = SqliteStore(path)
        try:
            new.dump.take_erased(old.dump)
        finally:
            old.close()
    except (CorruptError, SchemaError):
        pass  # nothing of a damaged one can be known


def rebuild(settings: Settings) -> dict[str, Any]:
    """Move the rows of a store whose schema is that of no release into a sound one.

    Raises:
        SchemaError: its rows cannot be moved; nothing was changed.
        ConflictError: another process has the store open.
    """
    from aforesaid.adapters.sqlite.rebuild import rebuild as move_rows

    path = settings.db_path
    _refuse_while_held(path)
    sound = f"{path}.{os.getpid()}.rebuilt"
    try:
        move_rows(path, sound)
        counts = online_backup.verify(sound)
        return {"rows": counts, "kept": _replace(settings, sound, "rebuild", None)}
    finally:
        remove_database(sound)


def find_backup(settings: Settings, wanted: str) -> str:
    """Return the path of a backup: a file, or ``latest`` for the newest of this store.

    Raises:
        NotFoundError: there is none.
        InvalidInputError: it is not a regular file.
        ConflictError: it is the store itself, or the newest may be of another store.
    """
    if wanted == LATEST:
        return _latest(settings)
    path = os.path.abspath(wanted)
    if not os.path.exists(path):
        raise NotFoundError(f"there is no file at {path}: `aforesaid restore` lists the backups")
    if not os.path.isfile(path):
        raise InvalidInputError(f"{path} is not a regular file, so it is no backup")
    if os.path.exists(settings.db_path) and os.path.samefile(path, settings.db_path):
        raise ConflictError(f"{path} is the store itself: name a backup of it")
    return path


def _latest(settings: Settings) -> str:
    known = _by_preference(settings)
    if not known:
        raise NotFoundError(
            f"there is no backup of this store in {backups_folder(settings)}: `aforesaid backup` "
            "makes one"
        )
    if len({one.store_id for one in known}) > 1:  # then that of the store cannot be read
        newest = {one.store_id: one.path for one in known}
        raise ConflictError(
            f"{settings.db_path} cannot be read, and backups of several stores were made there: "
            f"name the one that is meant: {', '.join(newest.values())}"
        )
    return known[-1].path


def _by_preference(settings: Settings) -> list[Backup]:
    """Return the backups of this store, the one to restore last: made under its present name."""
    names = ("", os.path.basename(settings.db_path))
    known = backup_files.list_backups(settings.db_path)
    return sorted(known, key=lambda one: (one.store in names, one.at_ms))


def is_foreign(settings: Settings, source: str) -> bool:
    """Tell whether a backup is surely of another store than the one that it would replace."""
    own = backup_files.read_store_id(settings.db_path)
    return bool(own) and backup_files.read_store_id(source) not in ("", own)


def newest_sound(settings: Settings) -> str | None:
    """Return the newest backup of this store that can be restored, having read all of it."""
    known = _by_preference(settings)
    if len({one.store_id for one in known}) > 1:
        return None
    for one in reversed(known):
        try:
            online_backup.verify(one.path)
        except AforesaidError:
            continue
        return one.path
    return None


def _replace(settings: Settings, source: str, reason: str, progress: Progress | None) -> str | None:
    """Put a verified copy in the store's place; return where the old content is, if there was any.

    A store that works is copied, then overwritten by the engine in one transaction, unless somebody
    wrote in between: its file is never renamed under anybody. A damaged one, or one with foreign
    tables, is moved aside as it is, with its log; and so is the log of one that is missing.
    """
    path = settings.db_path
    log = f"{path}-wal"
    if not os.path.exists(path) and not os.path.exists(log):
        online_backup.swap_in(source, path)
        return None
    _refuse_while_held(path)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    kept = f"{path}.before-{reason}-{stamp}"
    number = 1
    while os.path.lexists(kept):
        number += 1
        kept = f"{path}.before-{reason}-{stamp}-{number}"
    if not os.path.exists(path):
        online_backup.move_aside(path, kept.removeprefix(f"{path}."))
        online_backup.swap_in(source, path)
        return f"{kept}-wal"
    database = Database(path)
    try:
        online_backup.refuse_foreign_schema(database)
        seen = online_backup.state_of(database)
        online_backup.backup_file(database, kept, _half(progress, 0))
    except (CorruptError, SchemaError):
        database.close()
        online_backup.move_aside(path, kept.removeprefix(f"{path}."))
        online_backup.swap_in(source, path)
        return kept
    try:
        _refuse_while_held(path)  # copying takes its time: a session may have started
        online_backup.restore_content(database, source, seen, _half(progress, 1))
    except AforesaidError:
        os.unlink(kept)
        raise
    return kept


def _half(progress: Progress | None, which: int) -> Progress | None:
    """Return what tells the first or the second half of work."""
    if progress is None:
        return None
    return lambda done, whole: progress(done + which * whole, 2 * whole)


def _refuse_while_held(path: str) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while holders := find_holders(path):
        if time.monotonic() > deadline:
            told = "; ".join(f"{one.pid} ({one.command})" for one in holders[:5])
            raise ConflictError(
                f"{pluralize(len(holders), 'process has', 'processes have')} {path} open, which "
                f"must not change meanwhile: {told}. End those clients (`aforesaid watch stop` "
                "ends the watcher), then say it again"
            )
        time.sleep(0.1)
