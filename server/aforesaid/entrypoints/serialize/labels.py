"""The names that replace database keys in answers: short ids, projects, topics, entities, tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aforesaid.domain.text.timestamps import due_text

if TYPE_CHECKING:
    from aforesaid.domain.model.task import Task
    from aforesaid.ports import Store

NOT_VISIBLE = "a memory that is not visible here"


class LabelResolver:
    """Looks up names for keys; projects and tasks are cached, so use one per reply."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._projects: dict[int, str] = {0: "global"}
        self._tasks: dict[int, Task] = {}

    def short(self, key: int) -> str:
        """Return a memory's short id."""
        return self._store.memories.short_ids([key]).get(key, "?")

    def preview(self, key: int) -> str:
        """Return a memory on one line."""
        return next((memory.preview for memory in self._store.memories.get([key])), "")

    def topic(self, key: int | None) -> str:
        """Return the path of a topic or concept; empty for none."""
        topic = None if key is None else self._store.topics.get(key)
        return "" if topic is None else topic.path

    def task(self, key: int | None) -> dict[str, Any]:
        """Return the fields of a result that describe its task."""
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
        """Return an entity's name."""
        entity = None if key is None else self._store.entities.get(key)
        return None if entity is None else entity.name

    def project(self, key: int) -> str:
        """Return a project's name."""
        if key not in self._projects:
            project = self._store.projects.get(key)
            self._projects[key] = "?" if project is None else project.name
        return self._projects[key]
