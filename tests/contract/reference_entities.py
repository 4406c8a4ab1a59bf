"""Entities of the reference store: rows in a dictionary, heads found by following merges."""

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
    """The entities of the reference store."""

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
            (entity.normalised, self._entity_head(key), entity.project, False, entity.name)
            for key, entity in self._entities.items()
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
        projects = {0, row.project} if visible is None else {0, *visible.projects}
        names: dict[str, str] = {}
        for normalised, head, project, _alias, name in sorted(
            self._names(), key=lambda entry: (entry[0], entry[3], entry[4])
        ):
            if head == row.key and normalised != row.normalised and project in projects:
                names.setdefault(normalised, name)
        return row.replace(aliases=tuple(names.values()))

    def entities_row(self, key: int) -> Entity:
        if key not in self._entities:
            raise NotFoundError(f"there is no entity {key}: it was removed")
        return self._entities[key]

    def entities_own_row(self, head: int, normalised: str, project: int) -> int | None:
        rows = [
            key
            for key, entity in self._entities.items()
            if (self._entity_head(key), entity.normalised, entity.project)
            == (head, normalised, project)
        ]
        return min(rows, default=None)

    def entities_list_visible(
        self,
        visible: Visibility,
        *,
        scopes: Sequence[str] = (),
        types: Sequence[str] = (),
        after: tuple[str, int] | None = None,
        limit: int = -1,
    ) -> list[Entity]:
        rows = [
            entity
            for key, entity in self._entities.items()
            if key not in self._merged
            and entity.project in visible.projects
            and (not scopes or ("project" if entity.project else "global") in scopes)
            and (not types or entity.entity_type in types)
            and (after is None or (entity.normalised, entity.key) > after)
        ]
        rows.sort(key=lambda entity: (entity.normalised, entity.key))
        entities = [self.entities_get(entity.key, visible) for entity in rows]
        return [entity for entity in entities if entity is not None][: None if limit < 0 else limit]

    def entities_named(self, names: Sequence[str], visible: Visibility) -> dict[str, Entity]:
        by_name: dict[str, Entity] = {}
        for normalised, head, _project, _alias, _name in sorted(
            self._names(), key=lambda entry: (entry[2] == 0, entry[3], entry[1])
        ):
            if _project in visible.projects and normalised in names and normalised not in by_name:
                entity = self.entities_get(head, visible)
                assert entity is not None
                by_name[normalised] = entity
        return {name: by_name[name] for name in names if name in by_name}

    def entities_uses(self, heads: Sequence[int], visible: Visibility) -> dict[int, EntityUse]:
        uses = {}
        for head in heads:
            memories = [
                memory
                for memory in self._mentioning()
                if self._entity_head(memory.entity or 0) == head
            ]
            memories = [memory for memory in memories if self._is_visible(memory, visible)]
            if memories:
                tags = Counter(tag for memory in memories for tag in memory.tags)
                uses[head] = EntityUse(
                    count=len(memories),
                    tags=tuple(sorted(tags, key=lambda tag: (-tags[tag], tag))[:10]),
                    first_at=min(memory.created_at for memory in memories),
                    last_at=max(memory.updated_at for memory in memories),
                )
        return uses

    def _mentioning(self) -> list[Memory]:
        return [
            memory
            for memory in self._memories.values()
            if memory.entity is not None
            and memory.in_force
            and memory.archived_at is None
            and memory.compacted_into is None
        ]

    def entities_is_used(self, key: int) -> bool:
        is_mentioned = any(memory.entity == key for memory in self._memories.values())
        return is_mentioned or key in self._merged.values()

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
        remaining = {
            alias: name for alias, name in self.entities_aliases(key).items() if alias != normalised
        }
        self._entity_names[key] = remaining
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
            (
                operation,
                memory,
                at,
                {} if operation in CHANGES and details.get("entity") == key else details,
            )
            for operation, memory, at, details in self.log
        ]

    def entities_changes(self, limit: int) -> list[EntityChange]:
        undone = {
            details["of"]
            for operation, _memory, _at, details in self.log
            if operation == "entity_undo"
        }
        changes = [
            EntityChange(key=number, at=at, operation=operation, details=details)
            for number, (operation, _memory, at, details) in enumerate(self.log, 1)
            if operation in CHANGES and details and number not in undone
        ]
        return changes[::-1][:limit]

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

        cosines = [
            (key, _cosine(vector, stored))
            for key, (made_by, stored) in self._entity_vectors.items()
            if made_by == model
            and key not in self._merged
            and self._entities[key].project in visible.projects
        ]
        return sorted(cosines, key=lambda entry: (-entry[1], entry[0]))[:limit]

    def entities_names(self, limit: int) -> dict[int, list[str]]:
        return {
            project: [name for name, _normalised in names][:limit]
            for project, names in self._by_project().items()
        }

    def entities_sharing_projects(self, project: int, limit: int) -> list[tuple[int, list[str]]]:
        by_project = self._by_project()
        own = {normalised: name for name, normalised in by_project.get(project, ())}
        shared = [
            (other, sorted(own[normalised] for _name, normalised in names if normalised in own))
            for other, names in by_project.items()
            if other != project
        ]
        ranked = sorted(shared, key=lambda entry: (-len(entry[1]), entry[0]))
        return [entry for entry in ranked if entry[1]][:limit]

    def _by_project(self) -> dict[int, list[tuple[str, str]]]:
        """Return the names that each project mentions, most mentioned first."""
        counts: dict[int, Counter[int]] = {}
        for memory in self._mentioning():
            head = self._entity_head(memory.entity or 0)
            if memory.project and self._entities[head].normalised != USER:
                counts.setdefault(memory.project, Counter())[head] += 1
        return {
            project: [
                (self._entities[head].name, self._entities[head].normalised)
                for head in sorted(heads, key=lambda key: (-heads[key], self._entities[key].name))
            ]
            for project, heads in counts.items()
        }

    def _fold_entities(self, source: int, target: int) -> None:
        for key, entity in list(self._entities.items()):
            if entity.project == source and key not in self._merged:
                twins = [
                    head
                    for normalised, head, project, _alias, _name in self._names()
                    if project == target and normalised == entity.normalised
                ]
                if twins:
                    self._merged[key] = min(twins)
        existing = [
            (name, head) for name, head, project, _, _ in self._names() if project == target
        ]
        for key, names in self._entity_names.items():
            if key in self._entities and self._entities[key].project == source:
                self._entity_names[key] = {
                    normalised: name
                    for normalised, name in names.items()
                    if not any(
                        normalised == other and head != self._entity_head(key)
                        for other, head in existing
                    )
                }
        for key, entity in self._entities.items():
            if entity.project == source:
                self._entities[key] = entity.replace(project=target)
