"""Maintaining the topic tree: merging duplicate topics, filing memories, summarising topics.

An unfiled memory is filed where its neighbours are; several unfiled ones on the same subject make a
new topic. Topics that gained memories get a new summary. Topics named by the user keep their name.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.maintenance.run import Batch, PhaseAction, RunScope
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.maintenance.topic_merge import (
    are_names_compatible,
    may_mean_the_same,
    pick_merge_target,
    topic_name,
)
from aforesaid.domain.maintenance.vector_math import UnitVector, centroid, cosine
from aforesaid.domain.model.memory import Memory, Visibility
from aforesaid.domain.model.topic import FILING_NEIGHBOURS, Topic, agreed_topic
from aforesaid.ports import Clock, Embedder, Store
from aforesaid.services.graph.topics import TopicService as Tree

from .phase import BATCH, NEAR_PAGE, Near, neighbours, source_fingerprint
from .summarize import Summarizer

MERGED, MOVED, FILED, RESUMMARIZED = "merged", "moved", "filed", "told anew"
TYPES = ("semantic", "procedural", "entity")
NEIGHBOURS = 24  #: of each memory, to form new topics; the nearest eight vote on filing it
#: Minimum cosines of topics with one meaning: of their names, and of their memories' centroids.
#: Source: docs/adr/0032-tending.md, "Topics".
SAME_NAME, RELATED = 0.83, 0.2
SAMPLE = 64  #: memories whose centroid stands for a topic
MAX_SOURCES, MIN_SOURCES = 12, 3  #: memories that a topic's summary is made of
_MERGE, _FILE, _SUMMARIZE = "1", "2", "3"  #: stages, in a cursor


class MergeTopics(PhaseAction):
    """Two duplicate topics; with keys, memories of a large one that move before the merge."""

    source: int
    target: int


class AssignTopic(PhaseAction):
    """Memories to file under a topic, or under a new topic of that name."""

    topic: int = 0
    name: str = ""
    project: int


class SummarizeTopic(PhaseAction):
    """A new summary of a topic."""

    topic: int
    text: str
    until: int
    sources: tuple[int, ...]  #: keys of the memories that it was made of
    fingerprint: tuple[object, ...]  #: of these memories when they were read


class TopicUpkeep:
    """Maintains the topic tree."""

    name = "topics"

    def __init__(
        self,
        store: Store,
        clock: Clock,
        summarizer: Summarizer,
        limits: Thresholds,
        embedder: Callable[[], Embedder | None] = lambda: None,
    ) -> None:
        """Bind it to a store.

        Args:
            store: where the topics are.
            clock: of the changes.
            summarizer: of topics.
            limits: thresholds.
            embedder: returns what compares the names of topics; None compares their letters only.
        """
        self._embedder = embedder
        self._store = store
        self._tree = Tree(store, clock)
        self._summarizer = summarizer
        self._limits = limits

    @property
    def unavailable_reason(self) -> str:
        """Why the phase cannot run; empty if it can."""
        return "" if self._store.search.has_vectors else "needs vectors to find neighbours"

    def plan(self, span: RunScope, after: str) -> Iterator[Batch]:
        """Yield duplicate topics to merge, memories to file, topics to summarise."""
        stage, _, rest = after.partition(" ")
        if stage in ("", _MERGE):
            for project in (0, *(project.key for project in self._store.projects.list_all())):
                yield from self._plan_merges(project)
        if stage != _SUMMARIZE:
            last = int(rest or 0) if stage == _FILE else 0
            yield from self._plan_filing(span, max(span.since, last))
        yield from self._plan_summaries(int(rest or 0) if stage == _SUMMARIZE else 0)

    def execute(self, actions: Sequence[PhaseAction], span: RunScope) -> list[PhaseAction]:
        """Execute the actions whose topics and memories are unchanged."""
        executed: list[PhaseAction] = []
        filed: dict[int, list[int]] = {}  # keys of memories by topic
        for action in actions:
            done: PhaseAction | None = None
            if isinstance(action, MergeTopics):
                done = self._merge(action)
            elif isinstance(action, AssignTopic):
                done = self._assign(action, filed)
            elif isinstance(action, SummarizeTopic):
                done = self._set_summary(action)
            if done is not None:
                executed.append(done)
        for topic, keys in filed.items():
            self._store.topics.file_under(topic, keys)
            for key in keys:
                self._store.memories.record("update", key, span.now, changed=["topic"])
        return executed

    # -- merging duplicate topics

    def _plan_merges(self, project: int) -> Iterator[Batch]:
        nodes = self._store.topics.of_projects([project])
        if len(nodes) < 2:  # noqa: PLR2004 - a pair
            return
        counts = self._store.topics.counts(Visibility(projects=(project,)))
        merged: set[int] = set()
        for first, second in _candidate_pairs(nodes):
            if merged & {first.key, second.key} or not self._is_duplicate(first, second):
                continue
            target, source = pick_merge_target(
                (counts.get(first.key, 0), first.created_at, first.key),
                (counts.get(second.key, 0), second.created_at, second.key),
            )
            merged.add(source)
            yield from self._plan_moves(source, target, project)
            yield Batch(
                cursor=_MERGE, actions=(MergeTopics(what=MERGED, source=source, target=target),)
            )

    def _is_duplicate(self, first: Topic, second: Topic) -> bool:
        similarity = cosine(self._centroid(first), self._centroid(second))
        if are_names_compatible(first.name, second.name) and similarity > self._limits.topic_merge:
            return True
        return (
            similarity > RELATED
            and may_mean_the_same(first.name, second.name)
            and self._name_similarity(first, second) > SAME_NAME
        )

    def _name_similarity(self, first: Topic, second: Topic) -> float:
        embedder = self._embedder()
        if embedder is None:
            return 0.0
        names = [topic.name.casefold() for topic in (first, second)]
        vector, other_vector = (
            array("f", windows[0]) for windows in embedder.embed_documents(names)
        )
        return float(sum(a * b for a, b in zip(vector, other_vector, strict=True)))

    def _centroid(self, node: Topic) -> UnitVector | None:
        filed = self._store.topics.filed([node.key], Visibility(projects=(node.project,)), SAMPLE)
        keys = [memory.key for memory in filed]
        return centroid(self._store.maintenance.first_vectors(keys).values())

    def _plan_moves(self, source: int, target: int, project: int) -> Iterator[Batch]:
        """Yield the memories of a large topic that move before the merge, a batch at a time."""
        visible = Visibility(projects=(project,))
        previous: list[int] = []
        while len(filed := self._store.topics.filed([source], visible, BATCH)) == BATCH:
            keys = [memory.key for memory in filed]
            if keys == previous:
                return  # a dry run: nothing moves
            previous = keys
            yield Batch(
                cursor=_MERGE,
                actions=tuple(
                    MergeTopics(what=MOVED, keys=(key,), source=source, target=target)
                    for key in keys
                ),
            )

    def _merge(self, action: MergeTopics) -> PhaseAction | None:
        source, target = (
            self._store.topics.get(action.source),
            self._store.topics.get(action.target),
        )
        if source is None or target is None or source.project != target.project:
            return None
        for memory in self._store.memories.get(action.keys):
            if memory.topic == source.key:
                self._store.memories.change(memory.key, topic=target.key)
        if action.what == MERGED:
            try:
                self._tree.merge_topics(source.key, target.key)
            except AforesaidError:  # one was moved below the other since the plan
                return None
        return action

    # -- filing memories

    def _plan_filing(self, span: RunScope, key: int) -> Iterator[Batch]:
        while page := self._store.maintenance.page(
            key, NEAR_PAGE, until=span.until, types=TYPES, unfiled=True
        ):
            key = page[-1].key
            near = neighbours(self._store, page, NEIGHBOURS)
            waiting = [memory.key for memory in page]
            while waiting:  # each batch reads the memories again: others may have been filed
                actions, done = self._plan_batch(waiting[:BATCH], near)
                if actions or done == len(waiting):  # the page is done: a run may stop here
                    yield Batch(cursor=f"{_FILE} {waiting[done - 1]}", actions=tuple(actions))
                del waiting[:done]

    def _plan_batch(self, keys: list[int], near: Near) -> tuple[list[AssignTopic], int]:
        """Return one batch of assignments, and how many of the memories it covers."""
        voters = {key: self._voters(near.get(key, {})) for key in keys}
        needed = dict.fromkeys((*keys, *(voter for scores in voters.values() for voter in scores)))
        memories = {
            memory.key: memory
            for memory in self._store.memories.get(list(needed))
            if memory.is_current
        }
        projects = {memory.project for memory in memories.values()}
        nodes = {node.key: node for node in self._store.topics.of_projects(sorted(projects))}
        actions: list[AssignTopic] = []
        filed: set[int] = set()
        for index, key in enumerate(keys):
            memory = memories.get(key)
            if memory is None or key in filed or memory.topic is not None or memory.scope == "task":
                continue
            scored = [
                (memories[voter], score)
                for voter, score in voters[key].items()
                if voter in memories
            ]
            action = self._choose_topic(memory, scored, nodes)
            if action is None:
                continue
            filed.update(action.keys)
            actions.append(action)
            if sum(len(assignment.keys) for assignment in actions) >= BATCH:
                return actions, index + 1
        return actions, len(keys)

    def _voters(self, near: dict[int, float]) -> dict[int, float]:
        """Return the neighbours that may vote on a topic or join a new one."""
        return {
            key: score
            for index, (key, score) in enumerate(near.items())
            if index < FILING_NEIGHBOURS or score >= self._limits.filing
        }

    def _choose_topic(
        self, memory: Memory, near: Sequence[tuple[Memory, float]], nodes: dict[int, Topic]
    ) -> AssignTopic | None:
        """Return the topic that the neighbours agree on, or a new one for several unfiled ones."""
        votes = [
            (nodes.get(neighbour.topic or 0), score)
            for neighbour, score in near[:FILING_NEIGHBOURS]
        ]
        chosen = agreed_topic(votes, alone=self._limits.filing)
        if chosen is not None:
            return AssignTopic(
                what=FILED,
                keys=(memory.key,),
                topic=chosen,
                project=memory.project,
                detail=f"under {nodes[chosen].path}",
            )
        unfiled = [
            neighbour
            for neighbour, score in near
            if neighbour.topic is None
            and neighbour.type in TYPES
            and neighbour.scope != "task"
            and score >= self._limits.filing
        ]
        group = [memory, *unfiled]
        if len(group) < self._limits.new_topic:
            return None
        name = topic_name([member.content for member in group], self._limits.new_topic)
        if not name:
            return None
        keys = tuple(sorted(member.key for member in group))
        return AssignTopic(
            what=FILED, keys=keys, name=name, project=memory.project, detail=f"under {name}"
        )

    def _assign(self, action: AssignTopic, filed: dict[int, list[int]]) -> PhaseAction | None:
        """Add the memories of an action that are still unfiled to ``filed``, by topic."""
        assigned = {key for keys in filed.values() for key in keys}
        keys = [
            memory.key
            for memory in self._store.memories.get(
                [key for key in action.keys if key not in assigned]
            )
            if memory.is_current and memory.topic is None and memory.project == action.project
        ]
        node = self._store.topics.get(action.topic) if action.topic else None
        if action.name and len(keys) >= self._limits.new_topic:
            node, _note = self._tree.find_or_create(action.name, action.project)
        if node is None or not keys or node.project != action.project:
            return None
        filed.setdefault(node.key, []).extend(keys)
        return action.replace(keys=tuple(keys))

    # -- summarising topics

    def _plan_summaries(self, after: int) -> Iterator[Batch]:
        for topic, newest in self._store.maintenance.topics_to_summarise(MIN_SOURCES):
            node = self._store.topics.get(topic)
            if topic <= after or node is None:
                continue
            branch = self._store.maintenance.branch(topic)
            visible = Visibility(projects=(node.project,))
            filed = self._store.topics.filed(branch, visible, MAX_SOURCES)
            sources = [memory for memory in filed if memory.trusted and memory.scope != "task"]
            if len(sources) < MIN_SOURCES:
                continue
            summary = self._summarizer.write(node.path, sources)
            action = SummarizeTopic(
                what=RESUMMARIZED,
                detail=f"{node.path}, {summary.by}",
                topic=topic,
                text=summary.short,
                until=newest,
                sources=tuple(memory.key for memory in sources),
                fingerprint=source_fingerprint(sources),
            )
            yield Batch(cursor=f"{_SUMMARIZE} {topic}", actions=(action,))

    def _set_summary(self, action: SummarizeTopic) -> PhaseAction | None:
        """Store a topic's summary, unless one of its sources changed: it may be erased."""
        same = source_fingerprint(self._store.memories.get(action.sources)) == action.fingerprint
        if not same or self._store.topics.get(action.topic) is None:
            return None
        self._store.maintenance.set_topic_summary(action.topic, action.text, action.until)
        return action


def _candidate_pairs(nodes: Sequence[Topic]) -> Iterator[tuple[Topic, Topic]]:
    """Yield siblings with words that start alike; only such names can be duplicates."""
    groups: dict[tuple[int | None, str], list[Topic]] = {}
    for node in nodes:
        for prefix in {word[:4] for word in node.normalised.split()}:
            groups.setdefault((node.parent, prefix), []).append(node)
    yielded: set[tuple[int, int]] = set()
    for group in groups.values():
        for first, second in combinations(group, 2):
            if (first.key, second.key) not in yielded:
                yielded.add((first.key, second.key))
                yield first, second
