"""Linking memories: on request, with a statement, and the sequences that the system records.

``supersedes`` is stored as the chain itself (``memories.superseded_by``), every other kind as a
row, so that only one place says which memory is in force (docs/adr/0014-relations.md).
"""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.decay import is_valid_at
from aforesaid.domain.model.relation import (
    DEPENDS_ON,
    FOLLOWS,
    IN,
    OUT,
    SUPERSEDES,
    SYMMETRIC,
    check_spelling,
    read_kind,
)
from aforesaid.domain.text.timestamps import local_time
from aforesaid.domain.value import Value
from aforesaid.services.resolve_id import locate, locate_head, visibility_including

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import Clock, Store

MAX_LOG_LINES = 100  #: of a memory, searched when a step of its chain is undone


class LinkResult(Value):
    """The outcome of a request to link or unlink."""

    source: Memory
    kind: str
    target: Memory
    removed: bool = False  #: the request was to remove the link
    changed: bool = True  #: False if there was nothing to add or remove
    in_force: Memory | None = None  #: the memory in force again now that ``supersedes`` is gone


class RelationService:
    """Links existing memories."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def link(
        self, source: str, kind: str, target: str, visible: Visibility, *, remove: bool = False
    ) -> LinkResult:
        """Link two memories, or remove the link; a repeated request changes nothing.

        Args:
            source: The id of the memory that the link starts from.
            kind: One of ``domain.model.relation.KINDS``, or a predicate in snake_case.
            target: The id of the memory that it leads to.
            visible: What the caller may see; it must include both memories and their heads.
            remove: Remove the link instead.

        Raises:
            InvalidInputError: The kind is invalid, or both ids name the same memory.
            NotFoundError: One of the memories is not visible.
            ConflictError: One of them was forgotten, or a chain would become a cycle.
        """
        kind = read_kind(kind, remove=remove)
        kind = kind if remove else check_spelling(kind)
        with self._store.transaction():
            if remove:
                return self._unlink(source, kind, target, visible)
            ends = [locate_head(self._store, end, visible) for end in (source, target)]
            if kind == SUPERSEDES:
                ends = [locate(self._store, end, visible) for end in (source, target)]
                now = self._clock.now()
                heads = self._store.memories.get([ends[1].head])
                refuse_too_soon(self._store, heads, ends[0], now)
                changed = supersede(self._store, ends[0], ends[1], now)
            else:
                changed = link(self._store, ends[0], kind, ends[1], visible, self._clock.now())
        return LinkResult(source=ends[0], kind=kind, target=ends[1], changed=changed)

    def _unlink(self, source_id: str, kind: str, target_id: str, visible: Visibility) -> LinkResult:
        source, target = (locate(self._store, end, visible) for end in (source_id, target_id))
        now = self._clock.now()
        restored = None
        if kind == SUPERSEDES:
            restored = _unsupersede(self._store, source, target, visible)
            changed = restored is not None
        else:
            changed = False
            for start in self._linked_keys(source, visible):
                for end in self._linked_keys(target, visible):
                    changed = self._store.relations.unlink(start, kind, end) or changed
                    if kind in SYMMETRIC:
                        changed = self._store.relations.unlink(end, kind, start) or changed
        if changed:
            _record(self._store, "unlink", source, kind, target, now)
        return LinkResult(
            source=source,
            kind=kind,
            target=target,
            removed=True,
            changed=changed,
            in_force=restored if restored is not None and restored.in_force else None,
        )

    def _linked_keys(self, memory: Memory, visible: Visibility) -> list[int]:
        """Return the keys of a memory and its head, if visible: links are stored for either."""
        heads = self._store.memories.get([memory.head])
        keys = [head.key for head in heads if head.project in visible.projects]
        return list(dict.fromkeys([memory.key, *keys]))


def link(
    store: Store, source: Memory, kind: str, target: Memory, visible: Visibility, now: int
) -> bool:
    """Link two memories in force by any kind but ``supersedes``; False if they already are.

    Raises:
        InvalidInputError: They are versions of the same memory.
    """
    if source.head == target.head:
        raise InvalidInputError(
            f"{kind} needs two different memories: both ids name the same one, or versions of it"
        )
    pair_visible = visibility_including(visible, source, target)
    if kind == DEPENDS_ON and source.task is not None and target.task is not None:
        _refuse_cycle(store, source, target, pair_visible)
    if kind in SYMMETRIC and target.head in store.relations.step(
        source.head, kind, IN, pair_visible
    ):
        return False
    is_new = store.relations.link(source.head, kind, target.head, now)
    if is_new:
        _record(store, "link", source, kind, target, now)
    return is_new


def _refuse_cycle(store: Store, source: Memory, target: Memory, visible: Visibility) -> None:
    """Refuse a link by which a task would wait for itself, directly or through others."""
    paths = {target.head: [source.head, target.head]}
    pending = [target.head]
    while pending:
        path = paths[pending.pop()]
        for following in store.relations.step(path[-1], DEPENDS_ON, OUT, visible):
            if following == source.head:
                raise ConflictError(
                    "these tasks would wait for each other "
                    f"({_task_names(store, [*path, following])}): unlink one of them first"
                )
            if following not in paths:
                paths[following] = [*path, following]
                pending.append(following)


def _task_names(store: Store, heads: Sequence[int]) -> str:
    memories = {memory.key: memory for memory in store.memories.get(list(set(heads)))}
    tasks = {key: memories[key].task for key in memories}
    names = {task.key: task.task_id for task in store.tasks.get([*filter(None, tasks.values())])}
    return " -> ".join(names.get(tasks[head] or 0, memories[head].preview) for head in heads)


def _record(
    store: Store, operation: str, source: Memory, kind: str, target: Memory, now: int
) -> None:
    """Log a change of a link in the history of both memories."""
    store.memories.record(operation, source.key, now, kind=kind, target=target.id)
    store.memories.record(operation, target.key, now, kind=kind, source=source.id)


def supersede(store: Store, source: Memory, target: Memory, now: int) -> bool:
    """Append a memory to the chain of another; False if it is already later in that chain.

    Raises:
        InvalidInputError: Both are the same memory.
        ConflictError: The chain would become a cycle.
    """
    if source.key == target.key:
        raise InvalidInputError("a memory cannot supersede itself: both ids name the same memory")
    if source.key in _path(store, target):
        return False
    if source.head == target.head:
        short = store.memories.short_ids([source.key, target.key, source.head])
        if target.key in _path(store, source):
            raise ConflictError(
                f"[{short[target.key]}] already supersedes [{short[source.key]}]: remove that "
                "link first (remove=true)"
            )
        raise ConflictError(
            f"[{short[source.key]}] and [{short[target.key]}] are already superseded by the same "
            f"memory, [{short[source.head]}]"
        )
    (before,) = store.memories.get([source.head])
    store.memories.supersede(target.head, source.key, now)
    (after,) = store.memories.get([source.head])
    details: dict[str, object] = {"by": source.id, "linked": True}
    if after.parent != before.parent:
        # the store removed its parent, now its own descendant; logged so that undo can restore it
        details["below"] = store.memories.get([before.parent or 0])[0].id
    store.memories.record("supersede", target.head, now, **details)
    return True


def refuse_too_soon(
    store: Store, replaced: Sequence[Memory], new: Memory | Statement, now: int
) -> None:
    """Refuse that what is true from a later time on replaces what is true until then.

    Args:
        store: where the memories are.
        replaced: what would be replaced.
        new: what replaces it.
        now: ms.

    Raises:
        ConflictError: one of the replaced memories is true now, and the new one is not yet.
    """
    valid_from = new.valid_from
    for memory in replaced:
        if valid_from is None or valid_from <= now or not is_valid_at(memory, now):
            continue
        short = store.memories.short_ids([memory.key])[memory.key]
        raise ConflictError(
            f"what is true only from {local_time(valid_from)[:10]} on cannot replace [{short}] "
            "now: keep both, and end that one with "
            f'update_memory(id="{short}", valid_to="{local_time(valid_from - 1)[:10]}")'
        )


def _path(store: Store, memory: Memory) -> list[int]:
    """Return the keys of a memory and the versions that supersede it, up to its head."""
    successors = {
        version.key: version.superseded_by for version in store.memories.chain(memory.key)
    }
    path = [memory.key]
    while (successor := successors.get(path[-1])) is not None:
        path.append(successor)
    return path


def _unsupersede(
    store: Store, source: Memory, target: Memory, visible: Visibility
) -> Memory | None:
    """Undo the step by which source superseded target; return the new end of target's chain.

    Raises:
        ConflictError: A version between them belongs to a project that is not visible.
    """
    path = _path(store, target)
    if source.key not in path[1:]:
        return None
    (last,) = store.memories.get([path[path.index(source.key) - 1]])
    if last.project not in visible.projects:
        raise ConflictError(
            "a version between the two belongs to another project: remove the link there"
        )
    store.relations.unchain(last.key)
    for line in store.inspection.log_of(last.id, MAX_LOG_LINES)[::-1]:
        if line.operation == "supersede" and line.details.get("by") == source.id:
            _restore_parent(store, source.head, str(line.details.get("below") or ""))
            break
    return store.memories.get([last.key])[0]


def _restore_parent(store: Store, key: int, parent_id: str) -> None:
    """Make a memory a detail of its former parent again, if the parent still exists."""
    parents = store.memories.find(parent_id) if parent_id else []
    if parents and store.memories.get([key])[0].parent is None:
        store.memories.change(key, parent=parents[0].key)
        store.topics.recompute(key)


# -- sequences that the system records


def follow_in_session(store: Store, memory: Memory, now: int) -> None:
    """Link a memory to the previous one that its session stored under the same topic, if any.

    A new version of a memory of the same session is not linked: it has the links of the old one.
    """
    chain = store.memories.chain(memory.key) if memory.head == memory.key else []
    if any(old.session == memory.session and old.key != memory.key for old in chain):
        return
    before = store.relations.latest_of_session(memory)
    if before is not None:
        _follow(store, memory.key, before, now)


def follow_in_project(store: Store, memory: Memory, tag: str, now: int) -> None:
    """Insert an event, such as a digest, into the sequence of its project's events with a tag."""
    before = store.relations.event_beside(memory, tag, before=True)
    after = store.relations.event_beside(memory, tag, before=False)
    if before is not None and after is not None and store.relations.unlink(after, FOLLOWS, before):
        _record_follows(store, "unlink", after, before, now)
    if before is not None:
        _follow(store, memory.key, before, now)
    if after is not None:
        _follow(store, after, memory.key, now)


def _follow(store: Store, later: int, earlier: int, now: int) -> None:
    if store.relations.link(later, FOLLOWS, earlier, now):
        _record_follows(store, "link", later, earlier, now)


def _record_follows(store: Store, operation: str, later: int, earlier: int, now: int) -> None:
    memories = {memory.key: memory for memory in store.memories.get([later, earlier])}
    _record(store, operation, memories[later], FOLLOWS, memories[earlier], now)
