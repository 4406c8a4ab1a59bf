"""The automatic daily backup, made before maintenance changes anything."""

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
from aforesaid.domain.text.timestamps import DAY_MS
from aforesaid.wiring import factories

from . import backups

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.adapters.sqlite.backup_files import Backup
    from aforesaid.adapters.sqlite.store import SqliteStore
    from aforesaid.config import Settings

_SPARE_BYTES = 64_000_000  #: disk space that a backup leaves free
_STALE_MS = DAY_MS  #: age of an abandoned draft
_MAX_REASON_CHARS = 500


def back_up_daily(
    store: SqliteStore, settings: Settings, environment: Mapping[str, str]
) -> str | None:
    """Back up the store if the last backup is a day old and the store changed; return the path.

    A failure is recorded in the store, for ``stats`` and ``doctor``, and never raised.
    """
    failure = ""
    path = None
    try:
        if settings["storage.auto_backups"]:
            path = _back_up_if_due(store, settings)
    except (AforesaidError, OSError) as error:
        reason = " ".join(str(error).split())[:_MAX_REASON_CHARS]
        failure = f"{SystemClock().now()} {reason}"
    try:
        if failure or store.meta(BACKUP_FAILURE):
            with store.transaction():
                store.set_meta(BACKUP_FAILURE, failure)
    except AforesaidError as error:
        factories.log_unexpected(environment, "the failure of a backup was not recorded", error)
    return path


def failure_of(store: SqliteStore) -> str:
    """Return why the last automatic backup failed; empty if it did not."""
    return (store.meta(BACKUP_FAILURE) or "").partition(" ")[2]


def _back_up_if_due(store: SqliteStore, settings: Settings) -> str | None:
    now = SystemClock().now()
    rotated = backup_files.list_rotated(store.path, automatic=True)
    if not is_backup_due([backup.at_ms for backup in rotated], now):
        return None
    backup_files.remove_stale_drafts(store.path, now - _STALE_MS)
    if _is_backed_up(store):
        expired = _expired(rotated, settings, now)
        if not expired or _is_intact(rotated[-1]):
            backups.remove(expired)
            return None
    _require_space(store, settings)
    path, _counts = backups.copy_to_folder(settings, automatic=True)
    rotated = backup_files.list_rotated(store.path, automatic=True)
    backups.remove(_expired(rotated, settings, now))
    return path


def _is_backed_up(store: SqliteStore) -> bool:
    """Whether the newest backup has the same content as the store."""
    backups_of_store = backup_files.list_backups(store.path)
    if not backups_of_store:
        return False
    try:
        with (
            closing(backup_files.open_read_only(backups_of_store[-1].path)) as backup,
            closing(backup_files.open_read_only(store.path)) as current,
        ):
            return backup_files.content_state(backup) == backup_files.content_state(current)
    except apsw.Error:
        return False


def _expired(rotated: list[Backup], settings: Settings, now: int) -> list[str]:
    """Return the paths of the automatic backups beyond the configured count and age."""
    count = count_expired(
        [backup.at_ms for backup in rotated],
        now,
        settings["storage.auto_backups"],
        settings["storage.auto_backup_days"],
    )
    return [backup.path for backup in rotated[:count]]


def _is_intact(backup: Backup) -> bool:
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
            f"a backup needs {needed} bytes, but {folder} has only {free} free: free some space"
        )
