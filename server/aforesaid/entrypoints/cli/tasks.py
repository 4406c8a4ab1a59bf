"""``tasks``: a project's tasks, most urgent first."""

from __future__ import annotations

import click

from aforesaid.domain.model.memory import STATUSES

from .app import aforesaid
from .common import all_projects, as_json, call_tool, echo_wrapped, show_json


@aforesaid.command("tasks")
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice((*STATUSES, "all")),
    help="Only tasks with this status (may be repeated). Default: active and blocked.",
)  # fmt: skip
@click.option("--project", help="Another project, by name.")
@all_projects
@as_json
def list_tasks(
    statuses: tuple[str, ...], project: str | None, *, all_projects: bool, as_json: bool
) -> None:
    """List the project's tasks, most urgent first.

    Overdue tasks come first, then the rest by priority and due date.
    """
    arguments = {"status": statuses, "project": project}
    answer = call_tool("list_tasks", arguments, everywhere=all_projects, has_schema=False)
    if as_json:
        show_json(answer)
        return
    if not answer["tasks"]:
        what = "tasks with this status" if statuses else "open tasks"
        click.echo(f"No {what}. Create one with: aforesaid remember TEXT --task-id NAME")
    for task in answer["tasks"]:
        state = [task["status"], task["priority"]]
        state += [f"due {task['due']}"] if "due" in task else []
        state += [f"waits for {', '.join(task['waits_for'])}"] if "waits_for" in task else []
        name = f"{task['project']}: " if "project" in task else ""
        echo_wrapped(f"{name}{task['task_id']}  ({', '.join(state)})", hang=4)
        for text in (task.get("title"), task.get("objective")):
            if text:
                echo_wrapped(f"    {text}")
