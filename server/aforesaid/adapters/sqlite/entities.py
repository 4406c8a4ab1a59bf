"""Rows of entities: the registry, merges, and how often each is mentioned.

A merge moves nothing: a row keeps its memories and names its ``head``, the entity it was merged
into, so that undoing a merge is exact. Every list contains heads that the caller may see.
"""

from __future__ import annotations

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.embedding_model import calibrate_cosine
from aforesaid.domain.model.entity import USER, Entity, EntityChange, EntityUse, first_name
from aforesaid.domain.text.lean_json import read_json

from .database import Database
from .filters import IN_FORCE, pad_to_16, placeholders, sql_visible
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Visibility

_COLUMNS = ("key", "name", "normalised", "entity_type", "project", "created_at", "updated_at")
_SELECT = "SELECT " + ", ".join(f"e.{name}" for name in _COLUMNS) + " FROM entities e"
_MAX_TAGS = 10
_BATCH = 10_000  #: entities whose names are read at once
_LAST_CHARACTER = "\U0010ffff"
_NAMES_PER_QUERY = 496  #: a multiple of 16, see pad_to_16
_CHANGES = ("entity_merge", "entity_rename")
#: Every name of every row, its own and its aliases, with the row's head.
_NAMES = """SELECT normalised, head, project, 0 AS is_alias, name FROM entities
UNION ALL SELECT a.normalised, r.head, r.project, 1, a.name
FROM entity_aliases a JOIN entities r ON r.key = a.entity"""


class EntityRepository(SqliteRepository):
    """The entities of the store."""

    # -- reading

    def get(self, key: int, visible: Visibility | None = None) -> Entity | None:
        """Return the entity that a row is merged into, or is itself, with its visible names."""
        rows = self._db.rows(
            f"{_SELECT} WHERE e.key = (SELECT head FROM entities WHERE key = ?)", (key,)
        )
        entities = self._entities(rows, visible)
        return entities[0] if entities else None

    def row(self, key: int) -> Entity:
        """Return a row itself, merged or not, without aliases."""
        row = self._db.row(f"{_SELECT} WHERE e.key = ?", (key,))
        if row is None:
            raise NotFoundError(
                f"there is no entity {key}: it was removed; list the entities again"
            )
        return Entity(**dict(zip(_COLUMNS, row, strict=True)))

    def own_row(self, head: int, normalised: str, project: int) -> int | None:
        """Return a project's row with this name and head, if any."""
        key: int | None = self._db.value(
            "SELECT min(key) FROM entities WHERE head = ? AND normalised = ? AND project = ?",
            (head, normalised, project),
        )
        return key

    def list_visible(
        self,
        visible: Visibility,
        *,
        scopes: Sequence[str] = (),
        types: Sequence[str] = (),
        after: tuple[str, int] | None = None,
        limit: int = -1,
    ) -> list[Entity]:
        """Return the visible entities, ordered by normalised name, then key."""
        where = [f"e.key = e.head AND e.project IN ({placeholders(visible.projects)})"]
        bindings: list[object] = [*visible.projects]
        if scopes:
            kinds = [kind for kind in ("global", "project") if kind in scopes]
            where.append(f"iif(e.project = 0, 'global', 'project') IN ({placeholders(kinds)})")
            bindings += kinds
        if types:
            where.append(f"e.entity_type IN ({placeholders(types)})")
            bindings += types
        if after is not None:
            where.append("(e.normalised, e.key) > (?, ?)")
            bindings += after
        rows = self._db.rows(
            f"{_SELECT} WHERE {' AND '.join(where)} ORDER BY e.normalised, e.key LIMIT ?",
            (*bindings, limit),
        )
        return self._entities(rows, visible)

    def named(self, names: Sequence[str], visible: Visibility) -> dict[str, Entity]:
        """Return the entity that each normalised name means; unknown names are left out.

        If several have it: a project's own before a global one, a name before an alias.
        """
        heads: dict[str, int] = {}
        for start in range(0, len(names), _NAMES_PER_QUERY):
            batch = pad_to_16(names[start : start + _NAMES_PER_QUERY])
            rows = self._db.rows(
                f"SELECT normalised, head FROM ({_NAMES}) WHERE normalised IN "
                f"({placeholders(batch)}) AND project IN ({placeholders(visible.projects)}) "
                "ORDER BY project = 0, is_alias, head",
                (*batch, *visible.projects),
            )
            for normalised, head in rows:
                heads.setdefault(normalised, head)
        keys = tuple(set(heads.values()))
        rows = self._db.rows(f"{_SELECT} WHERE e.key IN ({placeholders(keys)})", keys)
        by_key = {entity.key: entity for entity in self._entities(rows, visible)}
        return {name: by_key[heads[name]] for name in names if name in heads}

    def with_first_name(self, names: Sequence[str], visible: Visibility) -> dict[str, list[Entity]]:
        """Return the entities whose full name or alias begins with each normalised first name."""
        keys: dict[str, dict[int, None]] = {}
        for first in names:
            rows = self._db.rows(
                f"SELECT head, name FROM ({_NAMES}) WHERE normalised > ?1 AND normalised < ?2 "
                f"AND project IN ({placeholders(visible.projects)}) ORDER BY normalised, head",
                (first, first + _LAST_CHARACTER, *visible.projects),
            )
            heads = dict.fromkeys(head for head, name in rows if first_name(name) == first)
            if heads:
                keys[first] = heads
        wanted = tuple({key for heads in keys.values() for key in heads})
        rows = self._db.rows(f"{_SELECT} WHERE e.key IN ({placeholders(wanted)})", wanted)
        by_key = {entity.key: entity for entity in self._entities(rows, visible)}
        return {first: [by_key[key] for key in heads] for first, heads in keys.items()}

    def _entities(
        self, rows: Sequence[tuple[Any, ...]], visible: Visibility | None
    ) -> list[Entity]:
        """Return entities with their aliases: those of visible rows, each name once."""
        entities = [Entity(**dict(zip(_COLUMNS, row, strict=True))) for row in rows]
        keys = tuple(entity.key for entity in entities)
        aliases: dict[int, dict[str, str]] = {key: {} for key in keys}
        by_key = {entity.key: entity for entity in entities}
        names: list[tuple[Any, ...]] = []
        for start in range(0, len(keys), _BATCH):
            batch = keys[start : start + _BATCH]
            names += self._db.rows(
                f"SELECT * FROM ({_NAMES}) WHERE head IN ({placeholders(batch)}) "
                "ORDER BY normalised, is_alias, name",
                batch,
            )
        for normalised, head, project, _alias, name in names:
            projects = (by_key[head].project,) if visible is None else visible.projects
            if normalised != by_key[head].normalised and (project in projects or project == 0):
                aliases[head].setdefault(normalised, name)
        return [entity.replace(aliases=tuple(aliases[entity.key].values())) for entity in entities]

    def uses(self, heads: Sequence[int], visible: Visibility) -> dict[int, EntityUse]:
        """Return how often each entity is mentioned, counting visible memories in force."""
        is_visible, visible_bindings = sql_visible(visible, "m")
        source = (
            f"FROM memories m JOIN entities e ON e.key = m.entity {{}}WHERE e.head IN "
            f"({placeholders(heads)}) AND {is_visible} AND {IN_FORCE} GROUP BY e.head"
        )
        bindings = (*heads, *visible_bindings)
        tags: dict[int, list[str]] = {}
        for head, tag in self._db.rows(
            f"SELECT e.head, t.tag {source.format('JOIN tags t ON t.memory = m.key ')}, t.tag "
            "ORDER BY e.head, count(*) DESC, t.tag",
            bindings,
        ):
            tags.setdefault(head, []).append(tag)
        rows = self._db.rows(
            "SELECT e.head, count(*), min(m.created_at), max(m.updated_at) " + source.format(""),
            bindings,
        )
        return {
            head: EntityUse(
                count=count,
                tags=tuple(tags.get(head, ())[:_MAX_TAGS]),
                first_at=first,
                last_at=last,
            )
            for head, count, first, last in rows
        }

    def is_used(self, key: int) -> bool:
        """Tell whether a memory, in whatever state, or a merge refers to this row."""
        row = self._db.row(
            "SELECT 1 FROM memories WHERE entity = ?1 "
            "UNION ALL SELECT 1 FROM entities WHERE merged_into = ?1 LIMIT 1",
            (key,),
        )
        return row is not None

    # -- writing

    def add(self, entity: Entity) -> Entity:
        """Register an entity; return it with its key, without aliases."""
        key = self._db.insert(
            "INSERT INTO entities (name, normalised, entity_type, project, head, created_at, "
            "updated_at) VALUES (?, ?, ?, ?, 0, ?, ?)",
            (
                entity.name, entity.normalised, entity.entity_type, entity.project,
                entity.created_at, entity.updated_at,
            ),
        )  # fmt: skip
        self._db.rows("UPDATE entities SET head = key WHERE key = ?", (key,))
        return entity.replace(key=key, aliases=())

    def change(self, key: int, **fields: Any) -> None:
        """Set columns of a row; its vector will be recomputed."""
        assignments = "".join(f"{name} = ?, " for name in fields)
        self._db.rows(
            f"UPDATE entities SET {assignments}model = NULL, embedding = NULL WHERE key = ?",
            (*fields.values(), key),
        )

    def add_alias(self, key: int, normalised: str, name: str) -> None:
        """Add an alias to a row."""
        self._db.rows(
            "INSERT OR IGNORE INTO entity_aliases (normalised, entity, name) VALUES (?, ?, ?)",
            (normalised, key, name),
        )
        self.change(key)

    def aliases(self, key: int) -> dict[str, str]:
        """Return the aliases of this row itself, by normalised name."""
        return dict(
            self._db.rows(
                "SELECT normalised, name FROM entity_aliases WHERE entity = ? ORDER BY normalised",
                (key,),
            )
        )

    def remove_alias(self, key: int, normalised: str) -> None:
        """Remove an alias from a row."""
        self._db.rows(
            "DELETE FROM entity_aliases WHERE entity = ? AND normalised = ?", (key, normalised)
        )
        self.change(key)

    def merge(self, source: int, target: int | None) -> None:
        """Merge a row, and everything merged into it, into another; None undoes that."""
        _merge(self._db, source, target)

    def remove(self, key: int) -> None:
        """Remove an unused row with its names, also from the log."""
        self._db.rows(
            "UPDATE log SET details = '{}' WHERE operation IN "
            f"({placeholders(_CHANGES)}) AND json_extract(details, '$.entity') = ?",
            (*_CHANGES, key),
        )
        self._db.rows("DELETE FROM entities WHERE key = ?", (key,))

    # -- undo

    def changes(self, limit: int) -> list[EntityChange]:
        """Return merges and renames that were not undone, newest first."""
        rows = self._db.rows(
            "SELECT l.key, l.at, l.operation, l.details FROM log l WHERE l.operation IN "
            f"({placeholders(_CHANGES)}) AND l.details <> '{{}}' AND NOT EXISTS "
            "(SELECT 1 FROM log u WHERE u.operation = 'entity_undo' "
            "AND json_extract(u.details, '$.of') = l.key) ORDER BY l.key DESC LIMIT ?",
            (*_CHANGES, limit),
        )
        return [
            EntityChange(key=key, at=at, operation=operation, details=read_json(details))
            for key, at, operation, details in rows
        ]

    # -- vectors

    def set_vector(self, key: int, vector: bytes, model: str) -> None:
        """Store the vector of an entity's names."""
        self._db.rows(
            "UPDATE entities SET embedding = ?, model = ? WHERE key = ?", (vector, model, key)
        )

    def without_vector(self, model: str, limit: int) -> list[int]:
        """Return keys of heads without a vector of this model, oldest first."""
        return [
            key
            for (key,) in self._db.rows(
                "SELECT key FROM entities WHERE key = head AND model IS NOT ? ORDER BY key LIMIT ?",
                (model, limit),
            )
        ]

    def near(
        self, vector: bytes, model: str, visible: Visibility, limit: int
    ) -> list[tuple[int, float]]:
        """Return (head, cosine) of the entities with the nearest names, best first."""
        if self._db.vec_extension is None:
            return []
        scale = self._db.row("SELECT low, high FROM models WHERE name = ?", (model,))
        low, high = scale or (None, None)
        rows = self._db.rows(
            "SELECT key, 1.0 - vec_distance_cosine(embedding, ?) AS cosine FROM entities "
            f"WHERE key = head AND model = ? AND project IN ({placeholders(visible.projects)}) "
            "ORDER BY cosine DESC, key LIMIT ?",
            (vector, model, *visible.projects, limit),
        )
        return [(key, calibrate_cosine(cosine, low, high)) for key, cosine in rows]

    # -- across projects

    def names(self, limit: int) -> dict[int, list[str]]:
        """Return the entities that each project's memories mention, most mentioned first."""
        names: dict[int, list[str]] = {}
        for project, name in self._db.rows(
            f"{_MENTIONS} SELECT s.project, h.name FROM mentions s "
            "JOIN entities h ON h.key = s.head "
            "ORDER BY s.project, s.times DESC, h.name"
        ):
            project_names = names.setdefault(project, [])
            if len(project_names) < limit:
                project_names.append(name)
        return names

    def sharing_projects(self, project: int, limit: int) -> list[tuple[int, list[str]]]:
        """Return other projects that mention the same entities, with those, most shared first."""
        shared: dict[int, list[str]] = {}
        for other_project, name in self._db.rows(
            f"{_MENTIONS} SELECT o.project, h.name FROM mentions s "
            "JOIN entities h ON h.key = s.head "
            "JOIN mentions o ON o.normalised = s.normalised AND o.project <> s.project "
            "WHERE s.project = ? GROUP BY o.project, s.normalised ORDER BY o.project, h.name",
            (project,),
        ):
            shared.setdefault(other_project, []).append(name)
        ranked = sorted(shared.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        return ranked[:limit]


#: Which project mentions which entity, except the user, whom all mention.
_MENTIONS = f"""WITH mentions (project, head, normalised, times) AS (
  SELECT m.project, h.key, h.normalised, count(*) FROM memories m
  JOIN entities e ON e.key = m.entity JOIN entities h ON h.key = e.head
  WHERE m.project > 0 AND h.normalised <> '{USER}' AND {IN_FORCE} GROUP BY m.project, h.key)"""


def _merge(database: Database, source: int, target: int | None) -> None:
    database.rows("UPDATE entities SET merged_into = ? WHERE key = ?", (target, source))
    database.rows(
        "WITH RECURSIVE below (key) AS (VALUES (?1) UNION "
        "SELECT e.key FROM entities e JOIN below ON e.merged_into = below.key) "
        "UPDATE entities SET head = coalesce((SELECT head FROM entities WHERE key = ?2), ?1) "
        "WHERE key IN (SELECT key FROM below)",
        (source, target),
    )


def fold_entities(database: Database, source: int, target: int) -> None:
    """Move a project's entities to another project, merging those of the same name."""
    names = f"SELECT normalised, head, project FROM ({_NAMES})"
    duplicates: Iterable[tuple[int, int]] = database.rows(
        "SELECT s.key, min(t.head) FROM entities s "
        f"JOIN ({names}) t ON t.normalised = s.normalised AND t.project = ?2 "
        "WHERE s.project = ?1 AND s.key = s.head GROUP BY s.key",
        (source, target),
    )
    for key, duplicate_of in duplicates:
        _merge(database, key, duplicate_of)
    database.rows(
        "DELETE FROM entity_aliases AS a WHERE (SELECT project FROM entities WHERE key = a.entity) "
        f"= ?1 AND EXISTS (SELECT 1 FROM ({names}) t WHERE t.normalised = a.normalised "
        "AND t.project = ?2 AND t.head <> (SELECT head FROM entities WHERE key = a.entity))",
        (source, target),
    )
    database.rows("UPDATE entities SET project = ? WHERE project = ?", (target, source))
