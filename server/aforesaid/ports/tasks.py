"""Objectives inside projects, as the services need them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.task import Task


class TaskStore(Protocol):
    """Tasks. Who sees their memories is a matter of ``Visibility``."""

    def put(self, task: Task) -> Task:
        """Store a task, or what changed of it; return it with its key."""
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
        """Return tasks of these projects, of one id, of any of these statuses, by key."""
        ...
