"""The registry of entities: resolving names, and attaching memories to their subject.

A global entity can have one more row per project, with that project's aliases. Not here: search
and lists (entity_search.py), merging and renaming by hand (entity_merge.py). Methods that write run
inside the caller's transaction unless they say otherwise.
"""

from __future__ import annotations

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.entity import (
    MAX_ALIASES,
    NEAR,
    USER,
    Entity,
    check_aliases,
    check_name,
    differ_in_number,
    is_abbreviation,
    may_mean_person,
    normalise_name,
    spaced_name,
)
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Filters, Visibility
from aforesaid.domain.value import Value

from . import entity_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import Clock, NameMatcher, Store

MAX_NEAR = 3
MIN_CHARS = 4  #: shorter names resemble too many others
TYPE_CHARS = 60
MAX_DESCRIPTIONS = 1_000  #: entity memories, those of type entity, of one entity


class EntityMatch(Value):
    """The entity that a name resolved to."""

    entity: Entity
    given: str  #: the name as the caller wrote it
    new: bool = False
    near: tuple[Entity, ...] = ()  #: entities with similar names, best first
    skipped: tuple[str, ...] = ()  #: aliases that belong to another entity
    row: int = 0  #: key of the row, its own or the project's, that the memory points to


class Entities:
    """Resolves names to entities and changes the registry."""

    def __init__(self, store: Store, clock: Clock, matcher: NameMatcher | None = None) -> None:
        """``matcher`` finds similar names; without one, none are suggested."""
        self._store = store
        self._clock = clock
        self._matcher = matcher

    # -- resolving names

    def find(self, name: str, visible: Visibility) -> Entity | None:
        """Return the visible entity with a name or alias, if there is one."""
        normalised = normalise_name(name)
        return self._store.entities.named([normalised], visible).get(normalised)

    def keys_named(self, name: str, visible: Visibility) -> list[int]:
        """Return the keys of all visible entities with a name: a project's own and a global one.

        A first name also means the only known person who has it.

        Raises:
            NotFoundError: There is none; the message suggests similar names.
        """
        normalised = normalise_name(name)
        people = self._store.entities.with_first_name([normalised], visible).get(normalised, [])
        matches = (
            self._store.entities.named([normalised], Visibility(projects=(project,)))
            for project in visible.projects
        )
        keys = {match[normalised].key for match in matches if match}
        keys |= {person.key for person in people if len(people) == 1}
        return sorted(keys) or [self.get(name, visible).key]

    def get(self, name: str, visible: Visibility) -> Entity:
        """Return the visible entity with a name or alias.

        Raises:
            NotFoundError: There is none; the message suggests similar names.
        """
        entity = self.find(check_name(name), visible)
        if entity is not None:
            return entity
        similar = (
            self.suggest(name, visible)
            or [
                entity
                for entity in self._store.entities.list_visible(visible)
                if f" {spaced_name(name)} " in f" {spaced_name(entity.name)} "
            ][:MAX_NEAR]
        )
        named = ", ".join(repr(entity.name) for entity in similar)
        hint = f"did you mean {named}?" if named else "search with search_entities(query=...)"
        raise NotFoundError(f"no entity is called {name!r} here: {hint}")

    def suggest(self, name: str, visible: Visibility) -> list[Entity]:
        """Return entities with a name similar to an unknown one, best first."""
        spaced = spaced_name(name)
        if self._matcher is None:
            return []
        entities = self._store.entities.list_visible(visible)
        names = [
            (entity, spaced_name(name))
            for entity in entities
            for name in (entity.name, *entity.aliases)
        ]
        similar: dict[int, Entity] = {}
        for index, _score in self._matcher.near(spaced, [text for _, text in names], NEAR):
            entity, text = names[index]
            if min(len(spaced), len(text)) >= MIN_CHARS and not differ_in_number(spaced, text):
                similar.setdefault(entity.key, entity)
        for entity, text in names:
            if is_abbreviation(spaced, text) or may_mean_person(name, entity.name):
                similar.setdefault(entity.key, entity)
        return list(similar.values())[:MAX_NEAR]

    # -- on the write path

    def find_subject(self, statement: Statement, visible: Visibility) -> Entity | None:
        """Return the entity that a statement is about, if it is registered and visible."""
        name = _name_of(statement)
        return None if name is None else self.find(name, visible)

    def may_be_about(self, memory: Memory, statement: Statement, subject: Entity | None) -> bool:
        """Whether a memory with the same text can have the same subject as a statement."""
        if memory.entity is None or _name_of(statement) is None:
            return True
        entity = self._store.entities.get(memory.entity)
        return entity is not None and subject is not None and entity.key == subject.key

    def attach(
        self, memory: Memory, statement: Statement, subject: Entity | None
    ) -> tuple[Memory, EntityMatch | None]:
        """Link a stored memory to its subject, registering it if new; return both."""
        name = _name_of(statement)
        if name is None:
            return memory, None
        return self._attach(memory, name, subject)

    def sync_after_update(
        self, before: Memory, after: Memory, name: str | None
    ) -> EntityMatch | None:
        """Update the registry after a memory was changed in place.

        Args:
            before: The memory before the change.
            after: The memory after it.
            name: The name of its new subject; empty for none, None to leave it unchanged.
        """
        match: EntityMatch | None = None
        if before.project == GLOBAL_PROJECT != after.project:
            after = self._move_aliases(after)
        described = after.type == "entity" and after.metadata != before.metadata
        if name is not None and not name.strip():
            self._store.memories.change(after.key, entity=None)
        elif name is not None or (described and after.metadata.get("name")):
            shown = check_name(name or str(after.metadata["name"]))
            visible = Visibility.of_project(before.project)
            if name is None:
                self._rename_described(before, shown, visible)
            _, match = self._attach(after, shown, self.find(shown, visible))
        elif after.entity is not None and after.project == GLOBAL_PROJECT:
            self._store.memories.change(after.key, entity=self.make_global(after.entity))
        if name is not None:
            self.delete_if_unused(before.entity)
        return match

    def _rename_described(self, before: Memory, shown: str, visible: Visibility) -> None:
        """Rename the entity of a description whose name was changed, if the new name is free."""
        former = normalise_name(str(before.metadata.get("name") or ""))
        entity = self.find(former, visible) if before.type == "entity" and former else None
        if entity is None or self.is_user(entity.key) or self.find(shown, visible) is not None:
            return
        if (entity.normalised, entity.project) == (former, before.project):
            entity_changes.rename(self._store, entity, shown, self._clock.now())

    def _attach(
        self, memory: Memory, name: str, subject: Entity | None
    ) -> tuple[Memory, EntityMatch]:
        if subject is not None and memory.project == GLOBAL_PROJECT:
            self.make_global(subject.key)
        metadata = memory.metadata if memory.type == "entity" else {}
        entity_type = " ".join(str(metadata.get("entity_type") or "").lower().split())
        normalised = normalise_name(name)
        aliases = [alias for alias in _aliases_of(memory) if normalise_name(alias) != normalised]
        match = self.resolve(
            name, memory.project, entity_type=entity_type[:TYPE_CHARS], aliases=aliases
        )
        entity = None if memory.entity is None else self._store.entities.get(memory.entity)
        if entity is None or entity.key != match.entity.key or match.row != match.entity.key:
            self._store.memories.change(memory.key, entity=match.row)
            memory = memory.replace(entity=match.row)
        if memory.type == "entity":
            self._store.entities.change(match.entity.key)  # drops its vector, to be computed again
        return memory, match

    def _move_aliases(self, memory: Memory) -> Memory:
        """Move the aliases that a memory gave its entity while global into its new project."""
        entity = None if memory.entity is None else self._store.entities.get(memory.entity)
        aliases = _aliases_of(memory)
        if memory.entity is None or entity is None or not aliases:
            return memory
        everywhere = Visibility(projects=(GLOBAL_PROJECT,))
        others = self._store.memories.select(
            everywhere, Filters(types=("entity",), entities=(entity.key,)), MAX_DESCRIPTIONS
        )
        other_aliases = {normalise_name(alias) for other in others for alias in _aliases_of(other)}
        for alias in aliases:
            if normalise_name(alias) not in other_aliases:
                self._store.entities.remove_alias(memory.entity, normalise_name(alias))
        here = Visibility.of_project(memory.project)
        return self._attach(memory, entity.name, self.find(entity.name, here))[0]

    def resolve(
        self,
        name: str,
        project: int,
        *,
        entity_type: str = "",
        aliases: Sequence[str] = (),
    ) -> EntityMatch:
        """Return the entity with a name, for a memory of a project (0: global); register new ones.

        The subject of a global memory is global. The aliases that a project gives to a global
        entity go into a row that belongs to the project and is merged into the global row.
        """
        shown = check_name(name)
        visible = Visibility.of_project(project)
        entity = self.find(shown, visible)
        new = entity is None
        similar = self.suggest(shown, visible) if new else []
        if entity is None:
            entity = self._register(shown, project, entity_type)
        elif self._may_set_type(entity, project) and entity_type not in {"", entity.entity_type}:
            self._store.entities.change(entity.key, entity_type=entity_type)
        is_own = entity.project == project or not aliases
        row = entity.key if is_own else self._own_row(entity, shown, project)
        skipped = self._add_aliases(entity, row, aliases, visible)
        entity = self._store.entities.get(entity.key, visible) or entity
        return EntityMatch(
            entity=entity, given=shown, new=new, near=tuple(similar), skipped=skipped, row=row
        )

    def _may_set_type(self, entity: Entity, project: int) -> bool:
        """Whether a memory of a project may set the type of an entity."""
        may_set = entity.project == project or not entity.entity_type
        return may_set and not self.is_user(entity.key)

    def _own_row(self, entity: Entity, name: str, project: int) -> int:
        """Return the row in which a project keeps its own names of a global entity."""
        row = self._store.entities.own_row(entity.key, normalise_name(name), project)
        if row is None:
            row = self._register(name, project, "").key
            self._store.entities.merge(row, entity.key)
        return row

    def _register(self, name: str, project: int, entity_type: str) -> Entity:
        now = self._clock.now()
        entity = self._store.entities.add(
            Entity(
                name=name,
                normalised=normalise_name(name),
                entity_type=entity_type,
                project=project,
                created_at=now,
                updated_at=now,
            )
        )
        self._store.memories.record("entity_create", None, now, entity=entity.key)
        return entity

    def _add_aliases(
        self, entity: Entity, row: int, aliases: Sequence[str], visible: Visibility
    ) -> tuple[str, ...]:
        """Add aliases to a row of an entity; return those that belong to another entity."""
        skipped = []
        added = False
        room = MAX_ALIASES - len(entity.aliases)
        for alias in check_aliases(aliases):
            owner = self.find(alias, visible)
            if owner is not None and owner.key != entity.key:
                skipped.append(alias)
            elif owner is None and room > 0:
                self._store.entities.add_alias(row, normalise_name(alias), alias)
                room -= 1
                added = True
        if added:
            self._store.entities.change(row, updated_at=self._clock.now())
        return tuple(skipped)

    def make_global(self, key: int) -> int:
        """Make a project's entity global, because a global memory is about it; return its key.

        Its name becomes visible everywhere; its aliases stay visible in the project only.
        """
        entity = self._store.entities.get(key)
        if entity is None or entity.project == GLOBAL_PROJECT:
            return key if entity is None else entity.key
        everywhere = Visibility(projects=(GLOBAL_PROJECT,))
        known = self.find(entity.name, everywhere)
        if known is not None:
            entity_changes.merge(self._store, entity, known, self._clock.now())
        else:
            known = self._register(entity.name, GLOBAL_PROJECT, entity.entity_type)
            self._store.entities.merge(entity.key, known.key)
        self._store.memories.record("entity_widen", None, self._clock.now(), entity=entity.key)
        return known.key

    def delete_if_unused(self, key: int | None) -> None:
        """Delete an entity without aliases that no memory refers to, such as a mistyped name."""
        if key is None or self._store.entities.is_used(key):
            return
        if not self.is_user(key) and not self._store.entities.aliases(key):
            self._store.entities.remove(key)

    def name_of(self, memory: Memory) -> str | None:
        """Return the name of the entity that a memory is about."""
        entity = None if memory.entity is None else self._store.entities.get(memory.entity)
        return None if entity is None else entity.name

    def after_erase(self, key: int | None) -> None:
        """Remove the aliases that only an erased memory gave its entity; keep former names.

        Args:
            key: The entity that the memory was about.
        """
        entity = None if key is None else self._store.entities.get(key)
        if key is None or entity is None or self.is_user(key):
            return
        projects = (project.key for project in self._store.projects.list_all())
        everywhere = Visibility(projects=(GLOBAL_PROJECT, *projects))
        remaining = self._store.memories.select(
            everywhere,
            Filters(types=("entity",), entities=(entity.key,), include_history=True),
            MAX_DESCRIPTIONS,
        )
        kept = entity_changes.former_names(self._store, key) | {
            normalise_name(alias) for memory in remaining for alias in _aliases_of(memory)
        }
        for normalised in self._store.entities.aliases(key):
            if normalised not in kept:
                self._store.entities.remove_alias(key, normalised)
        if not self._store.entities.is_used(key):
            self._store.entities.remove(key)
        else:
            self._store.entities.change(key)  # drops its vector, to be computed again

    # -- the user

    def is_user(self, key: int) -> bool:
        """Whether a row is that of the user."""
        row = self._store.entities.row(key)
        return row.normalised == USER and row.project == GLOBAL_PROJECT

    def add_user_name(self, name: str) -> bool:
        """Add a name from the git configuration to the user's aliases; opens a transaction.

        A name that belongs to another entity, or does not look like a name, is ignored.

        Returns:
            Whether the name was added.
        """
        shown = " ".join(name.split())
        everywhere = Visibility(projects=(GLOBAL_PROJECT,))
        user = self.find(USER, everywhere)
        if user is None or not 2 <= len(shown) <= 80 or not any(map(str.isalpha, shown)):  # noqa: PLR2004
            return False
        if self.find(shown, everywhere) is not None or len(user.aliases) >= MAX_ALIASES:
            return False
        with self._store.transaction():
            return not self._add_aliases(user, user.key, [shown], everywhere)


def _aliases_of(memory: Memory) -> list[str]:
    """Return the names that a memory of type entity (a description) gives its entity."""
    metadata = memory.metadata if memory.type == "entity" else {}
    aliases = metadata.get("aliases")  # an imported row may hold anything here
    names = [*(aliases if isinstance(aliases, list) else ()), metadata.get("name") or ""]
    return [str(name) for name in names if str(name).strip()]


def _name_of(statement: Statement) -> str | None:
    """Return the name of a statement's subject: its entity, else the name in its metadata."""
    if statement.entity:
        return statement.entity
    name = statement.metadata.get("name") if statement.type == "entity" else None
    return check_name(name) if isinstance(name, str) and name.strip() else None
