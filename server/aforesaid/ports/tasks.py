"""Port for tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.task import Task


class TaskStore(Protocol):
    """Tasks. The visibility of their memories is determined by ``Visibility``."""

    def put(self, task: Task) -> Task:
        """Insert or update a task; return it with its key."""
        ...

    def get(self, keys: Sequence[int]) -> list[Task]:
        """Return the tasks with these keys, by key; unknown ones are left out."""
        ...

    def find(
        self,
        projects: Sequence[int],
        *,
        task_id: str | None = None,
        statuses: Sequence[str] = (),
    ) -> list[Task]:
        """Return tasks of these projects, in order of keys.

        Args:
            projects: keys of the projects.
            task_id: only with this id.
            statuses: only with any of these statuses; empty for all.
        """
        ...
