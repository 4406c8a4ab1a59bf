"""Links that nobody made: found between facts of similar topics, fading, and gone in the end.

Only such links (``associated``) fade; what somebody linked stays. Entities that come up together
again and again are offered as a link.
"""

from __future__ import annotations

from aforesaid.domain.maintenance.link_decay import choose_links, is_expired
from aforesaid.domain.maintenance.run import Action, Batch
from aforesaid.domain.maintenance.vector_math import centroid, cosine
from aforesaid.domain.model.entity_names import names_in
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.relation import ASSOCIATED
from aforesaid.domain.model.suggestion import LINK, Suggestion

from .neighbour_pages import NEAR_PAGE, neighbours
from .phase import BATCH, add_suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.maintenance.link_decay import WeakLink
    from aforesaid.domain.maintenance.run import RunScope
    from aforesaid.domain.maintenance.thresholds import Thresholds
    from aforesaid.domain.maintenance.vector_math import UnitVector
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.topic import Topic
    from aforesaid.ports import Store

LINKED, FADED, OFFERED = "linked", "faded", "offered"
TYPES = ("semantic", "procedural", "entity")
NEIGHBOURS = 24  #: of each memory, that are looked at, events among them
SAMPLE = 64  #: memories of a topic that say where it lies
MENTIONS = 50  #: memories about an entity in which another is looked for
_FADE, _LINK = "1", "2"  #: stages, in a cursor


class WeakenLink(Action):
    """A link that goes."""

    link: WeakLink


class AddLink(Action):
    """A link that is new, from the later memory to the earlier."""

    weight: float


class SuggestLink(Action):
    """Two entities that come up together."""

    offer: Suggestion


class Links:
    """Finds links, and lets faded ones go."""

    name = "links"
    unavailable_reason = ""

    def __init__(self, store: Store, limits: Thresholds) -> None:
        self._store = store
        self._limits = limits
        self._topics: dict[int, Topic] = {}  #: of a page of memories, as what follows
        self._lie: dict[int, UnitVector | None] = {}  #: where topics lie

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield links that have faded, then those that are new with what is new."""
        stage, _, rest = after.partition(" ")
        if stage != _LINK:
            yield from self._fading(span, rest)
            rest = ""
        yield from self._linking(span, max(span.since, int(rest or 0)))

    def execute(self, actions: Sequence[Action], span: RunScope) -> list[Action]:
        """Do what still holds."""
        made: list[Action] = []
        for action in actions:
            if isinstance(action, WeakenLink):
                done = self._fade(action, span)
            elif isinstance(action, AddLink):
                done = self._associate(action, span)
            else:
                assert isinstance(action, SuggestLink)
                done = add_suggestion(self._store, action.offer)
            if done:
                made.append(action)
        return made

    # -- fading

    def _fading(self, span: RunScope, rest: str) -> Iterator[Batch]:
        one, _, other = rest.partition(" ")
        place = (int(one or 0), int(other or 0))
        while page := self._store.maintenance.faint_links(place, BATCH):
            place = (page[-1].source, page[-1].target)
            gone = tuple(
                WeakenLink(what=FADED, keys=(link.source, link.target), link=link)
                for link in page
                if is_expired(link, span.now, self._limits)
            )
            if gone:
                yield Batch(cursor=f"{_FADE} {place[0]} {place[1]}", actions=gone)

    def _fade(self, action: WeakenLink, span: RunScope) -> bool:
        source, target = action.keys
        now = self._store.maintenance.faint_links((source, target - 1), 1)
        if now != [action.link]:
            return False  # gone already, or it was reinforced
        self._store.relations.unlink(source, ASSOCIATED, target)
        self._store.maintenance.mark_link_expired(source, target, span.now)
        self._log("unlink", source, target, span)
        return True

    # -- linking

    def _linking(self, span: RunScope, key: int) -> Iterator[Batch]:
        while page := self._store.maintenance.page(key, NEAR_PAGE, until=span.until, types=TYPES):
            key = page[-1].key
            self._topics, self._lie = {}, {}
            asked = [one for one in page if _may_be_linked(one)]
            near = neighbours(self._store, asked, NEIGHBOURS, earlier=True)
            actions: list[Action] = []
            for memory in page:
                if memory.key in near:
                    actions += self._links_of(memory, near[memory.key])
                actions += self._together(memory, span)
                if len(actions) >= BATCH or memory.key == key:  # the page is done: a run may stop
                    yield Batch(cursor=f"{_LINK} {memory.key}", actions=tuple(actions))
                    actions = []

    def _links_of(self, memory: Memory, near: dict[int, float]) -> list[Action]:
        """Return links from a memory to earlier ones of similar topics of its project."""
        found = {
            key: score
            for key, score in near.items()
            if score >= self._limits.link and key < memory.key
        }
        if not found:
            return []
        here = self._root(memory.topic)
        similar = [
            (one.key, found[one.key])
            for one in self._store.memories.get(list(found))
            if one.is_current
            and one.type in TYPES
            and _may_be_linked(one)
            and self._is_similar(here, self._root(one.topic))
        ]
        others = [key for key, _near in similar]
        if not others:
            return []
        known = self._store.maintenance.linked_keys(memory.key, others)
        degrees = self._store.maintenance.degrees([memory.key, *others])
        chosen = choose_links(
            [one for one in similar if one[0] not in known],
            degrees,
            degrees.get(memory.key, 0),
            self._limits,
        )
        return [
            AddLink(what=LINKED, keys=(memory.key, other), weight=round(weight, 4))
            for other, weight in chosen
        ]

    def _root(self, topic: int | None) -> Topic | None:
        """Return the topic at the top of a node's branch."""
        if topic is None:
            return None
        if topic not in self._topics:
            found = self._store.topics.get(topic)
            if found is None:
                return None
            self._topics[topic] = found
        found = self._topics[topic]
        return found if found.parent is None else self._root(found.parent)

    def _is_similar(self, one: Topic | None, other: Topic | None) -> bool:
        """Tell whether two are different topics that lie near each other."""
        if one is None or other is None or one.key == other.key:
            return False
        return cosine(self._lies(one), self._lies(other)) > self._limits.topic_link

    def _lies(self, topic: Topic) -> UnitVector | None:
        if topic.key not in self._lie:
            nodes = self._store.maintenance.branch(topic.key)
            filed = self._store.topics.filed(nodes, Visibility(projects=(topic.project,)), SAMPLE)
            vectors = self._store.maintenance.first_vectors([one.key for one in filed])
            self._lie[topic.key] = centroid(vectors.values())
        return self._lie[topic.key]

    def _associate(self, action: AddLink, span: RunScope) -> bool:
        found = self._store.memories.get(action.keys)
        if len(found) != len(action.keys) or not all(one.is_current for one in found):
            return False
        newer, older = found
        if newer.project != older.project:
            return False  # one was moved meanwhile
        degrees = self._store.maintenance.degrees(action.keys)
        full = any(count >= self._limits.links_each for count in degrees.values())
        if full or self._store.maintenance.linked_keys(newer.key, [older.key]):
            return False
        if not self._store.relations.link(
            newer.key, ASSOCIATED, older.key, span.now, action.weight
        ):
            return False
        self._log("link", newer.key, older.key, span)
        return True

    def _log(self, operation: str, source: int, target: int, span: RunScope) -> None:
        ids = {one.key: one.id for one in self._store.memories.get([source, target])}
        self._store.memories.record(
            operation, source, span.now, kind=ASSOCIATED, target=ids.get(target)
        )
        self._store.memories.record(
            operation, target, span.now, kind=ASSOCIATED, source=ids.get(source)
        )

    # -- entities that come up together

    def _together(self, memory: Memory, span: RunScope) -> list[Action]:
        """Return the offer to link a memory's entity with those that it names as well."""
        if memory.entity is None or memory.type == "entity" or memory.scope == "task":
            return []
        visible = Visibility.of_project(memory.project)
        about = self._store.entities.get(memory.entity, visible)
        if about is None:
            return []
        actions: list[Action] = []
        named = self._store.entities.named(names_in(memory.content), visible).values()
        for other in sorted({one.key for one in named} - {about.key}):
            told = self._descriptions(about.key, other, memory.project)
            if told and self._recurs(about.key, other, visible):
                one, two = sorted((about.key, other))
                offer = Suggestion(
                    kind=LINK,
                    name=f"{LINK} {one} {two}",
                    project=memory.project,
                    memories=told,
                    made_at=span.now,
                )
                actions.append(SuggestLink(what=OFFERED, keys=told, offer=offer))
        return actions

    def _descriptions(self, one: int, other: int, project: int) -> tuple[int, ...]:
        """Return the memories that describe two entities in a project; nothing unless both do."""
        found = []
        for entity in (one, other):
            filters = Filters(types=("entity",), entities=(entity,))
            found += self._store.memories.select(Visibility(projects=(project,)), filters, 1)
        pair = tuple(sorted(memory.key for memory in found))
        if len(set(pair)) != len((one, other)) or self._store.maintenance.linked_keys(
            pair[0], pair[1:]
        ):
            return ()
        return pair

    def _recurs(self, one: int, other: int, visible: Visibility) -> bool:
        """Tell whether enough memories about either name the other."""
        keys = set()
        for about, named in ((one, other), (other, one)):
            for memory in self._store.memories.select(
                visible, Filters(entities=(about,)), MENTIONS
            ):
                known = self._store.entities.named(names_in(memory.content), visible).values()
                if memory.type != "entity" and any(entity.key == named for entity in known):
                    keys.add(memory.key)
        return len(keys) >= self._limits.entity_pair


def _may_be_linked(memory: Memory) -> bool:
    """Tell whether links are sought for a memory, or lead to it."""
    return memory.topic is not None and memory.scope != "task" and memory.trusted
