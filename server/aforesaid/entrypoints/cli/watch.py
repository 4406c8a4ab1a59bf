"""``watch``: digests sessions as they end, in the foreground or as a background process."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any

import click

from aforesaid.domain.model.backlog import QUIET_MS

from .app import aforesaid
from .common import as_json, print_fields, show_json

_quiet = click.option(
    "--quiet",
    "quiet_seconds",
    type=click.FloatRange(0, 86_400),
    metavar="NUMBER",
    default=QUIET_MS / 1000,
    show_default=True,
    help="Seconds without a write after which a session that has no hooks counts as ended.",
)
_folder = click.option(
    "--folder", type=click.Path(), help="The folder of transcripts; default: Claude Code's."
)


@aforesaid.group(invoke_without_command=True)
@_folder
@_quiet
@as_json
@click.pass_context
def watch(
    context: click.Context, folder: str | None, quiet_seconds: float, *, as_json: bool
) -> None:
    """Digest sessions as they end, for clients without hooks.

    It runs until it is stopped.

    `watch start` runs it in the background, once per user. With --json, it prints one object per
    line whenever a session was digested or failed.
    """
    if context.invoked_subcommand is not None:
        return
    from aforesaid.operations.watch import Watcher

    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    watcher = Watcher(os.environ, folder, int(quiet_seconds * 1000))
    click.echo("Watching. Press Ctrl-C to stop.", err=True)
    watcher.run(stopping, _echo_json if as_json else click.echo)
    if sys.stderr.isatty():  # after the terminal's own ^C
        click.echo("\nStopped.", err=True)


@watch.command()
@_folder
@_quiet
@as_json
def start(folder: str | None, quiet_seconds: float, *, as_json: bool) -> None:
    """Start the watcher in the background, unless it is running."""
    from aforesaid.operations.watch import start_watcher

    options = ["--quiet", str(quiet_seconds)]
    if folder is not None:
        options += ["--folder", os.path.abspath(folder)]
    _show(start_watcher(os.environ, options), as_json=as_json)


@watch.command()
@as_json
def stop(*, as_json: bool) -> None:
    """Stop the watcher in the background."""
    from aforesaid.operations.watch import watcher_lock

    stopped = watcher_lock(os.environ).terminate()
    if as_json:
        show_json({"stopped": stopped})
    else:
        click.echo("Stopped." if stopped else "The watcher is not running.")


@watch.command()
@as_json
def status(*, as_json: bool) -> None:
    """Show whether the watcher is running, and what it did."""
    from aforesaid.operations.watch import watcher_lock

    _show(watcher_lock(os.environ).read_status(), as_json=as_json)


def _echo_json(text: str) -> None:
    click.echo(json.dumps({"said": text}, ensure_ascii=False))


def _show(state: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json({"running": bool(state), **state})
    elif state:
        print_fields(state)
        click.echo("Stop it with: aforesaid watch stop")
    else:
        click.echo("The watcher is not running.")
