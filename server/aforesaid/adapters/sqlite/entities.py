"""Rows of entities: the registry, what was merged, how much each is spoken of.

A merge moves nothing: a row keeps its memories and names its ``head``, the row it is known as, so
that taking a merge back is exact. Every list is of heads that the caller may see.
"""

from __future__ import annotations

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.embedding_model import calibrate_cosine
from aforesaid.domain.model.entity import USER, Entity, EntityChange, EntityUse
from aforesaid.domain.text.lean_json import read_json

from .database import Database
from .filters import IN_FORCE, pad_to_16, placeholders, sql_visible
from .repository import Repository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Visibility

_COLUMNS = ("key", "name", "normalised", "entity_type", "project", "created_at", "updated_at")
_SELECT = "SELECT " + ", ".join(f"e.{name}" for name in _COLUMNS) + " FROM entities e"
_MAX_TAGS = 10
_READ = 10_000  #: entities whose names are read at once
_CHANGES = ("entity_merge", "entity_rename")
#: Every name of every row: its own, then aliases; each with the row's head.
_NAMES = """SELECT normalised, head, project, 0 AS is_alias, name FROM entities
UNION ALL SELECT a.normalised, r.head, r.project, 1, a.name
FROM entity_aliases a JOIN entities r ON r.key = a.entity"""


class EntityRepository(Repository):
    """The entities of the store."""

    # -- reading

    def get(self, key: int, visible: Visibility | None = None) -> Entity | None:
        """Return what a row is known as now, with the names that are visible."""
        rows = self._db.rows(
            f"{_SELECT} WHERE e.key = (SELECT head FROM entities WHERE key = ?)", (key,)
        )
        found = self._entities(rows, visible)
        return found[0] if found else None

    def row(self, key: int) -> Entity:
        """Return a row as it is, merged or not, without aliases."""
        row = self._db.row(f"{_SELECT} WHERE e.key = ?", (key,))
        if row is None:
            raise NotFoundError(f"there is no entity {key}: it was removed")
        return Entity(**dict(zip(_COLUMNS, row, strict=True)))

    def own_row(self, head: int, normalised: str, project: int) -> int | None:
        """Return the row of a project, by this name, that is known as a head; None for none."""
        found: int | None = self._db.value(
            "SELECT min(key) FROM entities WHERE head = ? AND normalised = ? AND project = ?",
            (head, normalised, project),
        )
        return found

    def list_visible(
        self,
        visible: Visibility,
        *,
        scopes: Sequence[str] = (),
        types: Sequence[str] = (),
        after: tuple[str, int] | None = None,
        limit: int = -1,
    ) -> list[Entity]:
        """Return the known entities, ordered by normalised name, then key."""
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
        """Return the entity that each normalised name means; unknown ones are left out.

        Where several have it: a project's own before a global one, a name before an alias.
        """
        heads: dict[str, int] = {}
        for start in range(0, len(names), 496):
            some = pad_to_16(names[start : start + 496])
            rows = self._db.rows(
                f"SELECT normalised, head FROM ({_NAMES}) WHERE normalised IN "
                f"({placeholders(some)}) AND project IN ({placeholders(visible.projects)}) "
                "ORDER BY project = 0, is_alias, head",
                (*some, *visible.projects),
            )
            for normalised, head in rows:
                heads.setdefault(normalised, head)
        wanted = tuple(set(heads.values()))
        rows = self._db.rows(f"{_SELECT} WHERE e.key IN ({placeholders(wanted)})", wanted)
        found = {entity.key: entity for entity in self._entities(rows, visible)}
        return {name: found[heads[name]] for name in names if name in heads}

    def _entities(
        self, rows: Sequence[tuple[Any, ...]], visible: Visibility | None
    ) -> list[Entity]:
        """Return entities with their other names: of rows that are visible, each once."""
        entities = [Entity(**dict(zip(_COLUMNS, row, strict=True))) for row in rows]
        keys = tuple(entity.key for entity in entities)
        aliases: dict[int, dict[str, str]] = {key: {} for key in keys}
        own = {entity.key: entity for entity in entities}
        names: list[tuple[Any, ...]] = []
        for start in range(0, len(keys), _READ):
            some = keys[start : start + _READ]
            names += self._db.rows(
                f"SELECT * FROM ({_NAMES}) WHERE head IN ({placeholders(some)}) "
                "ORDER BY normalised, is_alias, name",
                some,
            )
        for normalised, head, project, _alias, name in names:
            projects = (own[head].project,) if visible is None else visible.projects
            if normalised != own[head].normalised and (project in projects or project == 0):
                aliases[head].setdefault(normalised, name)
        return [entity.replace(aliases=tuple(aliases[entity.key].values())) for entity in entities]

    def uses(self, heads: Sequence[int], visible: Visibility) -> dict[int, EntityUse]:
        """Return how much is known of each, counting visible memories in force."""
        inside, seeing = sql_visible(visible, "m")
        about = (
            f"FROM memories m JOIN entities e ON e.key = m.entity {{}}WHERE e.head IN "
            f"({placeholders(heads)}) AND {inside} AND {IN_FORCE} GROUP BY e.head"
        )
        bindings = (*heads, *seeing)
        tags: dict[int, list[str]] = {}
        for head, tag in self._db.rows(
            f"SELECT e.head, t.tag {about.format('JOIN tags t ON t.memory = m.key ')}, t.tag "
            "ORDER BY e.head, count(*) DESC, t.tag",
            bindings,
        ):
            tags.setdefault(head, []).append(tag)
        rows = self._db.rows(
            "SELECT e.head, count(*), min(m.created_at), max(m.updated_at) " + about.format(""),
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
        """Tell whether a memory, in whatever state, or a merge leads to this row."""
        found = self._db.row(
            "SELECT 1 FROM memories WHERE entity = ?1 "
            "UNION ALL SELECT 1 FROM entities WHERE merged_into = ?1 LIMIT 1",
            (key,),
        )
        return found is not None

    # -- writing

    def add(self, entity: Entity) -> Entity:
        """Register an entity with its aliases; return it with its key."""
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
        """Set columns of a row; its vector is made again."""
        assignments = "".join(f"{name} = ?, " for name in fields)
        self._db.rows(
            f"UPDATE entities SET {assignments}model = NULL, embedding = NULL WHERE key = ?",
            (*fields.values(), key),
        )

    def add_alias(self, key: int, normalised: str, name: str) -> None:
        """Give a row another name."""
        self._db.rows(
            "INSERT OR IGNORE INTO entity_aliases (normalised, entity, name) VALUES (?, ?, ?)",
            (normalised, key, name),
        )
        self.change(key)

    def aliases(self, key: int) -> dict[str, str]:
        """Return the aliases of this very row, by normalised name."""
        return dict(
            self._db.rows(
                "SELECT normalised, name FROM entity_aliases WHERE entity = ? ORDER BY normalised",
                (key,),
            )
        )

    def remove_alias(self, key: int, normalised: str) -> None:
        """Take a name from a row."""
        self._db.rows(
            "DELETE FROM entity_aliases WHERE entity = ? AND normalised = ?", (key, normalised)
        )
        self.change(key)

    def merge(self, source: int, target: int | None) -> None:
        """Have a row, and what leads to it, be known as another; None takes that back."""
        _merge(self._db, source, target)

    def remove(self, key: int) -> None:
        """Remove a row that nothing leads to, with its names, in the log too."""
        self._db.rows(
            "UPDATE log SET details = '{}' WHERE operation IN "
            f"({placeholders(_CHANGES)}) AND json_extract(details, '$.entity') = ?",
            (*_CHANGES, key),
        )
        self._db.rows("DELETE FROM entities WHERE key = ?", (key,))

    # -- what can be undone

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

    # -- meaning

    def set_vector(self, key: int, vector: bytes, model: str) -> None:
        """Keep what a name means."""
        self._db.rows(
            "UPDATE entities SET embedding = ?, model = ? WHERE key = ?", (vector, model, key)
        )

    def without_vector(self, model: str, limit: int) -> list[int]:
        """Return keys of heads whose name has no vector of this model yet, oldest first."""
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
        """Return (head, cosine) of the entities whose names mean the nearest, best first."""
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
        """Return the names that each project's memories speak of, most spoken of first."""
        names: dict[int, list[str]] = {}
        for project, name in self._db.rows(
            f"{_SPOKEN} SELECT s.project, h.name FROM spoken s JOIN entities h ON h.key = s.head "
            "ORDER BY s.project, s.times DESC, h.name"
        ):
            found = names.setdefault(project, [])
            if len(found) < limit:
                found.append(name)
        return names

    def sharing_projects(self, project: int, limit: int) -> list[tuple[int, list[str]]]:
        """Return other projects that speak of the same entities, and which, most shared first."""
        shared: dict[int, list[str]] = {}
        for other, name in self._db.rows(
            f"{_SPOKEN} SELECT o.project, h.name FROM spoken s JOIN entities h ON h.key = s.head "
            "JOIN spoken o ON o.normalised = s.normalised AND o.project <> s.project "
            "WHERE s.project = ? GROUP BY o.project, s.normalised ORDER BY o.project, h.name",
            (project,),
        ):
            shared.setdefault(other, []).append(name)
        ranked = sorted(shared.items(), key=lambda entry: (-len(entry[1]), entry[0]))
        return ranked[:limit]


#: Which project speaks of which entity, but for the user, of whom all do.
_SPOKEN = f"""WITH spoken (project, head, normalised, times) AS (
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
    """Move a project's entities to another: what both have becomes one, names stay unique."""
    names = f"SELECT normalised, head, project FROM ({_NAMES})"
    twins: Iterable[tuple[int, int]] = database.rows(
        "SELECT s.key, min(t.head) FROM entities s "
        f"JOIN ({names}) t ON t.normalised = s.normalised AND t.project = ?2 "
        "WHERE s.project = ?1 AND s.key = s.head GROUP BY s.key",
        (source, target),
    )
    for key, kept in twins:
        _merge(database, key, kept)
    database.rows(
        "DELETE FROM entity_aliases AS a WHERE (SELECT project FROM entities WHERE key = a.entity) "
        f"= ?1 AND EXISTS (SELECT 1 FROM ({names}) t WHERE t.normalised = a.normalised "
        "AND t.project = ?2 AND t.head <> (SELECT head FROM entities WHERE key = a.entity))",
        (source, target),
    )
    database.rows("UPDATE entities SET project = ? WHERE project = ?", (target, source))
