"""What runs as a process of its own, and what says where it all is."""

from __future__ import annotations

import json
import os

import click

from .group import aforesaid


@aforesaid.command()
def serve() -> None:
    """Serve MCP on standard input and output (what clients start)."""
    from aforesaid.entrypoints.mcp_server import main as serve_stdio

    raise SystemExit(serve_stdio(()))


@aforesaid.command()
@click.argument("event")
def hook(event: str) -> None:
    """Answer a client's event, told on standard input (what the plugin's hooks call)."""
    from aforesaid.entrypoints.hooks import main as answer

    raise SystemExit(answer(("hook", event)))


@aforesaid.command()
@click.option("--with", "extra", metavar="EXTRA", help="Add an extra: anthropic.")
def setup(extra: str | None) -> None:
    """Set the environment up; does nothing where the package was installed by pip or uvx."""
    if extra:
        raise click.UsageError(f"this Aforesaid is a package: pip install 'aforesaid[{extra}]'")
    click.echo("The environment is ready: this Aforesaid runs in it.")


@aforesaid.command()
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def version(*, as_json: bool) -> None:
    """Show versions of every part, and where things are."""
    from aforesaid.wiring.facts import gather_facts

    facts = gather_facts(os.environ)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return
    width = max(map(len, facts))
    for name, value in facts.items():
        click.echo(f"{name.replace('_', ' '):<{width}}  {value}")


@aforesaid.command()
@click.option("--keep", is_flag=True, help="Keep the temporary folder to look around in.")
def demo(*, keep: bool) -> None:
    """Live a whole life of a memory in a temporary folder, and say what each step took."""
    from aforesaid.entrypoints.demo import run_demo

    raise SystemExit(run_demo(keep=keep))
