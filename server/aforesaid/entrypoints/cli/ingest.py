"""``ingest``: digests old sessions from their transcripts; with --git, imports commits."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.timestamps import to_iso

from .app import aforesaid
from .common import as_json, echo_wrapped, embed_missing, open_services, show_json, show_table
from .import_from import ingest_history
from .progress import progress
from .terminal import size_text

if TYPE_CHECKING:
    from aforesaid.domain.model.backlog import Backlog


@aforesaid.command()
@click.argument("paths", nargs=-1, type=click.Path())
@click.option(
    "--since", help="Only sessions written since then: a date, or words such as yesterday."
)
@click.option("--project", help="Only sessions of this project: a folder, name or key.")
@click.option("--git", "history", is_flag=True, help="Import the commits of repositories instead.")
@click.option(
    "--most",
    "max_commits",
    type=click.IntRange(1, 100_000),
    metavar="NUMBER",
    default=1_000,
    show_default=True,
    help="With --git: how many of the newest commits to read in each repository.",
)
@click.option("--dry-run", is_flag=True, help="Show what would be read, change nothing.")
@as_json
def ingest(
    paths: tuple[str, ...],
    since: str | None,
    project: str | None,
    max_commits: int,
    *,
    history: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Digest old sessions from their transcripts.

    PATHS are transcripts or folders; the default is all that your clients keep.

    Sessions that are already digested or still running are skipped. An interrupted run resumes
    where it stopped.

    With --git, PATHS are folders in repositories (default: this one). Each commit reachable from
    HEAD becomes an event with the files it touched, once. The repository's own configuration is
    neither read nor executed.
    """
    if history:
        if project is not None:
            raise click.UsageError("--git takes no --project: a repository is its own project")
        ingest_history(paths, since, max_commits, dry_run=dry_run, as_json=as_json)
        return
    from aforesaid.operations.backfill import (
        find_transcripts,
        make_backfill,
        select_project,
        skip_headless,
    )

    with open_services(storing=not dry_run) as core:
        transcripts = find_transcripts(paths, os.environ)
        backfill = make_backfill(core.store, core.settings, os.environ, core.get_local_embedder)
        since_ms = None if since is None else core.dates.read(since, "since").start
        backlog = backfill.plan(transcripts, since=since_ms)
        waiting = skip_headless(backlog.waiting, core.settings)
        if project is not None:
            waiting = select_project(waiting, project, core.store, core.settings, os.environ)
        backlog = backlog.replace(waiting=tuple(waiting))
        if dry_run:
            _show_plan(backlog, as_json=as_json)
            return
        size_bytes = sum(transcript.size for transcript in backlog.waiting)
        with progress("Reading", size_bytes) as bar:
            result = backfill.run(backlog.waiting, lambda transcript: bar.update(transcript.size))
        embed_missing(core)
    if as_json:
        show_json({**result.as_dict(), **_skipped(backlog)})
    else:
        text = f"{pluralize(result.digested, 'session')} digested"
        text += f", {result.empty} without anything to keep" if result.empty else ""
        text += f", {result.failed} failed (see: aforesaid doctor)" if result.failed else ""
        _show_summary(text, backlog)
    if result.failed:
        raise SystemExit(1)


def _show_plan(backlog: Backlog, *, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"session": transcript.session, "written": to_iso(transcript.changed_at),
         "bytes": transcript.size, "transcript": transcript.path}
        for transcript in backlog.waiting
    ]  # fmt: skip
    if as_json:
        show_json({"waiting": rows, **_skipped(backlog)})
        return
    shown = [{**row, "size": size_text(row["bytes"])} for row in rows]
    show_table(shown, ("session", "written", "size", "transcript"))
    _show_summary(f"{pluralize(len(rows), 'session')} would be read", backlog)


def _skipped(backlog: Backlog) -> dict[str, int]:
    return {
        "known": backlog.digested_count,
        "running": backlog.running_count,
        "older": backlog.older_count,
    }


def _show_summary(text: str, backlog: Backlog) -> None:
    for count, reason in (
        (backlog.digested_count, "already digested"),
        (backlog.running_count, "still running"),
        (backlog.older_count, "older"),
    ):
        text += f", {count} {reason}" if count else ""
    echo_wrapped(text)
