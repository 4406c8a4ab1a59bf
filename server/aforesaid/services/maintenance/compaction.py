"""Old events are summed up week by week. The originals stay, and a precise question finds them."""

from __future__ import annotations

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.maintenance.compaction import (
    cutoff,
    group_weeks,
    is_source,
    read_old,
    week_name,
)
from aforesaid.domain.maintenance.run import Action, Batch
from aforesaid.domain.maintenance.summary import MADE_BY, SUMMARY, event_time, lowest_trust
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory
from aforesaid.domain.text.hashing import content_hash, keyed_hash
from aforesaid.domain.text.timestamps import to_iso

from .phase import PAGE, source_fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aforesaid.domain.maintenance.compaction import CompactionSource, Week
    from aforesaid.domain.maintenance.run import RunScope
    from aforesaid.domain.maintenance.thresholds import Thresholds
    from aforesaid.ports import Embedder, IdSource, Store

    from .summarize import Summarizer

SUMMED_UP = "summed up"
IMPORTANCE = 0.5  #: of a summary at most: it stands for what has faded


class SummarizeWeek(Action):
    """One week's summary, ready to be stored."""

    week: Week
    text: str
    short: str
    told: tuple[object, ...]  #: of its events, as they were read
    windows: tuple[bytes, ...] = ()
    model: str = ""


class Compaction:
    """Sums up old events."""

    name = "compaction"
    unavailable_reason = ""

    def __init__(
        self,
        store: Store,
        ids: IdSource,
        embedder: Callable[[], Embedder | None],
        summing: Summarizer,
        limits: Thresholds,
    ) -> None:
        """Join the phase to its world.

        Args:
            store: where events are.
            ids: new ids.
            embedder: gives the embedder, or None.
            summing: writes the summaries.
            limits: what is old, and how many are enough.
        """
        self._store = store
        self._ids = ids
        self._embedder = embedder
        self._summing = summing
        self._limits = limits

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield a summary a week, by project and time."""
        for week in group_weeks(self._old(span), self._limits):
            if week.cursor <= after:
                continue
            action = self._summed(week)
            if action is not None:
                yield Batch(cursor=week.cursor, actions=(action,))

    def _old(self, span: RunScope) -> Iterator[CompactionSource]:
        before, key = cutoff(span.now, self._limits), 0
        while page := self._store.maintenance.page(
            key, PAGE, until=span.until, types=("episodic",), stored_before=before
        ):
            key = page[-1].key
            yield from read_old(page)

    def _summed(self, week: Week) -> SummarizeWeek | None:
        """Return a week with its summary; None where that was forgotten or erased before."""
        memories = self._store.memories.get(week.keys)
        title = f"Week {week_name(week.start)}, {len(memories)} events"
        written = self._summing.write(title, memories)
        if self._was_refused(written.text):
            return None
        windows, model = self._embedded(written.text)
        return SummarizeWeek(
            what=SUMMED_UP,
            keys=week.keys,
            detail=f"{week_name(week.start)}, {written.by}",
            week=week,
            text=written.text,
            short=written.short,
            told=source_fingerprint(memories),
            windows=windows,
            model=model,
        )

    def _embedded(self, text: str) -> tuple[tuple[bytes, ...], str]:
        """Return the vectors of a text and their model; nothing while there is no embedder.

        Where an API is down, the summary is found by words until it answers, as what is stored.
        """
        embedder = self._embedder() if self._store.search.has_vectors else None
        if embedder is None:
            return (), ""
        try:
            return tuple(embedder.embed_document(text)), embedder.model
        except UnavailableError:
            return (), ""

    def _was_refused(self, text: str) -> bool:
        secret = self._store.meta("install_secret") or ""
        return self._store.memories.is_erased(
            keyed_hash(text, secret)
        ) or self._store.maintenance.was_forgotten(content_hash(text))

    def execute(self, actions: Sequence[Action], span: RunScope) -> list[Action]:
        """Store the summaries whose events are all as they were."""
        made: list[Action] = []
        for action in actions:
            assert isinstance(action, SummarizeWeek)
            sources = self._store.memories.get(action.keys)
            if source_fingerprint(sources) == action.told and all(
                one.is_current and is_source(one) for one in sources
            ):
                made.append(self._store_summary(action, sources, span))
        return made

    def _store_summary(
        self, action: SummarizeWeek, sources: Sequence[Memory], span: RunScope
    ) -> Action:
        project = action.week.project
        told = self._store.memories.add(
            Memory(
                id=self._ids.next_id(self._store.memories.last_id(), span.now),
                type="episodic",
                scope="global" if project == GLOBAL_PROJECT else "project",
                project=project,
                origin_project=project or None,
                content=action.text,
                summary=action.short,
                importance=min(max(one.importance for one in sources), IMPORTANCE),
                confidence=min(one.confidence for one in sources),
                event_at=max(event_time(one) for one in sources),
                last_reinforced_at=span.now,
                created_at=span.now,
                updated_at=span.now,
                provenance=lowest_trust(sources),
                metadata={
                    SUMMARY: True,
                    MADE_BY: self.name,
                    "event_date": to_iso(event_time(sources[-1]))[:10],
                },
                content_hash=content_hash(action.text),
            )
        )
        if action.windows:
            self._store.search.set_vectors(told.key, action.windows, action.model)
        self._store.memories.record("create", told.key, span.now, sums_up=len(sources))
        for one in sources:
            self._store.memories.change(one.key, compacted_into=told.key)
            self._store.memories.record("compact", one.key, span.now, into=told.id)
        return action.replace(keys=(told.key, *action.keys))
