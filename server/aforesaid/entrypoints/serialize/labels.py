"""What keys are called when told: short ids, names of projects, topics, entities and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.text.timestamps import due_text

if TYPE_CHECKING:
    from aforesaid.domain.model.task import Task
    from aforesaid.ports import Store


class LabelResolver:
    """Short ids and project names, looked up once a reply."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._projects: dict[int, str] = {0: "global"}
        self._tasks: dict[int, Task] = {}

    def short(self, key: int) -> str:
        """Return a memory's id as people see it."""
        return self._store.memories.short_ids([key]).get(key, "?")

    def preview(self, key: int) -> str:
        """Return what a memory says, on one line."""
        return next((one.preview for one in self._store.memories.get([key])), "")

    def topic(self, key: int | None) -> str:
        """Return the path of a topic or concept; empty for none."""
        found = None if key is None else self._store.topics.get(key)
        return "" if found is None else found.path

    def task(self, key: int | None) -> dict[str, Any]:
        """Return the fields of a result that say how its task stands."""
        if key is None:
            return {}
        if key not in self._tasks:
            self._tasks.update({task.key: task for task in self._store.tasks.get([key])})
        task = self._tasks[key]
        return {
            "task_id": task.task_id,
            "title": task.title,
            "status": task.status,
            "priority": None if task.priority == "medium" else task.priority,
            "due": None if task.due is None else due_text(task.due),
        }

    def entity(self, key: int | None) -> str | None:
        """Return the name of what a memory is about."""
        found = None if key is None else self._store.entities.get(key)
        return None if found is None else found.name

    def project(self, key: int) -> str:
        """Return a project's name."""
        if key not in self._projects:
            found = self._store.projects.get(key)
            self._projects[key] = found.name if found is not None else "?"
        return self._projects[key]
