"""Writing to the topic tree: find or create nodes, file and move memories, rename and merge nodes.

Methods run inside the caller's transaction unless they say otherwise. Not here: reading the tree
for display (topic_tree.py, explore.py).
"""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.topic import (
    CONCEPT,
    FACT,
    FILING_NEIGHBOURS,
    MAX_DEPTH,
    TOPIC,
    Topic,
    agreed_topic,
    is_same_name,
    match_name,
    normalise_name,
    read_path,
)
from aforesaid.domain.value import Value
from aforesaid.services.resolve_id import locate_head

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import Clock, Store


class TopicAssignment(Value):
    """Where a memory is filed in the tree, with a note for its author."""

    topic: int | None = None
    path: str = ""  #: of that topic
    parent: int | None = None  #: key of the memory that this one is a detail of
    depth: int = FACT
    overview: bool = False  #: the memory becomes the overview of the topic
    note: str = ""


class TopicService:
    """The topic tree of one store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    # -- nodes

    def find_or_create(self, path: str, project: int) -> tuple[Topic, str]:
        """Return the node at a path, created if new, with a note where it differs from the path.

        Differences in case, number, separators and small typing errors match an existing node.

        Raises:
            InvalidInputError: The path is empty, or a name is too long.
        """
        names, cut = read_path(path)
        node: Topic | None = None
        topics = self._store.topics.of_projects([project])
        for name in names:
            parent = None if node is None else node.key
            siblings = [topic for topic in topics if topic.parent == parent]
            node = match_name(name, siblings) or self._create(name, project, parent)
        assert node is not None
        requested = "/".join(names)
        notes = []
        if node.path != requested:
            notes.append(f"{requested} matches the existing topic {node.path}")
        if cut:
            notes.append(
                f"topics have two levels: left out {cut!r}; to file a detail below a memory, give "
                "that memory's id as its parent"
            )
        if len(names) == 1:
            normalised = normalise_name(names[0])
            same_names = [
                topic.path for topic in topics if topic.parent and topic.normalised == normalised
            ]
            notes += [f"{other} also exists" for other in same_names[:1]]
        return node, "; ".join(notes)

    def _create(self, name: str, project: int, parent: int | None) -> Topic:
        now = self._clock.now()
        return self._store.topics.add(
            Topic(
                project=project,
                parent=parent,
                name=name,
                normalised=normalise_name(name),
                created_at=now,
                updated_at=now,
            )
        )

    def merge_topics(self, source: int, target: int) -> int:
        """Move everything in one node to another of its project, and delete it; in a transaction.

        If the target is a topic, the source's concepts become its concepts (duplicates merge). If
        it is a concept, their memories move to it.

        Returns:
            How many memories moved.

        Raises:
            ConflictError: The nodes are the same or in two projects, or the source contains the
                target.
        """
        with self._store.transaction():
            old, new = self._topic(source), self._topic(target)
            if old.key == new.key:
                raise ConflictError(f"{old.path} cannot be merged with itself")
            if old.project != new.project:
                raise ConflictError(f"{old.path} and {new.path} belong to different projects")
            if new.parent == old.key:
                raise ConflictError(f"{new.path} is inside {old.path}: merge the other way round")
            now = self._clock.now()
            moved = 0
            topics = self._store.topics.of_projects([new.project])
            concepts = [
                topic for topic in topics if topic.parent == new.key and topic.key != old.key
            ]
            for concept in [topic for topic in topics if topic.parent == old.key]:
                same_name = new if new.parent is not None else match_name(concept.name, concepts)
                if same_name is None:
                    self._store.topics.change(concept.key, parent=new.key, updated_at=now)
                else:
                    moved += self._store.topics.replace(concept.key, same_name.key)
            moved += self._store.topics.replace(old.key, new.key)
            self._store.topics.change(new.key, updated_at=now)
            self._store.memories.record(
                "merge", None, now, topic=old.key, into=new.key, moved=moved
            )
            return moved

    def _topic(self, key: int) -> Topic:
        topic = self._store.topics.get(key)
        if topic is None:
            raise ConflictError(f"topic {key} no longer exists: list the topics again")
        return topic

    # -- filing

    def assign_topic(
        self,
        statement: Statement,
        project: int,
        *,
        parent: Memory | None,
        replaced: Sequence[Memory] = (),
        windows: Sequence[bytes] = (),
        model: str | None = None,
    ) -> TopicAssignment:
        """Return where to file a new memory.

        The first that applies: below its parent, under the topic it names, where a memory that it
        replaces was, where its neighbours are (if they agree); else unfiled.

        Args:
            statement: The new memory.
            project: The project it is stored in; topics belong to a project.
            parent: The memory that ``statement.parent`` names.
            replaced: The memories that it supersedes.
            windows: Its vectors; without any, neighbours are not searched.
            model: The model of these vectors.

        Raises:
            InvalidInputError: Depth, parent and topic contradict each other.
        """
        check_depth(statement, parent)
        if parent is not None and parent.key not in {memory.key for memory in replaced}:
            return self._assign_below(parent, statement, project)
        if statement.topic:
            return self._assign_named(statement, project)
        for old in replaced:
            if old.project == project and (old.topic is not None or old.parent is not None):
                return self._assignment(old.topic, parent=old.parent, depth=old.depth)
        return self._assign_by_neighbours(project, windows, model)

    def parent_of(self, statement: Statement, visible: Visibility) -> Memory | None:
        """Return the current version of the memory that a statement is a detail of, if any.

        Raises:
            NotFoundError: No visible memory has that id.
            ConflictError: It was forgotten, or superseded in another project.
        """
        if statement.parent is None:
            return None
        return locate_head(self._store, statement.parent, visible)

    def _assign_below(self, parent: Memory, statement: Statement, project: int) -> TopicAssignment:
        topic = parent.topic if parent.project == project else None
        note = "topic ignored: a detail has the topic of its parent" if statement.topic else ""
        return self._assignment(topic, parent=parent.key, depth=parent.depth + 1, note=note)

    def _assign_named(self, statement: Statement, project: int) -> TopicAssignment:
        path = statement.topic or ""
        depth = statement.depth
        if depth == TOPIC:
            path = read_path(path)[0][0]
        elif depth == CONCEPT and len(read_path(path)[0]) == 1:
            raise InvalidInputError(
                f"depth 1 is the overview of a concept, but {path!r} names a topic: use "
                f'topic="{path}/NAME", or depth 0'
            )
        node, note = self.find_or_create(path, project)
        return self._assignment(node.key, note=note, overview=depth in (TOPIC, CONCEPT))

    def _assign_by_neighbours(
        self, project: int, windows: Sequence[bytes], model: str | None
    ) -> TopicAssignment:
        """Return the topic that the nearest memories of the project agree on, if they do."""
        if not windows:
            return TopicAssignment()
        topics = {topic.key: topic for topic in self._store.topics.of_projects([project])}
        if not topics:
            return TopicAssignment()
        hits = self._store.search.by_vector(
            windows[0], Visibility(projects=(project,)), Filters(), FILING_NEIGHBOURS, model
        )
        best: dict[int, float] = {}
        for hit in hits:
            best.setdefault(hit.head, hit.score)
        near = [
            (topics.get(memory.topic or 0), best[memory.key])
            for memory in self._store.memories.get(list(best))
        ]
        chosen = agreed_topic(near)
        if chosen is None:
            return TopicAssignment()
        path = topics[chosen].path
        return self._assignment(chosen, note=f"filed under {path}, like similar memories")

    def _assignment(
        self,
        topic: int | None,
        *,
        parent: int | None = None,
        depth: int = FACT,
        overview: bool = False,
        note: str = "",
    ) -> TopicAssignment:
        node = None if topic is None else self._store.topics.get(topic)
        return TopicAssignment(
            topic=None if node is None else node.key,
            path="" if node is None else node.path,
            parent=parent,
            depth=depth,
            overview=overview,
            note=note,
        )

    def reassign_topic(self, memory: Memory, statement: Statement) -> TopicAssignment:
        """Return where a memory that was stored again is filed, and move it if necessary.

        An unfiled memory moves to the topic of the statement, and so does an overview.
        """
        overview = statement.depth in (TOPIC, CONCEPT)
        if not statement.topic or statement.parent is not None:
            return self._assignment(memory.topic, parent=memory.parent, depth=memory.depth)
        if memory.topic is not None and not overview:
            current = self._assignment(memory.topic, parent=memory.parent, depth=memory.depth)
            names, _ = read_path(statement.topic)
            requested = normalise_name(" ".join(names))
            if is_same_name(normalise_name(current.path), requested):
                return current
            return current.replace(
                note=f'it stays under {current.path}; update_memory(id, topic="…") moves it'
            )
        check_depth(statement, None)
        assignment = self._assign_named(statement, memory.project)
        self._put(memory, assignment.topic)
        return assignment

    def set_overview(self, assignment: TopicAssignment, key: int) -> None:
        """Make a memory the overview of its topic, if it was assigned as one."""
        if assignment.overview and assignment.topic is not None:
            self._store.topics.change(assignment.topic, overview=key, updated_at=self._clock.now())

    # -- moving

    def move(self, memory: Memory, path: str) -> TopicAssignment:
        """Move a memory and its details to another topic; an empty path unfiles it.

        A detail becomes a fact: it leaves its parent.
        """
        if path.strip():
            node, note = self.find_or_create(path, memory.project)
            self._put(memory, node.key)
            assignment = self._assignment(node.key, note=note)
        else:
            self._put(memory, None)
            assignment = TopicAssignment()
        self._store.topics.remove_unused()
        return assignment

    def move_to_project(self, key: int) -> None:
        """File a memory that changed its project under the same path in its new project."""
        (memory,) = self._store.memories.get([key])
        topic = None if memory.topic is None else self._store.topics.get(memory.topic)
        if topic is None or topic.project == memory.project:
            return
        node, _note = self.find_or_create(topic.path, memory.project)
        self._put(memory, node.key, keep_parent=True)
        self._store.topics.remove_unused()

    def _put(self, memory: Memory, topic: int | None, *, keep_parent: bool = False) -> None:
        parent = memory.parent if keep_parent else None
        self._store.memories.change(memory.key, topic=topic, parent=parent)
        self._store.topics.recompute(memory.key)


def check_depth(statement: Statement, parent: Memory | None) -> None:
    """Refuse a depth that contradicts the parent or the topic.

    Raises:
        InvalidInputError: The depth is wrong; the message says which one to use.
    """
    depth = statement.depth
    if parent is not None and parent.depth >= MAX_DEPTH:
        raise InvalidInputError(
            f"{statement.parent} is at the maximum depth, {parent.depth}: store this as a fact "
            "of a concept (topic)"
        )
    if depth is None:
        return
    if parent is not None:
        if depth != parent.depth + 1:
            raise InvalidInputError(
                f"a detail of {statement.parent} has depth {parent.depth + 1}, not {depth}: "
                "omit depth"
            )
    elif depth in (TOPIC, CONCEPT):
        if not statement.topic:
            raise InvalidInputError(
                f"depth {depth} is the overview of a topic or concept: set topic"
            )
    elif depth != FACT:
        raise InvalidInputError(
            f"depth {depth} is a detail of a memory: set parent_id"
            if depth > FACT
            else f"invalid depth {depth}: use 0 (topic), 1 (concept), 2 (fact), or more with "
            "parent_id"
        )
