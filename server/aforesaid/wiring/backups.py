"""Copies of the store: where they are kept, which go, and how one is put back.

Here: the order of steps. Not here: the engine's part (adapters/sqlite/copies.py).
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.holders import find_holders
from aforesaid.adapters.sqlite import copies
from aforesaid.adapters.sqlite.database import Database
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.counted import counted
from aforesaid.domain.errors import AforesaidError, ConflictError, CorruptError, NotFoundError

if TYPE_CHECKING:
    from aforesaid.adapters.sqlite.copies import Progress
    from aforesaid.config import Settings

LATEST = "latest"
_PATIENCE_SECONDS = 3.0  #: for hooks, which hold the store for moments


def backups_folder(settings: Settings) -> str:
    """Return where backups without a name are kept: beside the store."""
    return os.path.join(os.path.dirname(settings.db_path), copies.BACKUPS)


def list_backups(settings: Settings) -> list[str]:
    """Return the paths of the backups that rotate, oldest first."""
    folder = backups_folder(settings)
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if copies.is_backup(name)]


def back_up(
    settings: Settings,
    target: str | None = None,
    *,
    keep: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Copy the store, verify the copy, and let the oldest backups beyond so many go.

    Args:
        settings: where the store is.
        target: a file; without one the copy is named by its time, and those rotate.
        keep: how many stay; None for as many as the settings say.
        progress: told as pages are copied.

    Raises:
        NotFoundError: there is no store yet.
        AforesaidError: as ``copy_file``.
    """
    _refuse_without_store(settings)
    chosen = os.path.abspath(target) if target else _fresh_name(backups_folder(settings))
    source = Database(settings.db_path)
    try:
        counts = copies.copy_file(source, chosen, progress)
    finally:
        source.close()
    gone = (
        [] if target else _rotate(settings, settings["storage.backups"] if keep is None else keep)
    )
    return {
        "backup": chosen,
        "bytes": os.path.getsize(chosen),
        "rows": counts,
        "removed": gone,
    }


def _refuse_without_store(settings: Settings) -> None:
    if not os.path.exists(settings.db_path):
        raise NotFoundError(f"there is no store at {settings.db_path} yet: nothing to copy")


def _fresh_name(folder: str) -> str:
    """Return a name by the present time, to the millisecond: names sort by age."""
    while True:
        now = time.time_ns() // 1_000_000
        stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime(now // 1000))
        name = os.path.join(folder, f"memory-{stamp}.{now % 1000:03d}Z.db")
        if not os.path.lexists(name):
            return name
        time.sleep(0.001)


def _rotate(settings: Settings, keep: int) -> list[str]:
    """Remove the oldest backups beyond so many; the one just made was verified and stays."""
    gone = list_backups(settings)[: -max(keep, 1)]
    for path in gone:
        os.unlink(path)
    return gone


def restore(settings: Settings, wanted: str, progress: Progress | None = None) -> dict[str, Any]:
    """Give the store the content of a backup; what it held before is kept beside it.

    Args:
        settings: where the store is.
        wanted: a file, or ``latest`` for the newest backup that rotates.
        progress: told as pages are copied.

    Raises:
        NotFoundError: there is no such backup.
        CorruptError: the backup is damaged; nothing was changed.
        ConflictError: another process has the store open.
    """
    source = find_backup(settings, wanted)
    counts = copies.verify(source)
    kept = _replace(settings, source, "restore", progress)
    return {"restored": source, "rows": counts, "kept": kept}


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
        copies.verify(empty)  # and with it one file
        return {"kept": _replace(settings, empty, "reset", None)}
    finally:
        for beside in ("", "-wal", "-shm"):
            if os.path.exists(empty + beside):
                os.unlink(empty + beside)


def _keep_erased(new: SqliteStore, path: str) -> None:
    try:
        old = SqliteStore(path)
        try:
            new.take_erased(old)
        finally:
            old.close()
    except CorruptError:
        pass  # nothing of a damaged one can be known


def find_backup(settings: Settings, wanted: str) -> str:
    """Return the path of a backup: a file, or ``latest`` for the newest that rotates.

    Raises:
        NotFoundError: there is none.
        ConflictError: it is the store itself.
    """
    if wanted == LATEST:
        known = list_backups(settings)
        if not known:
            raise NotFoundError(
                f"there is no backup in {backups_folder(settings)}: `aforesaid backup` makes one"
            )
        return known[-1]
    path = os.path.abspath(wanted)
    if not os.path.isfile(path):
        raise NotFoundError(f"there is no file at {path}: `aforesaid restore` lists the backups")
    if os.path.exists(settings.db_path) and os.path.samefile(path, settings.db_path):
        raise ConflictError(f"{path} is the store itself: name a backup of it")
    return path


def _replace(settings: Settings, source: str, reason: str, progress: Progress | None) -> str | None:
    """Put a verified copy in the store's place; return where the old content is, if there was any.

    A store that works is copied, then overwritten by the engine in one transaction, unless somebody
    wrote in between: its file is never renamed under anybody. A damaged one is moved aside as it
    is, with its log.
    """
    path = settings.db_path
    if not os.path.exists(path):
        copies.put_in_place(source, path)
        return None
    _refuse_while_held(path)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    kept = f"{path}.before-{reason}-{stamp}"
    number = 1
    while os.path.lexists(kept):
        number += 1
        kept = f"{path}.before-{reason}-{stamp}-{number}"
    database = Database(path)
    try:
        seen = copies.state_of(database)
        copies.copy_file(database, kept, _half(progress, 0))
    except CorruptError:
        database.close()
        copies.move_aside(path, kept.removeprefix(f"{path}."))
        copies.put_in_place(source, path)
        return kept
    try:
        _refuse_while_held(path)  # copying takes its time: a session may have started
        copies.replace_content(database, source, seen, _half(progress, 1))
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
                f"{counted(len(holders), 'process has', 'processes have')} {path} open, which must "
                f"not change meanwhile: {told}. End those clients (`aforesaid watch stop` ends the "
                "watcher), then say it again"
            )
        time.sleep(0.1)
