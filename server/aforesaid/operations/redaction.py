"""The secret filter over whole stores: what is restored or imported passes it like what is said.

Here: rows of an export, and a store that was put back from a backup. Not here: looking through
texts (services/maintenance/secret_scan.py), what a secret is (adapters/secrets).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.adapters.sqlite.extension import find_vec_extension
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.services.maintenance.secret_scan import SecretScan
from aforesaid.services.transfer.export_archive import import_export
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.config import Settings


def import_redacted(
    store: SqliteStore, lines: Iterable[str], settings: Settings
) -> tuple[dict[str, int], int]:
    """Fill an empty store from an export, all or none.

    Returns:
        The rows of each table, and how many texts lost a secret.

    Raises:
        AforesaidError: as ``import_export``.
    """
    with store.transaction():
        rows = import_export(store, lines)
        redacted = _redact(store, settings)
    if redacted:
        store.clean_file()
    return rows, redacted


def redact_store(settings: Settings) -> int:
    """Take secrets out of a store that was restored; return how many texts held some.

    An older one is migrated without a snapshot: the backup is there, and it would keep the secrets.
    """
    store = SqliteStore(settings.db_path, vec_extension=find_vec_extension(), snapshot=False)
    try:
        redacted = _redact(store, settings)
        if redacted:
            store.clean_file()
    finally:
        store.close()
    return redacted


def _redact(store: SqliteStore, settings: Settings) -> int:
    secrets = factories.make_secrets(settings)
    if secrets is None:
        return 0
    scan = SecretScan(store, SystemClock(), secrets)
    return scan.rewrite(scan.scan(lambda _rows: None))
