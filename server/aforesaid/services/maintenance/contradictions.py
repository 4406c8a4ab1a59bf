"""Finding memories in force that contradict each other: flagged, and both stay in force.

Only where a summariser finds that both cannot hold does the later one supersede, which undoing the
run takes back. Not here: judging two texts (domain/conflict/contradiction.py), what the model is
asked (domain/conflict/verdict_prompt.py), showing flags (services/sessions/session_context.py),
what they mean for a question (services/recall/supersede_filter.py).
"""

from __future__ import annotations

from aforesaid.domain.conflict.contradiction import MIN_COSINE, contradiction
from aforesaid.domain.conflict.supersession import MAX_CHARS
from aforesaid.domain.maintenance.run import Action, Batch
from aforesaid.domain.model.decay import is_superseding_pair, is_valid_at, may_supersede
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.relation import CONTRADICTS
from aforesaid.domain.text.tokenize import query_terms
from aforesaid.services.graph.relations import link, supersede

from .phase import BATCH, PAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from aforesaid.domain.maintenance.run import RunScope
    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Store

FLAGGED = "contradicting"
REPLACED = "superseded"
TYPES = ("semantic", "procedural")
NEIGHBOURS = 20  #: of each memory, that are compared with it
MAX_EACH = 2  #: flags that one memory brings at once: the nearest
LOG_LINES = 50  #: looked through for a link that somebody took back


class Contradictions:
    """Flags what contradicts each other among what lasts."""

    name = "contradictions"
    unavailable_reason = ""

    def __init__(
        self, store: Store, judge: Callable[[Memory, Memory], bool | None] | None = None
    ) -> None:
        """Join the phase to its world.

        Args:
            store: where memories are.
            judge: a summariser's verdict on an earlier and a later memory: whether the later one
                takes the place of the earlier; None where it cannot say. None: there is none.
        """
        self._store = store
        self._judge = judge

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield pairs that contradict each other: each new memory with all that came before it."""
        key = max(span.since, int(after or 0))
        while page := self._store.maintenance.page(key, PAGE, until=span.until, types=TYPES):
            key = page[-1].key
            vectors = self._store.maintenance.first_vectors([one.key for one in page])
            actions: list[Action] = []
            for memory in page:
                actions += self._found(memory, vectors.get(memory.key), span)
                if len(actions) >= BATCH:
                    yield Batch(cursor=str(memory.key), actions=tuple(actions))
                    actions = []
            yield Batch(cursor=str(key), actions=tuple(actions))

    def execute(self, actions: Sequence[Action], span: RunScope) -> list[Action]:
        """Link, or supersede, what still stands and is not linked yet."""
        made = []
        for action in actions:
            found = [one for one in self._store.memories.get(action.keys) if one.is_current]
            if len(found) != len(action.keys):
                continue
            newer, older = found
            if not is_superseding_pair(older, newer):
                continue  # one was moved meanwhile
            sight = Visibility(
                projects=(newer.project, older.project),
                tasks=() if newer.task is None else (newer.task,),
            )
            if action.what == REPLACED:
                done = may_supersede(older, newer) and supersede(
                    self._store, newer, older, span.now
                )
            else:
                done = link(self._store, newer, CONTRADICTS, older, sight, span.now)
            if done:
                made.append(action)
        return made

    def _found(self, memory: Memory, vector: bytes | None, span: RunScope) -> list[Action]:
        """Return what is to become of the earlier stored memories that contradict one."""
        if len(memory.content) > MAX_CHARS or memory.is_expired(span.now):
            return []
        pairs = []
        for other, cosine in self._near(memory, vector):
            older, newer = (
                (other, memory) if is_superseding_pair(other, memory) else (memory, other)
            )
            if (
                is_superseding_pair(older, newer)
                and not other.is_expired(span.now)
                and self._contradict(older, newer, cosine)
                and not self._was_said(newer, older)
            ):
                pairs.append((older, newer))
        return [
            action
            for older, newer in pairs[:MAX_EACH]
            if (action := self._verdict(older, newer, span)) is not None
        ]

    def _contradict(self, older: Memory, newer: Memory, cosine: float | None) -> bool:
        """Tell whether two contradict each other, or a version that the later one replaced did.

        What a version in between ended does not come back with the next one.
        """
        if contradiction(older.content, newer.content, cosine) is not None:
            return True
        between = [
            one
            for one in self._store.memories.chain(newer.key)
            if one.key != newer.key and is_superseding_pair(older, one)
        ]
        if not between:
            return False
        likeness = self._store.search.pair_cosines([(older.key, one.key) for one in between])
        return any(
            contradiction(older.content, one.content, likeness.get((older.key, one.key)))
            for one in between
        )

    def _near(self, memory: Memory, vector: bytes | None) -> list[tuple[Memory, float | None]]:
        """Return memories that were stored earlier and may speak of the same, nearest first."""
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
            (one, near[one.key])
            for one in self._store.memories.get(list(near))
            if one.is_current and one.type in TYPES
        ]

    def _was_said(self, one: Memory, other: Memory) -> bool:
        """Tell whether two are linked so already, or somebody took such a link back."""
        sight = Visibility(
            projects=(one.project, other.project), tasks=() if one.task is None else (one.task,)
        )
        if any(
            link.kind == CONTRADICTS and link.other == other.head
            for link in self._store.relations.of([one.head], sight)
        ):
            return True
        return any(
            line.operation == "unlink"
            and line.details.get("kind") == CONTRADICTS
            and other.id in (line.details.get("target"), line.details.get("source"))
            for line in self._store.inspection.log_of(one.id, LOG_LINES)
        )

    def _verdict(self, older: Memory, newer: Memory, span: RunScope) -> Action | None:
        """Return what is to become of a pair; None where the summariser finds that both hold."""
        keys = (newer.key, older.key)
        trusted = older.trusted and newer.trusted
        asked = trusted and not older.pinned and is_valid_at(newer, span.now)
        if self._judge is not None and asked and not span.dry:
            replaces = self._judge(older, newer)
            if replaces is not None:
                return Action(what=REPLACED, keys=keys) if replaces else None
        return Action(what=FLAGGED, keys=keys)
