"""Records of another store, or of Markdown, added to this one, each by its id.

Here: the services of a merge joined to both sides. Not here: what a merge does
(services/transfer/merge.py, services/transfer/merge_details.py), streams of bytes
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
from aforesaid.services.projects.registry import named_place
from aforesaid.services.transfer.export_records import read_records
from aforesaid.services.transfer.merge import MergeResult, StoreMerger
from aforesaid.services.transfer.merge_details import DetailMerger

from .import_sources import refuse_if_off
from .redaction import import_redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from aforesaid.domain.model.export_record import Record
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.wiring.container import ServiceContainer


def merge_markdown(
    core: ServiceContainer,
    path: str,
    on_conflict: str = NEWER,
    progress: Callable[[int], None] = lambda _count: None,
) -> MergeResult:
    """Add the memories of a Markdown export to what is here.

    Args:
        core: the memory to store them in.
        path: a file, or a folder of them.
        on_conflict: what is done where both know a memory and say something else of it.
        progress: told how many are done.

    Raises:
        NotFoundError: there is nothing at the path.
        InvalidInputError: a file is no such export; what was done before stays done.
        UnavailableError: the store cannot be written; what was done stays done.
    """
    return _way_in(core, on_conflict).take(read_path(path), progress)


def merge_export(
    core: ServiceContainer, lines: Iterable[str], on_conflict: str, progress: Callable[[int], None]
) -> dict[str, Any]:
    """Restore an export into a store of its own, and add what is known there to this one.

    Args:
        core: the memory to store it in.
        lines: of the export.
        on_conflict: as for Markdown.
        progress: told how many memories are done.

    Returns:
        ``merged``: what the merge did; ``carried`` and ``left_out``: what came along with what is
        new here, and what did not; ``redacted``: how many texts of the export lost a secret.

    Raises:
        CorruptError: the export is cut short or altered; nothing was stored.
        UnavailableError: the store cannot be written; what was done stays done.
    """
    with TemporaryDirectory(prefix="aforesaid-") as folder:
        other = SqliteStore(os.path.join(folder, "other.db"))
        try:
            rows, redacted = import_redacted(other, lines, core.settings)
            keys = [GLOBAL_PROJECT, *(project.key for project in other.projects.list_all())]
            records = (one for key in keys for one in read_records(other, key))
            merge = _way_in(core, on_conflict)
            clean = core.remember.cleaner().clean
            carry = DetailMerger(core.store, other, core.clock, clean, merge.became)
            merged = merge.take(records, progress)
            carried = carry.merge(merge.stored)
            core.remember.embed_missing(sys.maxsize)
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


def _way_in(core: ServiceContainer, on_conflict: str) -> StoreMerger:
    def place_of(record: Record) -> CallContext:
        if record.project is None:
            return named_place(core.projects.default())
        name, key = record.project, record.project_key
        place = named_place(core.projects.keyed(key, name) if key else core.projects.named(name))
        refuse_if_off(core, place)
        return place

    return StoreMerger(core.store, core.clock, core.remember, place_of, on_conflict)
