"""The topic tree: nodes found or made, memories filed and moved, nodes renamed and merged.

Everything here runs inside the caller's transaction unless it says otherwise. What is shown of the
tree is in explore.py.
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
    agree,
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
    """Where a memory goes in the tree, and what its author should know about it."""

    topic: int | None = None
    path: str = ""  #: of that node
    parent: int | None = None  #: the memory that this one is a detail of
    depth: int = FACT
    overview: bool = False  #: it tells what its node is about
    note: str = ""


class TopicService:
    """The tree of one store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    # -- nodes

    def find_or_make(self, path: str, project: int) -> tuple[Topic, str]:
        """Return the node that a path names, made if new, and a note where it is not as asked.

        Case, plural, separators and typing errors lead to the node that is there.

        Raises:
            InvalidInputError: the path names nothing, or a name is too long.
        """
        names, cut = read_path(path)
        node: Topic | None = None
        known = self._store.topics.of_projects([project])
        for name in names:
            parent = None if node is None else node.key
            siblings = [one for one in known if one.parent == parent]
            found = match_name(name, siblings)
            node = found or self._make(name, project, parent)
        assert node is not None
        asked = "/".join(names)
        notes = []
        if node.path != asked:
            notes.append(f"{asked} is {node.path} here")
        if cut:
            notes.append("topics have two levels; what is deeper is a detail: parent_id")
        if len(names) == 1:
            wanted = normalise_name(names[0])
            twins = [one.path for one in known if one.parent and one.normalised == wanted]
            notes += [f"there is also {twin}" for twin in twins[:1]]
        return node, "; ".join(notes)

    def _make(self, name: str, project: int, parent: int | None) -> Topic:
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

    def rename_topic(self, key: int, name: str) -> Topic:
        """Give a node another name; opens a transaction.

        Raises:
            InvalidInputError: it is no name.
            ConflictError: a sibling has it; the message says to merge.
        """
        with self._store.transaction():
            topic = self._topic(key)
            names, _ = read_path(name)
            if len(names) != 1:
                raise InvalidInputError(f"{name!r} is a path: a topic is renamed by a name")
            siblings = [
                one
                for one in self._store.topics.of_projects([topic.project])
                if one.parent == topic.parent and one.key != key
            ]
            taken = match_name(names[0], siblings)
            if taken is not None:
                raise ConflictError(f"{taken.path} is there already: merge {topic.path} into it")
            now = self._clock.now()
            self._store.topics.change(
                key, name=names[0], normalised=normalise_name(names[0]), updated_at=now
            )
            self._store.memories.record("update", None, now, topic=key, changed=["name"])
            return self._topic(key)

    def merge_topics(self, source: int, target: int) -> int:
        """Give all that a node holds to another of its project and remove it; in a transaction.

        A topic's concepts go with it: under a topic they stay concepts (twins become one), under a
        concept their memories go to that concept.

        Returns:
            How many memories moved.

        Raises:
            ConflictError: the two are one, in two projects, or one lies in the other.
        """
        with self._store.transaction():
            gone, kept = self._topic(source), self._topic(target)
            if gone.key == kept.key:
                raise ConflictError(f"{gone.path} cannot be merged with itself")
            if gone.project != kept.project:
                raise ConflictError(f"{gone.path} and {kept.path} belong to two projects")
            if kept.parent == gone.key:
                raise ConflictError(f"{kept.path} lies in {gone.path}: merge the other way round")
            now = self._clock.now()
            moved = 0
            known = self._store.topics.of_projects([kept.project])
            theirs = [one for one in known if one.parent == kept.key and one.key != gone.key]
            for concept in [one for one in known if one.parent == gone.key]:
                twin = kept if kept.parent is not None else match_name(concept.name, theirs)
                if twin is None:
                    self._store.topics.change(concept.key, parent=kept.key, updated_at=now)
                else:
                    moved += self._store.topics.replace(concept.key, twin.key)
            moved += self._store.topics.replace(gone.key, kept.key)
            self._store.topics.change(kept.key, updated_at=now)
            self._store.memories.record(
                "merge", None, now, topic=gone.key, into=kept.key, moved=moved
            )
            return moved

    def _topic(self, key: int) -> Topic:
        topic = self._store.topics.get(key)
        if topic is None:
            raise ConflictError(f"topic {key} is gone: list the topics again")
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
        """Return where a new memory goes.

        Below its parent, else where it says, else where stood what it replaces, else where its
        neighbours stand; nowhere if they do not agree.

        Args:
            statement: what is stored.
            project: where it is stored; topics belong to it.
            parent: the memory that ``statement.parent`` names.
            replaced: what it supersedes.
            windows: its vectors; none leaves a memory without a topic unfiled.
            model: that made them.

        Raises:
            InvalidInputError: depth, parent and topic contradict each other.
        """
        check_depth(statement, parent)
        if parent is not None and parent.key not in {one.key for one in replaced}:
            return self._below(parent, statement, project)
        if statement.topic:
            return self._named(statement, project)
        for old in replaced:
            if old.project == project and (old.topic is not None or old.parent is not None):
                return self._filing(old.topic, parent=old.parent, depth=old.depth)
        return self._by_neighbours(project, windows, model)

    def parent_of(self, statement: Statement, visible: Visibility) -> Memory | None:
        """Return the version in force of the memory that a statement is a detail of, if it is.

        Raises:
            NotFoundError: nothing visible has that id.
            ConflictError: it was forgotten, or replaced in another project.
        """
        if statement.parent is None:
            return None
        return locate_head(self._store, statement.parent, visible)

    def _below(self, parent: Memory, statement: Statement, project: int) -> TopicAssignment:
        topic = parent.topic if parent.project == project else None
        note = ""
        if statement.topic:
            note = "a detail has the topic of its parent"
        return self._filing(topic, parent=parent.key, depth=parent.depth + 1, note=note)

    def _named(self, statement: Statement, project: int) -> TopicAssignment:
        path = statement.topic or ""
        depth = statement.depth
        if depth == TOPIC:
            path = read_path(path)[0][0]
        elif depth == CONCEPT and len(read_path(path)[0]) == 1:
            raise InvalidInputError(
                f"depth 1 is the overview of a concept, and {path!r} names a topic: "
                f'topic="{path}/NAME", or depth 0'
            )
        node, note = self.find_or_make(path, project)
        return self._filing(node.key, note=note, overview=depth in (TOPIC, CONCEPT))

    def _by_neighbours(
        self, project: int, windows: Sequence[bytes], model: str | None
    ) -> TopicAssignment:
        """Return the node that the nearest memories of the project agree on, if they do."""
        if not windows:
            return TopicAssignment()
        topics = {one.key: one for one in self._store.topics.of_projects([project])}
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
        chosen = agree(near)
        if chosen is None:
            return TopicAssignment()
        path = topics[chosen].path
        return self._filing(chosen, note=f"filed under {path} like its neighbours")

    def _filing(
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
        """Return where a memory that was said again stands now: moved only where that was asked.

        One without a topic takes the one that is given; an overview goes to its node.
        """
        overview = statement.depth in (TOPIC, CONCEPT)
        if not statement.topic or statement.parent is not None:
            return self._filing(memory.topic, parent=memory.parent, depth=memory.depth)
        if memory.topic is not None and not overview:
            here = self._filing(memory.topic, parent=memory.parent, depth=memory.depth)
            names, _ = read_path(statement.topic)
            asked = normalise_name(" ".join(names))
            if is_same_name(normalise_name(here.path), asked):
                return here
            return here.replace(
                note=f'it stays under {here.path}; update_memory(id, topic="…") moves it'
            )
        check_depth(statement, None)
        filing = self._named(statement, memory.project)
        self._put(memory, filing.topic)
        return filing

    def tell(self, filing: TopicAssignment, key: int) -> None:
        """Make a memory the overview of its node, where it was filed as that."""
        if filing.overview and filing.topic is not None:
            self._store.topics.change(filing.topic, overview=key, updated_at=self._clock.now())

    # -- moving

    def move(self, memory: Memory, path: str) -> TopicAssignment:
        """File a memory, with all its details, under another topic; an empty path unfiles it.

        A detail leaves its parent and becomes a fact.
        """
        if path.strip():
            node, note = self.find_or_make(path, memory.project)
            self._put(memory, node.key)
            filing = self._filing(node.key, note=note)
        else:
            self._put(memory, None)
            filing = TopicAssignment()
        self._store.topics.remove_unused()
        return filing

    def move_to_project(self, key: int) -> None:
        """File a memory that changed its project under the same path there."""
        (memory,) = self._store.memories.get([key])
        topic = None if memory.topic is None else self._store.topics.get(memory.topic)
        if topic is None or topic.project == memory.project:
            return
        node, _note = self.find_or_make(topic.path, memory.project)
        self._put(memory, node.key, keep_parent=True)
        self._store.topics.remove_unused()

    def _put(self, memory: Memory, topic: int | None, *, keep_parent: bool = False) -> None:
        parent = memory.parent if keep_parent else None
        self._store.memories.change(memory.key, topic=topic, parent=parent)
        self._store.topics.recompute(memory.key)

    def path(self, key: int | None) -> str:
        """Return the path of a node; empty for none."""
        topic = None if key is None else self._store.topics.get(key)
        return "" if topic is None else topic.path


def check_depth(statement: Statement, parent: Memory | None) -> None:
    """Refuse a depth that contradicts the parent or the topic.

    Raises:
        InvalidInputError: it does; the message says which fits.
    """
    depth = statement.depth
    if parent is not None and parent.depth >= MAX_DEPTH:
        raise InvalidInputError(
            f"{statement.parent} is at depth {parent.depth}, the deepest there is: store this as "
            "a fact of a concept (topic)"
        )
    if depth is None:
        return
    if parent is not None:
        if depth != parent.depth + 1:
            raise InvalidInputError(
                f"depth {depth} below a memory of depth {parent.depth}: leave depth out"
            )
    elif depth in (TOPIC, CONCEPT):
        if not statement.topic:
            raise InvalidInputError(
                f"depth {depth} is the overview of a topic or concept: name it in topic"
            )
    elif depth != FACT:
        raise InvalidInputError(
            f"depth {depth} is a detail of a memory: name that in parent_id"
            if depth > FACT
            else f"depth {depth}: use 0 topic, 1 concept, 2 fact, more with parent_id"
        )
