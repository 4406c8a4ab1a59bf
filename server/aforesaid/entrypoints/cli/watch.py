"""``watch``: sessions are digested as they end, in the foreground or as a process of its own."""

from __future__ import annotations

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
    default=QUIET_MS / 1000,
    show_default=True,
    help="Seconds of silence after which a session that no hook told about is over.",
)
_folder = click.option(
    "--folder", type=click.Path(), help="Of transcripts, if not this user's client's."
)


@aforesaid.group(invoke_without_command=True)
@_folder
@_quiet
@as_json
@click.pass_context
def watch(
    context: click.Context, folder: str | None, quiet_seconds: float, *, as_json: bool
) -> None:
    """Digest sessions as they end, for those without hooks.

    It runs until it is stopped.

    `watch start` does it in the background, once for each user. As JSON: an object a line, when
    something was digested or failed.
    """
    if context.invoked_subcommand is not None:
        return
    from aforesaid.operations.watch import Watcher

    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    watcher = Watcher(os.environ, folder, int(quiet_seconds * 1000))
    click.echo("Watching; Ctrl-C ends it.", err=True)
    watcher.run(stop, _say_as_json if as_json else click.echo)
    if sys.stderr.isatty():  # after the terminal's own ^C
        click.echo("\nStopped.", err=True)


@watch.command()
@_folder
@_quiet
@as_json
def start(folder: str | None, quiet_seconds: float, *, as_json: bool) -> None:
    """Start the watcher in the background, if it does not run."""
    from aforesaid.operations.watch import start_watcher

    options = ["--quiet", str(quiet_seconds)]
    if folder is not None:
        options += ["--folder", os.path.abspath(folder)]
    _show(start_watcher(os.environ, options), as_json=as_json)


@watch.command()
@as_json
def stop(*, as_json: bool) -> None:
    """End the watcher in the background."""
    from aforesaid.operations.watch import one_watcher

    ended = one_watcher(os.environ).end()
    if as_json:
        show_json({"stopped": ended})
    else:
        click.echo("Stopped." if ended else "No watcher runs.")


@watch.command()
@as_json
def status(*, as_json: bool) -> None:
    """Say whether the watcher runs, and what it did."""
    from aforesaid.operations.watch import one_watcher

    _show(one_watcher(os.environ).told(), as_json=as_json)


def _say_as_json(said: str) -> None:
    import json

    click.echo(json.dumps({"said": said}, ensure_ascii=False))


def _show(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        show_json({"running": bool(told), **told})
    elif told:
        print_fields(told)
        click.echo("It runs until `aforesaid watch stop`.")
    else:
        click.echo("No watcher runs.")
