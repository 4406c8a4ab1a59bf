"""Backing up the store, rotating backups, and restoring, resetting or rebuilding the store.

Here: the order of steps. Not here: copying database pages (adapters/sqlite/online_backup.py).
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
from aforesaid.adapters.system.user_files import require_folder_of, resolve_output
from aforesaid.domain.errors import (
    AforesaidError,
    ConflictError,
    CorruptError,
    InvalidInputError,
    NotFoundError,
    SchemaError,
)
from aforesaid.domain.text.pluralize import pluralize

from .redaction import leave_out_erased, redact_store

if TYPE_CHECKING:
    from aforesaid.adapters.sqlite.backup_files import Backup
    from aforesaid.adapters.sqlite.online_backup import Progress
    from aforesaid.config import Settings

LATEST = "latest"
_WAIT_SECONDS = 3.0  #: for other processes to close the store: hooks hold it only briefly


def backups_folder(settings: Settings) -> str:
    """Return the folder of backups, which is beside the store."""
    return os.path.join(os.path.dirname(settings.db_path), backup_files.FOLDER)


def list_backups(settings: Settings) -> list[str]:
    """Return the paths of the backups of this store, oldest first."""
    return [backup.path for backup in backup_files.list_backups(settings.db_path)]


def list_restorable(settings: Settings) -> list[Backup]:
    """Return the backups of this store and what was set aside before it was replaced, by time."""
    path = settings.db_path
    copies = [*backup_files.list_backups(path), *backup_files.list_set_aside(path)]
    return sorted(copies, key=lambda copy: (copy.at_ms, copy.path))


def back_up(
    settings: Settings,
    target: str | None = None,
    *,
    keep: int | None = None,
    progress: Progress | None = None,
    overwrite: bool = False,
) -> dict[str, Any]:
    """Copy the store, verify the copy, and rotate the backups in the default folder.

    Args:
        settings: The settings, which name the store.
        target: The file to write; by default, a new file in the folder of backups.
        keep: The number of backups to keep there; by default, as in the settings.
        progress: Called as pages are copied.
        overwrite: Replace an existing target.

    Raises:
        NotFoundError: There is no store yet.
        ConflictError: The target exists, or is a store; see ``resolve_output``.
        InvalidInputError: The target is not a regular file; see ``resolve_output``.
        AforesaidError: Copying failed; see ``backup_file``.
    """
    _refuse_without_store(settings)
    if target is not None:
        chosen = _resolve_target(settings, target, overwrite=overwrite)
        with closing(Database(settings.db_path)) as source:
            counts = online_backup.backup_file(source, chosen, progress, overwrite=overwrite)
        removed: list[str] = []
    else:
        chosen, counts = copy_to_folder(settings, automatic=False, progress=progress)
        rotated = backup_files.list_rotated(settings.db_path, automatic=False)
        limit = settings["storage.backups"] if keep is None else keep
        removed = remove([backup.path for backup in rotated[: -max(limit, 1)]])
    return {
        "backup": chosen,
        "bytes": os.path.getsize(chosen),
        "rows": counts,
        "removed": removed,
    }


def copy_to_folder(
    settings: Settings, *, automatic: bool, progress: Progress | None = None
) -> tuple[str, dict[str, int]]:
    """Write a verified copy to the folder of backups; return its path and its rows by table.

    Raises:
        AforesaidError: Copying failed; see ``backup_file``.
    """
    with closing(Database(settings.db_path)) as source:
        identity = backup_files.store_id(source.value(backup_files.ID_QUERY) or "")
        keep_private_folder(backups_folder(settings))
        path = backup_files.new_name(settings.db_path, identity, automatic=automatic)
        return path, online_backup.backup_file(source, path, progress)


def _resolve_target(settings: Settings, target: str, *, overwrite: bool) -> str:
    path = os.path.abspath(target)
    require_folder_of(path)
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
        raise NotFoundError(f"there is no store at {settings.db_path} yet")


def restore(settings: Settings, reference: str, progress: Progress | None = None) -> dict[str, Any]:
    """Replace the content of the store with that of a backup, and keep the old content beside it.

    What was erased since the backup is left out.

    Args:
        settings: The settings, which name the store.
        reference: As for ``find_backup``.
        progress: Called as pages are copied.

    Raises:
        NotFoundError: There is no such backup.
        CorruptError: The backup is damaged; nothing was changed.
        ConflictError: Another process has the store open.
    """
    source = find_backup(settings, reference)
    counts = online_backup.verify(source)
    old_path = _replace(settings, source, "restore", progress)
    return {
        "restored": source,
        "rows": counts,
        "kept": old_path,
        "redacted": redact_store(settings),
        "erased": 0 if old_path is None else leave_out_erased(settings, old_path),
    }


def reset(settings: Settings) -> dict[str, Any]:
    """Replace the store with an empty one, and keep the old file beside it.

    What the user had erased stays erased: the new store takes over the keyed hashes.

    Raises:
        NotFoundError: There is no store.
        ConflictError: Another process has the store open.
    """
    _refuse_without_store(settings)
    path = settings.db_path
    _refuse_while_held(path)
    empty = f"{path}.{os.getpid()}.empty"
    try:
        new = SqliteStore(empty)
        try:
            secret, erased = backup_files.read_erased(path)
            if secret:  # a damaged store cannot be read
                new.dump.take_erased(secret, erased)
        finally:
            new.close()
        online_backup.verify(empty)  # this also merges its log into the file
        return {"kept": _replace(settings, empty, "reset", None)}
    finally:
        remove_database(empty)


def rebuild(settings: Settings) -> dict[str, Any]:
    """Move the rows of a store with an unknown schema into a new store.

    Raises:
        SchemaError: Its rows cannot be moved; nothing was changed.
        ConflictError: Another process has the store open.
    """
    from aforesaid.adapters.sqlite.rebuild import rebuild as move_rows

    path = settings.db_path
    _refuse_while_held(path)
    rebuilt = f"{path}.{os.getpid()}.rebuilt"
    try:
        move_rows(path, rebuilt)
        counts = online_backup.verify(rebuilt)
        return {"rows": counts, "kept": _replace(settings, rebuilt, "rebuild", None)}
    finally:
        remove_database(rebuilt)


def find_backup(settings: Settings, reference: str) -> str:
    """Return the path of a backup: a file, the name of one, or ``latest`` for the newest copy.

    Raises:
        NotFoundError: There is none.
        InvalidInputError: It is not a regular file, or it is an export.
        ConflictError: It is the store itself, or the newest may belong to another store.
    """
    if reference == LATEST:
        return _latest(settings)
    path = os.path.abspath(reference)
    if not os.path.exists(path):
        named = (copy.path for copy in list_restorable(settings))
        path = next((copy for copy in named if os.path.basename(copy) == reference), path)
    if not os.path.exists(path):
        raise NotFoundError(f"there is no file at {path}: list backups with `aforesaid restore`")
    if not os.path.isfile(path):
        raise InvalidInputError(f"{path} is not a regular file: name a backup")
    with suppress(OSError), open(path, "rb") as file:
        if file.read(100).lstrip().startswith(b"{"):
            raise InvalidInputError(f"{path} is an export, not a backup: use `aforesaid import`")
    if os.path.exists(settings.db_path) and os.path.samefile(path, settings.db_path):
        raise ConflictError(f"{path} is the store itself: name a backup of it")
    return path


def _latest(settings: Settings) -> str:
    known = [*_by_preference(settings), *backup_files.list_set_aside(settings.db_path)]
    if not known:
        raise NotFoundError(
            f"there is no backup of this store in {backups_folder(settings)}: make one with "
            "`aforesaid backup`"
        )
    if len({backup.store_id for backup in known}) > 1:  # and the store's own id cannot be read
        newest = {backup.store_id: backup.path for backup in known}
        raise ConflictError(
            f"cannot read {settings.db_path}, and its folder has backups of several stores: name "
            f"the file to restore, one of {', '.join(newest.values())}"
        )
    return max(known, key=lambda copy: (_has_name(settings, copy), copy.at_ms)).path


def _has_name(settings: Settings, backup: Backup) -> bool:
    return backup.store in ("", os.path.basename(settings.db_path))


def _by_preference(settings: Settings) -> list[Backup]:
    """Return the backups of this store, best last: those made under its current name, by time."""
    known = backup_files.list_backups(settings.db_path)
    return sorted(known, key=lambda backup: (_has_name(settings, backup), backup.at_ms))


def is_foreign(settings: Settings, source: str) -> bool:
    """Whether a backup certainly belongs to another store than the one it would replace."""
    own = backup_files.read_store_id(settings.db_path)
    return bool(own) and backup_files.read_store_id(source) not in ("", own)


def newest_intact(settings: Settings) -> str | None:
    """Return the newest intact backup of this store, verified by reading it; None without one."""
    known = _by_preference(settings)
    if len({backup.store_id for backup in known}) > 1:
        return None
    for backup in reversed(known):
        try:
            online_backup.verify(backup.path)
        except AforesaidError:
            continue
        return backup.path
    return None


def _replace(settings: Settings, source: str, reason: str, progress: Progress | None) -> str | None:
    """Replace the store with a verified copy; return the path of the old content, if there was any.

    An intact store is copied, then overwritten in one transaction, unless another process wrote in
    between: its file is never renamed while processes may open it. A damaged store, or one with
    foreign tables, is moved aside with its log; so is the log of a missing store.
    """
    path = settings.db_path
    log = f"{path}-wal"
    if not os.path.exists(path) and not os.path.exists(log):
        online_backup.copy_into_place(source, path)
        return None
    _refuse_while_held(path)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    old_path = f"{path}.before-{reason}-{stamp}"
    number = 1
    while os.path.lexists(old_path):
        number += 1
        old_path = f"{path}.before-{reason}-{stamp}-{number}"
    if not os.path.exists(path):
        online_backup.move_aside(path, old_path.removeprefix(f"{path}."))
        online_backup.copy_into_place(source, path)
        return f"{old_path}-wal"
    database = Database(path)
    try:
        online_backup.refuse_foreign_schema(database)
        seen = online_backup.data_version(database)
        online_backup.backup_file(database, old_path, _half(progress, 0))
    except (CorruptError, SchemaError):
        database.close()
        online_backup.move_aside(path, old_path.removeprefix(f"{path}."))
        online_backup.copy_into_place(source, path)
        return old_path
    try:
        _refuse_while_held(path)  # copying takes time: a session may have started
        online_backup.restore_content(database, source, seen, _half(progress, 1))
    except AforesaidError:
        os.unlink(old_path)
        raise
    return old_path


def _half(progress: Progress | None, which: int) -> Progress | None:
    """Return a callback that reports the first or second half of the progress."""
    if progress is None:
        return None
    return lambda done, whole: progress(done + which * whole, 2 * whole)


def _refuse_while_held(path: str) -> None:
    deadline = time.monotonic() + _WAIT_SECONDS
    while holders := find_holders(path):
        if time.monotonic() > deadline:
            listed = "; ".join(f"{holder.pid} ({holder.command})" for holder in holders[:5])
            raise ConflictError(
                f"{pluralize(len(holders), 'process has', 'processes have')} {path} open: "
                f"{listed}. Close these clients (`aforesaid watch stop` stops the watcher), then "
                "run the command again"
            )
        time.sleep(0.1)
