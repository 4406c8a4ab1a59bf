"""What an export holds beside its memories in force: brought after them, to what they became here.

Former versions, use, cited files, what hangs below what, tasks, other names, overviews. What stands
here already stays as it is. Not here: memories in force (merge.py).
"""

from __future__ import annotations

from aforesaid.domain.model.entity import USER
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.model.statement import clean_metadata
from aforesaid.domain.text.hashing import content_hash, keyed_hash
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeVar

    from aforesaid.domain.model.entity import Entity
    from aforesaid.domain.model.memory import Memory, Project
    from aforesaid.domain.model.task import Task
    from aforesaid.ports import Clock, Store

    One = TypeVar("One")

BATCH = 50


class DetailCounts(Value):
    """What came along; counts."""

    versions: int = 0  #: former ones
    uses: int = 0  #: memories that had been recalled
    anchors: int = 0
    details: int = 0  #: memories that hang below another
    summed_up: int = 0  #: memories that a summary stands for
    tasks: int = 0  #: with title, status, priority, due
    names: int = 0  #: further ones of entities and projects
    overviews: int = 0  #: of topics


class DetailMerger:
    """The way in for what belongs to memories that came from another store."""

    def __init__(
        self,
        store: Store,
        other: Store,
        clock: Clock,
        clean: Callable[[str], str],
        here: Callable[[str], Memory | None],
    ) -> None:
        """Look at both stores; made before the merge, so that it knows what was here.

        Args:
            store: where memories came.
            other: where they come from.
            clock: the present time.
            clean: takes from text what must never be stored.
            here: what a memory of the other store, by its id, became here, in force.
        """
        self._store = store
        self._other = other
        self._clock = clock
        self._clean = clean
        self._here = here
        self._began = clock.now()
        self._secret = store.meta("install_secret") or ""
        self._counts = dict.fromkeys(DetailCounts().as_dict(), 0)

    def merge(self, stored: Mapping[str, int]) -> DetailCounts:
        """Bring what belongs to memories that were stored now.

        Args:
            stored: id in the other store to key here, of what is new here.

        Raises:
            UnavailableError: the store cannot be written; what was done stays done.
        """
        for batch in _batches(stored.items()):
            with self._store.transaction():
                for memory_id, key in batch:
                    (theirs,), (mine,) = (
                        self._other.memories.find(memory_id),
                        self._store.memories.get([key]),
                    )
                    self._bring_use(theirs, mine)
                    self._bring_anchors(theirs, mine)
                    self._bring_versions(theirs, mine)
                    self._bring_place(theirs, mine)
        for owner, project in self._projects():
            own = GLOBAL_PROJECT if owner is None else owner.key
            self._bring_names(own, project)
            with self._store.transaction():
                if owner is not None:
                    self._bring_aliases(owner, project)
                self._bring_tasks(own, project)
                self._bring_overviews(own, project)
        return DetailCounts(**self._counts)

    def _projects(self) -> Iterator[tuple[Project | None, int]]:
        """Yield each project of the other store that is here, with its key here; global first."""
        yield None, GLOBAL_PROJECT
        for theirs in self._other.projects.list_all():
            mine = self._store.projects.by_key(theirs.identity)
            if mine is not None:
                yield theirs, mine.key

    # -- of one memory

    def _bring_use(self, theirs: Memory, mine: Memory) -> None:
        if theirs.access_count:
            self._store.memories.change(
                mine.key,
                access_count=theirs.access_count,
                last_accessed_at=theirs.last_accessed_at,
                last_reinforced_at=theirs.last_reinforced_at,
            )
            self._counts["uses"] += 1

    def _bring_anchors(self, theirs: Memory, mine: Memory) -> None:
        cited = self._other.anchors.of([theirs.key])
        if cited:
            self._store.anchors.replace(mine.key, [one.replace(memory=mine.key) for one in cited])
            self._counts["anchors"] += len(cited)

    def _bring_versions(self, theirs: Memory, mine: Memory) -> None:
        """Put the former versions behind what they became, the last one first."""
        chain = self._store.memories.chain(mine.key)
        known = {one.content for one in chain if one.key != mine.key}  # it replaced what was here
        keys = {theirs.key: mine.key}
        for former in reversed(self._other.memories.chain(theirs.key)):
            if former.key == theirs.key or former.forgotten_at is not None:
                continue
            following = keys.get(former.superseded_by or 0, mine.key)
            keys[former.key] = following  # of one that stays away, too
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

    def _bring_place(self, theirs: Memory, mine: Memory) -> None:
        """Hang it below the memory that it details, and behind the one that sums it up."""
        above = self._mapped_memory(theirs.parent)
        if above is not None and above.key != mine.key and above.project == mine.project:
            self._store.memories.change(mine.key, parent=above.key)
            self._store.topics.recompute(mine.key)
            self._counts["details"] += 1
        summary = self._mapped_memory(theirs.compacted_into)
        if summary is not None and summary.key != mine.key and summary.project == mine.project:
            self._store.memories.change(mine.key, compacted_into=summary.key)
            self._counts["summed_up"] += 1

    def _mapped_memory(self, key: int | None) -> Memory | None:
        """Return what a memory of the other store is here, in force."""
        found = [] if key is None else self._other.memories.get([key])
        heads = self._other.memories.get([one.head for one in found])
        return self._here(heads[0].id) if heads else None

    # -- of one project

    def _bring_aliases(self, theirs: Project, project: int) -> None:
        """Let what means the project there mean it here, where it means nothing yet."""
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

    def _bring_names(self, theirs: int, project: int) -> None:
        """Give entities the other names, and the type, that they have there."""
        visible = Visibility.of_project(project)
        for batch in _batches(self._other.entities.list_visible(Visibility(projects=(theirs,)))):
            named = self._store.entities.named([one.normalised for one in batch], visible)
            with self._store.transaction():
                for entity in batch:
                    mine = named.get(entity.normalised)
                    # whom the other store calls the user need not be this one
                    if mine is not None and entity.normalised != USER:
                        self._bring_name(entity, mine, visible)

    def _bring_name(self, theirs: Entity, mine: Entity, visible: Visibility) -> None:
        if theirs.entity_type and not mine.entity_type:
            self._store.entities.change(mine.key, entity_type=self._clean(theirs.entity_type))
        for normalised, name in self._other.entities.aliases(theirs.key).items():
            if not self._store.entities.named([normalised], visible):
                self._store.entities.add_alias(mine.key, normalised, self._clean(name))
                self._counts["names"] += 1

    def _bring_tasks(self, theirs: int, project: int) -> None:
        """Say of tasks that are new here what was said of them there."""
        if project == GLOBAL_PROJECT:
            return
        mine = {one.task_id: one for one in self._store.tasks.find([project])}
        for task in self._other.tasks.find([theirs]):
            known = mine.get(task.task_id)
            if known is None or known.created_at < self._began:
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

    def _bring_overviews(self, theirs: int, project: int) -> None:
        mine = {one.path: one for one in self._store.topics.of_projects([project])}
        for topic in self._other.topics.of_projects([theirs]):
            known, overview = mine.get(topic.path), self._mapped_memory(topic.overview)
            if known is None or known.overview is not None or overview is None:
                continue
            if overview.project == project:
                self._store.topics.change(known.key, overview=overview.key)
                self._counts["overviews"] += 1


def _former(former: Memory, mine: Memory, text: str, clean: Callable[[str], str]) -> Memory:
    """Return a former version as it is stored here: its own words and times, its head's place."""
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


def _batches(items: Iterable[One]) -> Iterator[list[One]]:
    listed = list(items)
    for start in range(0, len(listed), BATCH):
        yield listed[start : start + BATCH]
