"""The phase that only looks: how well memories are kept.

Confidence and retention are functions of what is stored and the present time, so nothing is ever
rewritten because a day passed (domain/model/decay.py); use reinforces (services/recall).
"""

from __future__ import annotations

from aforesaid.domain.maintenance.retention_bands import FADING, WELL, retention_band
from aforesaid.domain.maintenance.run import Action, Batch

from .phase import PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.maintenance.run import RunScope
    from aforesaid.domain.maintenance.thresholds import Thresholds
    from aforesaid.ports import Store


class Retention:
    """Counts how many memories are well kept, fading, faded, doubtful."""

    name = "retention"
    unavailable_reason = ""

    def __init__(self, store: Store, limits: Thresholds) -> None:
        self._store = store
        self._limits = limits

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield the bands of all memories in force; nothing is to be done about them."""
        key = int(after or 0)
        while page := self._store.maintenance.page(key, PAGE, until=span.until):
            key = page[-1].key
            told = []
            for one in page:
                kept = retention_band(one, span.now, self._limits)
                about = () if kept in (WELL, FADING) else (one.key,)
                told.append(Action(what=kept, keys=about))
            yield Batch(cursor=str(key), actions=tuple(told), writes=False)

    def execute(self, _actions: Sequence[Action], _span: RunScope) -> list[Action]:
        """Return nothing: there is nothing to do."""
        return []
