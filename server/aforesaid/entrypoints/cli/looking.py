"""``stats``, ``context``: what there is, and what a session would be shown."""

from __future__ import annotations

from typing import Any

import click

from .asking import all_projects, as_json, ask, parameters, show_fields, show_json
from .group import aforesaid


@aforesaid.command()
@parameters("memory_stats")
@all_projects
@as_json
def stats(*, all_projects: bool, as_json: bool, **given: Any) -> None:
    """Count what is remembered here, and say whether every part works."""
    answer = ask("memory_stats", given, everywhere=all_projects)
    show_json(answer) if as_json else show_fields(answer)


@aforesaid.command()
@parameters("get_context")
@as_json
def context(*, as_json: bool, **given: Any) -> None:
    """Show what a session that starts in this folder is told."""
    answer = ask("get_context", given)
    if as_json:
        show_json(answer)
    else:
        click.echo(answer["context"])
