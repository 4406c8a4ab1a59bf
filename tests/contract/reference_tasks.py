"""The model of tasks: who sees their memories is right by inspection."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

    def _seen(self, one: Memory, visible: Visibility) -> bool:
        """Tell whether a caller may see a memory: never what is inside another task."""
        if one.project not in visible.projects:
            return False
        return one.scope != "task" or one.task in visible.tasks or self._is_objective(one)

    def _is_objective(self, one: Memory) -> bool:
        task = self._tasks.get(one.task or 0)
        stated = None if task is None else self._memories.get(task.objective or 0)
        return stated is not None and stated.head == one.head

    def _of_task(self, one: Memory, filters: Filters) -> bool:
        task = self._tasks.get(one.task or 0)
        return (not filters.tasks or one.task in filters.tasks) and (
            not filters.statuses or (task is not None and task.status in filters.statuses)
        )

    def _hand_on(self, gone: Memory, before: Sequence[int]) -> None:
        """Let another version state the tasks whose objective was erased."""
        for key, task in self._tasks.items():
            if task.objective == gone.key:
                other = gone.superseded_by or min(before, default=None)
                self._tasks[key] = task.replace(objective=other)

    def _merge_tasks(self, source: int, target: int) -> None:
        """Move tasks to another project; one that both have becomes one."""
        kept = {task.task_id: task for task in self.tasks_find((target,))}
        for task in self.tasks_find((source,)):
            twin = kept.get(task.task_id)
            if twin is None:
                self._tasks[task.key] = task.replace(project=target)
                continue
            del self._tasks[task.key]
            if twin.objective is None:
                self._tasks[twin.key] = twin.replace(objective=task.objective)
            for key, one in list(self._memories.items()):
                if one.task == task.key:
                    self._memories[key] = one.replace(task=twin.key)
