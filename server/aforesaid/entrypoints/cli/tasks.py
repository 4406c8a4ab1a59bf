"""``aforesaid tasks``: what is to be done in a project, most urgent first."""

from __future__ import annotations

import click

from aforesaid.domain.model.memory import STATUSES

from .app import aforesaid
from .common import all_projects, as_json, call_tool, echo_wrapped, show_json


@aforesaid.command("tasks")
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice((*STATUSES, "all")),
    help="Which ones; default: active and blocked.",
)  # fmt: skip
@click.option("--project", help="Of another project, by name.")
@all_projects
@as_json
def list_tasks(
    statuses: tuple[str, ...], project: str | None, *, all_projects: bool, as_json: bool
) -> None:
    """List the project's tasks, most urgent first.

    Overdue ones, then by priority and due date.
    """
    given = {"status": statuses, "project": project}
    answer = call_tool("list_tasks", given, everywhere=all_projects, listed=False)
    if as_json:
        show_json(answer)
        return
    shown = answer["tasks"]
    if not shown:
        click.echo("No tasks. One is made by: aforesaid remember TEXT --task-id NAME")
    for task in shown:
        state = [task["status"], task["priority"]]
        state += [f"due {task['due']}"] if "due" in task else []
        state += [f"waits for {', '.join(task['waits_for'])}"] if "waits_for" in task else []
        name = f"{task['project']}: " if "project" in task else ""
        echo_wrapped(f"{name}{task['task_id']}  ({', '.join(state)})", hang=4)
        for text in (task.get("title"), task.get("objective")):
            if text:
                echo_wrapped(f"    {text}")
