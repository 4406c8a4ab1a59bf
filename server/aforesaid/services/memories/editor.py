"""Updating and restoring memories. Forgetting and erasing are in forget.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aforesaid.domain.errors import ConflictError, InvalidInputError
from aforesaid.domain.model.anchor import Anchor
from aforesaid.domain.model.memory import (
    GLOBAL_PROJECT,
    PROVENANCES,
    SCOPES,
    CallContext,
    Memory,
    check_choice,
    check_unit_interval,
)
from aforesaid.domain.model.statement import (
    Statement,
    check_metadata,
    check_session,
    check_tags,
    clean_metadata,
    read_importance,
)
from aforesaid.domain.model.task import TASK_FIELDS, Assignment, Task, check_assignment
from aforesaid.domain.value import Value
from aforesaid.ports import Clock, Store
from aforesaid.services.graph.entities import EntityMatch
from aforesaid.services.graph.topics import TopicAssignment
from aforesaid.services.resolve_id import locate, locate_head
from aforesaid.services.tasks import Tasks

from .changed_fields import (
    changed_metadata,
    checked_summary,
    local_project,
    moved,
    refuse_default_project,
)
from .forget import MemoryForgetter
from .former_values import former_anchors, read_values
from .results import StoreResult
from .writer import MemoryWriter

#: Fields that update_memory changes without a new version.
IN_PLACE = (
    "tags", "cues", "pinned", "importance", "confidence", "summary", "scope", "metadata",
    "provenance", "entity", "trigger",
    "valid_from", "valid_to", "task_id", "title", "status", "priority", "due",
    "topic", "anchors", "session", "project",
)  # fmt: skip
#: Not simply set: an entity or topic may have to be created, inside the transaction.
_METADATA = frozenset(("metadata", "cues", "trigger"))  #: fields that are stored in it
_SET_SEPARATELY = frozenset(("entity", "topic", "event_at", "project")) | _METADATA


class UpdateResult(Value):
    """What an update did."""

    memory: Memory  #: as it is now; the new version if there is one
    superseded: Memory | None = None
    changed: tuple[str, ...] = ()
    named: EntityMatch | None = None  #: the match for the name of its new entity
    stored: StoreResult | None = None  #: how the new version was stored
    filing: TopicAssignment | None = None  #: its position in the topic tree, if that changed
    released: tuple[Task, ...] = ()  #: open tasks that waited only for the task that it closed
    before: dict[str, Any] = {}  #: former values of fields that it changed in place
    after: dict[str, Any] = {}  #: their new values
    cited: tuple[Anchor, ...] = ()  #: the anchors that it was given


class _Changes(Value):
    """The changes of one update."""

    content: str | None = None
    type: str | None = None  #: None if it stays the same
    assignment: Assignment = Assignment()
    anchors: tuple[Anchor, ...] | None = None
    fields: dict[str, Any] = {}  #: all others
    undoes: int | None = None  #: when the update was made that they undo

    @property
    def names(self) -> set[str]:
        """Return the names of the changed fields, except for content and type."""
        names = {*self.fields, *self.assignment.named} - {"event_at"}
        return names if self.anchors is None else names | {"anchors"}


class MemoryEditor:
    """Updates and restores memories."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        writer: MemoryWriter,
        forgetter: MemoryForgetter,
    ) -> None:
        self._store = store
        self._clock = clock
        self._writer = writer
        self._forgetter = forgetter
        self._tasks = Tasks(store, clock)

    def update(self, reference: str, changes: dict[str, Any], context: CallContext) -> UpdateResult:
        """Change a memory; new content or type makes a new version that supersedes it.

        Args:
            reference: its id.
            changes: the new values of fields, by name. Times are in ms; 0 removes the time.
                ``event_at`` is given together with ``metadata``. ``project`` is a project's key.
                ``restore=True`` removes a tombstone or an archive mark.
            context: of the caller.

        Raises:
            InvalidInputError: nothing to change, or a field is outside its limits.
            ConflictError: it was superseded or forgotten.
        """
        memory = locate(self._store, reference, context.visible)
        changes = {name: value for name, value in changes.items() if value is not None}
        restore = changes.pop("restore", False)
        if changes.get("content") == memory.content and memory.in_force:
            del changes["content"]  # not worth a version
            if not changes:
                raise InvalidInputError("nothing to change: it has this text already")
        if not changes and not restore:
            raise InvalidInputError("nothing to change: give content or a field")
        if not restore:
            return self._change(memory, changes, context)
        if changes:
            result = self._apply(memory, changes, context, restore=True)
        else:
            with self._store.transaction():
                result = UpdateResult(memory=self._restore(memory, context))
        self._writer.embed_changed()
        return result.replace(changed=("restored", *result.changed))

    def set_back(
        self, reference: str, before: dict[str, Any], at: int, context: CallContext
    ) -> UpdateResult:
        """Give a memory the values that an update at a time changed.

        Raises:
            ConflictError: it was superseded or forgotten.
        """
        memory = locate(self._store, reference, context.visible)
        return self._change(memory, dict(before), context, undoes=at)

    def _change(
        self,
        memory: Memory,
        fields: dict[str, Any],
        context: CallContext,
        undoes: int | None = None,
    ) -> UpdateResult:
        self._require_in_force(memory, context)
        result = self._apply(memory, fields, context, undoes=undoes)
        if not _METADATA.isdisjoint(result.changed):
            self._writer.embed_changed()
        return result

    def _apply(
        self,
        memory: Memory,
        fields: dict[str, Any],
        context: CallContext,
        *,
        restore: bool = False,
        undoes: int | None = None,
    ) -> UpdateResult:
        """Change a memory, restoring it first if asked to; all in one transaction.

        Texts are embedded before the transaction, because that may call an API.
        """
        changes = self._read_changes(memory, fields, context).replace(undoes=undoes)
        if changes.content is not None or changes.type is not None:
            if "project" in changes.fields:
                raise InvalidInputError(
                    "project cannot change together with content or type: update twice"
                )
            return self._new_version(memory, changes, context, restore=restore)
        with self._store.transaction():
            memory = self._reload(memory, context, restore=restore)
            return self._in_place(memory, changes, context)

    def _read_changes(
        self, memory: Memory, fields: dict[str, Any], context: CallContext
    ) -> _Changes:
        clean = self._writer.cleaner().clean
        task_fields = {name: fields.pop(name) for name in TASK_FIELDS if name in fields}
        for name in ("task_id", "title"):
            if name in task_fields:
                task_fields[name] = clean(task_fields[name])
        assignment = check_assignment(Assignment(**task_fields))
        paths, cited = fields.pop("anchors", None), fields.pop("cited", None)
        anchors = None if cited is None else former_anchors(cited)
        if anchors is None and paths is not None:
            anchors = self._writer.anchors.cite(paths, context, clean)
        refuse_default_project(memory, fields.get("scope"), context)
        content = fields.pop("content", None)
        new_type = fields.pop("type", None)
        return _Changes(
            content=content,
            type=None if new_type == memory.type else new_type,
            assignment=assignment,
            anchors=anchors,
            fields=fields,
        )

    def _in_place(self, memory: Memory, changes: _Changes, context: CallContext) -> UpdateResult:
        clean = self._writer.cleaner().clean
        entity, topic = changes.fields.get("entity"), changes.fields.get("topic")
        if entity is not None:
            entity = clean(entity)
        fields = self._validated_fields(memory, changes.fields, context)
        changed = sorted(changes.names)
        before = self._values(memory, changed)
        now = self._clock.now()
        filing = None
        with self._store.transaction():
            project = local_project(memory, context)
            fields = self._tasks.move(memory, changes.assignment, fields, project)
            if fields.get("project", memory.project) != memory.project:
                fields["compacted_into"] = None  # its new project does not see the summary
            self._store.memories.change(memory.key, **fields, updated_at=now)
            if changes.anchors is not None:
                self._store.anchors.replace(memory.key, changes.anchors)
            if "project" in fields:
                self._writer.topics.move_to_project(memory.key)
            if topic is not None:
                filing = self._writer.topics.move(self._get(memory.key), clean(topic))
            match = self._writer.entities.sync_after_update(memory, self._get(memory.key), entity)
            kept = {"before": before} if changes.undoes is None else {"undoes": changes.undoes}
            self._store.memories.record("update", memory.key, now, changed=changed, **kept)
            memory = self._get(memory.key)
            released = self._tasks.release(memory.task, changes.assignment)
        return UpdateResult(
            memory=memory,
            changed=tuple(changed),
            filing=filing,
            named=match,
            released=released,
            before=before,
            after=self._values(memory, changed),
            cited=changes.anchors or (),
        )

    def _values(self, memory: Memory, changed: Sequence[str]) -> dict[str, Any]:
        return read_values(self._store, memory, changed, self._writer.entities.name_of(memory))

    def _get(self, key: int) -> Memory:
        return self._store.memories.get([key])[0]

    def _new_version(
        self, memory: Memory, changes: _Changes, context: CallContext, *, restore: bool
    ) -> UpdateResult:
        statement = self._next_statement(memory, changes, context)
        if memory.scope != "global" and memory.project != context.project.key:
            project = self._store.projects.get(memory.project)
            if project is not None:
                context = context.replace(project=project)
        (prepared,) = self._writer.prepare([statement], context)
        with self._store.transaction():
            memory = self._reload(memory, context, restore=restore)
            stored = self._writer.write(prepared, context)
            assert stored is not None
            version = stored.memory
            rest = {
                name: value
                for name, value in changes.fields.items()
                if name not in {"tags", "cues"}
            }
            if stored.deduplicated and rest:  # the existing memory gets the other changes
                version = self._in_place(version, _Changes(fields=rest), context).memory
        changed = changes.names | {"content" if changes.content is not None else "type"}
        return UpdateResult(
            memory=version,
            superseded=memory,
            changed=tuple(sorted(changed)),
            stored=stored,
            cited=changes.anchors or (),
            filing=stored.filing,
            released=stored.released,
        )

    def _next_statement(self, memory: Memory, changes: _Changes, context: CallContext) -> Statement:
        """Return the statement that supersedes a memory: the changes, and its fields otherwise."""
        fields, assignment, content = changes.fields, changes.assignment, changes.content
        new_type = changes.type or memory.type
        metadata = changed_metadata(memory, fields)
        if new_type == "procedural" and isinstance(metadata.get("version"), int):
            metadata["version"] += 1
        scope = fields.get("scope", "task" if assignment.task_id is not None else memory.scope)
        if assignment.task_id is None and memory.task is not None and scope != "global":
            task = self._store.tasks.get([memory.task])[0]
            assignment = assignment.replace(task_id=task.task_id)
        anchors = changes.anchors
        return Statement(
            content=memory.content if content is None else content,
            type=new_type,
            scope=scope,
            assignment=assignment,
            cited=self._writer.anchors.carry_over(memory, context) if anchors is None else anchors,
            summary=fields.get("summary", None if content is not None else memory.summary),
            entity=fields.get("entity", self._writer.entities.name_of(memory)),
            tags=tuple(fields.get("tags", memory.tags)),
            importance=read_importance(fields.get("importance", memory.importance)),
            confidence=fields.get("confidence", 1.0),
            pinned=fields.get("pinned", memory.pinned),
            supersedes=(memory.id,),
            topic=fields.get("topic"),
            provenance=fields.get("provenance", memory.provenance),
            session=fields.get("session", None if context.session else memory.session),
            valid_from=fields.get("valid_from", memory.next_start(self._clock.now())) or None,
            valid_to=fields.get("valid_to") or None,
            event_at=fields.get("event_at") if "metadata" in fields else memory.event_at,
            metadata=metadata,
        )

    def _validated_fields(
        self, memory: Memory, changes: dict[str, Any], context: CallContext
    ) -> dict[str, Any]:
        """Return the columns that the changes set in place, each within its limits."""
        clean = self._writer.cleaner().clean
        readers: dict[str, Callable[[Any], Any]] = {
            "tags": lambda value: check_tags([clean(tag) for tag in value]),
            "pinned": bool,
            "importance": read_importance,
            "confidence": lambda value: check_unit_interval("confidence", value),
            "summary": lambda value: checked_summary(clean(value)),
            "provenance": lambda value: check_choice("provenance", value, PROVENANCES),
            "valid_from": lambda value: value or None,
            "valid_to": lambda value: value or None,
            "scope": lambda value: check_choice("scope", value, SCOPES),
            "session": lambda value: check_session(clean(value)),
        }
        for name in changes:
            if name not in readers and name not in _SET_SEPARATELY:
                raise InvalidInputError(
                    f"{name} cannot be changed: use content, type, {', '.join(IN_PLACE)}"
                )
        fields = {name: readers[name](value) for name, value in changes.items() if name in readers}
        if not _METADATA.isdisjoint(changes):
            metadata = clean_metadata(changed_metadata(memory, changes), clean)
            fields["metadata"] = check_metadata(metadata, memory.type)
        if "metadata" in changes:
            event_at = changes.get("event_at")
            fields["event_at"] = event_at if memory.type == "episodic" else None
        if "scope" in fields:
            is_global = fields["scope"] == "global"
            fields["project"] = GLOBAL_PROJECT if is_global else local_project(memory, context)
        if "project" in changes:
            fields |= moved(memory, changes["project"], fields.get("scope", memory.scope))
        return fields

    def _require_in_force(self, memory: Memory, context: CallContext) -> None:
        if memory.forgotten_at is not None:
            raise ConflictError(
                "the memory was forgotten: update_memory(id, restore=true) restores it"
            )
        if memory.superseded_by is not None:
            head = locate_head(self._store, memory.id, context.visible)
            short_id = self._store.memories.short_ids([head.key])[head.key]
            raise ConflictError(f"the memory was replaced by [{short_id}]: update that one")

    def _reload(self, memory: Memory, context: CallContext, *, restore: bool) -> Memory:
        """Read a memory again inside the caller's transaction, and restore it if asked to.

        Raises the same errors as ``update``.
        """
        if restore:
            memory = self._restore(memory, context)
        else:
            memory = locate(self._store, memory.id, context.visible)
        self._require_in_force(memory, context)
        return memory

    def _restore(self, memory: Memory, context: CallContext) -> Memory:
        """Remove a memory's tombstone or archive mark, inside the caller's transaction.

        For an older version that is neither forgotten nor archived, restore its head instead.
        """
        memory = locate(self._store, memory.id, context.visible)  # may have changed since
        if memory.forgotten_at is None and memory.archived_at is None:
            heads = self._store.memories.get([memory.head])
            memory = next(
                (head for head in heads if head.project in context.visible.projects), memory
            )
        if memory.forgotten_at is None and memory.archived_at is None:
            raise ConflictError("nothing to restore: the memory is neither forgotten nor archived")
        if memory.forgotten_at is not None:
            self._forgetter.restore(memory)
        else:
            self._store.memories.change(memory.key, archived_at=None)
            self._store.memories.record("restore", memory.key, self._clock.now())
        restored = self._get(memory.key)
        head = self._get(restored.head)
        return head if head.in_force and head.project in context.visible.projects else restored
