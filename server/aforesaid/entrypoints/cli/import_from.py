"""``import --from``: what other programs remember, once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aforesaid.domain.errors import InvalidInputError

from .common import echo_wrapped, show_json
from .progress import tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aforesaid.domain.model.import_item import ImportItem, SkipCounter
    from aforesaid.services.transfer.import_items import ImportSummary
    from aforesaid.wiring.container import ServiceContainer

_SAID = (
    ("changed", "changed"),
    ("recognised", "said already"),
    ("known", "known from before"),
    ("linked", "linked"),
    ("redacted", "with secrets or private text taken out"),
    ("erased_before", "left out (erased before)"),
)


def gather(
    form: str, path: str | None, project: str | None, *, dry_run: bool, as_json: bool
) -> None:
    """Take in what a program remembers, and say what became of it.

    Raises:
        AforesaidError: as the reader of the form and the store do.
    """
    from aforesaid.adapters.importers import reader_of
    from aforesaid.adapters.importers.default_paths import default_paths
    from aforesaid.operations.client_connection import ClientConnection
    from aforesaid.operations.import_sources import left_out_of, make_gather, refuse_if_off
    from aforesaid.services.projects.registry import named_place

    conversation = ClientConnection(os.environ)
    core = conversation.core
    try:
        left_out = left_out_of(core)
        paths = [path] if path else default_paths(form, os.environ, conversation.folder())
        read = reader_of(form)

        def pieces() -> Iterator[ImportItem]:
            nothing: list[InvalidInputError] = []
            for one in paths:
                try:
                    yield from read(one, left_out)
                except InvalidInputError as error:  # of several places one may be empty
                    nothing.append(error)
            if len(nothing) == len(paths):
                raise nothing[0]

        service = make_gather(core, left_out)
        if dry_run:
            done = service.preview(pieces())
        else:
            here = (
                conversation.place()
                if project is None
                else named_place(core.projects.named(project))
            )
            refuse_if_off(core, here)
            with tally() as tell:
                done = service.take(pieces(), here, lambda count: tell(f"{count} read"))
                _embed(core)
    finally:
        core.close()
    _show(done, left_out, dry_run=dry_run, as_json=as_json)
    if done.refused:
        raise SystemExit(1)


def ingest_history(
    paths: Sequence[str], since: str | None, most: int, *, dry_run: bool, as_json: bool
) -> None:
    """Take in the commits of repositories, and say what became of them.

    Raises:
        InvalidInputError: a folder is in no repository, or its project has no memory.
        UnavailableError: git is not there, or took too long.
    """
    from aforesaid.operations.import_sources import find_history, left_out_of, make_gather
    from aforesaid.wiring.container import ServiceContainer

    core = ServiceContainer(os.environ)
    try:
        left_out = left_out_of(core)
        from_time = None if since is None else core.dates.read(since, "since").start
        service = make_gather(core, left_out)
        done = None
        with tally() as tell:

            def show(count: int) -> None:
                tell(f"{count} read")

            for folder in paths or [os.getcwd()]:
                place, pieces = find_history(core, folder, left_out, since=from_time, most=most)
                done = service.preview(pieces) if dry_run else service.take(pieces, place, show)
            _embed(core)
        assert done is not None  # the counts are those of all folders
    finally:
        core.close()
    _show(done, left_out, dry_run=dry_run, as_json=as_json)


def _embed(core: ServiceContainer) -> None:
    while core.remember.embed_missing(256):
        pass


def _show(done: ImportSummary, left_out: SkipCounter, *, dry_run: bool, as_json: bool) -> None:
    refused = [{"piece": name, "why": why} for name, why in done.refused]
    if as_json:
        show_json({**done.as_dict(), "refused": refused, "left_out": left_out.counts})
        return
    said = f"{done.stored} {'would be stored' if dry_run else 'stored'}"
    for field, what in _SAID:
        count = getattr(done, field)
        said += f", {count} {what}" if count else ""
    echo_wrapped(said)
    for why, count in left_out.counts.items():
        echo_wrapped(f"left out: {count} {why}", hang=2, err=True)
    for one in refused:
        echo_wrapped(f"{one['piece']}: {one['why']}", hang=2, err=True)
