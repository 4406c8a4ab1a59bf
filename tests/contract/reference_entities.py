"""Entities of the model store: rows in a dictionary, heads found by following merges."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.entity import USER, Entity, EntityChange, EntityUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Memory, Visibility

USER_ROW = Entity(key=1, name=USER, normalised=USER, entity_type="person")
USER_ALIASES = {"i": "I", "me": "me", "my": "my", "myself": "myself"}
CHANGES = ("entity_merge", "entity_rename")


class ReferenceEntities:
    """The part of the model store that knows entities."""

    _memories: dict[int, Memory]
    _entities: dict[int, Entity]
    _entity_names: dict[int, dict[str, str]]
    _merged: dict[int, int]
    _entity_vectors: dict[int, tuple[str, bytes]]
    log: list[tuple[str, str | None, int, dict[str, object]]]

    def _start_entities(self) -> None:
        self._entities = {1: USER_ROW}
        self._entity_names = {1: dict(USER_ALIASES)}
        self._merged = {}
        self._entity_vectors = {}

    def _entity_head(self, key: int) -> int:
        while key in self._merged:
            key = self._merged[key]
        return key

    def _names(self) -> list[tuple[str, int, int, bool, str]]:
        """Return (normalised, head, project, is an alias, name) of every name."""
        own = [
            (one.normalised, self._entity_head(key), one.project, False, one.name)
            for key, one in self._entities.items()
        ]
        return own + [
            (normalised, self._entity_head(key), self._entities[key].project, True, name)
            for key, names in self._entity_names.items()
            for normalised, name in names.items()
        ]

    def entities_get(self, key: int, visible: Visibility | None = None) -> Entity | None:
        if key not in self._entities:
            return None
        row = self._entities[self._entity_head(key)]
        seen = {0, row.project} if visible is None else {0, *visible.projects}
        names: dict[str, str] = {}
        for normalised, head, project, _alias, name in sorted(
            self._names(), key=lambda one: (one[0], one[3], one[4])
        ):
            if head == row.key and normalised != row.normalised and project in seen:
                names.setdefault(normalised, name)
        return row.replace(aliases=tuple(names.values()))

    def entities_row(self, key: int) -> Entity:
        if key not in self._entities:
            raise NotFoundError(f"there is no entity {key}")
        return self._entities[key]

    def entities_own_row(self, head: int, normalised: str, project: int) -> int | None:
        found = [
            key
            for key, one in self._entities.items()
            if (self._entity_head(key), one.normalised, one.project) == (head, normalised, project)
        ]
        return min(found, default=None)

    def entities_list_visible(
        self,
        visible: Visibility,
        *,
        scopes: Sequence[str] = (),
        types: Sequence[str] = (),
        after: tuple[str, int] | None = None,
        limit: int = -1,
    ) -> list[Entity]:
        found = [
            one
            for key, one in self._entities.items()
            if key not in self._merged
            and one.project in visible.projects
            and (not scopes or ("project" if one.project else "global") in scopes)
            and (not types or one.entity_type in types)
            and (after is None or (one.normalised, one.key) > after)
        ]
        found.sort(key=lambda one: (one.normalised, one.key))
        known = [self.entities_get(one.key, visible) for one in found]
        return [one for one in known if one is not None][: None if limit < 0 else limit]

    def entities_named(self, names: Sequence[str], visible: Visibility) -> dict[str, Entity]:
        found: dict[str, Entity] = {}
        for normalised, head, _project, _alias, _name in sorted(
            self._names(), key=lambda one: (one[2] == 0, one[3], one[1])
        ):
            if _project in visible.projects and normalised in names and normalised not in found:
                known = self.entities_get(head, visible)
                assert known is not None
                found[normalised] = known
        return {name: found[name] for name in names if name in found}

    def entities_uses(self, heads: Sequence[int], visible: Visibility) -> dict[int, EntityUse]:
        uses = {}
        for head in heads:
            about = [one for one in self._spoken() if self._entity_head(one.entity or 0) == head]
            about = [one for one in about if self._seen(one, visible)]
            if about:
                tags = Counter(tag for one in about for tag in one.tags)
                uses[head] = EntityUse(
                    count=len(about),
                    tags=tuple(sorted(tags, key=lambda tag: (-tags[tag], tag))[:10]),
                    first_at=min(one.created_at for one in about),
                    last_at=max(one.updated_at for one in about),
                )
        return uses

    def _spoken(self) -> list[Memory]:
        return [
            one
            for one in self._memories.values()
            if one.entity is not None
            and one.in_force
            and one.archived_at is None
            and one.compacted_into is None
        ]

    def entities_is_used(self, key: int) -> bool:
        about = any(one.entity == key for one in self._memories.values())
        return about or key in self._merged.values()

    def entities_add(self, entity: Entity) -> Entity:
        key = max(self._entities) + 1
        stored = entity.replace(key=key, aliases=())
        self._entities[key] = stored
        return stored

    def entities_change(self, key: int, **fields: Any) -> None:
        self._entities[key] = self._entities[key].replace(**fields)
        self._entity_vectors.pop(key, None)

    def entities_aliases(self, key: int) -> dict[str, str]:
        return dict(sorted(self._entity_names.get(key, {}).items()))

    def entities_add_alias(self, key: int, normalised: str, name: str) -> None:
        self._entity_names[key] = {normalised: name, **self._entity_names.get(key, {})}
        self.entities_change(key)

    def entities_remove_alias(self, key: int, normalised: str) -> None:
        left = {one: name for one, name in self.entities_aliases(key).items() if one != normalised}
        self._entity_names[key] = left
        self.entities_change(key)

    def entities_merge(self, source: int, target: int | None) -> None:
        if target is None:
            self._merged.pop(source, None)
        else:
            self._merged[source] = target

    def entities_remove(self, key: int) -> None:
        for part in (self._entities, self._entity_names, self._merged, self._entity_vectors):
            part.pop(key, None)  # type: ignore[attr-defined]
        self.log = [
            (word, memory, at, {} if word in CHANGES and told.get("entity") == key else told)
            for word, memory, at, told in self.log
        ]

    def entities_changes(self, limit: int) -> list[EntityChange]:
        undone = {told["of"] for word, _memory, _at, told in self.log if word == "entity_undo"}
        found = [
            EntityChange(key=number, at=at, operation=word, details=told)
            for number, (word, _memory, at, told) in enumerate(self.log, 1)
            if word in CHANGES and told and number not in undone
        ]
        return found[::-1][:limit]

    def entities_set_vector(self, key: int, vector: bytes, model: str) -> None:
        self._entity_vectors[key] = (model, vector)

    def entities_without_vector(self, model: str, limit: int) -> list[int]:
        return [
            key
            for key in sorted(self._entities)
            if key not in self._merged and self._entity_vectors.get(key, ("", b""))[0] != model
        ][:limit]

    def entities_near(
        self, vector: bytes, model: str, visible: Visibility, limit: int
    ) -> list[tuple[int, float]]:
        from contract.reference_store import _cosine

        found = [
            (key, _cosine(vector, kept))
            for key, (stamp, kept) in self._entity_vectors.items()
            if stamp == model
            and key not in self._merged
            and self._entities[key].project in visible.projects
        ]
        return sorted(found, key=lambda entry: (-entry[1], entry[0]))[:limit]

    def entities_names(self, limit: int) -> dict[int, list[str]]:
        return {
            project: [name for name, _normalised in names][:limit]
            for project, names in self._by_project().items()
        }

    def entities_sharing_projects(self, project: int, limit: int) -> list[tuple[int, list[str]]]:
        spoken = self._by_project()
        own = {normalised: name for name, normalised in spoken.get(project, ())}
        shared = [
            (other, sorted(own[normalised] for _name, normalised in names if normalised in own))
            for other, names in spoken.items()
            if other != project
        ]
        ranked = sorted(shared, key=lambda entry: (-len(entry[1]), entry[0]))
        return [entry for entry in ranked if entry[1]][:limit]

    def _by_project(self) -> dict[int, list[tuple[str, str]]]:
        """Return the names that each project speaks of, most spoken of first."""
        counted: dict[int, Counter[int]] = {}
        for one in self._spoken():
            head = self._entity_head(one.entity or 0)
            if one.project and self._entities[head].normalised != USER:
                counted.setdefault(one.project, Counter())[head] += 1
        return {
            project: [
                (self._entities[head].name, self._entities[head].normalised)
                for head in sorted(heads, key=lambda key: (-heads[key], self._entities[key].name))
            ]
            for project, heads in counted.items()
        }

    def _fold_entities(self, source: int, target: int) -> None:
        for key, one in list(self._entities.items()):
            if one.project == source and key not in self._merged:
                twins = [
                    head
                    for normalised, head, project, _alias, _name in self._names()
                    if project == target and normalised == one.normalised
                ]
                if twins:
                    self._merged[key] = min(twins)
        taken = [(name, head) for name, head, project, _, _ in self._names() if project == target]
        for key, names in self._entity_names.items():
            if key in self._entities and self._entities[key].project == source:
                self._entity_names[key] = {
                    normalised: name
                    for normalised, name in names.items()
                    if not any(
                        normalised == other and head != self._entity_head(key)
                        for other, head in taken
                    )
                }
        for key, one in self._entities.items():
            if one.project == source:
                self._entities[key] = one.replace(project=target)
