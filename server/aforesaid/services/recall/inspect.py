"""Everything about one memory, for a person or agent that wants to understand or repair it."""

from __future__ import annotations

from aforesaid.domain.model.decay import (
    FACTORS,
    Factors,
    activation,
    confidence_in_force,
    link_weight,
    retention,
)
from aforesaid.domain.model.inspection import LogLine, StorageDetails
from aforesaid.domain.model.memory import CallContext, Memory, Session, Visibility
from aforesaid.domain.model.relation import ASSOCIATED, OUT, Relation
from aforesaid.domain.retrieval.fusion import WEIGHTS
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, FileReader, Store
from aforesaid.services.anchors import Anchors
from aforesaid.services.resolve_id import locate, visibility_including

#: With these limits any memory fits in a reply (domain.model.memory.REPLY_CHARS).
MAX_RELATIONS = 30
MAX_VERSIONS = 12
MAX_LOG_LINES = 30
#: Details of the log that are ids of other memories.
_ID_DETAILS = frozenset(("by", "source", "target", "below", "into", "made", "sources"))


class RelatedMemory(Value):
    """A relation with the memory at its other end."""

    relation: Relation
    memory: Memory


class Inspection(Value):
    """Everything about one memory. Of a forgotten one, only its own dates may be shown."""

    memory: Memory
    parent: Memory | None = None  #: the memory it is a detail of, if the caller may see that
    head: Memory | None = None  #: None if the caller may not see it
    relations: tuple[RelatedMemory, ...] = ()  #: of its head, both directions
    relations_total: int = 0
    history: tuple[Memory, ...] = ()  #: versions that the caller may see, oldest first
    history_total: int = 0
    sums_up: tuple[Memory, ...] = ()  #: the memories that it summarises
    sums_up_total: int = 0
    traces: StorageDetails | None = None  #: its vectors and anchors in the store
    stale: tuple[str, ...] = ()  #: its anchors that changed or were deleted, in words
    session: Session | None = None
    log: tuple[LogLine, ...] | None = None  #: None unless requested
    confidence: float = 0.0  #: at present, in [0, 1]
    activation: float = 0.0
    retention: float = 0.0  #: in [0, 1]
    boost: float = 0.0  #: what retention and pin add to its score in recall


class MemoryInspector:
    """Collects everything about one memory."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        files: FileReader | None = None,
        factors: Factors = FACTORS,
    ) -> None:
        self._store = store
        self._clock = clock
        self._anchors = Anchors(store, files)
        self._factors = factors

    def inspect(self, reference: str, context: CallContext, *, log: bool = False) -> Inspection:
        """Return everything about a memory.

        Raises:
            NotFoundError: no visible memory has that id.
        """
        memory = locate(self._store, reference, context.visible)
        visible = visibility_including(context.visible, memory)
        if memory.forgotten_at is not None:
            return Inspection(memory=memory)
        now = self._clock.now()
        chain = [
            version
            for version in self._store.memories.chain(memory.key)
            if version.project in visible.projects
        ]
        relations = self._relations(memory, visible, now)
        sources = [
            source
            for source in self._store.maintenance.sources_of_summary(memory.key)
            if source.project in visible.projects
        ]
        factors = self._factors
        retained = retention(memory, now, factors)
        return Inspection(
            memory=memory,
            parent=self._parent(memory, visible),
            head=next((version for version in chain if version.key == memory.head), None),
            relations=tuple(relations[:MAX_RELATIONS]),
            relations_total=len(relations),
            history=tuple(chain[-MAX_VERSIONS:]) if len(chain) > 1 else (),
            history_total=len(chain),
            sums_up=tuple(sources[:MAX_RELATIONS]),
            sums_up_total=len(sources),
            traces=self._store.inspection.traces(memory.key),
            stale=self._anchors.find_stale([memory], context).get(memory.key, ()),
            session=self._session(memory, visible),
            log=self._log(memory, visible) if log else None,
            confidence=confidence_in_force(memory, now, factors),
            activation=activation(memory, now, factors),
            retention=retained,
            boost=WEIGHTS.retention * retained + (WEIGHTS.pinned if memory.pinned else 0.0),
        )

    def _log(self, memory: Memory, visible: Visibility) -> tuple[LogLine, ...]:
        """Return a memory's log, with other memories by their short ids."""
        return tuple(
            line.replace(
                details={
                    name: self._short_id(value, visible) if name in _ID_DETAILS else value
                    for name, value in line.details.items()
                }
            )
            for line in self._store.inspection.log_of(memory.id, MAX_LOG_LINES)
        )

    def _short_id(self, memory_id: str | list[str], visible: Visibility) -> str | list[str]:
        if isinstance(memory_id, list):
            return [str(self._short_id(one_id, visible)) for one_id in memory_id[:MAX_RELATIONS]]
        matches = self._store.memories.find(memory_id, visible)
        if not matches:
            return "hidden or erased"
        return self._store.memories.short_ids([matches[0].key])[matches[0].key]

    def _session(self, memory: Memory, visible: Visibility) -> Session | None:
        """Return the session that stored a memory, unless it belongs to a hidden project."""
        session = self._store.sessions.get(memory.session) if memory.session else None
        if session is None or session.project not in {None, *visible.projects}:
            return None
        return session

    def _parent(self, memory: Memory, visible: Visibility) -> Memory | None:
        parents = self._store.memories.get([memory.parent]) if memory.parent is not None else ()
        heads = self._store.memories.get([parent.head for parent in parents])
        return next(
            (head for head in heads if head.in_force and head.project in visible.projects), None
        )

    def _relations(self, memory: Memory, visible: Visibility, now: int) -> list[RelatedMemory]:
        relations = self._store.relations.of([memory.head], visible)
        targets = self._store.memories.get([relation.other for relation in relations])
        by_key = {target.key: target for target in targets}
        return [
            RelatedMemory(relation=self._decayed(relation, now), memory=by_key[relation.other])
            for relation in relations
        ]

    def _decayed(self, relation: Relation, now: int) -> Relation:
        """Return a relation with its present weight: ``associated`` links decay."""
        if relation.kind != ASSOCIATED:
            return relation
        ends = (relation.head, relation.other)
        source, target = ends if relation.direction == OUT else ends[::-1]
        # the first link after this pair of keys is the one that is wanted, if it exists
        for link in self._store.maintenance.associated_links((source, target - 1), 1):
            if (link.source, link.target) == (source, target):
                weight = link_weight(link.weight, link.since, now, self._factors.link_decay)
                return relation.replace(weight=weight)
        return relation  # the stored link joins older versions: its weight is not known here
