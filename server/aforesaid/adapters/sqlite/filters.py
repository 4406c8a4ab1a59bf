"""Visibility and filters as SQL conditions. Every query of memories uses them."""

from __future__ import annotations

from aforesaid.domain.model.memory import COMPLETED, TRUSTED
from aforesaid.domain.text.timestamps import DAY_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.memory import Filters, Visibility

#: Projects bound as single values: SQLite takes 32,766, and a query may repeat them 8 times.
_MAX_BOUND_PROJECTS = 1_000

#: A memory neither superseded, forgotten, archived nor compacted; alias m.
IN_FORCE = (
    "m.superseded_by IS NULL AND m.forgotten_at IS NULL "
    "AND m.archived_at IS NULL AND m.compacted_into IS NULL"
)

IN_FORCE_OR_ARCHIVED = IN_FORCE.replace("AND m.archived_at IS NULL ", "")


def sql_in_force(filters: Filters) -> str:
    """Return the condition, alias m, for lists: in force now, at a time, or ever."""
    at = filters.as_of
    if filters.forgotten_only:
        return "m.forgotten_at IS NOT NULL AND m.superseded_by IS NULL"
    if at is None:
        if filters.include_history:
            return sql_exists_at(filters, "m")
        return IN_FORCE_OR_ARCHIVED if filters.include_archived else IN_FORCE
    parts = [sql_exists_at(filters, "m")]
    if not filters.include_history:
        parts.append(f"(m.superseded_at IS NULL OR m.superseded_at > {at:d})")
        # until the summary was written, its sources were in force
        parts.append(
            "NOT EXISTS (SELECT 1 FROM memories c WHERE c.key = m.compacted_into "
            f"AND c.created_at <= {at:d})"
        )
    return " AND ".join(parts)


def sql_exists_at(filters: Filters, alias: str) -> str:
    """Return the condition for memories that exist now or as of a time: stored, not forgotten."""
    at = filters.as_of
    if at is None:
        not_archived = "" if filters.include_archived else f" AND {alias}.archived_at IS NULL"
        return f"{alias}.forgotten_at IS NULL{not_archived}"
    return (
        f"{alias}.created_at <= {at:d} "
        f"AND ({alias}.forgotten_at IS NULL OR {alias}.forgotten_at > {at:d}) "
        f"AND ({alias}.archived_at IS NULL OR {alias}.archived_at > {at:d})"
    )


def sql_head_key(filters: Filters) -> str:
    """Return SQL for the key of the memory that a row m stands for.

    Its head; in history the row itself; as of a time the version in force then.
    """
    if filters.include_history:
        return "m.key"
    if filters.as_of is None:
        return "m.head"
    return (
        "(WITH RECURSIVE version (key, number) AS (SELECT m.key, 0 UNION ALL "
        "SELECT v.superseded_by, number + 1 FROM version JOIN memories v ON v.key = version.key "
        f"WHERE v.superseded_at <= {filters.as_of:d}) "
        "SELECT key FROM version ORDER BY number DESC LIMIT 1)"
    )


def pad_to_16(values: Sequence[Any]) -> tuple[Any, ...]:
    """Repeat the last value up to a multiple of 16, for an ``IN`` list.

    This gives few distinct statements, which stay prepared: preparing takes longer than running.
    """
    return tuple(values) + tuple(values[-1:]) * (-len(values) % 16)


def placeholders(values: Sequence[object]) -> str:
    """Return one question mark for each value."""
    return ",".join("?" * len(values))


def sql_visible(visible: Visibility, alias: str) -> tuple[str, list[object]]:
    """Return the SQL condition, with bindings, for rows that a caller may see.

    Memories of scope task are visible inside their task; objectives, and everything in a completed
    task, in the whole project.
    """
    own_tasks = f"{alias}.task IN ({placeholders(visible.tasks)}) OR " if visible.tasks else ""
    as_json = len(visible.projects) > _MAX_BOUND_PROJECTS
    projects = [str(list(visible.projects))] if as_json else list(visible.projects)
    values = "SELECT value FROM json_each(?)" if as_json else placeholders(projects)
    if visible.all_tasks:
        return f"{alias}.project IN ({values})", list(projects)
    condition = (
        f"{alias}.project IN ({values}) "
        f"AND ({alias}.scope <> 'task' OR {own_tasks}EXISTS (SELECT 1 FROM tasks k "
        f"LEFT JOIN memories stated ON stated.key = k.objective "
        f"WHERE k.key = {alias}.task "
        f"AND (k.status = '{COMPLETED}' OR stated.head = {alias}.head)))"
    )
    return condition, [*projects, *visible.tasks]


def sql_where(visible: Visibility, filters: Filters, alias: str) -> tuple[str, list[object]]:
    """Return the SQL condition, with bindings, for visible rows that pass the filters."""
    condition, bindings = sql_visible(visible, alias)
    parts = [condition]
    trusted = TRUSTED if filters.trusted_only else ()
    allowed = (
        (f"{alias}.type", filters.types or None),
        (f"{alias}.scope", filters.scopes or None),
        (f"{alias}.provenance", trusted or None),
        (f"{alias}.provenance", filters.provenances or None),
        (f"{alias}.session", filters.sessions or None),
        (f"{alias}.topic", filters.topics or None),
        # + : no lookup by key, since queries fix their order; no memory has the key 0
        (f"+{alias}.key", None if filters.only_keys is None else filters.only_keys or (0,)),
    )
    for column, values in allowed:
        if values is not None:
            parts.append(f"{column} IN ({placeholders(values)})")
            bindings += values
    if filters.tags:
        parts.append(
            f"EXISTS (SELECT 1 FROM tags t WHERE t.memory = {alias}.key "
            f"AND t.tag IN ({placeholders(filters.tags)}))"
        )
        bindings += filters.tags
    if filters.tasks:
        parts.append(f"{alias}.task IN ({placeholders(filters.tasks)})")
        bindings += filters.tasks
    if filters.statuses:
        parts.append(
            f"EXISTS (SELECT 1 FROM tasks k WHERE k.key = {alias}.task "
            f"AND k.status IN ({placeholders(filters.statuses)}))"
        )
        bindings += filters.statuses
    if filters.entities:
        parts.append(
            f"{alias}.entity IN "
            f"(SELECT key FROM entities WHERE head IN ({placeholders(filters.entities)}))"
        )
        bindings += filters.entities
    if filters.since is not None or filters.until is not None:
        dated, bounds = _sql_dated(filters, alias)
        parts.append(dated)
        bindings += bounds
    if filters.min_confidence > 0:
        parts.append(f"{alias}.confidence >= ?")
        bindings.append(filters.min_confidence)
    return " AND ".join(parts), bindings


def _sql_dated(filters: Filters, alias: str) -> tuple[str, list[object]]:
    """Return the condition, with bindings, for what happened or was stored in a period."""
    inside = "{0} >= ?" if filters.until is None else "{0} < ?"
    bounds: list[object] = [at for at in (filters.since, filters.until) if at is not None]
    if len(bounds) > 1:
        inside = "{0} >= ? AND {0} < ?"
    happened = inside.format(f"coalesce({alias}.event_at, {alias}.created_at)")
    # a fact that names a day was also learnt on one; an event only happened
    stored = inside.format(f"{alias}.created_at")
    dated = f"{happened} OR ({alias}.type <> 'episodic' AND {stored})"
    if not filters.or_valid or filters.until is None:
        return f"({dated})", [*bounds, *bounds]
    dated += f" OR {_sql_valid_between(alias)}"
    return f"({dated})", [*bounds, *bounds, filters.until, filters.since or 0]


def _sql_valid_between(alias: str) -> str:
    """Return the condition for facts that state to be true in a period: before ?, not until ?.

    Without a stated end, the start counts if it is on another day than the storing: a new version
    starts when it is stored, which nobody stated. Without a stated start, a fact that ended before
    it was stored was true for an unknown time.
    """
    stored = f"{alias}.created_at"
    return (
        f"({alias}.type <> 'episodic' "
        f"AND ({alias}.valid_to IS NOT NULL OR abs({alias}.valid_from - {stored}) >= {DAY_MS}) "
        f"AND coalesce({alias}.valid_from, "
        f"CASE WHEN {alias}.valid_to < {stored} THEN 0 ELSE {stored} END) < ? "
        f"AND ({alias}.valid_to IS NULL OR {alias}.valid_to >= ?))"
    )
