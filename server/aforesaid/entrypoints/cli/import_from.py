"""``import --from`` and ``ingest --git``: memories of other programs, commits of repositories."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.text.pluralize import pluralize

from .common import echo_wrapped, embed_missing, open_connection, open_services, show_json
from .progress import status_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.domain.model.memory import CallContext
    from aforesaid.operations.client_connection import ClientConnection
    from aforesaid.services.transfer.import_items import ImportSummary

HOW_TO_CONFIRM = (
    "Imported memories are found by searches, but shown automatically only once you confirm them: "
    "aforesaid confirm --imported; to read them first: aforesaid list --provenance import"
)
_MAX_PLACES = 3  #: projects that are named with their number of memories
#: Counts of an import, with words for people.
_COUNTS = (
    ("changed", "changed"),
    ("recognised", "already stored"),
    ("known", "imported before"),
    ("linked", "linked"),
    ("redacted", "with secrets or private text removed"),
    ("erased_before", "skipped (erased before)"),
)


def import_program(
    program: str, path: str | None, project: str | None, *, dry_run: bool, as_json: bool
) -> None:
    """Import the memories of another program, and print the result.

    Raises:
        AforesaidError: the source cannot be read, or the store cannot be written.
    """
    from aforesaid.adapters.importers import reader_of
    from aforesaid.adapters.importers.default_paths import default_paths
    from aforesaid.operations.import_sources import (
        make_item_importer,
        make_skip_counter,
        refuse_if_off,
    )

    with open_connection(storing=not dry_run) as connection:
        core = connection.core
        skipped = make_skip_counter(core)
        paths = [path] if path else default_paths(program, os.environ, connection.folder())
        read = reader_of(program)

        sources: list[str] = []

        def items() -> Iterator[ImportItem]:
            errors: list[InvalidInputError] = []
            for source in paths:
                try:
                    yield from read(source, skipped)
                    sources.append(source)
                except InvalidInputError as error:  # one of several default paths may be empty
                    errors.append(error)
            if len(errors) == len(paths) and path:
                raise errors[0]
            if len(errors) == len(paths):
                places = " or ".join(paths)
                raise InvalidInputError(
                    f"{program}: found nothing at {places}; name the file or folder"
                )

        importer = make_item_importer(core, skipped, project)
        if dry_run:
            summary = importer.preview(items())
        else:
            target = target_project(connection, project)
            refuse_if_off(core, target)
            with status_line() as show:
                summary = importer.import_all(items(), target, lambda count: show(f"{count} read"))
                embed_missing(core)
    if not as_json:
        echo_wrapped(f"read: {', '.join(sources)}", hang=2)
    note = "" if dry_run else describe_for_all(summary.for_all, target)
    _show(summary, skipped, note, dry_run=dry_run, as_json=as_json)
    if summary.refused:
        raise SystemExit(1)


def describe_for_all(count: int, target: CallContext) -> str:
    """Return how many memories hold for all projects because the folder is in none; "" if none."""
    if not count:
        return ""
    reason = f" ({target.excluded_reason})" if target.excluded_reason else ""
    return (
        f"{pluralize(count, 'memory', 'memories')} stored for all projects: the folder cannot be "
        f"a project{reason}. To move one to a project: aforesaid update ID --project PROJECT; "
        "next time, import with --project PROJECT"
    )


def describe_places(by_project: Mapping[str, int]) -> str:
    """Return where memories were stored, as a text that follows their number."""
    places = [
        (count, "for all projects" if name == "global" else f"in {name}")
        for name, count in sorted(by_project.items(), key=lambda item: (-item[1], item[0]))
    ]
    if len(places) == 1:
        return f" {places[0][1]}"
    parts = [f"{count} {place}" for count, place in places[:_MAX_PLACES]]
    if rest := sum(count for count, _ in places[_MAX_PLACES:]):
        parts.append(f"{rest} in other projects")
    return f" ({', '.join(parts)})" if parts else ""


def target_project(connection: ClientConnection, project: str | None) -> CallContext:
    """Return the context of a project by name, or of the working directory."""
    if project is None:
        return connection.call_context()
    from aforesaid.services.projects.registry import context_for_project

    return context_for_project(connection.core.projects.named(project))


def ingest_history(
    paths: Sequence[str], since: str | None, max_commits: int, *, dry_run: bool, as_json: bool
) -> None:
    """Import the commits of repositories, and print the result.

    Raises:
        InvalidInputError: a folder is in no repository, or memory is off in its project.
        UnavailableError: git is missing or timed out.
    """
    from aforesaid.operations.import_sources import (
        find_history,
        make_item_importer,
        make_skip_counter,
    )

    with open_services() as core:
        skipped = make_skip_counter(core)
        since_ms = None if since is None else core.dates.read(since, "since").start
        importer = make_item_importer(core, skipped)
        summary = None
        with status_line() as show:
            for folder in paths or [os.getcwd()]:
                target, items = find_history(
                    core, folder, skipped, since=since_ms, max_count=max_commits
                )
                summary = (
                    importer.preview(items)
                    if dry_run
                    else importer.import_all(items, target, lambda count: show(f"{count} read"))
                )
            embed_missing(core)
        assert summary is not None  # it counts the items of all folders
    _show(summary, skipped, dry_run=dry_run, as_json=as_json)


def _show(
    summary: ImportSummary,
    skipped: SkipCounter,
    note: str = "",
    *,
    dry_run: bool,
    as_json: bool,
) -> None:
    refused = [{"piece": name, "why": reason} for name, reason in summary.refused]
    if as_json:
        answer = {**summary.as_dict(), "refused": refused, "left_out": skipped.counts}
        show_json({**answer, **({"note": note} if note else {})})
        return
    text = f"{summary.stored} {'would be stored' if dry_run else 'stored'}"
    text += describe_places(summary.by_project)
    for field, label in _COUNTS:
        count = getattr(summary, field)
        text += f", {count} {label}" if count else ""
    echo_wrapped(text)
    if note:
        echo_wrapped(note)
    if summary.stored and not dry_run:
        echo_wrapped(HOW_TO_CONFIRM)
    for reason, count in skipped.counts.items():
        echo_wrapped(f"skipped: {reason} ({count})", hang=2, err=True)
    for item in refused:
        echo_wrapped(f"{item['piece']}: {item['why']}", hang=2, err=True)
