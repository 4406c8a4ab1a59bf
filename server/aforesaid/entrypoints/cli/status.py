"""``aforesaid`` without a command: the status, and what to do next."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.text.pluralize import pluralize

from .common import echo_wrapped, show_json
from .terminal import size_text, terminal_width, time_text

if TYPE_CHECKING:
    from collections.abc import Callable


_REASON_WIDTH = 54  #: cells that a reason needs beside its command


def show_status(*, as_json: bool) -> None:
    """Print the status of store, project, digests, hooks and servers, and the next steps.

    Raises:
        AforesaidError: the settings are wrong or the store cannot be read.
    """
    from aforesaid.operations.status import collect_status

    status = collect_status(os.environ)
    if as_json:
        show_json(status)
        return
    click.secho(f"Aforesaid {status['version']}", bold=True)
    width = max(map(len, _LINES))
    for label, text_of_line in _LINES.items():
        text = text_of_line(status)
        if text:
            echo_wrapped(f"  {label:<{width}}  {text}", hang=width + 2)
    for problem in status["wrong"]:
        echo_wrapped(f"  ! {problem}", hang=2, fg="yellow")
    click.echo()
    longest = max(len(step["command"]) for step in status["next"])
    beside = not terminal_width() or longest + _REASON_WIDTH <= terminal_width()
    for step in status["next"]:
        command = click.style(step["command"].ljust(longest if beside else 0), bold=True)
        click.echo(f"  {command}" + (f"  {step['why']}" if beside else ""))
        if not beside:
            echo_wrapped(f"      {step['why']}")


def _store(status: dict[str, Any]) -> str:
    if not status["exists"]:
        return f"{status['database']} (created with the first memory)"
    return f"{status['database']} ({size_text(status['bytes'])})"


def _memories(status: dict[str, Any]) -> str:
    counts = status["memories"]
    return f"{counts['here']} here, {counts['global']} global, {counts['total']} in total"


def _project(status: dict[str, Any]) -> str:
    project = status["project"]
    if project is None:
        return f"none in {status['folder'] or 'a deleted folder'}"
    new = "" if project["known"] else ", not stored yet"
    return f"{project['name']} ({project['source'].replace('_', ' ')}{new})"


def _digest(status: dict[str, Any]) -> str:
    digest, count = status["last_digest"], status["waiting"]
    waiting = f"{pluralize(count, 'session')} waiting to be digested" if count else ""
    if digest is None:
        return waiting or "none yet"
    return f"{time_text(digest['at'])[:10]}: {digest['preview']}" + (
        f"; {waiting}" if waiting else ""
    )


def _hooks(status: dict[str, Any]) -> str:
    if status["off"]:
        return "off here: AFORESAID_OFF is set, and nothing is stored"
    if not status["hooks_seen"]:
        return "no session seen yet"
    return f"last session {time_text(status['hooks_seen'])}"


def _servers(status: dict[str, Any]) -> str:
    commands = "; ".join(status["running"])
    return f"{status['servers'] or 'none'} running" + (f": {commands}" if commands else "")


_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "store": _store,
    "memories": _memories,
    "project": _project,
    "last digest": _digest,
    "hooks": _hooks,
    "servers": _servers,
}
