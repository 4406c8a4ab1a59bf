"""Summarising old events by week. The events stay stored, and recall can still find them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.maintenance.compaction import (
    CompactionSource,
    Week,
    compaction_sources,
    cutoff,
    group_weeks,
    is_source,
    week_name,
)
from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.maintenance.summary import MADE_BY, SUMMARY, event_time, lowest_trust
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory
from aforesaid.domain.text.hashing import content_hash, keyed_hash
from aforesaid.domain.text.timestamps import to_iso
from aforesaid.ports import Embedder, IdSource, Store

from .phase import PAGE, source_fingerprint
from .summarize import Summarizer

SUMMARIZED = "summed up"
MAX_IMPORTANCE = 0.5  #: of a summary: it stands for events that have lost relevance


class SummarizeWeek(PhaseAction):
    """One week's summary, ready to be stored."""

    week: Week
    text: str
    short: str  #: the summary's own summary, for lists
    fingerprint: tuple[object, ...]  #: of its events when they were read
    chunk_vectors: tuple[bytes, ...] = ()
    model: str = ""


class Compaction:
    """Replaces old events by weekly summaries in lists and context."""

    name = "compaction"
    unavailable_reason = ""

    def __init__(
        self,
        store: Store,
        ids: IdSource,
        embedder: Callable[[], Embedder | None],
        summarizer: Summarizer,
        limits: Thresholds,
    ) -> None:
        """Set up the phase.

        Args:
            store: The store.
            ids: Makes ids of new memories.
            embedder: Returns the embedder, or None.
            summarizer: Writes the summaries.
            limits: The age of events to summarise, and how many a week must have.
        """
        self._store = store
        self._ids = ids
        self._embedder = embedder
        self._summarizer = summarizer
        self._limits = limits

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield a summary for each week after a cursor, ordered by project and time."""
        for week in group_weeks(self._old_events(span), self._limits):
            if week.cursor <= after:
                continue
            action = self._summarize(week)
            if action is not None:
                yield Batch(cursor=week.cursor, actions=(action,))

    def _old_events(self, span: RunScope) -> Iterator[CompactionSource]:
        stored_before, key = cutoff(span.now, self._limits), 0
        while page := self._store.maintenance.page(
            key, PAGE, until=span.until, types=("episodic",), stored_before=stored_before
        ):
            key = page[-1].key
            yield from compaction_sources(page)

    def _summarize(self, week: Week) -> SummarizeWeek | None:
        """Return the summary of a week; None if the user forgot or erased the same one before."""
        memories = self._store.memories.get(week.keys)
        title = f"Week {week_name(week.start)}, {len(memories)} events"
        summary = self._summarizer.write(title, memories)
        if self._was_removed(summary.text):
            return None
        chunk_vectors, model = self._embed(summary.text)
        return SummarizeWeek(
            what=SUMMARIZED,
            keys=week.keys,
            detail=f"{week_name(week.start)}, {summary.by}",
            week=week,
            text=summary.text,
            short=summary.short,
            fingerprint=source_fingerprint(memories),
            chunk_vectors=chunk_vectors,
            model=model,
        )

    def _embed(self, text: str) -> tuple[tuple[bytes, ...], str]:
        """Return the vectors of a text's chunks and their model; empty without an embedder.

        If an embedding API is down, the summary gets its vectors later; until then, it is found by
        words only.
        """
        embedder = self._embedder() if self._store.search.has_vectors else None
        if embedder is None:
            return (), ""
        try:
            return tuple(embedder.embed_document(text)), embedder.model
        except UnavailableError:
            return (), ""

    def _was_removed(self, text: str) -> bool:
        secret = self._store.meta("install_secret") or ""
        return self._store.memories.is_erased(
            keyed_hash(text, secret)
        ) or self._store.maintenance.was_forgotten(content_hash(text))

    def execute(self, actions: Sequence[PhaseAction], span: RunScope) -> list[PhaseAction]:
        """Store the summaries whose events are unchanged."""
        executed: list[PhaseAction] = []
        for action in actions:
            assert isinstance(action, SummarizeWeek)
            events = self._store.memories.get(action.keys)
            if source_fingerprint(events) == action.fingerprint and all(
                event.is_current and is_source(event) for event in events
            ):
                executed.append(self._store_summary(action, events, span))
        return executed

    def _store_summary(
        self, action: SummarizeWeek, events: Sequence[Memory], span: RunScope
    ) -> PhaseAction:
        project = action.week.project
        summary = self._store.memories.add(
            Memory(
                id=self._ids.next_id(self._store.memories.last_id(), span.now),
                type="episodic",
                scope="global" if project == GLOBAL_PROJECT else "project",
                project=project,
                origin_project=project or None,
                content=action.text,
                summary=action.short,
                importance=min(max(event.importance for event in events), MAX_IMPORTANCE),
                confidence=min(event.confidence for event in events),
                event_at=max(event_time(event) for event in events),
                last_reinforced_at=span.now,
                created_at=span.now,
                updated_at=span.now,
                provenance=lowest_trust(events),
                metadata={
                    SUMMARY: True,
                    MADE_BY: self.name,
                    "event_date": to_iso(event_time(events[-1]))[:10],
                },
                content_hash=content_hash(action.text),
            )
        )
        if action.chunk_vectors:
            self._store.search.set_vectors(summary.key, action.chunk_vectors, action.model)
        self._store.memories.record("create", summary.key, span.now, sums_up=len(events))
        for event in events:
            self._store.memories.change(event.key, compacted_into=summary.key)
            self._store.memories.record("compact", event.key, span.now, into=summary.id)
        return action.replace(keys=(summary.key, *action.keys))
