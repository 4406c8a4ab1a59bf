"""``tasks``: a project's tasks, most urgent first."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.model.memory import OPEN, STATUSES

from .app import aforesaid
from .common import all_projects, as_json, call_tool, echo_wrapped, show_json
from .terminal import time_text

if TYPE_CHECKING:
    from collections.abc import Mapping

_DUE = re.compile(r"\b(?:due|overdue|deadlines?|to-?dos?)\b", re.IGNORECASE)


@aforesaid.command("tasks")
@click.argument("name", required=False)
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice((*STATUSES, "all")),
    help="Only tasks with this status (may be repeated). Default: active and blocked.",
)  # fmt: skip
@click.option("--project", help="Another project, by name.")
@all_projects
@as_json
def list_tasks(
    name: str | None,
    statuses: tuple[str, ...],
    project: str | None,
    *,
    all_projects: bool,
    as_json: bool,
) -> None:
    """List tasks, most urgent first; with NAME, only matching tasks.

    Overdue tasks come first, then the rest by priority and due date. To complete a task, use its
    id: aforesaid update ID --status completed
    """
    arguments = {"status": statuses, "project": project}
    answer = call_tool("list_tasks", arguments, everywhere=all_projects, has_schema=False)
    if name is not None:
        answer["tasks"] = [
            task
            for task in answer["tasks"]
            if name.lower() in f"{task['task_id']} {task.get('title', '')}".lower()
        ]
    if as_json:
        show_json(answer)
        return
    if not answer["tasks"]:
        what = "tasks with this status" if statuses else "open tasks"
        what += f" called {name}" if name else ""
        echo_wrapped(f"No {what}. Create one with: aforesaid remember TEXT --task-id NAME")
    today = date.today().isoformat()  # noqa: DTZ011 - due dates are local
    for task in answer["tasks"]:
        state = [task["status"], task["priority"]]
        due = time_text(task.get("due", ""))
        overdue = task["status"] in OPEN and due[: len(today)] < today
        state += [f"{'overdue since' if overdue else 'due'} {due}"] if due else []
        state += [f"waits for {', '.join(task['waits_for'])}"] if "waits_for" in task else []
        label = f"{task['project']}: " if "project" in task else ""
        label += f"{task['task_id']} [{task['id']}]" if "id" in task else task["task_id"]
        echo_wrapped(f"{label}  ({', '.join(state)})", hang=4)
        for text in (task.get("title"), task.get("objective")):
            if text:
                echo_wrapped(f"    {text}")
        if name is not None and "project" not in task:
            _show_memories(task["task_id"])


def _show_memories(task_id: str) -> None:
    """Say how to list a task's memories if it has more than the objective."""
    options = {"task_id": task_id, "max_results": 1, "summary_only": True}
    count = call_tool("list_memories", options)["total_matched"]
    if count > 1:
        echo_wrapped(f"    {count} memories: aforesaid list --task-id {task_id}")


def hint_at_due_tasks(question: str, answer: Mapping[str, Any]) -> None:
    """Name the list of tasks if a question about due dates has no good answer, and there are any.

    Args:
        question: that was searched.
        answer: of recall.
    """
    if answer["results"] and not answer.get("no_good_match"):
        return
    if _DUE.search(question) and call_tool("list_tasks", {}, has_schema=False)["tasks"]:
        echo_wrapped("Tasks are listed with their due dates by: aforesaid tasks")
