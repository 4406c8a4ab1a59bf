"""``serve``, ``hook``, ``setup``, ``version`` and ``demo``."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from aforesaid.bootstrap.paths import NOT_OFF, started_by_client
from aforesaid.config import load_settings
from aforesaid.domain.errors import UnavailableError
from aforesaid.version import __version__

from .app import aforesaid
from .common import as_json, print_fields, show_json

if TYPE_CHECKING:
    from typing import NoReturn

_PACKAGES = ("apsw", "sqlite-vec", "onnxruntime", "tokenizers", "mcp")


@aforesaid.command()
@click.option("--http", is_flag=True, help="Serve over HTTP, for several clients at once.")
@click.option("--host", help="With --http: the address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    metavar="NUMBER",
    help="With --http: the port; 0 picks a free one.",
)
@click.option(
    "--allow-host",
    "allowed_hosts",
    multiple=True,
    help="With --http: another host name that clients may use.",
)
def serve(
    *, http: bool, host: str | None, port: int | None, allowed_hosts: tuple[str, ...]
) -> None:
    """Serve MCP over standard input and output, or over HTTP.

    Clients that use standard input and output start it themselves.
    """
    if os.environ.get("AFORESAID_OFF", "").lower() not in NOT_OFF:
        raise UnavailableError("Aforesaid is switched off by AFORESAID_OFF: unset it to serve")
    http_options = host or port is not None or allowed_hosts
    if not http and started_by_client():
        _serve_stdio(http_options)
    settings = load_settings(os.environ)
    if not http and settings["server.transport"] == "stdio":
        _serve_stdio(http_options)
    from aforesaid.entrypoints.http_server.server import main as serve_http

    serve_http(
        host=host or settings["server.host"],
        port=settings["server.port"] if port is None else port,
        allowed_hosts=allowed_hosts or tuple(settings["server.allowed_hosts"]),
    )


def _serve_stdio(http_options: object) -> NoReturn:
    if http_options:
        raise click.UsageError("--host, --port and --allow-host require --http")
    if sys.stdin.isatty():
        click.echo("Waiting for an MCP client on standard input. Press Ctrl-D to stop.", err=True)
    from aforesaid.entrypoints.mcp.server import main as serve_stdio

    raise SystemExit(serve_stdio(()))


@aforesaid.command()
@click.argument("event")
@click.option("--client", help="The client that sends the event; default: claude-code.")
def hook(event: str, *, client: str | None) -> None:
    """Handle the hook EVENT; its data comes on standard input.

    Clients call this, as the plugin or `aforesaid install` set it up. The events are session-start,
    session-end, user-prompt-submit, action, failure, subagent-start and pre-compact; any other is
    ignored.
    """
    from aforesaid.entrypoints.hooks import main as run_hook

    raise SystemExit(run_hook(("hook", event, *(("--client", client) if client else ()))))


@aforesaid.command()
@click.option("--on-path", is_flag=True, help="Only link the command into ~/.local/bin.")
@click.option("--rebuild", is_flag=True, help="Build the environment again from scratch.")
@click.option("--with", "extra", metavar="EXTRA", help="Also install an extra: anthropic.")
@as_json
def setup(extra: str | None, *, on_path: bool, rebuild: bool, as_json: bool) -> None:
    """Build the environment; the first use does so automatically.

    If you installed the package with pip or uvx, there is nothing to set up.
    """
    # in a clone and in the plugin, the launcher answers instead (bootstrap/setup_pending.py)
    if extra:
        raise click.UsageError(
            f"Aforesaid is installed as a package: use pip install 'aforesaid[{extra}]'"
        )
    if on_path or rebuild:
        raise click.UsageError(
            "Aforesaid is installed as a package: use pip or uv to reinstall it or to put it on "
            "PATH"
        )
    if as_json:
        show_json({"environment": os.path.dirname(os.path.dirname(sys.executable))})
    else:
        click.echo("Nothing to set up: Aforesaid is installed as a package.")


@aforesaid.command()
@as_json
def version(*, as_json: bool) -> None:
    """Show the versions and paths of this installation."""
    info = _version_info()
    if as_json:
        show_json(info)
        return
    print_fields({name: value or "not installed" for name, value in info.items()})


def _version_info() -> dict[str, str | None]:
    """Return names and values; None is a package that is not installed."""
    import platform

    import apsw

    from aforesaid.adapters.embedding.model_card import read_card
    from aforesaid.adapters.embedding.onnx import SHIPPED_FOLDER
    from aforesaid.adapters.sqlite.extension import find_vec_extension
    from aforesaid.adapters.sqlite.schema import MIGRATIONS

    settings = load_settings(os.environ)
    versions = {name.replace("-", "_"): _package_version(name) for name in _PACKAGES}
    semantic = bool(find_vec_extension() and versions["onnxruntime"] and versions["tokenizers"])
    return {
        "aforesaid": __version__,
        "python": platform.python_version(),
        "interpreter": sys.executable,
        "environment": os.path.dirname(os.path.dirname(sys.executable)),
        "sqlite": apsw.sqlite_lib_version(),
        **versions,
        "model": read_card(SHIPPED_FOLDER).model,
        "recall": "words and meaning"
        if semantic
        else "words only; to try again: aforesaid setup --rebuild",
        "schema": str(len(MIGRATIONS)),
        "database": settings.db_path,
        "config": settings.config_file,
        "state": settings.state_folder,
    }


def _package_version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


@aforesaid.command()
@click.option("--keep", is_flag=True, help="Keep the temporary folder, so that you can inspect it.")
@as_json
def demo(*, keep: bool, as_json: bool) -> None:
    """Try Aforesaid in a temporary folder.

    It stores, recalls and corrects memories in two sessions, and times each step.
    """
    from .demo_run import run_demo

    raise SystemExit(run_demo(keep=keep, as_json=as_json))
