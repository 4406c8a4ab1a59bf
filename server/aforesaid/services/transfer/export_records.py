"""Reading memories in force as export records, with names in place of keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aforesaid.domain.model.export_record import Record
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Memory, Visibility
from aforesaid.domain.text.invisible import remove_invisible, remove_invisible_in
from aforesaid.ports import Store

_PAGE = 200


def read_records(store: Store, project: int) -> Iterator[Record]:
    """Yield the memories in force of one project as records, oldest first.

    Args:
        store: The store.
        project: The key of the project; 0 for global memories.
    """
    names = _NameResolver(store, project)
    for page in _pages(store, project):
        yield from names.records(page)


def read_by_topic(store: Store, project: int) -> Iterator[tuple[str, Record]]:
    """Yield the memories in force of one project with their topics, ordered by topic.

    Unfiled ones come last, ordered by type. Only keys are kept in memory, not texts.
    """
    names = _NameResolver(store, project)
    keys: dict[tuple[bool, str], list[int]] = {}
    for page in _pages(store, project):
        for memory in page:
            topic = names.topics.get(memory.topic or 0)
            keys.setdefault((topic is None, topic or memory.type), []).append(memory.key)
    for (_unfiled, heading), filed in sorted(keys.items()):
        for start in range(0, len(filed), _PAGE):
            for record in names.records(store.memories.get(filed[start : start + _PAGE])):
                yield heading, record


def _pages(store: Store, project: int) -> Iterator[list[Memory]]:
    after = 0
    while page := store.memories.in_force_after(project, after, _PAGE):
        yield page
        after = page[-1].key


class _NameResolver:
    """Resolves the keys in one project's memories to names."""

    def __init__(self, store: Store, project: int) -> None:
        self._store = store
        self._owner = store.projects.get(project) if project != GLOBAL_PROJECT else None
        self._visible = Visibility(projects=tuple(dict.fromkeys((GLOBAL_PROJECT, project))))
        self.topics = {
            topic.key: remove_invisible(topic.path) for topic in store.topics.of_projects([project])
        }

    def records(self, page: Sequence[Memory]) -> Iterator[Record]:
        store, owner = self._store, self._owner
        heads = [memory.key for memory in page]
        links = [
            link for link in store.relations.of(heads, self._visible) if link.direction == "out"
        ]
        targets = store.memories.get(sorted({link.other for link in links}))
        ids = {target.key: target.id for target in targets}
        task_keys = [memory.task for memory in page if memory.task]
        tasks = {task.key: task.task_id for task in store.tasks.get(task_keys)}
        for memory in page:
            entity = None if memory.entity is None else store.entities.get(memory.entity)
            record = Record(
                id=memory.id,
                content=memory.content,
                type=memory.type,
                scope=memory.scope,
                project=None if owner is None else owner.name,
                project_key=None if owner is None else owner.identity,
                task_id=None if memory.task is None else tasks.get(memory.task),
                topic=None if memory.topic is None else self.topics.get(memory.topic),
                entity=None if entity is None else entity.name,
                summary=memory.summary,
                tags=memory.tags,
                importance=memory.importance,
                confidence=memory.confidence,
                pinned=memory.pinned,
                provenance=memory.provenance,
                metadata=memory.metadata,
                valid_from=memory.valid_from,
                valid_to=memory.valid_to,
                event_at=memory.event_at,
                archived_at=memory.archived_at,
                created_at=memory.created_at,
                updated_at=memory.updated_at,
                links=tuple(
                    (link.kind, ids[link.other])
                    for link in links
                    if link.head == memory.key and link.other in ids
                ),
            )
            yield remove_invisible_in(record)
