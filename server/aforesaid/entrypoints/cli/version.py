"""What runs as a process of its own, and what says where it all is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from aforesaid.bootstrap.paths import NOT_OFF, started_by_client
from aforesaid.domain.errors import UnavailableError

from .app import aforesaid
from .common import as_json, show_json

if TYPE_CHECKING:
    from typing import NoReturn


@aforesaid.command()
@click.option("--http", is_flag=True, help="Over HTTP, for several clients at once.")
@click.option("--host", help="Listen at this address (HTTP).")
@click.option("--port", type=click.IntRange(0, 65_535), help="Listen at this port; 0: any.")
@click.option(
    "--allow-host", "allowed_hosts", multiple=True, help="A further name clients use (HTTP)."
)
def serve(
    *, http: bool, host: str | None, port: int | None, allowed_hosts: tuple[str, ...]
) -> None:
    """Serve MCP over standard input and output, or HTTP.

    The former is what clients start.
    """
    if os.environ.get("AFORESAID_OFF", "").lower() not in NOT_OFF:
        raise UnavailableError("AFORESAID_OFF switches Aforesaid off here: unset it to serve")
    elsewhere = host or port is not None or allowed_hosts
    if not http and started_by_client():
        _serve_stdio(elsewhere)
    from aforesaid.config import load_settings

    settings = load_settings(os.environ)
    if not http and settings["server.transport"] == "stdio":
        _serve_stdio(elsewhere)
    from aforesaid.entrypoints.http_server import main as serve_http

    serve_http(
        host=host or settings["server.host"],
        port=settings["server.port"] if port is None else port,
        allowed_hosts=allowed_hosts or tuple(settings["server.allowed_hosts"]),
    )


def _serve_stdio(elsewhere: object) -> NoReturn:
    if elsewhere:
        raise click.UsageError("--host, --port and --allow-host go with --http")
    if sys.stdin.isatty():
        click.echo("Waiting for a client to speak MCP on standard input; Ctrl-D ends it.", err=True)
    from aforesaid.entrypoints.mcp.server import main as serve_stdio

    raise SystemExit(serve_stdio(()))


@aforesaid.command()
@click.argument("event")
def hook(event: str) -> None:
    """Answer a client's event, told on standard input.

    It is what the plugin's hooks call.
    """
    from aforesaid.entrypoints.hooks import main as answer

    raise SystemExit(answer(("hook", event)))


@aforesaid.command()
@click.option("--on-path", is_flag=True, help="Link the command into ~/.local/bin instead.")
@click.option("--rebuild", is_flag=True, help="Build the environment anew.")
@click.option("--with", "extra", metavar="EXTRA", help="Add an extra: anthropic.")
@as_json
def setup(extra: str | None, *, on_path: bool, rebuild: bool, as_json: bool) -> None:
    """Set the environment up, which the first use does itself.

    Where the package was installed by pip or uvx there is nothing to do.
    """
    # in a clone and in the plugin the launcher answers this itself (bootstrap/setup_pending.py)
    if extra:
        raise click.UsageError(f"this Aforesaid is a package: pip install 'aforesaid[{extra}]'")
    if on_path or rebuild:
        raise click.UsageError("this Aforesaid is a package: pip and uv see to that")
    if as_json:
        show_json({"environment": os.path.dirname(os.path.dirname(sys.executable))})
    else:
        click.echo("The environment is ready: this Aforesaid runs in it.")


@aforesaid.command()
@as_json
def version(*, as_json: bool) -> None:
    """Show versions of every part, and where things are."""
    from aforesaid.entrypoints.cli.version_info import gather_facts

    facts = gather_facts(os.environ)
    if as_json:
        show_json(facts)
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<{width}}  {value}")


@aforesaid.command()
@click.option("--keep", is_flag=True, help="Keep the temporary folder to look around in.")
@as_json
def demo(*, keep: bool, as_json: bool) -> None:
    """Live a whole life of a memory in a temporary folder.

    It says what each step took.
    """
    from aforesaid.entrypoints.cli.demo_run import run_demo

    raise SystemExit(run_demo(keep=keep, as_json=as_json))
