"""The topic tree kept in order: nodes that are one become one, memories find their place.

A memory without a topic goes where its neighbours stand; several on one thing make a topic of their
own. Nodes that gained memories are told anew what they are about. What a user named stays named.
"""

from __future__ import annotations

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.maintenance.run import Action, Batch
from aforesaid.domain.maintenance.topic_merge import name_for, names_allow, pick_merge_target
from aforesaid.domain.maintenance.vector_math import centroid, cosine
from aforesaid.domain.model.memory import Visibility
from aforesaid.domain.model.topic import FILING_NEIGHBOURS, agree
from aforesaid.services.graph.topics import TopicService as Tree

from .neighbour_pages import NEAR_PAGE, neighbours
from .phase import BATCH, source_fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.maintenance.run import RunScope
    from aforesaid.domain.maintenance.thresholds import Thresholds
    from aforesaid.domain.maintenance.vector_math import UnitVector
    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.topic import Topic
    from aforesaid.ports import Clock, Store

    from .neighbour_pages import Near
    from .summarize import Summarizer

MERGED, MOVED, FILED, TOLD = "merged", "moved", "filed", "told anew"
TYPES = ("semantic", "procedural", "entity")
NEIGHBOURS = 24  #: of each memory, that may be on the same thing; the nearest eight file it
SAMPLE = 64  #: memories of a node that say where it lies
TOLD_OF = 12  #: memories that a node's summary is made of
MIN_TOLD = 3
_MERGE, _FILE, _TELL = "1", "2", "3"  #: stages, in a cursor


class MergeTopics(Action):
    """Two nodes that are one; with keys, some of the memories that move first."""

    gone: int
    kept: int


class AssignTopic(Action):
    """Memories that go under a node, or under a new topic of that name."""

    topic: int = 0
    name: str = ""
    project: int


class SummarizeTopic(Action):
    """What a node is about."""

    topic: int
    text: str
    until: int
    of: tuple[int, ...]  #: keys of the memories that it was made of
    told: tuple[object, ...]  #: of them, as they were read


class Topics:
    """Keeps the topic tree in order."""

    name = "topics"

    def __init__(self, store: Store, clock: Clock, summing: Summarizer, limits: Thresholds) -> None:
        self._store = store
        self._tree = Tree(store, clock)
        self._summing = summing
        self._limits = limits

    @property
    def unavailable_reason(self) -> str:
        """Why it cannot work, empty if it can."""
        return (
            "" if self._store.search.has_vectors else "what is near cannot be found without vectors"
        )

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield nodes that become one, memories that find a place, nodes told anew."""
        stage, _, rest = after.partition(" ")
        if stage in ("", _MERGE):
            for project in (0, *(one.key for one in self._store.projects.list_all())):
                yield from self._merges(project)
        if stage != _TELL:
            yield from self._filings(span, max(span.since, int(rest or 0) if stage == _FILE else 0))
        yield from self._tellings(int(rest or 0) if stage == _TELL else 0)

    def execute(self, actions: Sequence[Action], span: RunScope) -> list[Action]:
        """Do what still holds."""
        made: list[Action] = []
        filed: dict[int, list[int]] = {}  # memories by the node that they go under
        for action in actions:
            done: Action | None = None
            if isinstance(action, MergeTopics):
                done = self._merge(action)
            elif isinstance(action, AssignTopic):
                done = self._find_place(action, filed)
            elif isinstance(action, SummarizeTopic):
                done = self._tell(action)
            if done is not None:
                made.append(done)
        for topic, keys in filed.items():
            self._store.topics.file_under(topic, keys)
            for key in keys:
                self._store.memories.record("update", key, span.now, changed=["topic"])
        return made

    # -- nodes that are one

    def _merges(self, project: int) -> Iterator[Batch]:
        nodes = self._store.topics.of_projects([project])
        if len(nodes) < 2:  # noqa: PLR2004 - a pair
            return
        counts = self._store.topics.counts(Visibility(projects=(project,)))
        gone: set[int] = set()
        for one, other in _pairs(nodes):
            if gone & {one.key, other.key} or not self._is_one(one, other):
                continue
            kept, leaving = pick_merge_target(
                (counts.get(one.key, 0), one.created_at, one.key),
                (counts.get(other.key, 0), other.created_at, other.key),
            )
            gone.add(leaving)
            yield from self._moves(leaving, kept, project)
            yield Batch(cursor=_MERGE, actions=(MergeTopics(what=MERGED, gone=leaving, kept=kept),))

    def _is_one(self, one: Topic, other: Topic) -> bool:
        if not names_allow(one.name, other.name):
            return False
        return cosine(self._lies(one), self._lies(other)) > self._limits.topic_merge

    def _lies(self, node: Topic) -> UnitVector | None:
        filed = self._store.topics.filed([node.key], Visibility(projects=(node.project,)), SAMPLE)
        return centroid(self._store.maintenance.first_vectors([one.key for one in filed]).values())

    def _moves(self, gone: int, kept: int, project: int) -> Iterator[Batch]:
        """Yield the memories of a large node that move before it goes, some at a time."""
        visible = Visibility(projects=(project,))
        before: list[int] = []
        while len(filed := self._store.topics.filed([gone], visible, BATCH)) == BATCH:
            keys = [one.key for one in filed]
            if keys == before:
                return  # a rehearsal: nothing moves
            before = keys
            yield Batch(
                cursor=_MERGE,
                actions=tuple(
                    MergeTopics(what=MOVED, keys=(key,), gone=gone, kept=kept) for key in keys
                ),
            )

    def _merge(self, action: MergeTopics) -> Action | None:
        gone, kept = self._store.topics.get(action.gone), self._store.topics.get(action.kept)
        if gone is None or kept is None or gone.project != kept.project:
            return None
        for memory in self._store.memories.get(action.keys):
            if memory.topic == gone.key:
                self._store.memories.change(memory.key, topic=kept.key)
        if action.what == MERGED:
            try:
                self._tree.merge_topics(gone.key, kept.key)
            except AforesaidError:  # somebody moved one below the other
                return None
        return action

    # -- memories without a place

    def _filings(self, span: RunScope, key: int) -> Iterator[Batch]:
        while page := self._store.maintenance.page(
            key, NEAR_PAGE, until=span.until, types=TYPES, unfiled=True
        ):
            key = page[-1].key
            near = neighbours(self._store, page, NEIGHBOURS)
            waiting = [one.key for one in page]
            while waiting:  # what was filed meanwhile is read again for each batch
                actions, done = self._places(waiting[:BATCH], near)
                if actions or done == len(waiting):  # the page is done: a run may stop here
                    yield Batch(cursor=f"{_FILE} {waiting[done - 1]}", actions=tuple(actions))
                del waiting[:done]

    def _places(self, keys: list[int], near: Near) -> tuple[list[AssignTopic], int]:
        """Return where the first of these memories go, and how many were looked at."""
        wanted = {key: self._voices(near.get(key, {})) for key in keys}
        asked = dict.fromkeys((*keys, *(other for one in wanted.values() for other in one)))
        known = {one.key: one for one in self._store.memories.get(list(asked)) if one.is_current}
        projects = {one.project for one in known.values()}
        nodes = {one.key: one for one in self._store.topics.of_projects(sorted(projects))}
        actions: list[AssignTopic] = []
        taken: set[int] = set()
        for place, key in enumerate(keys):
            memory = known.get(key)
            if memory is None or key in taken or memory.topic is not None or memory.scope == "task":
                continue
            others = [
                (known[other], score) for other, score in wanted[key].items() if other in known
            ]
            action = self._placed(memory, others, nodes)
            if action is None:
                continue
            taken.update(action.keys)
            actions.append(action)
            if sum(len(one.keys) for one in actions) >= BATCH:
                return actions, place + 1
        return actions, len(keys)

    def _voices(self, near: dict[int, float]) -> dict[int, float]:
        """Return the neighbours that count: those that file a memory, and those of its kind."""
        return {
            key: score
            for place, (key, score) in enumerate(near.items())
            if place < FILING_NEIGHBOURS or score >= self._limits.filing
        }

    def _placed(
        self, memory: Memory, near: Sequence[tuple[Memory, float]], nodes: dict[int, Topic]
    ) -> AssignTopic | None:
        """Return where a memory goes, with others of its kind if that is a new topic."""
        voices = [(nodes.get(one.topic or 0), score) for one, score in near[:FILING_NEIGHBOURS]]
        chosen = agree(voices, alone=self._limits.filing)
        if chosen is not None:
            return AssignTopic(
                what=FILED,
                keys=(memory.key,),
                topic=chosen,
                project=memory.project,
                detail=f"under {nodes[chosen].path}",
            )
        group = [
            one
            for one, score in near
            if one.topic is None
            and one.type in TYPES
            and one.scope != "task"
            and score >= self._limits.filing
        ]
        if len(group) + 1 < self._limits.new_topic:
            return None
        name = name_for([one.content for one in (memory, *group)], self._limits.new_topic)
        if not name:
            return None
        keys = tuple(sorted(one.key for one in (memory, *group)))
        return AssignTopic(
            what=FILED, keys=keys, name=name, project=memory.project, detail=f"under {name}"
        )

    def _find_place(self, action: AssignTopic, filed: dict[int, list[int]]) -> Action | None:
        """Note under which node memories go, as far as they may still go there."""
        going = {key for keys in filed.values() for key in keys}
        found = [
            one.key
            for one in self._store.memories.get([key for key in action.keys if key not in going])
            if one.is_current and one.topic is None and one.project == action.project
        ]
        node = self._store.topics.get(action.topic) if action.topic else None
        if action.name and len(found) >= self._limits.new_topic:
            node, _note = self._tree.find_or_make(action.name, action.project)
        if node is None or not found or node.project != action.project:
            return None
        filed.setdefault(node.key, []).extend(found)
        return action.replace(keys=tuple(found))

    # -- what nodes are about

    def _tellings(self, after: int) -> Iterator[Batch]:
        for topic, newest in self._store.maintenance.unsummed_topics(MIN_TOLD):
            node = self._store.topics.get(topic)
            if topic <= after or node is None:
                continue
            branch = self._store.maintenance.branch(topic)
            filed = self._store.topics.filed(branch, Visibility(projects=(node.project,)), TOLD_OF)
            told = [one for one in filed if one.trusted and one.scope != "task"]
            if len(told) < MIN_TOLD:
                continue
            written = self._summing.write(node.path, told)
            action = SummarizeTopic(
                what=TOLD,
                detail=f"{node.path}, {written.by}",
                topic=topic,
                text=written.short,
                until=newest,
                of=tuple(one.key for one in told),
                told=source_fingerprint(told),
            )
            yield Batch(cursor=f"{_TELL} {topic}", actions=(action,))

    def _tell(self, action: SummarizeTopic) -> Action | None:
        """Keep what a node is about, unless a memory that tells it changed: it may be erased."""
        same = source_fingerprint(self._store.memories.get(action.of)) == action.told
        if not same or self._store.topics.get(action.topic) is None:
            return None
        self._store.maintenance.set_topic_summary(action.topic, action.text, action.until)
        return action


def _pairs(nodes: Sequence[Topic]) -> Iterator[tuple[Topic, Topic]]:
    """Yield siblings whose names begin alike: others are not one by their names."""
    rows: dict[tuple[int | None, str], list[Topic]] = {}
    for node in nodes:
        for word in {word[:4] for word in node.normalised.split()}:
            rows.setdefault((node.parent, word), []).append(node)
    seen: set[tuple[int, int]] = set()
    for row in rows.values():
        for place, one in enumerate(row):
            for other in row[place + 1 :]:
                if (one.key, other.key) not in seen:
                    seen.add((one.key, other.key))
                    yield one, other
