"""Objectives inside a project: what a task is, what may be said of it, which come first.

Here: values and their order. Not here: who sees a task's memories (Visibility, in SQL), how
statements join one (services/tasks.py). Session starts import this: keep it light.
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
#: What a call may say of a task, which one first.
TASK_FIELDS = ("task_id", "title", "status", "priority", "due")


class Task(Value):
    """One objective. Times are ms since the epoch."""

    key: int = 0  #: 0 until it is stored
    project: int
    task_id: str  #: as it is normalised; unique in its project
    title: str = ""
    status: str = "active"
    priority: str = "medium"
    due: int | None = None  #: a day counts to its last millisecond
    objective: int | None = None  #: key of a version of the memory that says what is to be done
    created_at: int
    updated_at: int

    @property
    def open(self) -> bool:
        """Whether it waits to be done."""
        return self.status in OPEN


class Assignment(Value):
    """What a statement says of its task. None: not said."""

    task_id: str | None = None  #: None where the memory has its task already
    title: str | None = None
    status: str | None = None
    priority: str | None = None
    due: int | None = None  #: ms; 0 takes it away

    @property
    def empty(self) -> bool:
        """Whether it says nothing."""
        return not self.named

    @property
    def named(self) -> set[str]:
        """The names of what it says."""
        return {name for name, value in self.as_dict().items() if value is not None}

    def fields(self) -> dict[str, Any]:
        """Return what it sets of a task."""
        fields = {name: getattr(self, name) for name in self.named - {"task_id"}}
        if fields.get("due") == 0:
            fields["due"] = None
        return fields


def check_assignment(given: Assignment) -> Assignment:
    """Return it with every word known and every text within its limits.

    Raises:
        InvalidInputError: one is not; the message names what is.
    """
    title = given.title
    if title is not None:
        title = " ".join(title.split())
        if len(title) > TITLE_CHARS:
            raise InvalidInputError(f"title has {len(title)} characters, {TITLE_CHARS} at most")
    return given.replace(
        task_id=None if given.task_id is None else read_task_id(given.task_id),
        title=title,
        status=None if given.status is None else check_choice("status", given.status, STATUSES),
        priority=(
            None if given.priority is None else check_choice("priority", given.priority, PRIORITIES)
        ),
    )


def read_task_id(text: str) -> str:
    """Return a task's id as it is kept: lower case, blanks and underscores as hyphens.

    Raises:
        InvalidInputError: nothing is left of it, or too much.
    """
    task_id = "-".join(text.lower().replace("_", " ").split())
    if not task_id.strip("-") or len(task_id) > TASK_ID_CHARS or not task_id.isprintable():
        raise InvalidInputError(
            f"task_id {text[:40]!r}: use a short name such as idempotent-retries, "
            f"{TASK_ID_CHARS} characters at most"
        )
    return task_id


def most_urgent_first(tasks: Iterable[Task], now: int) -> list[Task]:
    """Return tasks: overdue ones, then by priority, by due date, newest, by id."""

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
