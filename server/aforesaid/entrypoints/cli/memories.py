"""``remember``, ``search``, ``list``, ``update``, ``forget``: one call each."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from aforesaid.domain.model.memory import TYPES

from .app import aforesaid
from .common import (
    all_projects,
    as_json,
    call_tool,
    confirm,
    echo_wrapped,
    parameters,
    print_fields,
    show_json,
    show_table,
)
from .terminal import time_text

_COLUMNS = ("id", "date", "type", "project", "entity", "status", "score", "stale", "memory")
_NOTHING = "Nothing is remembered that fits."
_NOTHING_YET = "Nothing is remembered here: aforesaid remember TEXT, or aforesaid ingest."
_LINES = 3  #: of a memory that was searched for
_MAX_RESULTS = 50  #: results that one answer has at most
_LIST_TOKENS = 10_000
_LIST_RESULTS = 20
_SIZES = ("max_results", "summary_only", "token_budget", "include_history", "include_archived")
_FILTERS = ("type", "scope", "tags", "entity", "since", "until")


@aforesaid.command()
@click.argument("text", nargs=-1, required=True)
@parameters(
    "store_memory",
    "content",
    provenance="user says it (default, unless an agent runs this); assistant concluded it; tool: a "
    "command, file or web page says so",
)
@as_json
def remember(text: tuple[str, ...], *, as_json: bool, **given: Any) -> None:
    """Store TEXT as a memory; `-` reads it from standard input.

    Who says so is the user, unless --provenance names another or an agent runs this.
    """
    content = sys.stdin.read() if text == ("-",) else " ".join(text)
    if given["provenance"] is None:
        given["provenance"] = "assistant" if os.environ.get("CLAUDECODE") else "user"
    answer = call_tool("store_memory", {"content": content, **given})
    if as_json:
        show_json(answer)
        return
    print_fields(answer)
    for other in answer.get("conflicts", ()):
        click.echo(f"If it replaces that: aforesaid link {answer['id']} supersedes {other['id']}")


@aforesaid.command()
@click.argument("query", nargs=-1, required=True)
@parameters("recall_memory", "query", "ids", "cursor")
@all_projects
@as_json
def search(query: tuple[str, ...], *, all_projects: bool, as_json: bool, **given: Any) -> None:
    """Find memories by meaning and words."""
    answer = call_tool(
        "recall_memory", {"query": " ".join(query), **given}, everywhere=all_projects
    )
    _show(answer, as_json=as_json, lines=_LINES)


@aforesaid.command("list")
@parameters(
    "recall_memory",
    *("query", "ids", "min_relevance", "include_related"),
    max_results=f"1 to {_MAX_RESULTS}, default {_LIST_RESULTS}",
    summary_only="Previews only, which is the default",
    token_budget=f"Default {_LIST_TOKENS}",
)
@all_projects
@as_json
def list_memories(*, all_projects: bool, as_json: bool, **given: Any) -> None:
    """List memories that pass the filters, page by page.

    The most important and newest come first.
    """
    narrowed = any(value not in (None, ()) for name, value in given.items() if name not in _SIZES)
    if not any(given.get(name) for name in _FILTERS):
        given["type"] = TYPES
    for name, default in (
        ("max_results", _LIST_RESULTS), ("summary_only", True), ("token_budget", _LIST_TOKENS),
    ):  # fmt: skip
        if given.get(name) is None:
            given[name] = default
    answer = call_tool("recall_memory", given, everywhere=all_projects)
    _show(answer, as_json=as_json, nothing=_NOTHING if narrowed else _NOTHING_YET)


@aforesaid.command()
@click.argument("memory_id", metavar="ID")
@parameters("update_memory", "id")
@as_json
def update(memory_id: str, *, as_json: bool, **given: Any) -> None:
    """Change the memory with this ID; new content makes a new version."""
    answer = call_tool("update_memory", {"id": memory_id, **given})
    show_json(answer) if as_json else print_fields(answer)


@aforesaid.command()
@click.argument("memory_id", metavar="ID")
@click.option("--reason", help="Why, kept in the log.")
@click.option("--erase", is_flag=True, help="Remove every trace of it; cannot be undone.")
@click.option(
    "--also",
    multiple=True,
    metavar="ID",
    help="Another memory to go with it, that mentions it (may be repeated).",
)
@click.option("--backups", is_flag=True, help="With --erase: delete backups that hold it, too.")
@click.option("--dry-run", is_flag=True, help="Change nothing, show what would go.")
@click.option("--yes", is_flag=True, help="Erase without asking.")
@as_json
def forget(
    memory_id: str, *, backups: bool, dry_run: bool, yes: bool, as_json: bool, **given: Any
) -> None:
    """Hide the memory with this ID, which can be undone, or erase it.

    All its versions go, and what repeats it: summaries, sentences of digests, titles of tasks. What
    was stored independently and mentions it is listed, and stays.
    """
    given = {**given, "id": memory_id}
    asked = given["erase"] and not yes and not dry_run
    if dry_run or (asked and sys.stdin.isatty()):
        answer = call_tool("forget_memory", {**given, "preview": True}, listed=False)
        show_json(answer) if as_json else print_fields(answer)
        if dry_run:
            return
    if given["erase"]:
        confirm(f"Erase {memory_id} for good?", yes=yes, why="erasing cannot be undone")
    answer = call_tool("forget_memory", {**given, "backups": backups}, listed=False)
    show_json(answer) if as_json else print_fields(answer)


def _show(
    answer: dict[str, Any], *, as_json: bool, nothing: str = _NOTHING, lines: int = 1
) -> None:
    """Print what was recalled."""
    if as_json:
        show_json(answer)
        return
    rows = [
        {
            **one,
            "date": time_text(str(one.get("created_at", "")))[:10],
            "memory": one.get("content") or one.get("preview") or _state(one),
        }
        for one in answer["results"]
    ]
    show_table(rows, _COLUMNS, lines=lines)
    shown, total = len(rows), answer["total_matched"]
    if not rows:
        click.echo(nothing)
    elif total > shown:
        more = "" if answer.get("next_cursor") else f"; more with -n {min(total, _MAX_RESULTS)}"
        click.echo(f"{shown} of {total}{more}")
    if answer.get("next_cursor"):
        click.echo(f"More: the same with --cursor {answer['next_cursor']}")
    for what in answer.get("degradations", ()):
        echo_wrapped(f"aforesaid: {what}", hang=2, err=True)


def _state(one: dict[str, Any]) -> str:
    return f"(forgotten {one['forgotten_at'][:10]})" if "forgotten_at" in one else ""
