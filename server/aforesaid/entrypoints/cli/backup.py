"""``backup``, ``restore``, ``reset``: copies of the whole store, and beginning anew."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from .app import aforesaid
from .common import as_json, confirm, print_fields, show_json
from .progress import progress
from .signals import clean_exit
from .terminal import size_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.config import Settings

_yes = click.option("--yes", is_flag=True, help="Without asking.")


@aforesaid.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@click.option("--keep", type=click.IntRange(1), help="How many stay; default: storage.backups.")
@click.option("--force", is_flag=True, help="Overwrite FILE if it is there.")
@as_json
def backup(file: str | None, *, keep: int | None, force: bool, as_json: bool) -> None:
    """Copy the store while it is in use, and verify the copy.

    Without FILE it goes to the folder `backups` beside the store, named by the store and its time,
    and the oldest that this command made of this store are removed. It holds everything: keep it
    as private as the store.

    A backup is also made by itself once a day before maintenance, if anything changed. Those stay
    as long as storage.auto_backups and storage.auto_backup_days say.
    """
    from aforesaid.operations.backups import back_up

    if file is not None and keep is not None:
        raise click.UsageError("--keep is for backups without a FILE of their own")
    with clean_exit(), progress("Copying") as bar:
        done = back_up(_settings(), file, keep=keep, progress=_shower(bar), overwrite=force)
    told = {**done, "memories": done["rows"]["memories"], "verified": True}
    del told["rows"]
    show_json(told) if as_json else print_fields(told)


@aforesaid.command()
@click.argument("file", required=False)
@_yes
@as_json
def restore(file: str | None, *, yes: bool, as_json: bool) -> None:
    """Give the store the content of a backup.

    FILE is a backup, or `latest` for the newest of this store.

    What it holds passes the filter for secrets as new memories do.

    Without FILE the backups of this store are listed. What the store holds now is kept beside it.
    Clients that have it open must be closed first.
    """
    from aforesaid.operations.backups import find_backup, is_foreign, list_backups
    from aforesaid.operations.backups import restore as put_back

    settings = _settings()
    if file is None:
        _list(list_backups(settings), as_json=as_json)
        return
    source = find_backup(settings, file)
    what = f"{source}, a backup of another store" if is_foreign(settings, source) else source
    confirm(f"Replace what {settings.db_path} holds by {what}?", yes=yes)
    with progress("Restoring") as bar:
        done = put_back(settings, source, _shower(bar))
    told = {
        "restored": done["restored"], "memories": done["rows"]["memories"], "kept": done["kept"],
        "redacted": done["redacted"],
    }  # fmt: skip
    show_json(told) if as_json else print_fields(told)


def _list(paths: list[str], *, as_json: bool) -> None:
    if as_json:
        show_json({"backups": paths})
        return
    for path in paths:
        click.echo(f"{size_text(os.path.getsize(path)):>8}  {path}")
    if paths:
        click.echo("The newest of them: aforesaid restore latest")
    else:
        click.echo("There is no backup yet: aforesaid backup makes one.")


@aforesaid.command()
@_yes
@as_json
def reset(*, yes: bool, as_json: bool) -> None:
    """Begin anew with an empty store; what it held is kept beside it.

    What you had erased stays erased, whatever is imported later.
    """
    from aforesaid.operations.backups import reset as begin_anew

    settings = _settings()
    confirm(f"Empty {settings.db_path}, of every project?", yes=yes)
    done = begin_anew(settings)
    show_json(done) if as_json else print_fields(done)


def _shower(bar: Any) -> Callable[[int, int], None]:
    """Return what tells a bar how much of how much is done."""

    def show(done: int, whole: int) -> None:
        bar.length = whole
        bar.update(done - bar.pos)

    return show


def _settings() -> Settings:
    from aforesaid.config import load_settings

    return load_settings(os.environ)
