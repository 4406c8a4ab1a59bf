"""Merging and renaming entities, and taking that back.

Every link is kept: rows are only renamed, or known as another; the log holds what an undo needs.
Each method opens its own transaction.
"""

from __future__ import annotations

from aforesaid.domain.errors import ConflictError, InvalidInputError, NotFoundError
from aforesaid.domain.model.entity import USER, Entity, EntityChange
from aforesaid.domain.model.entity_names import check_name, normalise_name
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Visibility

from .entities import MERGE, Entities

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.ports import Clock, Store

RENAME = "entity_rename"
MAX_CHANGES = 1_000  #: that are looked through


class EntityMerger:
    """Changes of the registry by hand."""

    def __init__(self, store: Store, clock: Clock, entities: Entities) -> None:
        self._store = store
        self._clock = clock
        self._entities = entities

    def merge(self, source: str, target: str, visible: Visibility) -> Entity:
        """Have one entity be known as another from now on; return that other.

        Raises:
            NotFoundError: one of them is not known here.
            InvalidInputError: they are one already, or the one to go is the user.
            ConflictError: what is global cannot be known as what belongs to one project.
        """
        with self._store.transaction():
            gone, kept = self._entities.get(source, visible), self._entities.get(target, visible)
            if gone.key == kept.key:
                raise InvalidInputError(
                    f"{source!r} and {target!r} are the same entity already: {kept.name!r}"
                )
            if self._entities.is_user(gone.key):
                raise InvalidInputError(f"the user stays: merge {target!r} into {USER!r} instead")
            if kept.project not in {GLOBAL_PROJECT, gone.project}:
                raise ConflictError(
                    f"{gone.name!r} is known in other projects, {kept.name!r} is not: "
                    f"merge {kept.name!r} into {gone.name!r} instead"
                )
            self._entities.merge_into(gone, kept)
            return self._store.entities.get(kept.key, visible) or kept

    def rename(self, name: str, new: str, visible: Visibility) -> Entity:
        """Give an entity another name; the old one stays as an alias. Return it as it is now.

        Raises:
            NotFoundError: it is not known here.
            InvalidInputError: the new name is none, or it is the user's.
            ConflictError: the new name means another entity.
        """
        shown = check_name(new, "new name")
        normalised = normalise_name(shown)
        with self._store.transaction():
            entity = self._entities.get(name, visible)
            if self._entities.is_user(entity.key):
                raise InvalidInputError(f"{USER!r} keeps its name: give it aliases")
            if entity.name == shown:
                raise InvalidInputError(f"it is called {shown!r} already")
            owner = self._entities.known(shown, Visibility.of_project(entity.project))
            if owner is not None and owner.key != entity.key:
                raise ConflictError(
                    f"{shown!r} means another entity: merge {entity.name!r} into it instead"
                )
            aliases = self._store.entities.aliases(entity.key)
            now = self._clock.now()
            taken = aliases.get(normalised)
            if taken is not None:
                self._store.entities.remove_alias(entity.key, normalised)
            added = normalised != entity.normalised and entity.normalised not in aliases
            if added:
                self._store.entities.add_alias(entity.key, entity.normalised, entity.name)
            self._store.memories.record(
                RENAME, None, now, entity=entity.key, names=[entity.name, shown],
                alias_taken=taken, alias_added=added, was=entity.updated_at,
            )  # fmt: skip
            self._store.entities.change(
                entity.key, name=shown, normalised=normalised, updated_at=now
            )
            return self._store.entities.get(entity.key, visible) or entity

    def changes(self, visible: Visibility) -> list[EntityChange]:
        """Return merges and renames of visible entities that can be undone, newest first."""
        found = self._store.entities.changes(MAX_CHANGES)
        return [one for one in found if self._is_seen(one, visible)]

    def undo(self, change: int | None, visible: Visibility) -> EntityChange:
        """Take back a merge or rename, the last one if none is named; return what it was.

        Raises:
            NotFoundError: there is no such change, or it was undone.
            ConflictError: what came after it stands in the way.
        """
        with self._store.transaction():
            known = self.changes(visible)
            found = next((one for one in known if change in {None, one.key}), None)
            if found is None:
                what = "no merge or rename" if change is None else f"no change {change}"
                raise NotFoundError(f"there is {what} to undo: aforesaid entities undo --list")
            if found.operation == MERGE:
                self._undo_merge(found)
            else:
                self._undo_rename(found)
            self._store.memories.record("entity_undo", None, self._clock.now(), of=found.key)
            return found

    def _is_seen(self, change: EntityChange, visible: Visibility) -> bool:
        entity = self._store.entities.get(int(str(change.details["entity"])))
        return entity is not None and entity.project in visible.projects

    def _undo_merge(self, change: EntityChange) -> None:
        told = change.details
        source, target = int(str(told["entity"])), int(str(told["into"]))
        own = self._store.entities.row(source)
        names = self._store.entities.named([own.normalised], Visibility.of_project(own.project))
        owner = names.get(own.normalised)
        if owner is not None and (owner.project, owner.normalised) == (own.project, own.normalised):
            raise ConflictError(
                f"{own.name!r} is the name of {owner.name!r} now: rename that one first"
            )
        self._store.entities.merge(source, None)
        self._store.entities.change(target, updated_at=int(str(told["was"])))

    def _undo_rename(self, change: EntityChange) -> None:
        told = change.details
        old, new = (str(name) for name in list(told["names"]))  # type: ignore[call-overload]
        entity = self._store.entities.row(int(str(told["entity"])))
        if entity.name != new:
            raise ConflictError(f"{new!r} was renamed again since: undo that first")
        if told.get("alias_added"):
            self._store.entities.remove_alias(entity.key, normalise_name(old))
        if told.get("alias_taken"):
            taken = str(told["alias_taken"])
            self._store.entities.add_alias(entity.key, normalise_name(taken), taken)
        self._store.entities.change(
            entity.key,
            name=old,
            normalised=normalise_name(old),
            updated_at=int(str(told["was"])),
        )
