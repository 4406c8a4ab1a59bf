"""``remember``, ``search``, ``list``, ``update`` and ``forget``: one tool call each."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import AforesaidError, InvalidInputError
from aforesaid.domain.model.memory import NAMED_DAYS, TYPES
from aforesaid.domain.text.passage import cut_to_passage
from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.timestamps import days_text
from aforesaid.domain.text.token_budget import CHARS_PER_TOKEN

from .app import aforesaid
from .changed_values import show_changes
from .common import (
    all_projects,
    as_json,
    call_tool,
    confirm,
    echo_wrapped,
    located,
    print_fields,
    show_json,
    show_table,
    tool_options,
)
from .empty_results import NO_MATCH, find_by_id, why_nothing
from .tasks import hint_at_due_tasks
from .terminal import time_text
from .tool_names import tool_calls_to_commands

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_COLUMNS = (
    "id", "date", "type", "project", "client", "entity", "status", "relevance", "stale", "branch",
    "starts", "expired", "superseded_by", "memory",
)  # fmt: skip
_NO_FIX = (
    "This error is not known. Failed commands are stored when a session ends. "
    "To search all memories: aforesaid search WORDS"
)
_FIXES = 5  #: shown for one error
_NOT_FOR_SUBJECTS = (
    "query", "ids", "path", "error", "project", "task_id", "status", "entity", "depth", "as_of",
    "min_confidence", "min_relevance", "include_related", "cursor", "max_results",
)  # fmt: skip
_NARROW = 48  #: cells; a text with less goes below the other columns
_SEARCH_LINES = 3  #: of each result of a search
_MAX_RESULTS = 50  #: of one answer
_LIST_TOKENS = 10_000
_LIST_RESULTS = 20
_OUTPUT_OPTIONS = (
    "max_results", "summary_only", "token_budget", "include_history", "include_archived",
)  # fmt: skip
_IN_MESSAGE = {
    "message", "id", "project", "preview", "forgotten", "erased", "type", "scope", "deduplicated",
    "redacted", "conflicts", "copies", "delete_copies", "near_entities",
}  # fmt: skip
_OF_QUERIES = ("error", "min_relevance", "include_related")
_NO_QUERY = "say what to search for: aforesaid search WORDS; `aforesaid list` shows all memories"
_FILTERS = ("type", "scope", "tags", "entity", "since", "until")


@aforesaid.command()
@click.argument("text", nargs=-1, required=True)
@tool_options(
    "store_memory",
    "content",
    provenance="Source of the statement. user: said by the user (default, unless an agent runs "
    "this); assistant: concluded by an agent; tool: from a command, file or web page",
)
@as_json
def remember(text: tuple[str, ...], *, as_json: bool, **options: Any) -> None:
    """Store TEXT as a memory; `-` reads standard input; alias: add.

    Its provenance is `user`, or `assistant` if an agent runs the command.
    """
    content = sys.stdin.read() if text == ("-",) else " ".join(text)
    if options["provenance"] is None:
        options["provenance"] = "assistant" if os.environ.get("CLAUDECODE") else "user"
    answer = call_tool("store_memory", {"content": content, **options})
    if as_json:
        show_json(answer)
        return
    print_answer(answer)


_page = click.option(
    "--page",
    type=click.IntRange(min=1),
    default=1,
    metavar="NUMBER",
    help="Which page of a list to show; default 1",
)


@aforesaid.command()
@click.argument("query", nargs=-1)
@tool_options("recall_memory", "query", "ids", "cursor")
@_page
@all_projects
@as_json
def search(
    query: tuple[str, ...], *, page: int, all_projects: bool, as_json: bool, **options: Any
) -> None:
    """Find memories by words and meaning.

    Without a query, list what matches the filters, as `aforesaid list` does.
    """
    question = " ".join(query)
    if page > 1 and (question or options["error"]):
        raise InvalidInputError("--page works only without a query: raise --max-results instead")
    if not question and not options["error"]:
        named = [name for name, value in options.items() if value not in (None, ())]
        if not set(named) - {*_OUTPUT_OPTIONS, *_OF_QUERIES}:
            raise InvalidInputError(_NO_QUERY)
        options = {name: value for name, value in options.items() if name not in _OF_QUERIES}
        _list_matching(options, page, all_projects=all_projects, as_json=as_json)
        return
    options["path"] = located(options["path"])
    answer = call_tool("recall_memory", {"query": question, **options}, everywhere=all_projects)
    if answer.get("no_good_match") or not answer["results"]:
        answer = find_by_id(question, options["project"], everywhere=all_projects) or answer
    _show(
        answer,
        as_json=as_json,
        if_empty=why_nothing(answer, options, everywhere=all_projects),
        max_lines=_SEARCH_LINES,
        all_relevant=options["min_relevance"] is not None,
        shorten=lambda text, chars: cut_to_passage(text, question, chars // CHARS_PER_TOKEN, "…"),
    )
    if not as_json:
        hint_at_due_tasks(question, answer)


@aforesaid.command()
@click.argument("path")
@tool_options("recall_memory", *_NOT_FOR_SUBJECTS)
@as_json
def why(path: str, *, as_json: bool, **options: Any) -> None:
    """Show what is known about the file PATH, newest first.

    These are the memories that cite the file or name it: decisions, rules, commits, failed
    commands.
    """
    options = {"path": located(path), "max_results": _MAX_RESULTS, **options}
    answer = call_tool("list_memories", options)
    answer["results"].sort(key=lambda memory: str(memory.get("created_at", "")), reverse=True)
    _show(
        answer, as_json=as_json, if_empty=f"Nothing is known about {path}.", max_lines=_SEARCH_LINES
    )


@aforesaid.command()
@click.argument("error", nargs=-1)
@as_json
def fix(error: tuple[str, ...], *, as_json: bool) -> None:
    """Show what fixed an error before, here or in another project.

    ERROR is the output of a command, or the line that describes the error; without it, or with `-`,
    it is read from standard input.
    """
    if not error and sys.stdin.isatty():
        raise InvalidInputError("which error? Give its text, or a file: aforesaid fix < build.log")
    text = sys.stdin.read() if error in ((), ("-",)) else " ".join(error)
    answer = call_tool("recall_memory", {"error": text, "max_results": _FIXES})
    if not answer["results"]:
        answer.pop("degradations", None)  # of the search for words that found nothing
    _show(answer, as_json=as_json, if_empty=_NO_FIX, max_lines=_SEARCH_LINES * 2)


@aforesaid.command("list")
@tool_options(
    "recall_memory",
    *("query", "ids", *_OF_QUERIES),
    max_results=f"1 to {_MAX_RESULTS}, default {_LIST_RESULTS}",
    summary_only="Show previews only (default)",
    token_budget=f"Most tokens to print; default {_LIST_TOKENS}",
    min_confidence="0 to 1, default 0",
)
@_page
@all_projects
@as_json
def list_memories(*, page: int, all_projects: bool, as_json: bool, **options: Any) -> None:
    """List memories that match the filters, page by page.

    The most important and newest come first. Listing does not count as use.
    """
    _list_matching(options, page, all_projects=all_projects, as_json=as_json)


def _list_matching(
    options: dict[str, Any], page: int, *, all_projects: bool, as_json: bool
) -> None:
    if not any(options.get(name) for name in _FILTERS):
        options["type"] = TYPES
    options["path"] = located(options["path"])
    for name, default in (
        ("max_results", _LIST_RESULTS), ("summary_only", True), ("token_budget", _LIST_TOKENS),
    ):  # fmt: skip
        if options.get(name) is None:
            options[name] = default
    answer = call_tool("list_memories", options, everywhere=all_projects)
    before = 0
    for last in range(1, page):
        if "next_cursor" not in answer:
            raise InvalidInputError(f"there is no page {page}: the last one is {last}")
        before += len(answer["results"])
        options["cursor"] = answer["next_cursor"]
        answer = call_tool("list_memories", options, everywhere=all_projects)
    if_empty = why_nothing(answer, options, everywhere=all_projects)
    _show(answer, as_json=as_json, if_empty=if_empty, before=before)
    if not as_json and answer.get("next_cursor"):
        echo_wrapped(f"Next page: the same command with --page {page + 1}")


@aforesaid.command()
@click.argument("memory_id", metavar="ID")
@tool_options(
    "update_memory",
    "id",
    type="The new type",
    scope="The new scope",
    cues="Replaces the cues",
    provenance="The new source of the statement",
)
@as_json
def update(memory_id: str, *, as_json: bool, **options: Any) -> None:
    """Change the memory with this ID; new content adds a version."""
    if all(value in (None, ()) for value in options.values()):
        raise InvalidInputError(
            "nothing to change: give --content or another option (aforesaid update --help)"
        )
    answer = call_tool("update_memory", {"id": memory_id, **options})
    if as_json:
        show_json(answer)
        return
    undoable = "superseded" in answer or "before" in answer
    print_answer(answer)
    if undoable:
        echo_wrapped(f"undo with: aforesaid undo {answer['id']}")


@aforesaid.command("confirm")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--imported", is_flag=True, help="Confirm every imported memory here.")
@as_json
def confirm_memories(ids: tuple[str, ...], *, imported: bool, as_json: bool) -> None:
    """Confirm memories that an import or a tool stated.

    From then on they count as the user's own: they are shown automatically, and may supersede
    others.
    """
    options = {"ids": ids, "imported": imported}
    answer = call_tool("confirm_memories", options, has_schema=False)
    if as_json:
        show_json(answer)
    else:
        click.echo(f"{pluralize(answer['confirmed'], 'memory', 'memories')} confirmed")


@aforesaid.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", help="The reason, recorded in the memory's log.")
@click.option("--erase", is_flag=True, help="Remove every trace; cannot be undone.")
@click.option(
    "--also",
    multiple=True,
    metavar="ID",
    help="Id of another memory that mentions it, to forget as well (may be repeated).",
)
@click.option("--backups", is_flag=True, help="With --erase: also delete backups that contain it.")
@click.option("--dry-run", is_flag=True, help="Show what would be forgotten, change nothing.")
@click.option("--yes", is_flag=True, help="Erase without asking.")
@as_json
def forget(
    ids: tuple[str, ...], *, backups: bool, dry_run: bool, yes: bool, as_json: bool, **options: Any
) -> None:
    """Hide memories by ID (undoable), or erase them; alias: delete.

    All versions are forgotten, and whatever repeats them: summaries, sentences of digests, titles
    of tasks. Memories that were stored independently and mention them are listed and kept.
    `aforesaid list --state forgotten` shows what can be restored.
    """
    needs_confirmation = options["erase"] and not yes and not dry_run
    if dry_run or (needs_confirmation and sys.stdin.isatty()):
        _forget(ids, {**options, "preview": True}, as_json=as_json)
        if dry_run:
            return
    if options["erase"]:
        question = f"Erase {', '.join(ids)} for good?"
        confirm(question, yes=yes, reason="erasing cannot be undone")
    _forget(ids, {**options, "backups": backups}, as_json=as_json)


def _forget(ids: tuple[str, ...], options: dict[str, Any], *, as_json: bool) -> None:
    """Forget each memory, or preview that, and print the answers."""
    calls = [{**options, "id": memory_id} for memory_id in ids]
    if len(ids) > 1:  # nothing is forgotten if one of them is unknown
        for call in calls:
            try:
                call_tool("memory_inspect", {"id": call["id"]})
            except AforesaidError as error:
                raise type(error)(f"{error}; nothing was forgotten") from None
    answers = [call_tool("forget_memory", call, has_schema=False) for call in calls]
    if as_json:
        show_json(answers[0] if len(answers) == 1 else {"results": answers})
        return
    for answer in answers:
        print_answer(answer)


def print_answer(answer: dict[str, Any]) -> None:
    """Print the message of an answer, the fields that it does not contain, and conflicts."""
    echo_wrapped(answer["message"])
    show_changes(answer)
    fields = {name: value for name, value in answer.items() if name not in _IN_MESSAGE}
    print_fields(fields, {"undo": "undo with"})
    if "delete_copies" in answer:  # not wrapped, so that it can be pasted
        click.echo(f"to delete the copies that contain it:\n{answer['delete_copies']}")
    for conflict in answer.get("conflicts", ()):
        echo_wrapped(f"Another memory disagrees: [{conflict['id']}] {conflict['preview']}")
        for case, call in conflict["choices"].items():
            echo_wrapped(f"  {case}: {tool_calls_to_commands(call)}", hang=4)


def _show(
    answer: dict[str, Any],
    *,
    as_json: bool,
    if_empty: str = NO_MATCH,
    max_lines: int = 1,
    all_relevant: bool = False,
    shorten: Callable[[str, int], str] | None = None,
    before: int = 0,
) -> None:
    if as_json:
        show_json(answer)
        return
    results = answer["results"]
    if not all_relevant and any(memory.get("relevance") for memory in results):
        results = [memory for memory in results if memory.get("relevance") != 0]
    irrelevant = len(answer["results"]) - len(results)
    rows = [
        {
            **memory,
            "date": time_text(str(memory.get("created_at", "")))[:10],
            "relevance": f"{memory['relevance']:.2f}" if "relevance" in memory else None,
            "memory": _text_of(memory),
        }
        for memory in results
    ]
    if answer.get("no_good_match"):
        click.echo("No good match. Nearest:")
    stack_below = _NARROW if max_lines > 1 else 0
    show_table(rows, _COLUMNS, max_lines=max_lines, shorten=shorten, stack_below=stack_below)
    _show_changes(results)
    shown, total = len(rows), answer["total_matched"]
    if not rows:
        echo_wrapped(if_empty)
    elif irrelevant:
        what = pluralize(irrelevant, "result", "results")
        echo_wrapped(f"Left out {what} of relevance 0.00: show all with --min-relevance 0")
    elif total > shown:
        paged = before or answer.get("next_cursor")
        more = "" if paged else f"; show more with -n {min(total, _MAX_RESULTS)}"
        which = f"{before + 1} to {before + shown}" if before else shown
        click.echo(f"{which} of {total}{more}")
    for degradation in answer.get("degradations", ()):
        echo_wrapped(f"aforesaid: {degradation}", hang=2, err=True)


def _show_changes(results: Sequence[dict[str, Any]]) -> None:
    for memory in results:
        if newer := memory.get("maybe_replaced_by"):
            echo_wrapped(f"{newer} may replace {memory['id']}: it is newer and states a change.")


def _text_of(memory: dict[str, Any]) -> str:
    """Return the text of a result, with the dates of the days that it names in words."""
    if not memory.get("content"):
        return memory.get("preview") or _forgotten(memory)
    days = memory.get("metadata", {}).get(NAMED_DAYS, {})
    dates = ", ".join(map(days_text, days.values()))
    return f"{memory['content']} ({dates})" if dates else str(memory["content"])


def _forgotten(memory: dict[str, Any]) -> str:
    return f"(forgotten {memory['forgotten_at'][:10]})" if "forgotten_at" in memory else ""
