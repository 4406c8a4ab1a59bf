"""Every memory in force as a record, with names for keys: what readable exports and merges take."""

from __future__ import annotations

from aforesaid.domain.model.export_record import Record
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.domain.text.invisible import remove_invisible, remove_invisible_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.ports import Store

_PAGE = 200


def read_records(store: Store, project: int) -> Iterator[Record]:
    """Yield what is in force in one project, oldest first, a page at a time.

    Args:
        store: where it is.
        project: its key; 0 for what is global.
    """
    names = _Names(store, project)
    for page in _pages(store, project):
        yield from names.records(page)


def read_by_topic(store: Store, project: int) -> Iterator[tuple[str, Record]]:
    """Yield what is in force in one project with the topic it stands under, topic by topic.

    What is filed nowhere comes last, by type. Only keys are held for all of it.
    """
    names = _Names(store, project)
    keys: dict[tuple[bool, str], list[int]] = {}
    for page in _pages(store, project):
        for memory in page:
            topic = names.topics.get(memory.topic or 0)
            keys.setdefault((topic is None, topic or memory.type), []).append(memory.key)
    for (_unfiled, heading), found in sorted(keys.items()):
        for start in range(0, len(found), _PAGE):
            for record in names.records(store.memories.get(found[start : start + _PAGE])):
                yield heading, record


def _pages(store: Store, project: int) -> Iterator[list[Memory]]:
    after = 0
    while page := store.memories.in_force_after(project, after, _PAGE):
        yield page
        after = page[-1].key


class _Names:
    """What keys of one project are called."""

    def __init__(self, store: Store, project: int) -> None:
        self._store = store
        self._owner = store.projects.get(project) if project != GLOBAL_PROJECT else None
        self._visible = Visibility(projects=tuple(dict.fromkeys((GLOBAL_PROJECT, project))))
        self.topics = {
            topic.key: remove_invisible(topic.path) for topic in store.topics.of_projects([project])
        }

    def records(self, page: Sequence[Memory]) -> Iterator[Record]:
        """Yield memories as records."""
        store, owner = self._store, self._owner
        heads = [memory.key for memory in page]
        links = [one for one in store.relations.of(heads, self._visible) if one.direction == "out"]
        ids = {
            one.key: one.id for one in store.memories.get(sorted({link.other for link in links}))
        }
        tasks = {one.key: one.task_id for one in store.tasks.get([m.task for m in page if m.task])}
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
