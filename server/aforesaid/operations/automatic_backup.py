"""The backup that is made by itself once a day, before maintenance changes anything."""

from __future__ import annotations

import os
import shutil
from contextlib import closing
from typing import TYPE_CHECKING

import apsw

from aforesaid.adapters.sqlite import backup_files, online_backup
from aforesaid.adapters.sqlite.file_permissions import keep_private_folder
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.domain.errors import AforesaidError, CorruptError, UnavailableError
from aforesaid.domain.maintenance.backup_schedule import (
    BACKUP_FAILURE,
    count_expired,
    is_backup_due,
)
from aforesaid.wiring import factories

from . import backups

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.adapters.sqlite.backup_files import Backup
    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings

_SPARE_BYTES = 64_000_000  #: that a backup leaves free on the disk
_STALE_MS = 86_400_000  #: age of a draft that nobody writes any more
_WHY_CHARS = 500


def back_up_daily(
    store: SqliteStore, settings: Settings, environment: Mapping[str, str]
) -> str | None:
    """Back the store up if a day has passed and something changed; return the path of the backup.

    A failure is noted in the store, for ``stats`` and ``doctor``, and never raised.
    """
    why = ""
    path = None
    try:
        if settings["storage.auto_backups"]:
            path = _back_up_if_due(store, settings)
    except (AforesaidError, OSError) as error:
        why = f"{SystemClock().now()} {' '.join(str(error).split())[:_WHY_CHARS]}"
    try:
        if why or store.meta(BACKUP_FAILURE):
            with store.transaction():
                store.set_meta(BACKUP_FAILURE, why)
    except AforesaidError as error:
        factories.log_unexpected(environment, "a failed backup was not noted", error)
    return path


def failure_of(store: SqliteStore) -> str:
    """Return why the last automatic backup failed; empty where it did not."""
    return (store.meta(BACKUP_FAILURE) or "").partition(" ")[2]


def _back_up_if_due(store: SqliteStore, settings: Settings) -> str | None:
    now = SystemClock().now()
    rotated = backup_files.list_rotated(store.path, automatic=True)
    if not is_backup_due([one.at_ms for one in rotated], now):
        return None
    backup_files.remove_stale_drafts(store.path, now - _STALE_MS)
    if _is_backed_up(store):
        expired = _expired(rotated, settings, now)
        if not expired or _is_sound(rotated[-1]):
            backups.remove(expired)
            return None
    _require_space(store, settings)
    path, _counts = backups.copy_to_folder(settings, automatic=True)
    rotated = backup_files.list_rotated(store.path, automatic=True)
    backups.remove(_expired(rotated, settings, now))
    return path


def _is_backed_up(store: SqliteStore) -> bool:
    """Tell whether the newest backup holds all that the store does."""
    known = backup_files.list_backups(store.path)
    if not known:
        return False
    try:
        with (
            closing(backup_files.open_at_rest(known[-1].path)) as backup,
            closing(backup_files.open_at_rest(store.path)) as current,
        ):
            return backup_files.content_state(backup) == backup_files.content_state(current)
    except apsw.Error:
        return False


def _expired(rotated: list[Backup], settings: Settings, now: int) -> list[str]:
    """Return the paths of the automatic backups beyond the count and age that stay."""
    count = count_expired(
        [one.at_ms for one in rotated],
        now,
        settings["storage.auto_backups"],
        settings["storage.auto_backup_days"],
    )
    return [one.path for one in rotated[:count]]


def _is_sound(backup: Backup) -> bool:
    try:
        online_backup.verify(backup.path)
    except (CorruptError, UnavailableError):
        return False
    return True


def _require_space(store: SqliteStore, settings: Settings) -> None:
    folder = backups.backups_folder(settings)
    keep_private_folder(folder)
    files = [path for path in (store.path, f"{store.path}-wal") if os.path.exists(path)]
    needed = sum(os.path.getsize(path) for path in files) + _SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise UnavailableError(
            f"{folder} has room for {free} bytes, and a backup needs {needed}: free some space"
        )
