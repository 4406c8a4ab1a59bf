"""Merging and renaming entities, and undoing it.

No row is deleted: rows are renamed, or point to the row they were merged into; the log holds what
an undo needs. Each method opens its own transaction.
"""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.model.entity import USER, Entity, EntityChange, check_name, normalise_name
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility
from aforesaid.ports import Clock, Store

from .entities import Entities
from .entity_changes import MAX_CHANGES, MERGE, merge, rename


class EntityMerger:
    """Merges and renames entities on request."""

    def __init__(self, store: Store, clock: Clock, entities: Entities) -> None:
        self._store = store
        self._clock = clock
        self._entities = entities

    def merge(self, source: str, target: str, visible: Visibility) -> Entity:
        """Merge one entity into another; return the entity that remains.

        Raises:
            NotFoundError: One of them does not exist here.
            InvalidInputError: They are the same entity, or the source is the user.
            ConflictError: A global entity cannot be merged into one of a project.
        """
        with self._store.transaction():
            old, new = self._entities.get(source, visible), self._entities.get(target, visible)
            if old.key == new.key:
                raise InvalidInputError(
                    f"{source!r} and {target!r} are already the same entity: {new.name!r}"
                )
            if self._entities.is_user(old.key):
                raise InvalidInputError(
                    f"the built-in entity {USER!r} cannot be merged away: merge {target!r} into it"
                )
            if new.project not in {GLOBAL_PROJECT, old.project}:
                raise ConflictError(
                    f"{new.name!r} belongs to one project, {old.name!r} is used in others too: "
                    f"merge {new.name!r} into {old.name!r} instead"
                )
            merge(self._store, old, new, self._clock.now())
            return self._store.entities.get(new.key, visible) or new

    def rename(self, name: str, new: str, visible: Visibility) -> Entity:
        """Rename an entity, keeping the old name as an alias; return the renamed entity.

        Raises:
            NotFoundError: It does not exist here.
            InvalidInputError: The new name is invalid, or the entity is the user.
            ConflictError: The new name belongs to another entity.
        """
        shown = check_name(new, "new name")
        with self._store.transaction():
            entity = self._entities.get(name, visible)
            if self._entities.is_user(entity.key):
                raise InvalidInputError(
                    f"the built-in entity {USER!r} cannot be renamed: add an alias instead"
                )
            if entity.name == shown:
                raise InvalidInputError(f"the entity is already called {shown!r}")
            owner = self._entities.find(shown, Visibility.of_project(entity.project))
            if owner is not None and owner.key != entity.key:
                raise ConflictError(
                    f"{shown!r} is another entity: merge {entity.name!r} into it instead"
                )
            rename(self._store, entity, shown, self._clock.now())
            return self._store.entities.get(entity.key, visible) or entity

    def changes(self, visible: Visibility) -> list[EntityChange]:
        """Return merges and renames of visible entities that can be undone, newest first."""
        changes = self._store.entities.changes(MAX_CHANGES)
        return [change for change in changes if self._is_visible(change, visible)]

    def undo(self, change: int | None, visible: Visibility) -> EntityChange:
        """Undo a merge or rename, by default the last one; return the undone change.

        Raises:
            NotFoundError: There is no such change, or it was already undone.
            ConflictError: A later change prevents it.
        """
        with self._store.transaction():
            changes = self.changes(visible)
            undone = next((each for each in changes if change in {None, each.key}), None)
            if undone is None:
                wanted = "no merge or rename" if change is None else f"no change {change}"
                raise NotFoundError(
                    f"there is {wanted} to undo: list them with aforesaid entities undo --list"
                )
            if undone.operation == MERGE:
                self._undo_merge(undone)
            else:
                self._undo_rename(undone)
            self._store.memories.record("entity_undo", None, self._clock.now(), of=undone.key)
            return undone

    def _is_visible(self, change: EntityChange, visible: Visibility) -> bool:
        entity = self._store.entities.get(int(str(change.details["entity"])))
        return entity is not None and entity.project in visible.projects

    def _undo_merge(self, change: EntityChange) -> None:
        details = change.details
        source, target = int(str(details["entity"])), int(str(details["into"]))
        own = self._store.entities.row(source)
        names = self._store.entities.named([own.normalised], Visibility.of_project(own.project))
        owner = names.get(own.normalised)
        if owner is not None and (owner.project, owner.normalised) == (own.project, own.normalised):
            raise ConflictError(
                f"another entity is now called {owner.name!r}: rename that one first"
            )
        self._store.entities.merge(source, None)
        self._store.entities.change(target, updated_at=int(str(details["was"])))

    def _undo_rename(self, change: EntityChange) -> None:
        details = change.details
        old, new = (str(name) for name in list(details["names"]))  # type: ignore[call-overload]
        entity = self._store.entities.row(int(str(details["entity"])))
        if entity.name != new:
            raise ConflictError(f"{new!r} was renamed again later: undo that change first")
        if details.get("alias_added"):
            self._store.entities.remove_alias(entity.key, normalise_name(old))
        if details.get("alias_taken"):
            taken = str(details["alias_taken"])
            self._store.entities.add_alias(entity.key, normalise_name(taken), taken)
        self._store.entities.change(
            entity.key,
            name=old,
            normalised=normalise_name(old),
            updated_at=int(str(details["was"])),
        )
