"""Tasks: goals inside a project, their fields and their order.

Visibility of their memories: ``Visibility`` in memory.py. Assigning statements: services/tasks.py.
Session starts import this module, so it must stay cheap to import.
"""

from __future__ import annotations

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.value import Value

from .memory import OPEN, STATUSES, check_choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

PRIORITIES = ("high", "medium", "low")
TASK_ID_CHARS = 100
TITLE_CHARS = 200
#: Parameters of a call that describe a task; the first one names it.
TASK_FIELDS = ("task_id", "title", "status", "priority", "due")


class Task(Value):
    """A task. Times are ms since the epoch."""

    key: int = 0  #: 0 until it is stored
    project: int
    task_id: str  #: normalised; unique in its project
    title: str = ""
    status: str = "active"
    priority: str = "medium"
    due: int | None = None  #: a date is due at its last millisecond
    objective: int | None = None  #: key of a version of its first memory
    created_at: int
    updated_at: int

    @property
    def open(self) -> bool:
        """Whether it remains to be done."""
        return self.status in OPEN


class Assignment(Value):
    """The fields of its task that a statement sets. None: not stated."""

    task_id: str | None = None  #: None if the memory is in a task already
    title: str | None = None
    status: str | None = None
    priority: str | None = None
    due: int | None = None  #: ms; 0 removes it

    @property
    def ends(self) -> bool:
        """Whether the task has nothing left to do from now on."""
        return self.status is not None and self.status not in OPEN

    @property
    def empty(self) -> bool:
        """Whether it sets no field."""
        return not self.named

    @property
    def named(self) -> set[str]:
        """The names of the fields that it sets."""
        return {name for name, value in self.as_dict().items() if value is not None}

    def fields(self) -> dict[str, Any]:
        """Return the values that it sets, by field of ``Task``."""
        fields = {name: getattr(self, name) for name in self.named - {"task_id"}}
        if fields.get("due") == 0:
            fields["due"] = None
        return fields


def check_assignment(assignment: Assignment) -> Assignment:
    """Return the assignment with every field normalised and validated.

    Raises:
        InvalidInputError: a field is invalid; the message says what is valid.
    """
    title = assignment.title
    if title is not None:
        title = " ".join(title.split())
        if len(title) > TITLE_CHARS:
            raise InvalidInputError(f"title has {len(title)} characters, {TITLE_CHARS} at most")
    return assignment.replace(
        task_id=None if assignment.task_id is None else read_task_id(assignment.task_id),
        title=title,
        status=None
        if assignment.status is None
        else check_choice("status", assignment.status, STATUSES),
        priority=(
            None
            if assignment.priority is None
            else check_choice("priority", assignment.priority, PRIORITIES)
        ),
    )


def read_task_id(text: str) -> str:
    """Return a task id as it is stored: lower case, hyphens for spaces and underscores.

    Raises:
        InvalidInputError: it is empty or too long.
    """
    task_id = "-".join(text.lower().replace("_", " ").split())
    if not task_id.strip("-") or len(task_id) > TASK_ID_CHARS or not task_id.isprintable():
        raise InvalidInputError(
            f"task_id {text[:40]!r}: use a short name such as idempotent-retries, "
            f"{TASK_ID_CHARS} characters at most"
        )
    return task_id


def most_urgent_first(tasks: Iterable[Task], now: int) -> list[Task]:
    """Return tasks sorted: overdue first, then by priority, due date, newest first, and id."""

    def urgency(task: Task) -> tuple[bool, int, bool, int, int, str]:
        overdue = task.due is not None and task.due < now
        return (
            not overdue,
            PRIORITIES.index(task.priority),
            task.due is None,
            task.due or 0,
            -task.created_at,
            task.task_id,
        )

    return sorted(tasks, key=urgency)
