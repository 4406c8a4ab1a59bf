"""``stats``, ``context``: what there is, and what a session would be shown."""

from __future__ import annotations

from typing import Any

import click

from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import (
    all_projects,
    as_json,
    call_tool,
    echo_wrapped,
    parameters,
    print_fields,
    show_json,
    show_table,
)
from .terminal import time_text

_QUALITY = ("what", "count", "looked_at", "examples")
#: What sessions were shown unasked and in how many tokens, what was recalled, what both.
_USE = (
    "project", "sessions", "shown_tokens", "subagent_tokens", "asked_tokens", "tokens_per_session",
    "shown", "recalls", "used",
)  # fmt: skip
_SESSION_USE = (
    "started", "project", "tokens", "asked_tokens", "shown", "used", "digest", "session",
)  # fmt: skip
_SESSION_CHARS = 8  #: of its id in a table
_SHOWN = 2  #: examples in a table; JSON has them all


@aforesaid.command()
@click.option("--quality", is_flag=True, help="Look for what is not worth keeping, with examples.")
@click.option("--sessions", is_flag=True, help="Tell of single sessions, the latest first.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="With --sessions: how many.",
)
@parameters("memory_stats")
@all_projects
@as_json
def stats(
    *, quality: bool, sessions: bool, limit: int, all_projects: bool, as_json: bool, **given: Any
) -> None:
    """Count what is remembered here, and how it was used.

    By project, and with --sessions by session: how many memories its sessions were shown unasked,
    how many of those were recalled later (used), and what that took of their contexts: tokens shown
    unasked, shown to subagents, and recalled (asked).

    With --quality: duplicates, texts too short, too vague or about a single moment, secrets, stale
    and contradicting memories, what nobody recalled in a month.
    """
    if quality:
        answer = call_tool("review_quality", given, everywhere=all_projects, listed=False)
        show_json(answer) if as_json else _show_quality(answer)
        return
    if sessions:
        told = call_tool(
            "list_sessions", {**given, "limit": limit}, everywhere=all_projects, listed=False
        )
        show_json(told) if as_json else _show_sessions(told["sessions"])
        return
    answer = call_tool("count_with_use", given, everywhere=all_projects, listed=False)
    if as_json:
        show_json(answer)
        return
    use = answer.pop("use")
    print_fields(answer)
    if use:
        click.echo()
        show_table(use, _USE)


@aforesaid.command()
@parameters("get_context")
@as_json
def context(*, as_json: bool, **given: Any) -> None:
    """Show what a session that starts in this folder is told."""
    answer = call_tool("get_context", given)
    if as_json:
        show_json(answer)
    else:
        echo_wrapped(answer["context"], hang=2)


def _show_sessions(rows: list[dict[str, Any]]) -> None:
    """Print a line for each session."""
    shown = [
        {**one, "started": time_text(one["started_at"]), "session": one["session"][:_SESSION_CHARS]}
        for one in rows
    ]
    show_table(shown, _SESSION_USE)
    if not rows:
        click.echo("No session was seen here.")


def _show_quality(answer: dict[str, Any]) -> None:
    """Print a line for each kind of finding."""
    rows = [
        {**one, "examples": "; ".join(_example(told) for told in one["examples"][:_SHOWN])}
        for one in answer["findings"]
    ]
    show_table(rows, _QUALITY)
    total = pluralize(answer["total"], "memory", "memories")
    click.echo(f"{total} in force. See one: aforesaid inspect ID")


def _example(told: dict[str, str]) -> str:
    both = f"[{told['id']}]" + (f" and [{told['other']}]" if "other" in told else "")
    return " ".join(part for part in (both, told.get("detail") or told.get("memory")) if part)
