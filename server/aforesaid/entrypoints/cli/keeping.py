"""``backup``, ``restore``, ``reset``: copies of the whole store, and beginning anew."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.errors import InvalidInputError

from .asking import as_json, show_fields, show_json, show_table
from .group import aforesaid

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.config import Settings

_yes = click.option("--yes", is_flag=True, help="Without asking.")


@aforesaid.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@click.option("--keep", type=click.IntRange(1), help="How many stay; default: storage.backups.")
@as_json
def backup(file: str | None, *, keep: int | None, as_json: bool) -> None:
    """Copy the store as it is now, whoever writes, and read the copy to verify it.

    Without FILE it goes to the folder `backups` beside the store, named by its time, and the
    oldest there are removed. It holds everything: keep it as private as the store.
    """
    from aforesaid.wiring.backups import back_up

    if file is not None and keep is not None:
        raise click.UsageError("--keep is for backups without a FILE of their own")
    with _bar("Copying") as progress:
        done = back_up(_settings(), file, keep=keep, progress=progress)
    told = {**done, "memories": done["rows"]["memories"], "verified": True}
    del told["rows"]
    show_json(told) if as_json else show_fields(told)


@aforesaid.command()
@click.argument("file", required=False)
@_yes
@as_json
def restore(file: str | None, *, yes: bool, as_json: bool) -> None:
    """Give the store the content of the backup FILE, or of the newest by `latest`.

    Without FILE the backups are listed. What the store holds now is kept beside it. Clients that
    have it open must be closed first.
    """
    from aforesaid.wiring.backups import list_backups
    from aforesaid.wiring.backups import restore as put_back

    settings = _settings()
    if file is None:
        rows = [
            {"backup": path, "megabytes": f"{os.path.getsize(path) / 1e6:.1f}"}
            for path in list_backups(settings)
        ]
        if as_json:
            show_json({"backups": [row["backup"] for row in rows]})
        elif rows:
            show_table(rows, ("megabytes", "backup"))
        else:
            click.echo("There is no backup yet: aforesaid backup makes one.")
        return
    _confirm(f"Replace what {settings.db_path} holds by {file}?", yes=yes)
    with _bar("Restoring") as progress:
        done = put_back(settings, file, progress)
    told = {
        "restored": done["restored"], "memories": done["rows"]["memories"], "kept": done["kept"],
    }  # fmt: skip
    show_json(told) if as_json else show_fields(told)


@aforesaid.command()
@_yes
@as_json
def reset(*, yes: bool, as_json: bool) -> None:
    """Begin anew with an empty store; what it held is kept beside it.

    What you had erased stays erased, whatever is imported later.
    """
    from aforesaid.wiring.backups import reset as begin_anew

    settings = _settings()
    _confirm(f"Empty {settings.db_path}, of every project?", yes=yes)
    done = begin_anew(settings)
    show_json(done) if as_json else show_fields(done)


def _settings() -> Settings:
    from aforesaid.config import load_settings

    return load_settings(os.environ)


def _confirm(question: str, *, yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise InvalidInputError("nobody is here to ask: add --yes to do it unasked")
    click.confirm(question, abort=True, err=True)


class _bar:  # noqa: N801 - reads as the statement it is used in
    """A progress bar on a terminal; gives what tells it how far the work is, None elsewhere."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._bar: Any = None

    def __enter__(self) -> Callable[[int, int], None] | None:
        if not sys.stderr.isatty():
            return None
        self._bar = click.progressbar(length=1, label=self._label, file=sys.stderr)
        self._bar.__enter__()
        return self._show

    def _show(self, done: int, whole: int) -> None:
        self._bar.length = whole
        self._bar.update(done - self._bar.pos)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
