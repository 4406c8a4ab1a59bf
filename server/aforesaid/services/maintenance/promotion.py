"""Promotes repeated events to facts, and suggests what recurs across sessions and projects.

Events that say the same become a semantic memory, which each of them supports. A repeated sequence
of commands, and a fact that another project also has, become suggestions: nothing happens until the
user accepts, and a suggestion shows a project nothing of another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aforesaid.domain.maintenance.promotion import (
    MIN_REWORDED_COSINE,
    find_reworded,
    find_same,
    recurring_commands,
    representative,
)
from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.maintenance.summary import MADE_BY, event_time, lowest_trust
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.model.embedding_model import ModelVector
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Filters, Memory, Visibility
from aforesaid.domain.model.suggestion import EVERYWHERE, PROCEDURE, Suggestion
from aforesaid.ports import IdSource, Store
from aforesaid.services.memories.duplicates import MAX_CUES_DISCOUNT, filter_by_cosine

from .phase import PAGE, add_suggestion

PROMOTED, SUPPORTED, OFFERED = "promoted", "supported", "offered"
SUPPORTS = "supports"
NEIGHBOURS = 20  #: memories that are compared with each new one
MAX_SESSIONS = 200  #: of a project, whose commands are compared
_EVENTS, _FACTS, _COMMANDS = "1", "2", "3"  #: stages, in a cursor


class Promote(PhaseAction):
    """Events that say the same."""

    into: int = 0  #: key of the fact that already says it; 0 if there is none


class SuggestChange(PhaseAction):
    """A suggestion to be stored."""

    suggestion: Suggestion


class Promotion:
    """Promotes repeated events, and makes suggestions."""

    name = "promotion"

    def __init__(self, store: Store, ids: IdSource, limits: Thresholds) -> None:
        self._store = store
        self._ids = ids
        self._limits = limits

    @property
    def unavailable_reason(self) -> str:
        """Why the phase cannot run; empty if it can."""
        return "" if self._store.search.has_vectors else "needs vectors to find similar memories"

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield repeated events, facts of several projects, repeated commands."""
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

    def execute(self, actions: Sequence[PhaseAction], span: RunScope) -> list[PhaseAction]:
        """Execute the actions whose memories are unchanged."""
        executed: list[PhaseAction] = []
        for action in actions:
            if isinstance(action, Promote):
                promoted = self._promote(action, span)
                if promoted is not None:
                    executed.append(promoted)
            elif isinstance(action, SuggestChange) and add_suggestion(
                self._store, action.suggestion
            ):
                executed.append(action)
        return executed

    # -- events

    def _events(self, span: RunScope, key: int) -> Iterator[Batch]:
        used: set[int] = set()
        while page := self._store.maintenance.page(
            key, PAGE, until=span.until, types=("episodic",), compacted=True
        ):
            key = page[-1].key
            vectors = self._store.maintenance.first_vectors([memory.key for memory in page])
            for memory in page:
                if memory.key in used or memory.key not in vectors or not _is_promotable(memory):
                    continue
                action = self._group(memory, vectors[memory.key])
                if action is not None:
                    used.update(action.keys)
                    yield Batch(cursor=f"{_EVENTS} {memory.key}", actions=(action,))
            yield Batch(cursor=f"{_EVENTS} {key}")  # a run may stop here

    def _group(self, memory: Memory, vector: ModelVector) -> Promote | None:
        """Return the events that say the same as this one, if they are enough and not linked."""
        visible = Visibility(projects=(memory.project,))
        min_cosine = self._limits.promote
        floor = min_cosine - MAX_CUES_DISCOUNT
        hits = self._store.search.near_duplicates(
            vector, visible, Filters(types=("episodic",)), floor, NEIGHBOURS
        )
        near = self._store.memories.get([hit.key for hit in hits if hit.key != memory.key])
        near = [event for event in near if _is_promotable(event)]
        events = [memory, *find_same(memory, filter_by_cosine(memory, hits, near, min_cosine))]
        if len(events) < self._limits.promote_least:
            events = self._find_reworded(memory, vector, visible) if near else []
            if len(events) <= self._limits.promote_least:  # one more, as the words differ
                return None
        hits = self._store.search.near_duplicates(
            vector, visible, Filters(types=("semantic",)), floor, NEIGHBOURS
        )
        near = self._store.memories.get([hit.key for hit in hits])
        facts = [fact for event in events for fact in find_same(event, near)]
        into = facts[0].key if facts else 0
        keys = tuple(sorted(event.key for event in events))
        if into:
            linked = self._store.maintenance.linked_keys(into, keys)
            keys = tuple(key for key in keys if key not in linked)
            if not keys:
                return None
        return Promote(what=SUPPORTED if into else PROMOTED, keys=keys, into=into)

    def _find_reworded(
        self, memory: Memory, vector: ModelVector, visible: Visibility
    ) -> list[Memory]:
        """Return an event with those that state it in other words."""
        hits = self._store.search.by_vector(
            vector, visible, Filters(types=("episodic",)), NEIGHBOURS, vector.model
        )
        keys = [
            hit.key for hit in hits if hit.key != memory.key and hit.score >= MIN_REWORDED_COSINE
        ]
        near = [event for event in self._store.memories.get(keys) if _is_promotable(event)]
        vectors = self._store.maintenance.first_vectors([memory.key, *keys])
        return [memory, *find_reworded(memory, near, vectors)]

    def _promote(self, action: Promote, span: RunScope) -> PhaseAction | None:
        sources = [
            event for event in self._store.memories.get(action.keys) if _is_promotable(event)
        ]
        if len(sources) != len(action.keys):
            return None
        if action.into:
            facts = self._store.memories.get([action.into])
            fact = facts[0] if facts and facts[0].in_force else None
        else:
            fact = self._store_fact(sources, span)
        if fact is None:
            return None
        for source in sources:
            if self._store.relations.link(source.key, SUPPORTS, fact.key, span.now):
                self._store.memories.record(
                    "link", source.key, span.now, kind=SUPPORTS, target=fact.id
                )
        return action.replace(keys=(fact.key, *action.keys))

    def _store_fact(self, sources: Sequence[Memory], span: RunScope) -> Memory | None:
        """Store a fact with the text of its events, unless it exists or was forgotten."""
        event = representative(sources)
        visible = Visibility(projects=(event.project,))
        if self._store.maintenance.was_forgotten(event.content_hash) or any(
            memory.type == "semantic"
            for memory in self._store.memories.same_text(event.content_hash, visible)
        ):
            return None
        fact = self._store.memories.add(
            Memory(
                id=self._ids.next_id(self._store.memories.last_id(), span.now),
                type="semantic",
                scope="global" if event.project == GLOBAL_PROJECT else "project",
                project=event.project,
                origin_project=event.origin_project,
                topic=event.topic,
                content=event.content,
                summary=event.summary,
                entity=event.entity,
                importance=max(source.importance for source in sources),
                confidence=max(source.confidence for source in sources),
                valid_from=min(event_time(source) for source in sources),
                last_reinforced_at=span.now,
                created_at=span.now,
                updated_at=span.now,
                provenance=lowest_trust(sources),
                metadata={MADE_BY: self.name, **({"cues": list(event.cues)} if event.cues else {})},
                content_hash=event.content_hash,
            )
        )
        self._store.maintenance.copy_vectors(event.key, fact.key)
        self._store.memories.record(
            "promote", fact.key, span.now, sources=[source.id for source in sources]
        )
        return fact

    # -- suggestions

    def _facts(self, span: RunScope, key: int) -> Iterator[Batch]:
        """Yield, to each project, a suggestion for a new fact that another project also has."""
        projects = [project.key for project in self._store.projects.list_all()]
        if len(projects) < 2:  # noqa: PLR2004 - a pair
            return
        while page := self._store.maintenance.page(
            key, PAGE, until=span.until, types=("semantic",)
        ):
            key = page[-1].key
            vectors = self._store.maintenance.first_vectors([memory.key for memory in page])
            actions: list[PhaseAction] = []
            for memory in page:
                if memory.key in vectors and _may_be_global(memory):
                    actions += self._suggest_global(memory, vectors[memory.key], projects, span)
            yield Batch(cursor=f"{_FACTS} {key}", actions=tuple(actions))

    def _suggest_global(
        self, memory: Memory, vector: bytes, projects: Sequence[int], span: RunScope
    ) -> list[PhaseAction]:
        others = Visibility(projects=tuple(key for key in projects if key != memory.project))
        hits = self._store.search.near_duplicates(
            vector,
            others,
            Filters(types=("semantic",), scopes=("project",)),
            self._limits.promote - MAX_CUES_DISCOUNT,
            NEIGHBOURS,
        )
        near = self._store.memories.get([hit.key for hit in hits])
        near = filter_by_cosine(memory, hits, near, self._limits.promote)
        same = find_same(memory, [fact for fact in near if _may_be_global(fact)])
        by_project = {fact.project: fact for fact in [*reversed(same), memory]}
        if len(by_project) < 2:  # noqa: PLR2004 - a pair
            return []
        return [
            SuggestChange(
                what=OFFERED,
                keys=(fact.key,),
                suggestion=Suggestion(
                    kind=EVERYWHERE,
                    name=f"{EVERYWHERE} {fact.content_hash}",
                    project=project,
                    memories=(fact.key,),
                    created_at=span.now,
                ),
            )
            for project, fact in sorted(by_project.items())
        ]

    def _commands(self, project: int, span: RunScope) -> tuple[PhaseAction, ...]:
        lists = self._store.maintenance.command_lists(project, MAX_SESSIONS)
        if not any(key > span.since for key in lists):
            return ()
        return tuple(
            SuggestChange(
                what=OFFERED,
                keys=keys,
                suggestion=Suggestion(
                    kind=PROCEDURE,
                    name=f"{PROCEDURE} {' ; '.join(commands)}",
                    project=project,
                    memories=keys,
                    commands=commands,
                    created_at=span.now,
                ),
            )
            for commands, keys in recurring_commands(lists, self._limits.promote_least)
        )


def _is_promotable(memory: Memory) -> bool:
    """Whether an event counts towards a fact: compacted events do, session digests do not."""
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
