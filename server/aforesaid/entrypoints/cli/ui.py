"""``ui``: see, understand and mend what is remembered, in the browser."""

from __future__ import annotations

import sys

import click

from aforesaid.adapters.system.machine import working_folder

from .app import aforesaid


@aforesaid.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    metavar="NUMBER",
    default=0,
    help="The port to listen on, at 127.0.0.1 only; default: any free port.",
)
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
@click.option("--detach", is_flag=True, help="Return at once, and leave it running.")
def ui(*, port: int, no_browser: bool, detach: bool) -> None:
    """Open the viewer, to see and correct what is remembered.

    It serves pages for your browser on this machine only. It ends with Ctrl-C, or after 15 minutes
    without use.
    """
    if detach:
        raise SystemExit(_start_detached(port, no_browser=no_browser))
    from aforesaid.entrypoints.viewer.server import main as serve_viewer

    raise SystemExit(serve_viewer(port=port, browser=not no_browser, folder=working_folder()))


def _start_detached(port: int, *, no_browser: bool) -> int:
    """Start the viewer in a process of its own; return the exit code once it serves or failed."""
    import subprocess

    from aforesaid.entrypoints.viewer.server import LAST_LINE

    command = [sys.executable, *sys.orig_argv[1 : sys.orig_argv.index("ui")]]
    command += ["ui", "--port", str(port), *(["--no-browser"] if no_browser else [])]
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(LAST_LINE):
            click.echo(
                f"It runs as process {process.pid} until it has not been used for 15 minutes."
            )
            return 0
        click.echo(line.rstrip("\n"))
    return process.wait()
