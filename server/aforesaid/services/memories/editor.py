"""Changing what is stored: update, restore; forgetting and erasing are in forget.py."""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.memory import (
    GLOBAL_PROJECT,
    PROVENANCES,
    SCOPES,
    SUMMARY_CHARS,
    Memory,
    check_choice,
    check_unit_interval,
    stored_cues,
)
from aforesaid.domain.model.statement import (
    Statement,
    check_metadata,
    check_tags,
    clean_metadata,
    read_importance,
)
from aforesaid.domain.model.task import TASK_FIELDS, Assignment, check_assignment
from aforesaid.domain.text.sanitize import visible_length
from aforesaid.domain.value import Value
from aforesaid.services.graph.entities import EntityMatch
from aforesaid.services.graph.topics import TopicAssignment
from aforesaid.services.resolve_id import locate, locate_head
from aforesaid.services.tasks import Tasks

from .forget import ForgetResult, Forgetting
from .results import StoreResult
from .writer import MemoryWriter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from aforesaid.domain.model.anchor import Anchor
    from aforesaid.domain.projects.call_context import CallContext
    from aforesaid.ports import Clock, Store

#: What update_memory may change without a new version.
IN_PLACE = (
    "tags", "cues", "pinned", "importance", "confidence", "summary", "scope", "metadata",
    "provenance", "entity",
    "valid_from", "valid_to", "task_id", "title", "status", "priority", "due",
    "topic", "anchors",
)  # fmt: skip


class UpdateResult(Value):
    """What an update did."""

    memory: Memory  #: as it is now; the new version where there is one
    superseded: Memory | None = None
    changed: tuple[str, ...] = ()
    named: EntityMatch | None = None  #: the entity that it is about from now on
    stored: StoreResult | None = None  #: how the new version was stored
    filing: TopicAssignment | None = (
        None  #: where it stands in the topic tree, where that was changed
    )


class MemoryEditor:
    """Changes of memories that exist."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        remember: MemoryWriter,
        files: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        """Prepare; ``files`` gives paths beside the store's that an erase searches, too."""
        self._store = store
        self._clock = clock
        self._remember = remember
        self._forgetting = Forgetting(store, clock, remember, files)
        self._tasks = Tasks(store, clock)

    def update(self, reference: str, changes: dict[str, Any], place: CallContext) -> UpdateResult:
        """Change a memory; new content or type makes a new version that supersedes it.

        Args:
            reference: its id.
            changes: fields by name, times in ms (0 takes one away), ``event_at`` with the
                metadata that says so; ``restore`` true lifts a tombstone or an archive mark.
            place: who asks.

        Raises:
            InvalidInputError: nothing to change, or a field is outside its limits.
            ConflictError: it was superseded or forgotten.
        """
        memory = locate(self._store, reference, place.visible)
        changes = {name: value for name, value in changes.items() if value is not None}
        restore = changes.pop("restore", False)
        if not changes and not restore:
            raise InvalidInputError("nothing to change: give content or a field")
        if not restore:
            self._refuse_unless_in_force(memory, place)
            done = self._changed(memory, changes, place)
            if not {"cues", "metadata"}.isdisjoint(done.changed):
                self._remember.embed_changed()
            return done
        if changes:
            done = self._changed(memory, changes, place, restore=True)
        else:
            with self._store.transaction():
                done = UpdateResult(memory=self._restored(memory, place))
        self._remember.embed_changed()
        return done.replace(changed=("restored", *done.changed))

    def _changed(
        self, memory: Memory, changes: dict[str, Any], place: CallContext, *, restore: bool = False
    ) -> UpdateResult:
        """Change a memory in force; one that is to be restored comes back and changes, or neither.

        Texts are embedded before the transaction: an API may be asked.
        """
        told = self._told(changes)
        anchors = changes.pop("anchors", None)
        cited = None if anchors is None else self._remember.anchors.cite(anchors, place)
        new_text = changes.pop("content", None)
        new_type = changes.pop("type", None)
        if new_type == memory.type:
            new_type = None
        if new_text is not None or new_type is not None:
            return self._new_version(
                memory, new_text, new_type, changes, told, cited, place, restore=restore
            )
        with self._store.transaction():
            memory = self._as_it_is(memory, place, restore=restore)
            return self._in_place(memory, changes, told, cited, place)

    def _in_place(
        self,
        memory: Memory,
        changes: dict[str, Any],
        told: Assignment,
        cited: tuple[Anchor, ...] | None,
        place: CallContext,
    ) -> UpdateResult:
        changed = sorted({name for name in changes if name != "event_at"} | told.named)
        if cited is not None:
            changed.append("anchors")
        topic = changes.pop("topic", None)
        about = changes.get("entity")
        if about is not None:
            about = self._remember.cleaner().clean(about)
        fields = self._checked(memory, changes, place)
        now = self._clock.now()
        filing = None
        with self._store.transaction():
            fields = self._tasks.move(memory, told, fields, _home(memory, place))
            if fields.get("project", memory.project) != memory.project:
                fields["compacted_into"] = None  # where it goes, its summary does not stand for it
            self._store.memories.change(memory.key, **fields, updated_at=now)
            if cited is not None:
                self._store.anchors.replace(memory.key, cited)
            if "project" in fields:
                self._remember.topics.move_to_project(memory.key)
            if topic is not None:
                path = self._remember.cleaner().clean(topic)
                filing = self._remember.topics.move(self._store.memories.get([memory.key])[0], path)
            named = self._remember.entities.sync_after_update(
                memory, self._store.memories.get([memory.key])[0], about
            )
            self._store.memories.record("update", memory.key, now, changed=changed)
        kept = self._store.memories.get([memory.key])[0]
        return UpdateResult(memory=kept, changed=tuple(changed), filing=filing, named=named)

    def _told(self, changes: dict[str, Any]) -> Assignment:
        """Return what the changes say of the memory's task, taken out of them."""
        clean = self._remember.cleaner().clean
        told = {name: changes.pop(name) for name in TASK_FIELDS if name in changes}
        for name in ("task_id", "title"):
            if name in told:
                told[name] = clean(told[name])
        return check_assignment(Assignment(**told))

    def _new_version(
        self,
        memory: Memory,
        content: str | None,
        kind: str | None,
        changes: dict[str, Any],
        told: Assignment,
        cited: tuple[Anchor, ...] | None,
        place: CallContext,
        *,
        restore: bool,
    ) -> UpdateResult:
        metadata = _metadata(memory, changes)
        if (kind or memory.type) == "procedural" and isinstance(metadata.get("version"), int):
            metadata["version"] += 1
        scope = changes.get("scope", "task" if told.task_id is not None else memory.scope)
        named = {*changes, *told.named, *(() if cited is None else ("anchors",))} - {"event_at"}
        if told.task_id is None and memory.task is not None and scope != "global":
            told = told.replace(task_id=self._store.tasks.get([memory.task])[0].task_id)
        statement = Statement(
            content=memory.content if content is None else content,
            type=kind or memory.type,
            scope=scope,
            assignment=told,
            cited=self._remember.anchors.carry(memory, place) if cited is None else cited,
            summary=changes.get("summary", None if content is not None else memory.summary),
            entity=changes.get("entity", self._remember.entities.name_of(memory)),
            tags=tuple(changes.get("tags", memory.tags)),
            importance=read_importance(changes.get("importance", memory.importance)),
            confidence=changes.get("confidence", 1.0),
            pinned=changes.get("pinned", memory.pinned),
            supersedes=(memory.id,),
            topic=changes.get("topic"),
            provenance=changes.get("provenance", memory.provenance),
            valid_from=changes.get("valid_from", self._clock.now()) or None,
            valid_to=changes.get("valid_to") or None,
            event_at=changes.get("event_at") if "metadata" in changes else memory.event_at,
            metadata=metadata,
        )
        if memory.scope != "global" and memory.project != place.project.key:
            project = self._store.projects.get(memory.project)
            if project is not None:
                place = place.replace(project=project)
        (prepared,) = self._remember.prepare([statement], place)
        with self._store.transaction():
            memory = self._as_it_is(memory, place, restore=restore)
            stored = self._remember.write(prepared, place)
            assert stored is not None
            made = stored.memory
            rest = {name: one for name, one in changes.items() if name not in {"tags", "cues"}}
            if stored.deduplicated and rest:  # another memory said it already: it gets the rest
                made = self._in_place(made, rest, Assignment(), None, place).memory
        return UpdateResult(
            memory=made,
            superseded=memory,
            changed=tuple(sorted({"content" if content is not None else "type", *named})),
            stored=stored,
            filing=stored.filing,
        )

    def _checked(
        self, memory: Memory, changes: dict[str, Any], place: CallContext
    ) -> dict[str, Any]:
        """Return what the changes set in place, each within its limits."""
        clean = self._remember.cleaner().clean
        read: dict[str, Callable[[Any], Any]] = {
            "tags": lambda value: check_tags([clean(tag) for tag in value]),
            "pinned": bool,
            "importance": read_importance,
            "confidence": lambda value: check_unit_interval("confidence", value),
            "summary": lambda value: _short(clean(value)),
            "provenance": lambda value: check_choice("provenance", value, PROVENANCES),
            "valid_from": lambda value: value or None,
            "valid_to": lambda value: value or None,
            "scope": lambda value: check_choice("scope", value, SCOPES),
        }
        event_at = changes.pop("event_at", None)
        for name in changes:
            if name not in read and name not in {"entity", "metadata", "cues"}:
                raise InvalidInputError(
                    f"{name} cannot be changed: use content, type, {', '.join(IN_PLACE)}"
                )
        # an entity may have to be registered: that follows in the transaction
        fields = {name: read[name](value) for name, value in changes.items() if name in read}
        if not {"metadata", "cues"}.isdisjoint(changes):
            told = clean_metadata(_metadata(memory, changes), clean)
            fields["metadata"] = check_metadata(told, memory.type)
        if "metadata" in changes:
            fields["event_at"] = event_at if memory.type == "episodic" else None
        if "scope" in fields:
            own = fields["scope"] != "global"
            fields["project"] = _home(memory, place) if own else GLOBAL_PROJECT
        return fields

    def _refuse_unless_in_force(self, memory: Memory, place: CallContext) -> None:
        if memory.forgotten_at is not None:
            raise ConflictError("it was forgotten: update_memory(id, restore=true) brings it back")
        if memory.superseded_by is not None:
            head = locate_head(self._store, memory.id, place.visible)
            shown = self._store.memories.short_ids([head.key])[head.key]
            raise ConflictError(f"it was replaced by [{shown}]: update that one")

    def _as_it_is(self, memory: Memory, place: CallContext, *, restore: bool) -> Memory:
        """Return a memory that is to be changed as it is by now, brought back if asked for.

        Inside the caller's transaction. Raises as ``update``.
        """
        if restore:
            memory = self._restored(memory, place)
        else:
            memory = locate(self._store, memory.id, place.visible)
        self._refuse_unless_in_force(memory, place)
        return memory

    def _restored(self, memory: Memory, place: CallContext) -> Memory:
        """Lift a memory's tombstone or archive mark, inside the caller's transaction.

        An older version names what stands in its place, if that is what was hidden.
        """
        memory = locate(self._store, memory.id, place.visible)  # as it is by now
        if memory.forgotten_at is None and memory.archived_at is None:
            heads = self._store.memories.get([memory.head])
            memory = next((one for one in heads if one.project in place.visible.projects), memory)
        if memory.forgotten_at is None and memory.archived_at is None:
            raise ConflictError("it is neither forgotten nor archived: there is nothing to restore")
        if memory.forgotten_at is not None:
            self._forgetting.bring_back(memory)
        else:
            self._store.memories.change(memory.key, archived_at=None)
            self._store.memories.record("restore", memory.key, self._clock.now())
        [head] = self._store.memories.get([self._store.memories.get([memory.key])[0].head])
        if head.in_force and head.project in place.visible.projects:
            return head
        return self._store.memories.get([memory.key])[0]

    def forget(
        self,
        reference: str,
        place: CallContext,
        *,
        reason: str | None = None,
        erase: bool = False,
        also: Sequence[str] = (),
        preview: bool = False,
        backups: bool = False,
        by_text: bool = True,
    ) -> ForgetResult:
        """Hide a memory behind a tombstone, or remove every trace of it. As ``Forgetting.forget``.

        Raises:
            NotFoundError: nothing visible has that id.
        """
        return self._forgetting.forget(
            reference, place, reason=reason, erase=erase, also=also, preview=preview,
            backups=backups, by_text=by_text,
        )  # fmt: skip


def _metadata(memory: Memory, changes: dict[str, Any]) -> dict[str, Any]:
    """Return a memory's metadata after changes; its cues stay until others are given."""
    metadata = dict(changes.get("metadata", memory.metadata))
    cues = list(stored_cues(memory.metadata))
    if "metadata" in changes:
        cues = metadata.get("cues", cues)
    cues = changes.get("cues", cues)
    metadata.pop("cues", None)
    return {**metadata, "cues": cues} if cues else metadata


def _home(memory: Memory, place: CallContext) -> int:
    """Return the project that a memory belongs to once it is global no more.

    Its own, else the one it came from, unless the caller may not see that: then the caller's.
    """
    origin = memory.origin_project
    came_from = origin if origin in place.visible.projects else None
    return memory.project or came_from or place.project.key


def _short(summary: str) -> str | None:
    if visible_length(summary) > SUMMARY_CHARS:
        raise InvalidInputError(f"summary has {len(summary)} characters, {SUMMARY_CHARS} at most")
    return summary.strip() or None
