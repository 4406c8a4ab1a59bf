"""Rows of tasks. Whether a caller sees their memories is decided in filters.py."""

from __future__ import annotations

from .database import Database
from .filters import placeholders
from .repository import SqliteRepository

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.task import Task

_COLUMNS = (
    "key", "project", "task_id", "title", "status", "priority", "due", "objective", "created_at",
    "updated_at",
)  # fmt: skip
_SELECT = f"SELECT {', '.join(_COLUMNS)} FROM tasks"


class TaskRepository(SqliteRepository):
    """The tasks of the store."""

    def put(self, task: Task) -> Task:
        """Store a new or changed task; return it with its key."""
        names = _COLUMNS[1:]
        values = [getattr(task, name) for name in names]
        if task.key:
            assignments = ", ".join(f"{name} = ?" for name in names)
            self._db.rows(f"UPDATE tasks SET {assignments} WHERE key = ?", (*values, task.key))
            return task
        key = self._db.insert(
            f"INSERT INTO tasks ({', '.join(names)}) VALUES ({placeholders(names)})", tuple(values)
        )
        return task.replace(key=key)

    def get(self, keys: Sequence[int]) -> list[Task]:
        """Return the tasks with these keys, ordered by key; unknown keys are skipped."""
        if not keys:
            return []
        rows = self._db.rows(
            f"{_SELECT} WHERE key IN ({placeholders(keys)}) ORDER BY key", tuple(keys)
        )
        return [_to_task(row) for row in rows]

    def find(
        self,
        projects: Sequence[int],
        *,
        task_id: str | None = None,
        statuses: Sequence[str] = (),
    ) -> list[Task]:
        """Return tasks of these projects, by id or statuses if given, ordered by key."""
        where = f"project IN ({placeholders(projects)})"
        bindings: list[object] = list(projects)
        if task_id is not None:
            where += " AND task_id = ?"
            bindings.append(task_id)
        if statuses:
            where += f" AND status IN ({placeholders(statuses)})"
            bindings += statuses
        rows = self._db.rows(f"{_SELECT} WHERE {where} ORDER BY key", bindings)
        return [_to_task(row) for row in rows]


def _to_task(row: tuple[Any, ...]) -> Task:
    from aforesaid.domain.model.task import Task  # most sessions have none

    return Task(**dict(zip(_COLUMNS, row, strict=True)))


def reassign_objective(database: Database, erased: int) -> None:
    """Make another version the objective of a task whose objective is about to be erased."""
    database.rows(
        "UPDATE tasks SET objective = coalesce("
        "(SELECT superseded_by FROM memories WHERE key = ?1), "
        "(SELECT min(key) FROM memories WHERE superseded_by = ?1)) WHERE objective = ?1",
        (erased,),
    )
