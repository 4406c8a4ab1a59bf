"""``ingest``: sessions that are on the disk already become digests."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.text.pluralize import pluralize

from .app import aforesaid
from .common import echo_wrapped, show_json, show_table
from .import_from import ingest_history
from .progress import progress
from .terminal import size_text

if TYPE_CHECKING:
    from aforesaid.domain.model.backlog import Backlog
    from aforesaid.services.sessions.backfill import BackfillResult
    from aforesaid.wiring.container import ServiceContainer


@aforesaid.command()
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("--since", help="Only sessions last written then or later: a date or plain words.")
@click.option("--project", help="Only sessions of this project: a folder, name or key.")
@click.option("--git", "history", is_flag=True, help="The commits of repositories instead.")
@click.option(
    "--most",
    type=click.IntRange(1, 100_000),
    default=1_000,
    show_default=True,
    help="With --git: the newest so many of each repository.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be read.")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
def ingest(
    paths: tuple[str, ...],
    since: str | None,
    project: str | None,
    most: int,
    *,
    history: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Digest sessions that are on the disk already.

    From transcripts: PATHS, or all that Claude Code keeps.

    What was digested already is not read again, and what is stopped halfway goes on where it
    stopped. Sessions that are still running are left to their end.

    With --git, PATHS are folders in repositories (default: this one): each commit that leads to
    HEAD becomes an event with the files it touched, once. Nothing of a repository's own
    configuration is read or run.
    """
    if history:
        if project is not None:
            raise click.UsageError("--git takes folders; a repository is its own project")
        ingest_history(paths, since, most, dry_run=dry_run, as_json=as_json)
        return
    from aforesaid.operations.backfill import find_transcripts, make_backfill, of_project, wanted
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        transcripts = find_transcripts(paths, os.environ)
        backfill = make_backfill(core.store, core.settings, os.environ, core.embed_here)
        from_time = None if since is None else core.dates.read(since, "since").start
        backlog = backfill.plan(transcripts, since=from_time)
        backlog = backlog.replace(waiting=tuple(wanted(backlog.waiting, core.settings)))
        if project is not None:
            chosen = of_project(backlog.waiting, project, core.store, core.settings, os.environ)
            backlog = backlog.replace(waiting=tuple(chosen))
        if dry_run:
            _show_plan(backlog, as_json=as_json)
            return
        size = sum(one.size for one in backlog.waiting)
        with progress("Reading", size) as bar:
            done = backfill.run(backlog.waiting, lambda one: bar.update(one.size))
        _finish(core)
    finally:
        core.close()
    _show_done(backlog, done, as_json=as_json)
    if done.failed:
        raise SystemExit(1)


def _finish(core: ServiceContainer) -> None:
    """Give vectors to what was stored without."""
    while core.remember.embed_missing(256):
        pass


def _show_plan(backlog: Backlog, *, as_json: bool) -> None:
    from aforesaid.domain.text.timestamps import to_iso

    rows: list[dict[str, Any]] = [
        {"session": one.session, "written": to_iso(one.changed_at), "bytes": one.size,
         "transcript": one.path}
        for one in backlog.waiting
    ]  # fmt: skip
    if as_json:
        show_json({"waiting": rows, **_left_out(backlog)})
        return
    shown = [{**row, "size": size_text(row["bytes"])} for row in rows]
    show_table(shown, ("session", "written", "size", "transcript"))
    echo_wrapped(_sentence(f"{len(rows)} would be read", backlog))


def _show_done(backlog: Backlog, done: BackfillResult, *, as_json: bool) -> None:
    if as_json:
        show_json({**done.as_dict(), **_left_out(backlog)})
        return
    said = f"{pluralize(done.digested, 'session')} digested"
    if done.empty:
        said += f", {done.empty} held nothing to keep"
    if done.failed:
        said += f", {done.failed} could not be read (aforesaid doctor shows the log)"
    echo_wrapped(_sentence(said, backlog))


def _left_out(backlog: Backlog) -> dict[str, int]:
    return {"known": backlog.known, "running": backlog.running, "older": backlog.older}


def _sentence(said: str, backlog: Backlog) -> str:
    for count, what in (
        (backlog.known, "known already"),
        (backlog.running, "still running"),
        (backlog.older, "older"),
    ):
        if count:
            said += f", {count} {what}"
    return said
