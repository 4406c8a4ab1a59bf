"""``aforesaid tasks``: what is to be done in a project, most urgent first."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.memory import OPEN, STATUSES

from .group import aforesaid

if TYPE_CHECKING:
    from aforesaid.services.tasks import Described
    from aforesaid.wiring.core import Core


@aforesaid.command("tasks")
@click.option(
    "--status", "statuses", multiple=True, type=click.Choice((*STATUSES, "all")),
    help="Which ones; default: active and blocked.",
)  # fmt: skip
@click.option("--project", help="Of another project, by name; * for all.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def list_tasks(statuses: tuple[str, ...], project: str | None, *, as_json: bool) -> None:
    """List the project's tasks: overdue first, then by priority and due date."""
    from aforesaid.services.tasks import Tasks
    from aforesaid.wiring.server import Conversation

    conversation = Conversation(os.environ)
    core = conversation.core
    visible = core.visible(project, conversation.place())
    wanted = () if "all" in statuses else statuses or OPEN
    found = core.store.find_tasks(visible.projects, statuses=wanted)
    listed = Tasks(core.store, core.clock).describe(found, core.clock.now())
    shown = [_shown(one, core, naming=project is not None) for one in listed]
    core.close()
    if as_json:
        click.echo(json.dumps(shown, indent=2, ensure_ascii=False))
        return
    if not shown:
        click.echo("No tasks. An agent adds them with store_memory(task_id=...).")
    for task in shown:
        state = [task["status"], task["priority"]]
        state += [f"due {task['due']}"] if "due" in task else []
        state += [f"waits for {', '.join(task['waits_for'])}"] if "waits_for" in task else []
        name = f"{task['project']}: " if "project" in task else ""
        click.echo(f"{name}{task['task_id']}  ({', '.join(state)})")
        for text in (task.get("title"), task.get("objective")):
            if text:
                click.echo(f"    {text}")


def _shown(one: Described, core: Core, *, naming: bool) -> dict[str, Any]:
    from aforesaid.domain.times import due_text
    from aforesaid.entrypoints.render import Names, lean

    names = Names(core.store)
    task, objective = one.task, one.objective
    return lean(
        {
            "task_id": task.task_id,
            "project": names.project(task.project) if naming else None,
            "title": task.title,
            "status": task.status,
            "priority": task.priority,
            "due": None if task.due is None else due_text(task.due),
            "waits_for": [other.task_id for other in one.waits_for],
            "objective": None if objective is None else objective.preview,
            "id": None if objective is None else names.short(objective.key),
        }
    )
