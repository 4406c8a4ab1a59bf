"""What happened again and again becomes what is known; what recurs elsewhere is offered.

Events that tell the same become a semantic memory that each of them supports. A sequence of
commands and a fact that holds in another project are offers: nothing is done about them unasked,
and an offer shows a project nothing of another.
"""

from __future__ import annotations

from aforesaid.domain.maintenance.promotion import find_same, recurring_commands, representative
from aforesaid.domain.maintenance.run import Action, Batch
from aforesaid.domain.maintenance.summary import MADE_BY, event_time, lowest_trust
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Filters, Memory, Visibility
from aforesaid.domain.model.suggestion import EVERYWHERE, PROCEDURE, Suggestion
from aforesaid.services.memories.near_duplicates import CUES_PART_MOST, filter_by_cosine

from .phase import PAGE, add_suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.maintenance.run import RunScope
    from aforesaid.domain.maintenance.thresholds import Thresholds
    from aforesaid.ports import IdSource, Store

PROMOTED, SUPPORTED, OFFERED = "promoted", "supported", "offered"
SUPPORTS = "supports"
NEIGHBOURS = 20  #: that may tell the same
SESSIONS = 200  #: of a project, whose commands are compared
_EVENTS, _FACTS, _COMMANDS = "1", "2", "3"  #: stages, in a cursor


class Promote(Action):
    """Events that tell the same."""

    into: int = 0  #: key of the memory that says it already, 0 for none


class MakeOffer(Action):
    """Something to be offered."""

    offer: Suggestion


class Promotion:
    """Makes knowledge of what recurs, and offers the rest."""

    name = "promotion"

    def __init__(self, store: Store, ids: IdSource, limits: Thresholds) -> None:
        self._store = store
        self._ids = ids
        self._limits = limits

    @property
    def unavailable_reason(self) -> str:
        """Why it cannot work, empty if it can."""
        return (
            ""
            if self._store.search.has_vectors
            else "what is alike cannot be found without vectors"
        )

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield events that tell the same, facts known elsewhere, commands that recur."""
        stage, _, rest = after.partition(" ")
        if stage in ("", _EVENTS):
            yield from self._events(span, max(span.since, int(rest or 0)))
            rest = ""
        if stage in ("", _EVENTS, _FACTS):
            yield from self._facts(span, max(span.since, int(rest or 0)))
            rest = ""
        for project in self._store.projects.list_all():
            if project.key > int(rest or 0):
                actions = self._commands(project.key, span)
                if actions:
                    yield Batch(cursor=f"{_COMMANDS} {project.key}", actions=actions)

    def execute(self, actions: Sequence[Action], span: RunScope) -> list[Action]:
        """Do what still holds."""
        made: list[Action] = []
        for action in actions:
            if isinstance(action, Promote):
                done = self._promote(action, span)
                if done is not None:
                    made.append(done)
            elif isinstance(action, MakeOffer) and add_suggestion(self._store, action.offer):
                made.append(action)
        return made

    # -- events

    def _events(self, span: RunScope, key: int) -> Iterator[Batch]:
        types = ("episodic",)
        taken: set[int] = set()
        while page := self._store.maintenance.page(
            key, PAGE, until=span.until, types=types, compacted=True
        ):
            key = page[-1].key
            vectors = self._store.maintenance.first_vectors([one.key for one in page])
            for memory in page:
                if memory.key in taken or memory.key not in vectors or not _tells(memory):
                    continue
                action = self._alike(memory, vectors[memory.key])
                if action is not None:
                    taken.update(action.keys)
                    yield Batch(cursor=f"{_EVENTS} {memory.key}", actions=(action,))
            yield Batch(cursor=f"{_EVENTS} {key}")  # a run may stop here

    def _alike(self, memory: Memory, vector: bytes) -> Promote | None:
        """Return the events that tell what one tells, if they are enough, or known already."""
        visible = Visibility(projects=(memory.project,))
        least = self._limits.promote
        floor = least - CUES_PART_MOST
        hits = self._store.search.near_duplicates(
            vector, visible, Filters(types=("episodic",)), floor, NEIGHBOURS
        )
        near = self._store.memories.get([hit.key for hit in hits if hit.key != memory.key])
        near = filter_by_cosine(memory, hits, near, least)
        group = [memory, *find_same(memory, [one for one in near if _tells(one)])]
        if len(group) < self._limits.promote_least:
            return None
        known = self._store.search.near_duplicates(
            vector, visible, Filters(types=("semantic",)), floor, NEIGHBOURS
        )
        told = self._store.memories.get([hit.key for hit in known])
        facts = find_same(memory, filter_by_cosine(memory, known, told, least))
        into = facts[0].key if facts else 0
        keys = tuple(sorted(one.key for one in group))
        if into:
            joined = self._store.maintenance.linked_keys(into, keys)
            keys = tuple(key for key in keys if key not in joined)
            if not keys:
                return None
        return Promote(what=SUPPORTED if into else PROMOTED, keys=keys, into=into)

    def _promote(self, action: Promote, span: RunScope) -> Action | None:
        sources = [one for one in self._store.memories.get(action.keys) if _tells(one)]
        if len(sources) != len(action.keys):
            return None
        if action.into:
            found = self._store.memories.get([action.into])
            fact = found[0] if found and found[0].in_force else None
        else:
            fact = self._store_fact(sources, span)
        if fact is None:
            return None
        for one in sources:
            if self._store.relations.link(one.key, SUPPORTS, fact.key, span.now):
                self._store.memories.record(
                    "link", one.key, span.now, kind=SUPPORTS, target=fact.id
                )
        return action.replace(keys=(fact.key, *action.keys))

    def _store_fact(self, sources: Sequence[Memory], span: RunScope) -> Memory | None:
        """Store what events tell as known, unless it was forgotten as that before."""
        told = representative(sources)
        visible = Visibility(projects=(told.project,))
        if self._store.maintenance.was_forgotten(told.content_hash) or any(
            one.type == "semantic"
            for one in self._store.memories.same_text(told.content_hash, visible)
        ):
            return None
        fact = self._store.memories.add(
            Memory(
                id=self._ids.next_id(self._store.memories.last_id(), span.now),
                type="semantic",
                scope="global" if told.project == GLOBAL_PROJECT else "project",
                project=told.project,
                origin_project=told.origin_project,
                topic=told.topic,
                content=told.content,
                summary=told.summary,
                entity=told.entity,
                importance=max(one.importance for one in sources),
                confidence=max(one.confidence for one in sources),
                valid_from=min(event_time(one) for one in sources),
                last_reinforced_at=span.now,
                created_at=span.now,
                updated_at=span.now,
                provenance=lowest_trust(sources),
                metadata={MADE_BY: self.name, **({"cues": list(told.cues)} if told.cues else {})},
                content_hash=told.content_hash,
            )
        )
        self._store.maintenance.copy_vectors(told.key, fact.key)
        self._store.memories.record(
            "promote", fact.key, span.now, sources=[one.id for one in sources]
        )
        return fact

    # -- offers

    def _facts(self, span: RunScope, key: int) -> Iterator[Batch]:
        """Yield offers for new facts that another project knows as well; one for each project."""
        everywhere = [one.key for one in self._store.projects.list_all()]
        if len(everywhere) < 2:  # noqa: PLR2004 - another one
            return
        while page := self._store.maintenance.page(
            key, PAGE, until=span.until, types=("semantic",)
        ):
            key = page[-1].key
            vectors = self._store.maintenance.first_vectors([one.key for one in page])
            actions: list[Action] = []
            for memory in page:
                if memory.key in vectors and _may_be_global(memory):
                    actions += self._shared(memory, vectors[memory.key], everywhere, span)
            yield Batch(cursor=f"{_FACTS} {key}", actions=tuple(actions))

    def _shared(
        self, memory: Memory, vector: bytes, everywhere: Sequence[int], span: RunScope
    ) -> list[Action]:
        others = Visibility(projects=tuple(key for key in everywhere if key != memory.project))
        hits = self._store.search.near_duplicates(
            vector,
            others,
            Filters(types=("semantic",), scopes=("project",)),
            self._limits.promote - CUES_PART_MOST,
            NEIGHBOURS,
        )
        near = self._store.memories.get([hit.key for hit in hits])
        near = filter_by_cosine(memory, hits, near, self._limits.promote)
        same = find_same(memory, [one for one in near if _may_be_global(one)])
        pairs = {one.project: one for one in [*reversed(same), memory]}
        if len(pairs) < 2:  # noqa: PLR2004 - another project's
            return []
        return [
            MakeOffer(
                what=OFFERED,
                keys=(one.key,),
                offer=Suggestion(
                    kind=EVERYWHERE,
                    name=f"{EVERYWHERE} {one.content_hash}",
                    project=project,
                    memories=(one.key,),
                    made_at=span.now,
                ),
            )
            for project, one in sorted(pairs.items())
        ]

    def _commands(self, project: int, span: RunScope) -> tuple[Action, ...]:
        lists = self._store.maintenance.command_lists(project, SESSIONS)
        if not any(key > span.since for key in lists):
            return ()
        return tuple(
            MakeOffer(
                what=OFFERED,
                keys=keys,
                offer=Suggestion(
                    kind=PROCEDURE,
                    name=f"{PROCEDURE} {' ; '.join(commands)}",
                    project=project,
                    memories=keys,
                    commands=commands,
                    made_at=span.now,
                ),
            )
            for commands, keys in recurring_commands(lists, self._limits.promote_least)
        )


def _tells(memory: Memory) -> bool:
    """Tell whether an event may speak for what is known: in force, though it was summed up."""
    return (
        memory.in_force
        and memory.archived_at is None
        and memory.type == "episodic"
        and memory.scope != "task"
        and MADE_BY not in memory.metadata
        and "session_id" not in memory.metadata
    )


def _may_be_global(memory: Memory) -> bool:
    return memory.in_force and memory.scope == "project" and memory.trusted
