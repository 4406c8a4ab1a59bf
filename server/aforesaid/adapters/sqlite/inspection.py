"""Details about one memory from other tables, and statistics of use."""

from __future__ import annotations

import json

from aforesaid.domain.model.inspection import LogLine, StorageDetails
from aforesaid.domain.model.memory import DEFAULT_IDENTITY

from .filters import IN_FORCE, placeholders
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


_SPENT = ("sessions", "shown_tokens", "subagent_tokens", "asked_tokens")
_SESSION_USE = (
    "session", "project", "started_at", "ended_at", "shown_tokens", "subagents", "subagent_tokens",
    "asked_tokens", "shown", "used", "kept", "digest",
    "transcript_path", "opened_at",
)  # fmt: skip
_OPENED = "max(s.started_at, s.opened_at)"
_A_MONDAY = 345_600_000  #: 1970-01-05 in ms
_WEEK_MS = 604_800_000
#: The project of a session, by default the default project.
_WHERE_IT_WAS = "ifnull(s.project, (SELECT project FROM project_aliases WHERE identity = ?))"


class InspectionRepository(SqliteRepository):
    """Details about memories, and how they are used."""

    def traces(self, key: int) -> StorageDetails:
        """Return which vectors and anchors a memory has."""
        windows = self._db.rows(
            "SELECT t.name, count(*) FROM chunks c JOIN models t ON t.key = c.model "
            "WHERE c.memory = ? GROUP BY t.name ORDER BY t.name",
            (key,),
        )
        anchors = self._db.rows(
            "SELECT path, line FROM anchors WHERE memory = ? ORDER BY path, line", (key,)
        )
        return StorageDetails(windows=dict(windows), anchors=tuple(anchors))

    def usage(self, projects: Sequence[int]) -> list[dict[str, int]]:
        """Return, for each project with sessions or recalls, what was shown, recalled and used.

        A memory counts as used if it was recalled after a session was shown it.
        """
        inside = placeholders(projects)
        rows = self._db.rows(
            "SELECT p.key, (SELECT count(*) FROM memories m "
            "WHERE m.project = p.key AND m.access_count > 0), "
            "(SELECT ifnull(sum(access_count), 0) FROM memories m WHERE m.project = p.key) "
            f"FROM projects p WHERE p.key IN ({inside}) ORDER BY p.used_at DESC, p.key",
            tuple(projects),
        )
        shown = self._db.rows(
            "SELECT m.project, count(DISTINCT m.key), "
            "count(DISTINCT iif(m.last_accessed_at > s.started_at, m.key, NULL)) "
            "FROM sessions s, json_each(s.shown) j JOIN memories m ON m.key = j.value "
            f"WHERE m.project IN ({inside}) GROUP BY m.project",
            tuple(projects),
        )
        by_project = {project: counts for project, *counts in shown}
        spent = {
            project: dict(zip(_SPENT, counts, strict=True))
            for project, *counts in self._db.rows(
                f"SELECT {_WHERE_IT_WAS}, count(*), sum(shown_tokens), sum(subagent_tokens), "
                "sum(recalled_tokens) FROM sessions s GROUP BY 1",
                (DEFAULT_IDENTITY,),
            )
        }
        no_tokens = dict.fromkeys(_SPENT, 0)
        return [
            {
                "project": key, **spent.get(key, no_tokens),
                "shown": by_project.get(key, (0, 0))[0], "used": by_project.get(key, (0, 0))[1],
                "recalled": recalled, "recalls": recalls,
            }
            for key, recalled, recalls in rows
            if key in spent or recalls or key in by_project
        ]  # fmt: skip

    def session_usage(
        self,
        projects: Sequence[int],
        limit: int,
        ended_since: int | None = None,
        *,
        before: int | None = None,
    ) -> list[dict[str, Any]]:
        condition, bindings = f"place IN ({placeholders(projects)})", list[object](projects)
        if ended_since is not None:
            condition, bindings = "s.ended_at >= ?", [ended_since]
        if before is not None:
            condition, bindings = f"{condition} AND {_OPENED} < ?", [*bindings, before]
        rows = self._db.rows(
            f"SELECT s.id, {_WHERE_IT_WAS} AS place, s.started_at, s.ended_at, s.shown_tokens, "
            "s.subagents, s.subagent_tokens, s.recalled_tokens, json_array_length(s.shown), "
            "(SELECT count(*) FROM json_each(s.shown) j JOIN memories m ON m.key = j.value "
            "WHERE m.last_accessed_at > s.started_at), "
            "(SELECT count(*) FROM memories k WHERE k.session = s.id), s.digest, "
            f"s.transcript_path, {_OPENED} FROM sessions s WHERE {condition} "
            f"ORDER BY {_OPENED} DESC, s.id LIMIT ?",
            (DEFAULT_IDENTITY, *bindings, limit),
        )
        return [dict(zip(_SESSION_USE, row, strict=True)) for row in rows]

    def stored_by_week(self, projects: Sequence[int]) -> list[tuple[int, int]]:
        """Implement ``InspectionStore.stored_by_week``."""
        return self._db.rows(
            "SELECT created_at - (created_at - ?1) % ?2 AS week, count(*) FROM memories "
            f"WHERE project IN ({placeholders(projects)}) GROUP BY week ORDER BY week",
            (_A_MONDAY, _WEEK_MS, *projects),
        )

    def by_recalls(self, projects: Sequence[int]) -> list[tuple[int, int]]:
        """Implement ``InspectionStore.by_recalls``."""
        return self._db.rows(
            "SELECT access_count, count(*) FROM memories m "
            f"WHERE project IN ({placeholders(projects)}) AND {IN_FORCE} "
            "GROUP BY access_count ORDER BY access_count",
            tuple(projects),
        )

    def times_shown(self, key: int) -> tuple[int, int | None]:
        """Implement ``InspectionStore.times_shown``."""
        count, last = self._db.rows(
            "SELECT count(DISTINCT s.id), max(s.shown_at) FROM sessions s, json_each(s.shown) j "
            "JOIN memories m ON m.key = j.value "
            "WHERE m.head = (SELECT head FROM memories WHERE key = ?)",
            (key,),
        )[0]
        return count, last

    def tags_of(self, projects: Sequence[int]) -> list[str]:
        """Return the tags of memories in force, most used first."""
        rows = self._db.rows(
            "SELECT t.tag FROM tags t JOIN memories m ON m.key = t.memory "
            f"WHERE m.project IN ({placeholders(projects)}) AND {IN_FORCE} "
            "GROUP BY t.tag ORDER BY count(*) DESC, t.tag",
            tuple(projects),
        )
        return [tag for (tag,) in rows]

    def log_of(self, memory_id: str, limit: int) -> list[LogLine]:
        """Return the latest changes of a memory, oldest first."""
        rows = self._db.rows(
            "SELECT at, operation, details FROM log WHERE memory = ? ORDER BY key DESC LIMIT ?",
            (memory_id, limit),
        )
        return [
            LogLine(at=at, operation=operation, details=json.loads(details))
            for at, operation, details in reversed(rows)
        ]
