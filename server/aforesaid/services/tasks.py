"""Tasks, and the memories that belong to them.

The first statement that names a task creates it, and becomes its objective: what is to be done.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.model.memory import GLOBAL_PROJECT, OPEN, Memory, Visibility
from aforesaid.domain.model.relation import DEPENDS_ON, IN
from aforesaid.domain.model.task import (
    TASK_FIELDS,
    Assignment,
    Task,
    most_urgent_first,
    read_task_id,
)
from aforesaid.domain.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from aforesaid.domain.model.statement import Statement
    from aforesaid.ports import Clock, Store

MAX_NAMED = 5  #: tasks that an error message names


class TaskView(Value):
    """A task with its objective and the tasks that it depends on."""

    task: Task
    objective: (
        Memory | None
    )  #: in force; None if it was forgotten, erased or moved out of the project
    waits_for: tuple[Task, ...] = ()  #: open tasks that it depends on


class Tasks:
    """The tasks of a store."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    # -- reading

    def keys(self, task_id: str, visible: Visibility) -> tuple[int, ...]:
        """Return the keys of the tasks with an id: one per visible project that has it.

        Raises:
            NotFoundError: no task has it; the message names open tasks.
            InvalidInputError: it is not an id.
        """
        tasks = self._store.tasks.find(visible.projects, task_id=read_task_id(task_id))
        if not tasks:
            open_tasks = self._store.tasks.find(visible.projects, statuses=OPEN)
            urgent = most_urgent_first(open_tasks, self._clock.now())[:MAX_NAMED]
            names = ", ".join(task.task_id for task in urgent) or "none"
            raise NotFoundError(f"no task here has the id {task_id!r}; open tasks: {names}")
        return tuple(task.key for task in tasks)

    def describe(self, tasks: Sequence[Task], now: int) -> list[TaskView]:
        """Return tasks, most urgent first, each with its objective and dependencies."""
        memories = objectives(self._store, tasks)
        waits = self._waits(memories, tasks)
        return [
            TaskView(task=task, objective=memories.get(task.key), waits_for=waits.get(task.key, ()))
            for task in most_urgent_first(tasks, now)
        ]

    def _waits(
        self, memories: dict[int, Memory], tasks: Sequence[Task]
    ) -> dict[int, tuple[Task, ...]]:
        """Return the open tasks that each task depends on, by its key."""
        projects = tuple({task.project for task in tasks})
        open_tasks = {task.key: task for task in self._store.tasks.find(projects) if task.open}
        missing = [task for key, task in open_tasks.items() if key not in memories]
        task_of = {
            memory.head: open_tasks[key]
            for key, memory in (memories | objectives(self._store, missing)).items()
            if key in open_tasks
        }
        visible = Visibility(projects=(GLOBAL_PROJECT, *projects))
        heads = {memory.head: key for key, memory in memories.items()}
        waits: dict[int, tuple[Task, ...]] = {}
        for relation in self._store.relations.of(list(heads), visible):
            if relation.kind == DEPENDS_ON and relation.direction == "out":
                dependency = task_of.get(relation.other)
                key = heads[relation.head]
                if dependency is not None and dependency.key != key:
                    waits[key] = (*waits.get(key, ()), dependency)
        return waits

    # -- writing; inside the caller's transaction

    def of(
        self, statement: Statement, scope: str, project: int, parent: Memory | None
    ) -> Task | None:
        """Return the task that a statement names, or that of its parent; None without either."""
        assignment = statement.assignment
        if scope != "task" and assignment.empty:
            return None
        if assignment.task_id is None and parent is not None and parent.task is not None:
            task = self._store.tasks.get([parent.task])[0]
            assignment = assignment.replace(task_id=task.task_id)
        return self.join(assignment, project)

    def join(self, assignment: Assignment, project: int) -> Task:
        """Return the task that an assignment names, created or changed accordingly.

        Raises:
            InvalidInputError: it has no task_id, or the statement is global.
        """
        if assignment.task_id is None:
            raise InvalidInputError(
                f"{_stated(assignment)} a task_id: a short name such as idempotent-retries"
            )
        if project == GLOBAL_PROJECT:
            raise InvalidInputError(
                "a global memory cannot belong to a task: leave out task_id, or scope"
            )
        tasks = self._store.tasks.find((project,), task_id=assignment.task_id)
        if tasks:
            return self.change(tasks[0], assignment)
        now = self._clock.now()
        return self._store.tasks.put(
            Task(
                project=project,
                task_id=assignment.task_id,
                created_at=now,
                updated_at=now,
                **assignment.fields(),
            )
        )

    def change(self, task: Task, assignment: Assignment) -> Task:
        """Return a task, changed as an assignment says."""
        changed = task.replace(**assignment.fields())
        if changed == task:
            return task
        return self._store.tasks.put(changed.replace(updated_at=self._clock.now()))

    def release(self, key: int | None, assignment: Assignment) -> tuple[Task, ...]:
        """Return the open tasks that waited only for a task; blocked ones become active.

        Args:
            key: of the task; None if there is none.
            assignment: what changed in it; unless that ended it, nothing is released.
        """
        tasks = self._store.tasks.get([key]) if key is not None and assignment.ends else []
        objective = next(iter(objectives(self._store, tasks).values()), None)
        if objective is None:
            return ()
        (task,) = tasks
        visible = Visibility(projects=(GLOBAL_PROJECT, task.project))
        dependents = self._store.relations.step(objective.head, DEPENDS_ON, IN, visible)
        open_tasks = self._store.tasks.find((task.project,), statuses=OPEN)
        stated = {
            key: memory
            for key, memory in objectives(self._store, open_tasks).items()
            if memory.head in dependents
        }
        waits = self._waits(stated, open_tasks)
        return tuple(
            self.change(dependent, Assignment(status="active"))
            for dependent in open_tasks
            if dependent.key in stated and dependent.key not in waits
        )

    def set_objective_if_missing(self, task: Task, memory: Memory) -> None:
        """Make a memory the objective of its task if that has none in force."""
        if memory.scope == "task" and task.key not in objectives(self._store, [task]):
            self._store.tasks.put(task.replace(objective=memory.key))

    def leave(self, memory: Memory) -> None:
        """Take a memory out of its task; if it is the objective, the task has none from then on."""
        for task in self._store.tasks.get([memory.task] if memory.task is not None else []):
            objective = objectives(self._store, [task]).get(task.key)
            if objective is not None and objective.head == memory.head:
                self._store.tasks.put(task.replace(objective=None))

    def move(
        self, memory: Memory, assignment: Assignment, fields: dict[str, Any], project: int
    ) -> dict[str, Any]:
        """Return the columns of a memory that an update changes, with those about its task.

        Args:
            memory: as it is.
            assignment: the update's fields about the task.
            fields: other columns that change, its scope among them.
            project: the new project if the memory was global.

        Raises:
            InvalidInputError: the memory has no task, and the update names none.
        """
        scope = fields.get("scope") or ("task" if assignment.task_id is not None else memory.scope)
        home = GLOBAL_PROJECT
        if scope != "global":
            home = fields.get("project", memory.project) or project
        if scope == "global" and assignment.empty:
            self.leave(memory)
            return {**fields, "task": None} if memory.task is not None else fields
        if assignment.empty and not (scope == "task" and "scope" in fields):
            return fields
        own = self._stated_by(memory, home) if assignment.task_id is None else None
        if own is not None:
            self.change(own, assignment)
            return {**fields, "task": own.key}
        if assignment.task_id is None and memory.task is not None:
            task = self.change(self._store.tasks.get([memory.task])[0], assignment)
        else:
            task = self.join(assignment, home)
        if memory.task not in {None, task.key}:
            self.leave(memory)
        self.set_objective_if_missing(task, memory.replace(scope=scope))
        moved = {"scope": scope, "project": home, "task": task.key}
        changed = {name: value for name, value in moved.items() if getattr(memory, name) != value}
        return {**fields, **changed}

    def _stated_by(self, memory: Memory, project: int) -> Task | None:
        """Return the open task whose objective a memory outside of tasks has replaced."""
        tasks = self._store.tasks.find((project,), statuses=OPEN) if memory.task is None else []
        stated = objectives(self._store, tasks)
        return next(
            (task for task in tasks if task.key in stated and stated[task.key].key == memory.key),
            None,
        )


def _stated(assignment: Assignment) -> str:
    """Return the fields of a task that an assignment sets, with a verb: ``title and due need``."""
    names = [name for name in TASK_FIELDS if name in assignment.named] or ["scope task"]
    return f"{' and '.join(names)} {'need' if len(names) > 1 else 'needs'}"


def objectives(store: Store, tasks: Sequence[Task]) -> dict[int, Memory]:
    """Return the objective in force of each task, by the task's key.

    A head in another project, to which a global version may lead, does not count.
    """
    by_objective = {task.objective: task for task in tasks if task.objective is not None}
    versions = store.memories.get(list(by_objective))
    task_of = {memory.head: by_objective[memory.key] for memory in versions}
    heads = store.memories.get(list(task_of))
    return {
        task_of[head.key].key: head
        for head in heads
        if head.in_force and head.project in {GLOBAL_PROJECT, task_of[head.key].project}
    }
