"""Everything that is known of one memory, for whoever wants to understand or mend it."""

from __future__ import annotations

from aforesaid.domain.model.decay import (
    FACTORS,
    activation,
    confidence_in_force,
    link_weight,
    retention,
)
from aforesaid.domain.model.relation import ASSOCIATED, OUT
from aforesaid.domain.retrieval.ranking_weights import WEIGHTS
from aforesaid.domain.value import Value
from aforesaid.services.anchors import Anchors
from aforesaid.services.resolve_id import locate, visibility_including

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.decay import Factors
    from aforesaid.domain.model.inspection import LogLine, StorageDetails
    from aforesaid.domain.model.memory import Memory, Session, Visibility
    from aforesaid.domain.model.relation import Relation
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, FileReader, Store

#: So much fits a reply (domain.model.memory.REPLY_CHARS) whatever the memory holds.
MAX_RELATIONS = 30
MAX_VERSIONS = 12
MAX_LOG_LINES = 30
_OTHERS = (
    "by",
    "source",
    "target",
    "below",
    "into",
    "made",
    "sources",
)  #: details of the log that are ids of other memories


class RelatedMemory(Value):
    """A relation with the memory at its other end."""

    relation: Relation
    memory: Memory


class Inspection(Value):
    """One memory from all sides. Of a forgotten one, only the memory's own dates may be shown."""

    memory: Memory
    parent: Memory | None = None  #: what it is a detail of, if that is in sight
    head: Memory | None = None  #: what is in force in its place; None where that is out of sight
    relations: tuple[RelatedMemory, ...] = ()  #: of its head, both directions
    relations_total: int = 0
    history: tuple[Memory, ...] = ()  #: versions that the caller may see, oldest first
    history_total: int = 0
    sums_up: tuple[Memory, ...] = ()  #: what it stands for, in lists and in the context
    sums_up_total: int = 0
    traces: StorageDetails | None = None
    stale: tuple[str, ...] = ()  #: what changed or went of what it cites, in words
    session: Session | None = None
    log: tuple[LogLine, ...] | None = None  #: None where it was not asked for
    confidence: float = 0.0  #: in force now, in [0, 1]
    activation: float = 0.0
    retention: float = 0.0  #: in [0, 1]
    boost: float = 0.0  #: what retention and pin add to its score in recall


class MemoryInspector:
    """Looks at one memory."""

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

    def inspect(self, reference: str, place: CallContext, *, log: bool = False) -> Inspection:
        """Return everything known of a memory.

        Raises:
            NotFoundError: there is none with that id here.
        """
        memory = locate(self._store, reference, place.visible)
        visible = visibility_including(place.visible, memory)
        if memory.forgotten_at is not None:
            return Inspection(memory=memory)
        now = self._clock.now()
        chain = [
            one for one in self._store.memories.chain(memory.key) if one.project in visible.projects
        ]
        relations = self._relations(memory, visible)
        factors = self._factors
        kept = retention(memory, now, factors)
        sources = self._store.maintenance.sources_of_summary(memory.key)
        sources = [one for one in sources if one.project in visible.projects]
        return Inspection(
            memory=memory,
            parent=self._parent(memory, visible),
            head=next((one for one in chain if one.key == memory.head), None),
            relations=tuple(relations[:MAX_RELATIONS]),
            relations_total=len(relations),
            history=tuple(chain[-MAX_VERSIONS:]) if len(chain) > 1 else (),
            history_total=len(chain),
            sums_up=tuple(sources[:MAX_RELATIONS]),
            sums_up_total=len(sources),
            traces=self._store.inspection.traces(memory.key),
            stale=self._anchors.stale([memory], place).get(memory.key, ()),
            session=self._session(memory, visible),
            log=self._log(memory, visible) if log else None,
            confidence=confidence_in_force(memory, now, factors),
            activation=activation(memory, now, factors),
            retention=kept,
            boost=WEIGHTS.retention * kept + (WEIGHTS.pinned if memory.pinned else 0.0),
        )

    def _log(self, memory: Memory, visible: Visibility) -> tuple[LogLine, ...]:
        """Return the changes of a memory; other memories by their short ids, if in sight."""
        return tuple(
            line.replace(
                details={
                    name: self._named(value, visible) if name in _OTHERS else value
                    for name, value in line.details.items()
                }
            )
            for line in self._store.inspection.log_of(memory.id, MAX_LOG_LINES)
        )

    def _named(self, memory_id: str | list[str], visible: Visibility) -> str | list[str]:
        if isinstance(memory_id, list):
            return [str(self._named(one, visible)) for one in memory_id[:MAX_RELATIONS]]
        found = self._store.memories.find(memory_id, visible)
        if not found:
            return "out of sight, or erased"
        return self._store.memories.short_ids([found[0].key])[found[0].key]

    def _session(self, memory: Memory, visible: Visibility) -> Session | None:
        """Return the session that said it, unless that is another project's."""
        found = self._store.sessions.get(memory.session) if memory.session else None
        return found if found is None or found.project in {None, *visible.projects} else None

    def _parent(self, memory: Memory, visible: Visibility) -> Memory | None:
        named = self._store.memories.get([memory.parent]) if memory.parent is not None else ()
        heads = self._store.memories.get([one.head for one in named])
        return next(
            (one for one in heads if one.in_force and one.project in visible.projects), None
        )

    def _relations(self, memory: Memory, visible: Visibility) -> list[RelatedMemory]:
        found = self._store.relations.of([memory.head], visible)
        others = {one.key: one for one in self._store.memories.get([one.other for one in found])}
        return [
            RelatedMemory(relation=self._weighed(one), memory=others[one.other]) for one in found
        ]

    def _weighed(self, relation: Relation) -> Relation:
        """Return a relation with the weight that it has now: what the system linked fades."""
        if relation.kind != ASSOCIATED:
            return relation
        ends = (relation.head, relation.other)
        source, target = ends if relation.direction == OUT else ends[::-1]
        now = self._clock.now()
        for link in self._store.maintenance.faint_links((source, target - 1), 1):
            if (link.source, link.target) == (source, target):
                left = link_weight(link.weight, link.since, now, self._factors.link_decay)
                return relation.replace(weight=left)
        return relation  # it stands between older versions
