"""Merging the details of another store's memories, after the memories themselves (merge.py).

Here, details are former versions, usage, anchors, parents, summaries, tasks, aliases and overviews.
Existing data is never overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from aforesaid.domain.model.entity import USER, Entity
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, Project, Visibility
from aforesaid.domain.model.statement import clean_metadata
from aforesaid.domain.model.task import Task
from aforesaid.domain.text.hashing import content_hash, keyed_hash
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store

T = TypeVar("T")

BATCH = 50


class DetailCounts(Value):
    """The result of a merge: what came along with the memories."""

    versions: int = 0  #: former versions
    uses: int = 0  #: memories that had been recalled
    anchors: int = 0
    details: int = 0  #: details in the topic tree: memories with a parent
    summed_up: int = 0  #: memories with a summary
    tasks: int = 0  #: with title, status, priority, due date
    names: int = 0  #: aliases of entities and projects
    overviews: int = 0  #: of topics


class DetailMerger:
    """Merges the details of memories that came from another store."""

    def __init__(
        self,
        store: Store,
        other: Store,
        clock: Clock,
        clean: Callable[[str], str],
        local_memory: Callable[[str], Memory | None],
    ) -> None:
        """Set up the merger, before the merge of memories starts.

        Args:
            store: The store to merge into.
            other: The store to merge from.
            clock: The current time.
            clean: Removes secrets from a text.
            local_memory: Returns the memory in force here for an id of the other store.
        """
        self._store = store
        self._other = other
        self._clock = clock
        self._clean = clean
        self._local_memory = local_memory
        self._started_at = clock.now()
        self._secret = store.meta("install_secret") or ""
        self._counts = dict.fromkeys(DetailCounts().as_dict(), 0)

    def merge(self, stored: Mapping[str, int]) -> DetailCounts:
        """Copy the details of newly stored memories, and of all projects that exist in both stores.

        Args:
            stored: Keys of the new memories here, by their id in the other store.

        Raises:
            UnavailableError: The store cannot be written; finished batches stay stored.
        """
        for batch in _batches(stored.items()):
            with self._store.transaction():
                for memory_id, key in batch:
                    (theirs,), (mine,) = (
                        self._other.memories.find(memory_id),
                        self._store.memories.get([key]),
                    )
                    self._copy_usage(theirs, mine)
                    self._copy_anchors(theirs, mine)
                    self._copy_versions(theirs, mine)
                    self._copy_parent_and_summary(theirs, mine)
        for their_project, project in self._projects():
            theirs_key = GLOBAL_PROJECT if their_project is None else their_project.key
            self._copy_entities(theirs_key, project)
            with self._store.transaction():
                if their_project is not None:
                    self._copy_project(their_project, project)
                self._copy_tasks(theirs_key, project)
                self._copy_overviews(theirs_key, project)
        return DetailCounts(**self._counts)

    def _projects(self) -> Iterator[tuple[Project | None, int]]:
        """Yield the other store's projects that exist here, with their keys here; global first."""
        yield None, GLOBAL_PROJECT
        for theirs in self._other.projects.list_all():
            mine = self._store.projects.by_key(theirs.identity)
            if mine is not None:
                yield theirs, mine.key

    # -- of one memory

    def _copy_usage(self, theirs: Memory, mine: Memory) -> None:
        if theirs.access_count:
            self._store.memories.change(
                mine.key,
                access_count=theirs.access_count,
                last_accessed_at=theirs.last_accessed_at,
                last_reinforced_at=theirs.last_reinforced_at,
            )
            self._counts["uses"] += 1

    def _copy_anchors(self, theirs: Memory, mine: Memory) -> None:
        anchors = self._other.anchors.of([theirs.key])
        if anchors:
            own = [anchor.replace(memory=mine.key) for anchor in anchors]
            self._store.anchors.replace(mine.key, own)
            self._counts["anchors"] += len(own)

    def _copy_versions(self, theirs: Memory, mine: Memory) -> None:
        """Copy the former versions, latest first."""
        chain = self._store.memories.chain(mine.key)
        known = {version.content for version in chain if version.key != mine.key}
        keys = {theirs.key: mine.key}
        for former in reversed(self._other.memories.chain(theirs.key)):
            if former.key == theirs.key or former.forgotten_at is not None:
                continue
            following = keys.get(former.superseded_by or 0, mine.key)
            keys[former.key] = following  # for earlier versions, should this one be skipped
            text = self._clean(former.content)
            if (
                text in known
                or not text.strip()
                or self._store.memories.find(former.id)
                or self._store.memories.is_erased(keyed_hash(text, self._secret))
            ):
                continue
            now = self._clock.now()
            added = self._store.memories.add(_former(former, mine, text, self._clean))
            self._store.memories.supersede(added.key, following, former.superseded_at or now)
            self._store.memories.record("import", added.key, now)
            keys[former.key] = added.key
            self._counts["versions"] += 1

    def _copy_parent_and_summary(self, theirs: Memory, mine: Memory) -> None:
        parent = self._mapped_memory(theirs.parent)
        if parent is not None and parent.key != mine.key and parent.project == mine.project:
            self._store.memories.change(mine.key, parent=parent.key)
            self._store.topics.recompute(mine.key)
            self._counts["details"] += 1
        summary = self._mapped_memory(theirs.compacted_into)
        if summary is not None and summary.key != mine.key and summary.project == mine.project:
            self._store.memories.change(mine.key, compacted_into=summary.key)
            self._counts["summed_up"] += 1

    def _mapped_memory(self, key: int | None) -> Memory | None:
        """Return the memory in force here that corresponds to a key of the other store."""
        memories = [] if key is None else self._other.memories.get([key])
        heads = self._other.memories.get([memory.head for memory in memories])
        return self._local_memory(heads[0].id) if heads else None

    # -- of one project

    def _copy_project(self, theirs: Project, project: int) -> None:
        """Copy a project's keys that are unknown here, its commits, and a missing description."""
        for identity in self._other.projects.aliases(theirs.key):
            if self._store.projects.by_key(identity) is None:
                self._store.projects.add_alias(project, identity)
                self._counts["names"] += 1
        commits = self._other.projects.commits(theirs.key)
        self._store.projects.add_commits(project, commits, self._clock.now())
        mine = self._store.projects.get(project)
        if mine is not None and theirs.description and not mine.description:
            self._store.projects.change(
                project,
                description=self._clean(theirs.description),
                keywords=tuple(map(self._clean, theirs.keywords)),
            )

    def _copy_entities(self, theirs: int, project: int) -> None:
        """Copy the aliases, and missing types, of entities that exist here."""
        visible = Visibility.of_project(project)
        for batch in _batches(self._other.entities.list_visible(Visibility(projects=(theirs,)))):
            names = [entity.normalised for entity in batch]
            by_name = self._store.entities.named(names, visible)
            with self._store.transaction():
                for entity in batch:
                    mine = by_name.get(entity.normalised)
                    # the other store may be another user's
                    if mine is not None and entity.normalised != USER:
                        self._copy_entity(entity, mine, visible)

    def _copy_entity(self, theirs: Entity, mine: Entity, visible: Visibility) -> None:
        if theirs.entity_type and not mine.entity_type:
            self._store.entities.change(mine.key, entity_type=self._clean(theirs.entity_type))
        for normalised, name in self._other.entities.aliases(theirs.key).items():
            if not self._store.entities.named([normalised], visible):
                self._store.entities.add_alias(mine.key, normalised, self._clean(name))
                self._counts["names"] += 1

    def _copy_tasks(self, theirs: int, project: int) -> None:
        """Copy the fields of tasks that the merge created."""
        if project == GLOBAL_PROJECT:
            return
        mine = {task.task_id: task for task in self._store.tasks.find([project])}
        for task in self._other.tasks.find([theirs]):
            known = mine.get(task.task_id)
            if known is None or known.created_at < self._started_at:
                continue
            self._store.tasks.put(self._task(task, known))
            self._counts["tasks"] += 1

    def _task(self, theirs: Task, mine: Task) -> Task:
        objective = self._mapped_memory(theirs.objective)
        return mine.replace(
            title=self._clean(theirs.title),
            status=theirs.status,
            priority=theirs.priority,
            due=theirs.due,
            objective=mine.objective if objective is None else objective.key,
            created_at=theirs.created_at,
            updated_at=theirs.updated_at,
        )

    def _copy_overviews(self, theirs: int, project: int) -> None:
        mine = {topic.path: topic for topic in self._store.topics.of_projects([project])}
        for topic in self._other.topics.of_projects([theirs]):
            known, overview = mine.get(topic.path), self._mapped_memory(topic.overview)
            if known is None or known.overview is not None or overview is None:
                continue
            if overview.project == project:
                self._store.topics.change(known.key, overview=overview.key)
                self._counts["overviews"] += 1


def _former(former: Memory, mine: Memory, text: str, clean: Callable[[str], str]) -> Memory:
    """Return a former version to be stored here, with the project, task and topic of its head."""
    return mine.replace(
        key=0,
        head=0,
        id=former.id,
        type=former.type,
        content=text,
        summary=None if former.summary is None else clean(former.summary),
        parent=None,
        depth=2,
        importance=former.importance,
        confidence=former.confidence,
        access_count=former.access_count,
        last_accessed_at=former.last_accessed_at,
        last_reinforced_at=former.last_reinforced_at,
        pinned=False,
        superseded_by=None,
        superseded_at=None,
        compacted_into=None,
        archived_at=None,
        valid_from=former.valid_from,
        valid_to=former.valid_to,
        event_at=former.event_at,
        created_at=former.created_at,
        updated_at=former.updated_at,
        provenance=former.provenance,
        session=None,
        metadata=clean_metadata(former.metadata, clean),
        tags=tuple(map(clean, former.tags)),
        content_hash=content_hash(text),
    )


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    everything = list(items)
    for start in range(0, len(everything), BATCH):
        yield everything[start : start + BATCH]
