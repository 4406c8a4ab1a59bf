"""Merging an export of another store, or a Markdown export, into this store.

Not here: what a merge does (services/transfer/merge.py, merge_details.py), reading streams
(entrypoints/api/bulk_import.py).
"""

from __future__ import annotations

import os
import sys
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.markdown import read_path
from aforesaid.adapters.sqlite.store import SqliteStore
from aforesaid.domain.model.export_record import NEWER
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.services.projects.registry import context_for_project
from aforesaid.services.transfer.export import read_records
from aforesaid.services.transfer.merge import MergeResult, StoreMerger
from aforesaid.services.transfer.merge_details import DetailMerger

from .import_sources import refuse_if_off
from .redaction import import_redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aforesaid.domain.model.export_record import Record
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.wiring.container import ServiceContainer


def merge_markdown(
    core: ServiceContainer,
    path: str,
    on_conflict: str = NEWER,
    progress: Callable[[int], None] = lambda _count: None,
) -> MergeResult:
    """Merge a Markdown export into the store.

    Args:
        core: The services of the store.
        path: A file, or a folder of files.
        on_conflict: What to do with a memory that exists with another text.
        progress: Called with the number of memories merged so far.

    Raises:
        NotFoundError: The path does not exist.
        InvalidInputError: A file is not such an export; earlier files stay merged.
        UnavailableError: The store cannot be written; finished batches stay merged.
    """
    return _make_merger(core, on_conflict).merge(read_path(path), progress)


def merge_export(
    core: ServiceContainer, lines: Iterable[str], on_conflict: str, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Load an export into a temporary store, and merge that into this one.

    Args:
        core: The services of the store.
        lines: The lines of the export.
        on_conflict: What to do with a memory that exists with another text.
        progress: Called with the number of memories merged so far.

    Returns:
        ``merged``: counts of the merge; ``carried`` and ``left_out``: counts of details that came
        with new memories, and of what was skipped; ``redacted``: texts that contained a secret.

    Raises:
        CorruptError: The export is truncated or altered; nothing was stored.
        UnavailableError: The store cannot be written; finished batches stay merged.
    """
    with TemporaryDirectory(prefix="aforesaid-") as folder:
        other = SqliteStore(os.path.join(folder, "other.db"))
        try:
            rows, redacted = import_redacted(other, lines, core.settings)
            keys = [GLOBAL_PROJECT, *(project.key for project in other.projects.list_all())]
            records = (record for key in keys for record in read_records(other, key))
            merger = _make_merger(core, on_conflict)
            clean = core.writer.cleaner().clean
            details = DetailMerger(core.store, other, core.clock, clean, merger.merged_head)
            merged = merger.merge(records, progress)
            carried = details.merge(merger.stored)
            core.writer.embed_missing(sys.maxsize)
            counted = other.memories.statistics(Visibility(projects=tuple(keys)))
            left_out = {
                "forgotten": int(str(counted["forgotten"])),
                "versions": int(str(counted["superseded"])) - carried.versions,
                **{name: rows.get(name, 0) for name in ("erased", "sessions", "offers")},
            }
            return {
                "merged": merged,
                "carried": carried,
                "left_out": {name: count for name, count in left_out.items() if count},
                "redacted": redacted,
            }
        finally:
            other.close()


def _make_merger(core: ServiceContainer, on_conflict: str) -> StoreMerger:
    def context_of(record: Record) -> CallContext:
        if record.project is None:
            return context_for_project(core.projects.default())
        name, key = record.project, record.project_key
        context = context_for_project(
            core.projects.keyed(key, name) if key else core.projects.named(name)
        )
        refuse_if_off(core, context)
        return context

    return StoreMerger(core.store, core.clock, core.writer, context_of, on_conflict)
