"""Tasks of the reference store: who sees their memories is right by inspection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.model.memory import COMPLETED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aforesaid.domain.model.memory import Filters, Memory, Visibility
    from aforesaid.domain.model.task import Task


class ReferenceTasks:
    """Tasks in a dictionary."""

    _memories: dict[int, Memory]
    _tasks: dict[int, Task]

    def tasks_put(self, task: Task) -> Task:
        stored = task if task.key else task.replace(key=max(self._tasks, default=0) + 1)
        self._tasks[stored.key] = stored
        return stored

    def tasks_get(self, keys: Sequence[int]) -> list[Task]:
        return [task for key, task in sorted(self._tasks.items()) if key in keys]

    def tasks_find(
        self, projects: Sequence[int], *, task_id: str | None = None, statuses: Sequence[str] = ()
    ) -> list[Task]:
        return [
            task
            for _key, task in sorted(self._tasks.items())
            if task.project in projects
            and task_id in {None, task.task_id}
            and (not statuses or task.status in statuses)
        ]

    def _is_visible(self, memory: Memory, visible: Visibility) -> bool:
        """Tell whether a caller may see a memory: never one inside another task."""
        if memory.project not in visible.projects:
            return False
        return (
            memory.scope != "task"
            or memory.task in visible.tasks
            or self._is_objective(memory)
            or self._tasks[memory.task].status == COMPLETED
        )

    def _is_objective(self, memory: Memory) -> bool:
        task = self._tasks.get(memory.task or 0)
        objective = None if task is None else self._memories.get(task.objective or 0)
        return objective is not None and objective.head == memory.head

    def _of_task(self, memory: Memory, filters: Filters) -> bool:
        task = self._tasks.get(memory.task or 0)
        return (not filters.tasks or memory.task in filters.tasks) and (
            not filters.statuses or (task is not None and task.status in filters.statuses)
        )

    def _reassign_objective(self, erased: Memory, predecessors: Sequence[int]) -> None:
        for key, task in self._tasks.items():
            if task.objective == erased.key:
                successor = erased.superseded_by or min(predecessors, default=None)
                self._tasks[key] = task.replace(objective=successor)

    def _merge_tasks(self, source: int, target: int) -> None:
        """Move tasks to another project; tasks of the same id become one."""
        existing = {task.task_id: task for task in self.tasks_find((target,))}
        for task in self.tasks_find((source,)):
            twin = existing.get(task.task_id)
            if twin is None:
                self._tasks[task.key] = task.replace(project=target)
                continue
            del self._tasks[task.key]
            if twin.objective is None:
                self._tasks[twin.key] = twin.replace(objective=task.objective)
            for key, memory in list(self._memories.items()):
                if memory.task == task.key:
                    self._memories[key] = memory.replace(task=twin.key)
