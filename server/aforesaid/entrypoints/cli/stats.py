"""``stats`` and ``context``: counts and usage, and what a new session would be shown."""

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
    print_fields,
    show_json,
    show_table,
    tool_options,
)
from .terminal import time_text

_QUALITY = ("what", "count", "looked_at", "examples")
_USAGE = (
    "project", "sessions", "shown_tokens", "subagent_tokens", "asked_tokens", "tokens_per_session",
    "shown", "recalls", "used",
)  # fmt: skip
_SESSION_USAGE = (
    "started", "project", "client", "tokens", "asked_tokens", "shown", "used", "kept", "digest",
    "session",
)  # fmt: skip
_RARE = ("subagent_tokens", "asked_tokens")
_LABELS = {
    "what": "finding",
    "looked_at": "checked",
    "shown": "memories shown",
    "shown_tokens": "tokens shown",
    "subagent_tokens": "tokens for subagents",
    "asked_tokens": "tokens recalled",
    "tokens": "tokens in total",
}
_SESSION_ID_CHARS = 8  #: in a table
_MAX_EXAMPLES = 2  #: in a table


@aforesaid.command()
@click.option("--quality", is_flag=True, help="Find memories that may not be worth keeping.")
@click.option("--sessions", is_flag=True, help="List sessions, the latest first.")
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, 10_000),
    metavar="NUMBER",
    default=20,
    show_default=True,
    help="With --sessions: how many to list.",
)
@tool_options("memory_stats", project="Another project by name, or * for all; default: this one")
@all_projects
@as_json
def stats(
    *, quality: bool, sessions: bool, limit: int, all_projects: bool, as_json: bool, **options: Any
) -> None:
    """Count the memories here, and show how they were used.

    For each project, or with --sessions for each session: how many memories were shown
    automatically, how many of those were recalled later (used), and how many tokens were shown,
    shown to subagents, and recalled.

    With --quality: duplicates; texts that are too short, too vague or about a single moment;
    secrets; stale and contradicting memories; and memories that nobody recalled in a month.
    """
    if quality:
        answer = call_tool("review_quality", options, everywhere=all_projects, has_schema=False)
        show_json(answer) if as_json else _show_quality(answer)
        return
    if sessions:
        options["limit"] = limit
        answer = call_tool("list_sessions", options, everywhere=all_projects, has_schema=False)
        show_json(answer) if as_json else _show_sessions(answer["sessions"])
        return
    answer = call_tool("count_with_use", options, everywhere=all_projects, has_schema=False)
    if as_json:
        show_json(answer)
        return
    usage = answer.pop("use")
    print_fields(answer)
    if usage:
        click.echo()
        _show_usage(usage, _USAGE)


@aforesaid.command()
@tool_options(
    "get_context",
    hint="A title or first message that may name the project",
    token_budget="Most tokens to print; default 2000",  # noqa: S106 - model tokens
)
@as_json
def context(*, as_json: bool, **options: Any) -> None:
    """Show the context that a session in this folder starts with."""
    answer = call_tool("get_context", options)
    if as_json:
        show_json(answer)
    else:
        echo_wrapped(answer["context"], hang=2)


def _show_usage(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> None:
    """Print counts, all of them whole, without those that are 0 in every row."""
    shown = [name for name in columns if name not in _RARE or any(row.get(name) for row in rows)]
    whole = [name for name in shown if name != "project"]
    show_table(rows, shown, labels=_LABELS, whole=whole)


def _show_sessions(sessions: list[dict[str, Any]]) -> None:
    rows = [
        {
            **session,
            "started": time_text(session["started_at"]),
            "session": session["session"][:_SESSION_ID_CHARS],
        }
        for session in sessions
    ]
    _show_usage(rows, _SESSION_USAGE)
    if not rows:
        click.echo("No sessions yet.")


def _show_quality(answer: dict[str, Any]) -> None:
    rows = [
        {**finding, "examples": "; ".join(map(_example, finding["examples"][:_MAX_EXAMPLES]))}
        for finding in answer["findings"]
    ]
    show_table(rows, _QUALITY, labels=_LABELS)
    total = pluralize(answer["total"], "memory", "memories")
    click.echo(f"{total} in force. Show one with: aforesaid inspect ID")


def _example(example: dict[str, str]) -> str:
    ids = f"[{example['id']}]" + (f" and [{example['other']}]" if "other" in example else "")
    return " ".join(filter(None, (ids, example.get("detail") or example.get("memory"))))
