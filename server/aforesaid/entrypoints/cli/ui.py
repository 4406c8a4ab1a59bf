"""``ui``: see, understand and mend what is remembered, in the browser."""

from __future__ import annotations

import click

from aforesaid.adapters.system.machine import working_folder

from .app import aforesaid


@aforesaid.command()
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="The port to listen at, on 127.0.0.1 only; default any free one.",
)
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
def ui(*, port: int, no_browser: bool) -> None:
    """Open the viewer: see, understand and mend what is remembered.

    It serves pages for your browser on this machine only. It ends with Ctrl-C, or after 15 minutes
    without use.
    """
    from aforesaid.entrypoints.viewer.server import main as serve_viewer

    raise SystemExit(serve_viewer(port=port, browser=not no_browser, folder=working_folder()))
