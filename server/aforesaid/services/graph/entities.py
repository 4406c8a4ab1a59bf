"""The registry of entities: who is meant by a name, and what memories are about.

Here: rules of the write path (known, near, new), the user's own names. Not here: search and lists
(entity_search.py), merging and renaming by hand (entity_merge.py). Writes belong inside the
caller's transaction unless a method says that it opens one.
"""

from __future__ import annotations

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.entity import MAX_ALIASES, NEAR, USER, Entity
from aforesaid.domain.model.entity_names import (
    check_aliases,
    check_name,
    differ_in_number,
    normalise_name,
    spaced_name,
)
from aforesaid.domain.model.memory import GLOBAL_PROJECT, Filters, Visibility
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory
    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import Clock, NameMatcher, Store

MAX_NEAR = 3
SHORT_CHARS = 4  #: shorter names are near to too many
TYPE_CHARS = 60
MAX_DESCRIPTIONS = 1_000
MERGE = "entity_merge"


class EntityMatch(Value):
    """The entity that a name was taken for."""

    entity: Entity
    given: str  #: the name as it was said
    new: bool = False
    near: tuple[Entity, ...] = ()  #: what else may have been meant, best first
    skipped: tuple[str, ...] = ()  #: aliases that mean another entity already
    row: int = 0  #: key of the row that a memory of this project points to


class Entities:
    """Who is meant, and changes of that."""

    def __init__(self, store: Store, clock: Clock, matcher: NameMatcher | None = None) -> None:
        """Join the registry to its world.

        Args:
            store: where it is kept.
            clock: the present time.
            matcher: finds near names; None offers none.
        """
        self._store = store
        self._clock = clock
        self._matcher = matcher

    # -- who is meant

    def known(self, name: str, visible: Visibility) -> Entity | None:
        """Return the entity that a name or alias means here."""
        normalised = normalise_name(name)
        return self._store.entities.named([normalised], visible).get(normalised)

    def keys_named(self, name: str, visible: Visibility) -> list[int]:
        """Return every visible entity of that name: a project's own, and a global one beside it.

        Raises:
            NotFoundError: there is none; the message names near ones.
        """
        self.get(name, visible)
        normalised = normalise_name(name)
        found = (
            self._store.entities.named([normalised], Visibility(projects=(project,)))
            for project in visible.projects
        )
        return sorted({one[normalised].key for one in found if one})

    def get(self, name: str, visible: Visibility) -> Entity:
        """Return the entity that a name or alias means.

        Raises:
            NotFoundError: there is none; the message names near ones.
        """
        found = self.known(check_name(name), visible)
        if found is not None:
            return found
        near = self.near(name, visible)
        hint = (
            f"did you mean {', '.join(repr(one.name) for one in near)}?"
            if near
            else "search_entities(query=...) finds what is known"
        )
        raise NotFoundError(f"no entity is called {name!r} here: {hint}")

    def near(self, name: str, visible: Visibility) -> list[Entity]:
        """Return entities that may have been meant by a name which is not known, best first."""
        spaced = spaced_name(name)
        if self._matcher is None or len(spaced) < SHORT_CHARS:
            return []
        entities = self._store.entities.list_visible(visible)
        names = [(one, spaced_name(n)) for one in entities for n in (one.name, *one.aliases)]
        found: dict[int, Entity] = {}
        for place, _score in self._matcher.near(spaced, [text for _one, text in names], NEAR):
            entity, text = names[place]
            if len(text) >= SHORT_CHARS and not differ_in_number(spaced, text):
                found.setdefault(entity.key, entity)
        return list(found.values())[:MAX_NEAR]

    # -- on the write path

    def known_for(self, statement: Statement, here: Visibility) -> Entity | None:
        """Return what a statement is about, if that is known to the place where it is said."""
        name = _name_of(statement)
        return None if name is None else self.known(name, here)

    def may_be_about(self, memory: Memory, statement: Statement, subject: Entity | None) -> bool:
        """Tell whether a memory of the same words can be about the same thing."""
        if memory.entity is None or _name_of(statement) is None:
            return True
        about = self._store.entities.get(memory.entity)
        return about is not None and subject is not None and about.key == subject.key

    def attach(
        self, memory: Memory, statement: Statement, subject: Entity | None
    ) -> tuple[Memory, EntityMatch | None]:
        """Point a stored memory to what it is about, registered if new; return both."""
        name = _name_of(statement)
        if name is None:
            return memory, None
        return self._point(memory, name, subject)

    def sync_after_update(
        self, before: Memory, after: Memory, name: str | None
    ) -> EntityMatch | None:
        """Keep the registry in step with a memory that was changed in place.

        Args:
            before: the memory as it was.
            after: as it is now.
            name: what it is about from now on; empty for nothing, None where that was not said.
        """
        named: EntityMatch | None = None
        if before.project == GLOBAL_PROJECT != after.project:
            after = self._take_along(after)
        described = after.type == "entity" and after.metadata != before.metadata
        if name is not None and not name.strip():
            self._store.memories.change(after.key, entity=None)
        elif name is not None or (described and after.metadata.get("name")):
            shown = check_name(name or str(after.metadata["name"]))
            visible = Visibility.of_project(before.project)
            _, named = self._point(after, shown, self.known(shown, visible))
        elif after.entity is not None and after.project == GLOBAL_PROJECT:
            self._store.memories.change(after.key, entity=self.make_global(after.entity))
        if name is not None:
            self.delete_if_unused(before.entity)
        return named

    def _point(
        self, memory: Memory, name: str, subject: Entity | None
    ) -> tuple[Memory, EntityMatch]:
        if subject is not None and memory.project == GLOBAL_PROJECT:
            self.make_global(subject.key)
        told = memory.metadata if memory.type == "entity" else {}
        normalised = normalise_name(name)
        aliases = [one for one in _aliases_of(memory) if normalise_name(one) != normalised]
        named = self.settle(
            name,
            memory.project,
            entity_type=" ".join(str(told.get("entity_type") or "").lower().split())[:TYPE_CHARS],
            aliases=aliases,
        )
        about = None if memory.entity is None else self._store.entities.get(memory.entity)
        if about is None or about.key != named.entity.key or named.row != named.entity.key:
            self._store.memories.change(memory.key, entity=named.row)
            memory = memory.replace(entity=named.row)
        if memory.type == "entity":
            self._store.entities.change(
                named.entity.key
            )  # described anew: what it means may differ
        return memory, named

    def _take_along(self, memory: Memory) -> Memory:
        """Keep in its project what a memory that is global no more calls its entity."""
        entity = None if memory.entity is None else self._store.entities.get(memory.entity)
        aliases = _aliases_of(memory)
        if memory.entity is None or entity is None or not aliases:
            return memory
        everywhere = Visibility(projects=(GLOBAL_PROJECT,))
        others = self._store.memories.select(
            everywhere, Filters(types=("entity",), entities=(entity.key,)), MAX_DESCRIPTIONS
        )
        kept = {normalise_name(alias) for one in others for alias in _aliases_of(one)}
        for alias in aliases:
            if normalise_name(alias) not in kept:
                self._store.entities.remove_alias(memory.entity, normalise_name(alias))
        here = Visibility.of_project(memory.project)
        return self._point(memory, entity.name, self.known(entity.name, here))[0]

    def settle(
        self,
        name: str,
        project: int,
        *,
        entity_type: str = "",
        aliases: Sequence[str] = (),
    ) -> EntityMatch:
        """Return the entity that a memory of a project (0: global) is about, registered if new.

        What a global memory is about is global: a project's own entity of that name becomes so.
        What a project says of a global one, its aliases there, stays in a row of the project's own
        that is known as the global one.
        """
        shown = check_name(name)
        visible = Visibility.of_project(project)
        entity = self.known(shown, visible)
        near: list[Entity] = []
        new = entity is None
        if entity is None:
            near = self.near(shown, visible)
            entity = self._register(shown, project, entity_type)
        elif self._may_type(entity, project) and entity_type not in {"", entity.entity_type}:
            self._store.entities.change(entity.key, entity_type=entity_type)
        own = entity.project == project or not aliases
        row = entity.key if own else self._own_row(entity, shown, project)
        skipped = self._add_aliases(entity, row, aliases, visible)
        entity = self._store.entities.get(entity.key, visible) or entity
        return EntityMatch(
            entity=entity, given=shown, new=new, near=tuple(near), skipped=skipped, row=row
        )

    def _may_type(self, entity: Entity, project: int) -> bool:
        """Tell whether a memory of a project says of what type an entity is."""
        own = entity.project == project or not entity.entity_type
        return own and not self.is_user(entity.key)

    def _own_row(self, entity: Entity, name: str, project: int) -> int:
        """Return the row in which a project keeps its own names of a global entity."""
        found = self._store.entities.own_row(entity.key, normalise_name(name), project)
        if found is None:
            found = self._register(name, project, "").key
            self._store.entities.merge(found, entity.key)
        return found

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
        """Give a row of an entity more names; return those that mean another one already."""
        skipped = []
        added = False
        room = MAX_ALIASES - len(entity.aliases)
        for alias in check_aliases(aliases):
            owner = self.known(alias, visible)
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

        Its name becomes known everywhere, the aliases that the project gave it stay there.
        """
        entity = self._store.entities.get(key)
        if entity is None or entity.project == GLOBAL_PROJECT:
            return key if entity is None else entity.key
        everywhere = Visibility(projects=(GLOBAL_PROJECT,))
        known = self.known(entity.name, everywhere)
        if known is not None:
            self.merge_into(entity, known)
        else:
            known = self._register(entity.name, GLOBAL_PROJECT, entity.entity_type)
            self._store.entities.merge(entity.key, known.key)
        self._store.memories.record("entity_widen", None, self._clock.now(), entity=entity.key)
        return known.key

    def merge_into(self, gone: Entity, kept: Entity) -> None:
        """Have one entity be known as another, and log it so that it can be undone."""
        now = self._clock.now()
        self._store.entities.merge(gone.key, kept.key)
        self._store.memories.record(
            MERGE, None, now, entity=gone.key, into=kept.key, was=kept.updated_at,
            names=[gone.name, kept.name],
        )  # fmt: skip
        self._store.entities.change(kept.key, updated_at=now)

    def delete_if_unused(self, key: int | None) -> None:
        """Remove an entity that a slip of a name registered and nothing speaks of any more."""
        if key is None or self._store.entities.is_used(key):
            return
        if not self.is_user(key) and not self._store.entities.aliases(key):
            self._store.entities.remove(key)

    def name_of(self, memory: Memory) -> str | None:
        """Return the name of what a memory is about."""
        entity = None if memory.entity is None else self._store.entities.get(memory.entity)
        return None if entity is None else entity.name

    def after_erase(self, key: int | None) -> None:
        """Forget the names that an erased memory brought, but those that others still bring.

        Args:
            key: the entity that the erased memory was about.
        """
        entity = None if key is None else self._store.entities.get(key)
        if key is None or entity is None or self.is_user(key):
            return
        everywhere = Visibility(projects=(0, *(one.key for one in self._store.projects.list_all())))
        left = self._store.memories.select(
            everywhere,
            Filters(types=("entity",), entities=(entity.key,), history=True),
            MAX_DESCRIPTIONS,
        )
        kept = {normalise_name(alias) for memory in left for alias in _aliases_of(memory)}
        for normalised in self._store.entities.aliases(key):
            if normalised not in kept:
                self._store.entities.remove_alias(key, normalised)
        if not self._store.entities.is_used(key):
            self._store.entities.remove(key)
        else:
            self._store.entities.change(key)

    # -- the user

    def is_user(self, key: int) -> bool:
        """Tell whether a row is the user's own."""
        row = self._store.entities.row(key)
        return row.normalised == USER and row.project == GLOBAL_PROJECT

    def know_user(self, name: str) -> bool:
        """Make a name, as git has it, one of the user's; opens a transaction where it is new.

        A name that means something else already, or looks like no one's, is left alone.
        """
        shown = " ".join(name.split())
        everywhere = Visibility(projects=(GLOBAL_PROJECT,))
        user = self.known(USER, everywhere)
        if user is None or not 2 <= len(shown) <= 80 or not any(map(str.isalpha, shown)):  # noqa: PLR2004
            return False
        if self.known(shown, everywhere) is not None or len(user.aliases) >= MAX_ALIASES:
            return False
        with self._store.transaction():
            return not self._add_aliases(user, user.key, [shown], everywhere)


def _aliases_of(memory: Memory) -> list[str]:
    """Return the other names that a description gives what it describes."""
    told = memory.metadata if memory.type == "entity" else {}
    aliases = told.get("aliases")  # a row of elsewhere may hold anything there
    names = [*(aliases if isinstance(aliases, list) else ()), told.get("name") or ""]
    return [str(name) for name in names if str(name).strip()]


def _name_of(statement: Statement) -> str | None:
    """Return the name of what a statement is about: as said, else as its description has it."""
    if statement.entity:
        return statement.entity
    name = statement.metadata.get("name") if statement.type == "entity" else None
    return check_name(name) if isinstance(name, str) and name.strip() else None
