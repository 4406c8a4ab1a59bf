"""Reporting how many memories are well retained, fading or doubtful; nothing is written.

Confidence and retention are computed from stored values and the current time, so no row changes
because time passes (domain/model/decay.py); recall reinforces a memory (services/recall).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aforesaid.domain.maintenance.archive import FADING, WELL, retention_band
from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.ports import Store

from .phase import PAGE


class Retention:
    """Counts memories by retention band."""

    name = "retention"
    unavailable_reason = ""

    def __init__(self, store: Store, limits: Thresholds) -> None:
        self._store = store
        self._limits = limits

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield the retention band of every memory in force; the actions do nothing."""
        key = int(after or 0)
        while page := self._store.maintenance.page(key, PAGE, until=span.until):
            key = page[-1].key
            actions = []
            for memory in page:
                band = retention_band(memory, span.now, self._limits)
                keys = () if band in (WELL, FADING) else (memory.key,)
                actions.append(PhaseAction(what=band, keys=keys))
            yield Batch(cursor=str(key), actions=tuple(actions), writes=False)

    def execute(self, _actions: Sequence[PhaseAction], _span: RunScope) -> list[PhaseAction]:
        """Do nothing: this phase only reports."""
        return []
