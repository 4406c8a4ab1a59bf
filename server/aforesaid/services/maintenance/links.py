"""Adding automatic links between facts of similar topics, and removing those that expired.

Only automatic links (``associated``) expire; links that somebody made are kept. A link between two
entities that are often mentioned together is suggested to the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aforesaid.domain.maintenance.link_decay import WeakLink, choose_links, is_expired
from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.maintenance.vector_math import UnitVector, centroid, cosine
from aforesaid.domain.model.entity import names_in
from aforesaid.domain.model.memory import Filters, Memory, Visibility
from aforesaid.domain.model.relation import ASSOCIATED
from aforesaid.domain.model.suggestion import LINK, Suggestion
from aforesaid.domain.model.topic import Topic
from aforesaid.ports import Store

from .phase import BATCH, NEAR_PAGE, add_suggestion, neighbours

LINKED, FADED, OFFERED = "linked", "faded", "offered"
TYPES = ("semantic", "procedural", "entity")
MAX_NEIGHBOURS = 24  #: of each memory, events included, that are considered
MAX_SAMPLE = 64  #: memories whose centroid stands for a topic
MAX_MENTIONS = 50  #: memories about an entity that are searched for mentions of another
_REMOVALS, _ADDITIONS = "1", "2"  #: stages of the phase, as a cursor names them


class RemoveLink(PhaseAction):
    """An expired link to be removed."""

    link: WeakLink


class AddLink(PhaseAction):
    """A new link, from the later memory to the earlier one."""

    weight: float


class SuggestLink(PhaseAction):
    """Two entities that are often mentioned together."""

    suggestion: Suggestion


class Links:
    """Adds links between similar memories, and removes expired ones."""

    name = "links"
    unavailable_reason = ""

    def __init__(self, store: Store, limits: Thresholds) -> None:
        self._store = store
        self._limits = limits
        self._topics: dict[int, Topic] = {}  #: cache for one page of memories
        self._centroids: dict[int, UnitVector | None] = {}  #: by topic; cache for one page

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield expired links, then links between new memories and earlier ones."""
        stage, _, rest = after.partition(" ")
        if stage != _ADDITIONS:
            yield from self._plan_removals(span, rest)
            rest = ""
        yield from self._plan_links(span, max(span.since, int(rest or 0)))

    def execute(self, actions: Sequence[PhaseAction], span: RunScope) -> list[PhaseAction]:
        """Execute the actions whose memories and links are unchanged."""
        executed: list[PhaseAction] = []
        for action in actions:
            if isinstance(action, RemoveLink):
                done = self._remove(action, span)
            elif isinstance(action, AddLink):
                done = self._add(action, span)
            else:
                assert isinstance(action, SuggestLink)
                done = add_suggestion(self._store, action.suggestion)
            if done:
                executed.append(action)
        return executed

    # -- removing expired links

    def _plan_removals(self, span: RunScope, rest: str) -> Iterator[Batch]:
        source, _, target = rest.partition(" ")
        last = (int(source or 0), int(target or 0))
        while page := self._store.maintenance.associated_links(last, BATCH):
            last = (page[-1].source, page[-1].target)
            expired = tuple(
                RemoveLink(what=FADED, keys=(link.source, link.target), link=link)
                for link in page
                if is_expired(link, span.now, self._limits)
            )
            if expired:
                yield Batch(cursor=f"{_REMOVALS} {last[0]} {last[1]}", actions=expired)

    def _remove(self, action: RemoveLink, span: RunScope) -> bool:
        source, target = action.keys
        # the first link after this pair of keys is the one that was planned, if it still exists
        current = self._store.maintenance.associated_links((source, target - 1), 1)
        if current != [action.link]:
            return False  # removed or reinforced since the plan
        self._store.relations.unlink(source, ASSOCIATED, target)
        self._store.maintenance.mark_link_expired(source, target, span.now)
        self._log("unlink", source, target, span)
        return True

    # -- adding links

    def _plan_links(self, span: RunScope, key: int) -> Iterator[Batch]:
        while page := self._store.maintenance.page(key, NEAR_PAGE, until=span.until, types=TYPES):
            key = page[-1].key
            self._topics, self._centroids = {}, {}
            linkable = [memory for memory in page if _is_linkable(memory)]
            near = neighbours(self._store, linkable, MAX_NEIGHBOURS, earlier=True)
            actions: list[PhaseAction] = []
            for memory in page:
                if memory.key in near:
                    actions += self._new_links(memory, near[memory.key])
                actions += self._suggest_entity_links(memory, span)
                if len(actions) >= BATCH or memory.key == key:  # a run may stop after a page
                    yield Batch(cursor=f"{_ADDITIONS} {memory.key}", actions=tuple(actions))
                    actions = []

    def _new_links(self, memory: Memory, near: dict[int, float]) -> list[PhaseAction]:
        """Return links from a memory to earlier ones of similar topics of its project."""
        scores = {
            key: score
            for key, score in near.items()
            if score >= self._limits.link and key < memory.key
        }
        if not scores:
            return []
        root = self._root(memory.topic)
        similar = [
            (earlier.key, scores[earlier.key])
            for earlier in self._store.memories.get(list(scores))
            if earlier.is_current
            and earlier.type in TYPES
            and _is_linkable(earlier)
            and self._are_distinct_but_near(root, self._root(earlier.topic))
        ]
        keys = [key for key, _score in similar]
        if not keys:
            return []
        linked = self._store.maintenance.linked_keys(memory.key, keys)
        degrees = self._store.maintenance.degrees([memory.key, *keys])
        chosen = choose_links(
            [(key, score) for key, score in similar if key not in linked],
            degrees,
            degrees.get(memory.key, 0),
            self._limits,
        )
        return [
            AddLink(what=LINKED, keys=(memory.key, key), weight=round(weight, 4))
            for key, weight in chosen
        ]

    def _root(self, topic: int | None) -> Topic | None:
        """Return the topic at the top of a node's branch."""
        if topic is None:
            return None
        if topic not in self._topics:
            node = self._store.topics.get(topic)
            if node is None:
                return None
            self._topics[topic] = node
        node = self._topics[topic]
        return node if node.parent is None else self._root(node.parent)

    def _are_distinct_but_near(self, first: Topic | None, second: Topic | None) -> bool:
        """Whether two topics are different but near each other."""
        if first is None or second is None or first.key == second.key:
            return False
        return cosine(self._centroid(first), self._centroid(second)) > self._limits.topic_link

    def _centroid(self, topic: Topic) -> UnitVector | None:
        if topic.key not in self._centroids:
            nodes = self._store.maintenance.branch(topic.key)
            filed = self._store.topics.filed(
                nodes, Visibility(projects=(topic.project,)), MAX_SAMPLE
            )
            vectors = self._store.maintenance.first_vectors([memory.key for memory in filed])
            self._centroids[topic.key] = centroid(vectors.values())
        return self._centroids[topic.key]

    def _add(self, action: AddLink, span: RunScope) -> bool:
        pair = self._store.memories.get(action.keys)
        if len(pair) != len(action.keys) or not all(memory.is_current for memory in pair):
            return False
        newer, older = pair
        if newer.project != older.project:
            return False  # one was moved since the plan
        degrees = self._store.maintenance.degrees(action.keys)
        is_full = any(count >= self._limits.links_each for count in degrees.values())
        if is_full or self._store.maintenance.linked_keys(newer.key, [older.key]):
            return False
        if not self._store.relations.link(
            newer.key, ASSOCIATED, older.key, span.now, action.weight
        ):
            return False
        self._log("link", newer.key, older.key, span)
        return True

    def _log(self, operation: str, source: int, target: int, span: RunScope) -> None:
        ids = {memory.key: memory.id for memory in self._store.memories.get([source, target])}
        self._store.memories.record(
            operation, source, span.now, kind=ASSOCIATED, target=ids.get(target)
        )
        self._store.memories.record(
            operation, target, span.now, kind=ASSOCIATED, source=ids.get(source)
        )

    # -- entities that are mentioned together

    def _suggest_entity_links(self, memory: Memory, span: RunScope) -> list[PhaseAction]:
        """Return suggestions to link a memory's entity with others that the memory mentions."""
        if memory.entity is None or memory.type == "entity" or memory.scope == "task":
            return []
        visible = Visibility.of_project(memory.project)
        subject = self._store.entities.get(memory.entity, visible)
        if subject is None:
            return []
        actions: list[PhaseAction] = []
        mentioned = self._store.entities.named(names_in(memory.content), visible).values()
        for entity in sorted({entity.key for entity in mentioned} - {subject.key}):
            pair = self._unlinked_entity_memories(subject.key, entity, memory.project)
            if pair and self._are_often_mentioned_together(subject.key, entity, visible):
                first, second = sorted((subject.key, entity))
                suggestion = Suggestion(
                    kind=LINK,
                    name=f"{LINK} {first} {second}",
                    project=memory.project,
                    memories=pair,
                    created_at=span.now,
                )
                actions.append(SuggestLink(what=OFFERED, keys=pair, suggestion=suggestion))
        return actions

    def _unlinked_entity_memories(self, first: int, second: int, project: int) -> tuple[int, ...]:
        """Return an entity memory of each of two entities; empty without one, or if linked."""
        memories = []
        for entity in (first, second):
            filters = Filters(types=("entity",), entities=(entity,))
            memories += self._store.memories.select(Visibility(projects=(project,)), filters, 1)
        pair = tuple(sorted(memory.key for memory in memories))
        if len(set(pair)) != len((first, second)) or self._store.maintenance.linked_keys(
            pair[0], pair[1:]
        ):
            return ()
        return pair

    def _are_often_mentioned_together(self, first: int, second: int, visible: Visibility) -> bool:
        """Whether enough memories about one of two entities mention the other."""
        keys = set()
        for subject, mentioned in ((first, second), (second, first)):
            for memory in self._store.memories.select(
                visible, Filters(entities=(subject,)), MAX_MENTIONS
            ):
                entities = self._store.entities.named(names_in(memory.content), visible).values()
                if memory.type != "entity" and any(entity.key == mentioned for entity in entities):
                    keys.add(memory.key)
        return len(keys) >= self._limits.entity_pair


def _is_linkable(memory: Memory) -> bool:
    return memory.topic is not None and memory.scope != "task" and memory.trusted
