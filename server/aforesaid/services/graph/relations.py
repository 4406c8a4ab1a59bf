"""Linking memories: by hand, with a statement, and what the system itself knows to follow.

``supersedes`` is the chain itself (``memories.superseded_by``), every other kind a row: what is in
force stands in one place only (docs/adr/0014-relations.md).
"""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.relation import FOLLOWS, IN, SUPERSEDES, SYMMETRIC, read_kind
from aforesaid.domain.value import Value
from aforesaid.services.resolve_id import locate, locate_head, visibility_including

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.domain.model.memory import Memory, Visibility
    from aforesaid.ports import Clock, Store

LOG_LINES = 100  #: of a memory, read to take a step of its chain back


class LinkResult(Value):
    """What became of a link."""

    source: Memory
    kind: str
    target: Memory
    removed: bool = False  #: it was to be removed
    changed: bool = True  #: False where it was there, or gone, already
    in_force: Memory | None = None  #: what a removed ``supersedes`` put in force again


class RelationService:
    """Links between memories that exist."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def link(
        self, source: str, kind: str, target: str, visible: Visibility, *, remove: bool = False
    ) -> LinkResult:
        """Link two memories, or take the link back; what is so already stays so.

        Args:
            source: id of the memory that the link starts from.
            kind: one of ``domain.model.relation.KINDS``, or a predicate in snake_case.
            target: id of the memory that it leads to.
            visible: what the caller may see: both, and what is in force in their place.
            remove: take it back.

        Raises:
            InvalidInputError: the kind is none, or both are one memory.
            NotFoundError: one of them is not here.
            ConflictError: one of them was forgotten, or a chain would lead back to itself.
        """
        kind = read_kind(kind, remove=remove)
        with self._store.transaction():
            if remove:
                return self._unlink(source, kind, target, visible)
            ends = [locate_head(self._store, one, visible) for one in (source, target)]
            if kind == SUPERSEDES:
                ends = [locate(self._store, one, visible) for one in (source, target)]
                changed = supersede(self._store, ends[0], ends[1], self._clock.now())
            else:
                changed = link(self._store, ends[0], kind, ends[1], visible, self._clock.now())
        return LinkResult(source=ends[0], kind=kind, target=ends[1], changed=changed)

    def _unlink(self, source: str, kind: str, target: str, visible: Visibility) -> LinkResult:
        one, other = (locate(self._store, named, visible) for named in (source, target))
        now = self._clock.now()
        again = None
        if kind == SUPERSEDES:
            again = _unsupersede(self._store, one, other, visible)
            changed = again is not None
        else:
            changed = False
            for near in self._standing(one, visible):  # a version may be global, its head not
                for far in self._standing(other, visible):
                    changed = self._store.relations.unlink(near, kind, far) or changed
                    if kind in SYMMETRIC:
                        changed = self._store.relations.unlink(far, kind, near) or changed
        if changed:
            _record(self._store, "unlink", one, kind, other, now)
        return LinkResult(
            source=one,
            kind=kind,
            target=other,
            removed=True,
            changed=changed,
            in_force=again if again is not None and again.in_force else None,
        )

    def _standing(self, memory: Memory, visible: Visibility) -> list[int]:
        """Return the keys of a memory and of what stands in its place, if that is in sight."""
        heads = self._store.memories.get([memory.head])
        seen = [one.key for one in heads if one.project in visible.projects]
        return list(dict.fromkeys([memory.key, *seen]))


def link(
    store: Store, source: Memory, kind: str, target: Memory, visible: Visibility, now: int
) -> bool:
    """Link two memories in force by a kind that is no chain; False if they are so linked.

    Raises:
        InvalidInputError: they are versions of one memory.
    """
    if source.head == target.head:
        raise InvalidInputError(f"{kind} needs two memories: both ids name one, or versions of one")
    sight = visibility_including(visible, source, target)
    if kind in SYMMETRIC and target.head in store.relations.step(source.head, kind, IN, sight):
        return False
    made = store.relations.link(source.head, kind, target.head, now)
    if made:
        _record(store, "link", source, kind, target, now)
    return made


def _record(
    store: Store, operation: str, source: Memory, kind: str, target: Memory, now: int
) -> None:
    """Write a change of a link into the history of both its ends."""
    store.memories.record(operation, source.key, now, kind=kind, target=target.id)
    store.memories.record(operation, target.key, now, kind=kind, source=source.id)


def supersede(store: Store, source: Memory, target: Memory, now: int) -> bool:
    """Put a memory after the last version of another's chain; False if it stands there already.

    Raises:
        InvalidInputError: both are one.
        ConflictError: the chain would lead back to itself.
    """
    if source.key == target.key:
        raise InvalidInputError("a memory cannot supersede itself: the two ids name one")
    if source.key in _path(store, target):
        return False
    if source.head == target.head:
        short = store.memories.short_ids([source.key, target.key, source.head])
        if target.key in _path(store, source):
            raise ConflictError(
                f"[{short[target.key]}] supersedes [{short[source.key]}] already, and a chain "
                "cannot lead back: remove that link first (remove=true)"
            )
        raise ConflictError(
            f"[{short[source.key]}] and [{short[target.key]}] were both superseded by "
            f"[{short[source.head]}] already"
        )
    (before,) = store.memories.get([source.head])
    store.memories.supersede(target.head, source.key, now)
    (after,) = store.memories.get([source.head])
    told = {"by": source.id}
    if after.parent != before.parent:  # it would stand below itself: kept for the way back
        told["below"] = store.memories.get([before.parent or 0])[0].id
    store.memories.record("supersede", target.head, now, **told)
    return True


def _path(store: Store, memory: Memory) -> list[int]:
    """Return the keys from a memory along what superseded it to its head."""
    following = {one.key: one.superseded_by for one in store.memories.chain(memory.key)}
    path = [memory.key]
    while (after := following.get(path[-1])) is not None:
        path.append(after)
    return path


def _unsupersede(
    store: Store, source: Memory, target: Memory, visible: Visibility
) -> Memory | None:
    """Undo the step by which source came after target; return what ends its chain again.

    Raises:
        ConflictError: a version between them belongs to a project out of sight.
    """
    path = _path(store, target)
    if source.key not in path[1:]:
        return None
    (last,) = store.memories.get([path[path.index(source.key) - 1]])
    if last.project not in visible.projects:
        raise ConflictError(
            "a version between the two belongs to another project: take the link back there"
        )
    store.relations.unchain(last.key)
    for line in store.inspection.log_of(last.id, LOG_LINES)[::-1]:
        if line.operation == "supersede" and line.details.get("by") == source.id:
            _restore_parent(store, source.head, str(line.details.get("below") or ""))
            break
    return store.memories.get([last.key])[0]


def _restore_parent(store: Store, key: int, parent_id: str) -> None:
    """Let a memory be again the detail that it was, if what it detailed is still there."""
    parents = store.memories.find(parent_id) if parent_id else []
    if parents and store.memories.get([key])[0].parent is None:
        store.memories.change(key, parent=parents[0].key)
        store.topics.recompute(key)


# -- what the system itself knows


def follow_in_session(store: Store, memory: Memory, now: int) -> None:
    """Let a memory follow what its session stored before it under the same topic, if anything.

    A new version of what the session stored itself keeps the place of the old one.
    """
    chain = store.memories.chain(memory.key) if memory.head == memory.key else []
    if any(one.session == memory.session and one.key != memory.key for one in chain):
        return
    before = store.relations.latest_of_session(memory)
    if before is not None:
        _follow(store, memory.key, before, now)


def follow_in_project(store: Store, memory: Memory, tag: str, now: int) -> None:
    """Put an event, such as a digest, between its neighbours of the same tag in its project."""
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
    found = {one.key: one for one in store.memories.get([later, earlier])}
    _record(store, operation, found[later], FOLLOWS, found[earlier], now)
