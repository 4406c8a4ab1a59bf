"""Redacting secrets in restored backups and imported exports, and erasing what was erased since.

Not here: scanning texts (services/maintenance/secret_scan.py), what a secret is (adapters/secrets).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.adapters.sqlite.backup_files import read_erased
from aforesaid.adapters.sqlite.extension import find_vec_extension
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.services.maintenance.secret_scan import SecretScan
from aforesaid.services.memories.forget import MemoryForgetter
from aforesaid.services.projects.registry import context_for_project
from aforesaid.services.transfer.export import import_export
from aforesaid.wiring import factories

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aforesaid.config import Settings


def import_redacted(
    store: SqliteStore, lines: Iterable[str], settings: Settings
) -> tuple[dict[str, int], int]:
    """Load an export into an empty store, all of it or nothing.

    Returns:
        The number of rows of each table, and of texts that contained a secret.

    Raises:
        AforesaidError: Loading failed; see ``import_export``.
    """
    with store.transaction():
        rows = import_export(store, lines)
        redacted = _redact(store, settings)
    if redacted:
        store.clean_file()
    return rows, redacted


def redact_store(settings: Settings) -> int:
    """Redact secrets in a restored store; return how many texts contained some.

    An older store is migrated without a snapshot, which would keep the secrets; the backup remains.
    """
    store = SqliteStore(settings.db_path, vec_extension=find_vec_extension(), snapshot=False)
    try:
        redacted = _redact(store, settings)
        if redacted:
            store.clean_file()
    finally:
        store.close()
    return redacted


def leave_out_erased(settings: Settings, replaced: str) -> int:
    """Erase in a restored store what was erased after its backup was made; return how many.

    Args:
        settings: The settings, which name the store.
        replaced: The path of the content that the backup replaced, which knows what was erased.
    """
    secret, before = read_erased(settings.db_path)
    old_secret, erased = read_erased(replaced)
    known = {memory_id for _, memory_id, _ in before}
    new = list(dict.fromkeys(memory_id for _, memory_id, _ in erased if memory_id not in known))
    if not new:
        return 0
    store = SqliteStore(settings.db_path, vec_extension=find_vec_extension(), snapshot=False)
    try:
        if secret == old_secret:
            store.dump.take_erased(secret, erased)
        writer = factories.make_memory_writer(store, settings, factories.no_embedder)
        forgetter = MemoryForgetter(store, SystemClock(), writer)
        count = 0
        for memory_id in new:
            for memory in store.memories.find(memory_id):  # none if it went with another one
                project = store.projects.get(memory.project)
                assert project is not None
                forgetter.forget(memory_id, context_for_project(project), erase=True)
                count += 1
    finally:
        store.close()
    return count


def _redact(store: SqliteStore, settings: Settings) -> int:
    secrets = factories.make_secret_filter(settings)
    if secrets is None:
        return 0
    scan = SecretScan(store, SystemClock(), secrets)
    return scan.rewrite(scan.scan(lambda _rows: None))
