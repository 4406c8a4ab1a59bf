"""Statements and the tasks they belong to: found by id, made by the first that names one.

The first memory of a task is its objective: what is to be done. Its later versions stay that.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import GLOBAL_PROJECT, OPEN, Memory, Visibility
from aforesaid.domain.model.task import Assignment, Task, most_urgent_first, read_task_id
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import Clock, Store

_NAMED = 5  #: tasks that an error names
DEPENDS_ON = "depends_on"


class TaskView(Value):
    """A task with what it says and waits for."""

    task: Task
    objective: Memory | None  #: in force; None where it was forgotten, erased or left the project
    waits_for: tuple[Task, ...] = ()  #: open tasks that it depends on


class Tasks:
    """The tasks of a store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    # -- reading

    def keys(self, task_id: str, visible: Visibility) -> tuple[int, ...]:
        """Return the tasks that an id means: one, or several where several projects are seen.

        Raises:
            NotFoundError: none; the message names those that are open.
            InvalidInputError: it is no id.
        """
        found = self._store.tasks.find(visible.projects, task_id=read_task_id(task_id))
        if not found:
            known = self._store.tasks.find(visible.projects, statuses=OPEN)
            urgent = most_urgent_first(known, self._clock.now())[:_NAMED]
            named = ", ".join(task.task_id for task in urgent) or "none"
            raise NotFoundError(f"no task here is called {task_id!r}; open are: {named}")
        return tuple(task.key for task in found)

    def describe(self, found: Sequence[Task], now: int) -> list[TaskView]:
        """Return tasks, most urgent first, each with its objective and what it waits for."""
        told = objectives(self._store, found)
        waits = self._waits(told, found)
        return [
            TaskView(task=task, objective=told.get(task.key), waits_for=waits.get(task.key, ()))
            for task in most_urgent_first(found, now)
        ]

    def _waits(
        self, told: dict[int, Memory], listed: Sequence[Task]
    ) -> dict[int, tuple[Task, ...]]:
        """Return the open tasks that each task depends on, by its key."""
        projects = tuple({task.project for task in listed})
        known = {task.key: task for task in self._store.tasks.find(projects) if task.open}
        task_of = {memory.head: known[key] for key, memory in told.items() if key in known}
        missing = [task for key, task in known.items() if key not in told]
        for key, memory in objectives(self._store, missing).items():
            task_of[memory.head] = known[key]
        visible = Visibility(projects=(GLOBAL_PROJECT, *projects))
        heads = {memory.head: key for key, memory in told.items()}
        waits: dict[int, tuple[Task, ...]] = {}
        for relation in self._store.relations.of(list(heads), visible):
            if relation.kind == DEPENDS_ON and relation.direction == "out":
                waited = task_of.get(relation.other)
                key = heads[relation.head]
                if waited is not None and waited.key != key:
                    waits[key] = (*waits.get(key, ()), waited)
        return waits

    # -- writing; inside the caller's transaction

    def of(
        self, statement: Statement, scope: str, project: int, parent: Memory | None
    ) -> Task | None:
        """Return the task that a statement belongs to: the one it names, or that of its parent."""
        told = statement.assignment
        if scope != "task" and told.empty:
            return None
        if told.task_id is None and parent is not None and parent.task is not None:
            told = told.replace(task_id=self._store.tasks.get([parent.task])[0].task_id)
        return self.join(told, project)

    def join(self, told: Assignment, project: int) -> Task:
        """Return the task that a statement names, made or changed as it says.

        Raises:
            InvalidInputError: it belongs to no project, or names no task.
        """
        if told.task_id is None:
            raise InvalidInputError(
                "scope task, title, status, priority and due need a task_id: a short name such "
                "as idempotent-retries"
            )
        if project == GLOBAL_PROJECT:
            raise InvalidInputError(
                "what is global belongs to no task: leave out task_id, or scope"
            )
        found = self._store.tasks.find((project,), task_id=told.task_id)
        if found:
            return self.change(found[0], told)
        now = self._clock.now()
        return self._store.tasks.put(
            Task(
                project=project,
                task_id=told.task_id,
                created_at=now,
                updated_at=now,
                **told.fields(),
            )
        )

    def change(self, task: Task, told: Assignment) -> Task:
        """Return a task with what is said of it now."""
        changed = task.replace(**told.fields())
        if changed == task:
            return task
        return self._store.tasks.put(changed.replace(updated_at=self._clock.now()))

    def state(self, task: Task, memory: Memory) -> None:
        """Make a memory the objective of its task if that has none in force."""
        if memory.scope == "task" and task.key not in objectives(self._store, [task]):
            self._store.tasks.put(task.replace(objective=memory.key))

    def leave(self, memory: Memory) -> None:
        """Let a task go without the memory that leaves it."""
        for task in self._store.tasks.get([memory.task] if memory.task is not None else []):
            told = objectives(self._store, [task]).get(task.key)
            if told is not None and told.head == memory.head:
                self._store.tasks.put(task.replace(objective=None))

    def move(
        self, memory: Memory, told: Assignment, fields: dict[str, Any], project: int
    ) -> dict[str, Any]:
        """Return columns that change with what an update says of a memory's task.

        Args:
            memory: as it is.
            told: what is said.
            fields: columns that change already, its scope among them.
            project: where it goes if it was global.

        Raises:
            InvalidInputError: there is no task to say it of.
        """
        scope = fields.get("scope") or ("task" if told.task_id is not None else memory.scope)
        home = GLOBAL_PROJECT
        if scope != "global":
            home = fields.get("project", memory.project) or project
        if scope == "global" and told.empty:
            self.leave(memory)
            return {**fields, "task": None} if memory.task is not None else fields
        if told.empty and not (scope == "task" and "scope" in fields):
            return fields
        if told.task_id is None and memory.task is not None:
            task = self.change(self._store.tasks.get([memory.task])[0], told)
        else:
            task = self.join(told, home)
        if memory.task not in {None, task.key}:
            self.leave(memory)
        self.state(task, memory.replace(scope=scope))
        moved = {"scope": scope, "project": home, "task": task.key}
        changed = {name: key for name, key in moved.items() if getattr(memory, name) != key}
        return {**fields, **changed}


def objectives(store: Store, tasks: Sequence[Task]) -> dict[int, Memory]:
    """Return what each task is about, by its key: the version in force, unless it is forgotten.

    A version of another project, which a global one led to, is none of the task's.
    """
    stated = {task.objective: task for task in tasks if task.objective is not None}
    versions = store.memories.get(list(stated))
    task_of = {memory.head: stated[memory.key] for memory in versions}
    heads = store.memories.get(list(task_of))
    return {
        task_of[head.key].key: head
        for head in heads
        if head.in_force and head.project in {GLOBAL_PROJECT, task_of[head.key].project}
    }
