"""``aforesaid`` alone: how things stand here, and what to do next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.text.pluralize import pluralize

from .common import echo_wrapped, show_json
from .terminal import size_text, terminal_width, time_text

if TYPE_CHECKING:
    from collections.abc import Callable


_WHY = 54  #: cells that a reason takes beside its command


def show_state(*, as_json: bool) -> None:
    """Print how things stand: store, project, last digest, hooks, servers, next steps.

    Raises:
        AforesaidError: the settings are wrong or the store cannot be read.
    """
    from aforesaid.operations.status import collect_status

    state = collect_status(os.environ)
    if as_json:
        show_json(state)
        return
    click.secho(f"Aforesaid {state['version']}", bold=True)
    width = max(map(len, _LINES))
    for name, line in _LINES.items():
        text = line(state)
        if text:
            echo_wrapped(f"  {name:<{width}}  {text}", hang=width + 2)
    for wrong in state["wrong"]:
        echo_wrapped(f"  ! {wrong}", hang=2, fg="yellow")
    click.echo()
    longest = max(len(step["command"]) for step in state["next"])
    beside = not terminal_width() or longest + _WHY <= terminal_width()
    for step in state["next"]:
        command = click.style(step["command"].ljust(longest if beside else 0), bold=True)
        click.echo(f"  {command}" + (f"  {step['why']}" if beside else ""))
        if not beside:
            echo_wrapped(f"      {step['why']}")


def _store(state: dict[str, Any]) -> str:
    if not state["exists"]:
        return f"{state['database']} (made with the first memory)"
    return f"{state['database']} ({size_text(state['bytes'])})"


def _memories(state: dict[str, Any]) -> str:
    counts = state["memories"]
    return f"{counts['here']} here, {counts['global']} global, {counts['total']} in all"


def _project(state: dict[str, Any]) -> str:
    project = state["project"]
    if project is None:
        return f"none in {state['folder'] or 'a folder that is gone'}"
    new = "" if project["known"] else ", not known yet"
    return f"{project['name']} ({project['source'].replace('_', ' ')}{new})"


def _digest(state: dict[str, Any]) -> str:
    digest = state["last_digest"]
    left = state["waiting"]
    waiting = f"{pluralize(left, 'session waits', 'sessions wait')} for theirs" if left else ""
    if digest is None:
        return waiting or "none yet"
    return f"{time_text(digest['at'])[:10]}: {digest['preview']}" + (
        f"; {waiting}" if waiting else ""
    )


_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "store": _store,
    "memories": _memories,
    "project": _project,
    "last digest": _digest,
    "hooks": lambda state: (
        f"last session {time_text(state['hooks_seen'])}"
        if state["hooks_seen"]
        else "no session has been seen"
    ),
    "servers": lambda state: f"{state['servers']} running" if state["servers"] else "none running",
}
