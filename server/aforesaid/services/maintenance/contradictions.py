"""Flagging memories that contradict each other; both stay in force.

Only if a summariser decides that the newer memory replaces the older one is the older superseded,
which undoing the run reverts. Not here: comparing two texts (domain/conflict/contradiction.py), the
summariser's prompt (domain/conflict/verdict_prompt.py), showing flags in the session context
(services/sessions), their effect on recall (services/recall/supersede_filter.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from aforesaid.domain.conflict.contradiction import MIN_COSINE, contradiction
from aforesaid.domain.conflict.supersession import MAX_CHARS
from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.model.decay import is_superseding_pair, is_valid_at, may_supersede
from aforesaid.domain.model.memory import Filters, Memory, Visibility
from aforesaid.domain.model.relation import CONTRADICTS
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.ports import Store
from aforesaid.services.graph.relations import link, supersede

from .phase import BATCH, PAGE

FLAGGED = "contradicting"
REPLACED = "superseded"
TYPES = ("semantic", "procedural")
NEIGHBOURS = 20  #: earlier memories that each new one is compared with
MAX_EACH = 2  #: flags that one new memory causes: the nearest
MAX_LOG_LINES = 50  #: of a memory, searched for a link that was removed


class Contradictions:
    """Flags contradictions among facts and procedures."""

    name = "contradictions"
    unavailable_reason = ""

    def __init__(
        self, store: Store, judge: Callable[[Memory, Memory], bool | None] | None = None
    ) -> None:
        """Set up the phase.

        Args:
            store: The store.
            judge: Asks a summariser whether a newer memory replaces an older one; returns None if
                it cannot tell. Without a judge, every contradiction is flagged.
        """
        self._store = store
        self._judge = judge

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield contradicting pairs of a new memory and an earlier one."""
        key = max(span.since, int(after or 0))
        while page := self._store.maintenance.page(key, PAGE, until=span.until, types=TYPES):
            key = page[-1].key
            vectors = self._store.maintenance.first_vectors([memory.key for memory in page])
            actions: list[PhaseAction] = []
            for memory in page:
                actions += self._actions_for(memory, vectors.get(memory.key), span)
                if len(actions) >= BATCH:
                    yield Batch(cursor=str(memory.key), actions=tuple(actions))
                    actions = []
            yield Batch(cursor=str(key), actions=tuple(actions))

    def execute(self, actions: Sequence[PhaseAction], span: RunScope) -> list[PhaseAction]:
        """Link or supersede the pairs that are unchanged and not linked yet."""
        executed = []
        for action in actions:
            pair = [memory for memory in self._store.memories.get(action.keys) if memory.is_current]
            if len(pair) != len(action.keys):
                continue
            newer, older = pair
            if not is_superseding_pair(older, newer):
                continue  # one was moved since the plan
            pair_visible = Visibility(
                projects=(newer.project, older.project),
                tasks=() if newer.task is None else (newer.task,),
            )
            if action.what == REPLACED:
                done = may_supersede(older, newer) and supersede(
                    self._store, newer, older, span.now
                )
            else:
                done = link(self._store, newer, CONTRADICTS, older, pair_visible, span.now)
            if done:
                executed.append(action)
        return executed

    def _actions_for(
        self, memory: Memory, vector: bytes | None, span: RunScope
    ) -> list[PhaseAction]:
        """Return an action for each earlier memory that contradicts this one."""
        if len(memory.content) > MAX_CHARS or memory.is_expired(span.now):
            return []
        pairs = []
        for neighbour, cosine in self._earlier_neighbours(memory, vector):
            older, newer = (
                (neighbour, memory)
                if is_superseding_pair(neighbour, memory)
                else (memory, neighbour)
            )
            if (
                is_superseding_pair(older, newer)
                and not neighbour.is_expired(span.now)
                and self._contradict(older, newer, cosine)
                and not self._was_linked(newer, older)
            ):
                pairs.append((older, newer))
        return [
            action
            for older, newer in pairs[:MAX_EACH]
            if (action := self._decide(older, newer, span)) is not None
        ]

    def _contradict(self, older: Memory, newer: Memory, cosine: float | None) -> bool:
        """Whether two memories contradict each other, or a former version of the newer one does.

        A fact that a former version ended stays ended if a later version does not mention it.
        """
        if contradiction(older.content, newer.content, cosine) is not None:
            return True
        versions = [
            version
            for version in self._store.memories.chain(newer.key)
            if version.key != newer.key and is_superseding_pair(older, version)
        ]
        if not versions:
            return False
        pairs = [(older.key, version.key) for version in versions]
        cosines = self._store.search.pair_cosines(pairs)
        return any(
            contradiction(older.content, version.content, cosines.get(pair))
            for pair, version in zip(pairs, versions, strict=True)
        )

    def _earlier_neighbours(
        self, memory: Memory, vector: bytes | None
    ) -> list[tuple[Memory, float | None]]:
        """Return earlier memories that may be on the same subject, nearest first."""
        inside = () if memory.task is None else (memory.task,)
        visible = Visibility(projects=(memory.project,), tasks=inside)
        filters = Filters(types=TYPES)
        if vector is not None:
            nearest = self._store.search.by_vector(vector, visible, filters, NEIGHBOURS)
            hits = [hit for hit in nearest if hit.score > MIN_COSINE]
        else:
            terms = query_terms(memory.content)
            hits = self._store.search.by_words(terms, visible, filters, NEIGHBOURS)
        near = {
            hit.key: hit.score if vector is not None else None
            for hit in hits
            if hit.key == hit.head and hit.key < memory.key
        }
        return [
            (neighbour, near[neighbour.key])
            for neighbour in self._store.memories.get(list(near))
            if neighbour.is_current and neighbour.type in TYPES
        ]

    def _was_linked(self, newer: Memory, older: Memory) -> bool:
        """Whether two memories are already flagged, or somebody removed the flag."""
        pair_visible = Visibility(
            projects=(newer.project, older.project),
            tasks=() if newer.task is None else (newer.task,),
        )
        if any(
            link.kind == CONTRADICTS and link.other == older.head
            for link in self._store.relations.of([newer.head], pair_visible)
        ):
            return True
        return any(
            line.operation == "unlink"
            and line.details.get("kind") == CONTRADICTS
            and older.id in (line.details.get("target"), line.details.get("source"))
            for line in self._store.inspection.log_of(newer.id, MAX_LOG_LINES)
        )

    def _decide(self, older: Memory, newer: Memory, span: RunScope) -> PhaseAction | None:
        """Return the action for a pair; None if the summariser finds that both are true."""
        keys = (newer.key, older.key)
        trusted = older.trusted and newer.trusted
        may_replace = trusted and not older.pinned and is_valid_at(newer, span.now)
        if self._judge is not None and may_replace and not span.is_dry_run:
            replaces = self._judge(older, newer)
            if replaces is not None:
                return PhaseAction(what=REPLACED, keys=keys) if replaces else None
        return PhaseAction(what=FLAGGED, keys=keys)
