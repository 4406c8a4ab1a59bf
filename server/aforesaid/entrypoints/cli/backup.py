"""``backup``, ``restore`` and ``reset``: copy the whole store, replace it, empty it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from aforesaid.domain.text.pluralize import pluralize
from aforesaid.domain.text.timestamps import to_iso

from .app import aforesaid
from .common import as_json, confirm, echo_wrapped, print_fields, show_json, show_table
from .progress import progress
from .signals import clean_exit
from .terminal import size_text, terminal_width, time_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.adapters.sqlite.backup_files import Backup
    from aforesaid.config import Settings

_COLUMNS = ("made", "memories", "size", "kind", "name")
_OTHER_COLUMNS_CHARS = 52
_LABELS = {"kept": "previous"}  #: the previous store

_yes = click.option("--yes", is_flag=True, help="Continue without asking.")


@aforesaid.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False))
@click.option(
    "--keep",
    type=click.IntRange(1),
    metavar="NUMBER",
    help="How many backups to keep; default: storage.backups.",
)
@click.option("--force", is_flag=True, help="Overwrite FILE if it exists.")
@as_json
def backup(file: str | None, *, keep: int | None, force: bool, as_json: bool) -> None:
    """Copy the store while it is in use, and verify the copy.

    Without FILE, the backup goes into the folder `backups` beside the store, and the oldest ones
    that this command made of this store are removed. A backup contains everything: keep it as
    private as the store.

    A backup is also made automatically once a day before maintenance, if anything changed.
    storage.auto_backups and storage.auto_backup_days say how long those are kept.
    """
    from aforesaid.operations.backups import back_up

    if file is not None and keep is not None:
        raise click.UsageError("--keep applies only to backups without FILE: leave one of them out")
    with clean_exit(), progress("Copying") as bar:
        result = back_up(_settings(), file, keep=keep, progress=_updater(bar), overwrite=force)
    rows = result.pop("rows")
    answer = {**result, "memories": rows["memories"], "verified": True}
    show_json(answer) if as_json else print_fields(answer)


@aforesaid.command()
@click.argument("file", required=False)
@_yes
@as_json
def restore(file: str | None, *, yes: bool, as_json: bool) -> None:
    """Replace the store with a backup.

    FILE is a backup, its name in the list, or `latest` for the newest in the list.

    Without FILE, list the copies of this store: backups, and what `reset`, `restore` and others
    kept before they replaced it.

    Secrets are removed from the backup's texts as from new memories, and memories that were erased
    since are left out. The current store is kept beside the restored one. Close all clients first.
    """
    from aforesaid.adapters.sqlite.backup_files import count_memories
    from aforesaid.operations.backups import find_backup, is_foreign
    from aforesaid.operations.backups import restore as restore_backup

    settings = _settings()
    if file is None:
        _list(settings, as_json=as_json)
        return
    source = find_backup(settings, file)
    count = count_memories(source)
    note = "" if count is None else f" ({pluralize(count, 'memory', 'memories')})"
    note += ", a backup of another store" if is_foreign(settings, source) else ""
    confirm(
        f"Replace {settings.db_path} with {source}{note}?",
        yes=yes,
        reason="restoring replaces the current store",
    )
    with progress("Restoring") as bar:
        result = restore_backup(settings, source, _updater(bar))
    answer = {
        "restored": result["restored"], "memories": result["rows"]["memories"],
        "kept": result["kept"], "redacted": result["redacted"], "erased": result["erased"],
    }  # fmt: skip
    if as_json:
        show_json(answer)
        return
    print_fields({**answer, "erased": ""}, _LABELS)
    if answer["erased"]:
        left_out = pluralize(answer["erased"], "memory", "memories")
        echo_wrapped(f"Left out: {left_out} that you erased after this backup was made.")


def _list(settings: Settings, *, as_json: bool) -> None:
    from aforesaid.adapters.sqlite.backup_files import count_memories
    from aforesaid.operations.backups import list_backups, list_restorable

    rows: list[dict[str, Any]] = [
        {
            "made": to_iso(copy.at_ms),
            "memories": count_memories(copy.path),
            "bytes": os.path.getsize(copy.path),
            "kind": _kind(copy),
            "path": copy.path,
        }
        for copy in list_restorable(settings)
    ]
    if as_json:
        show_json({"backups": list_backups(settings), "copies": rows})
        return
    if not rows:
        click.echo("No backups yet. Make one with: aforesaid backup")
        return
    shown = [
        {**row, "made": time_text(row["made"]), "size": size_text(row["bytes"]),
         "name": os.path.basename(row["path"])}
        for row in rows
    ]  # fmt: skip
    name_chars = max(len(row["name"]) for row in shown)
    is_narrow = 0 < terminal_width() < _OTHER_COLUMNS_CHARS + name_chars
    whole = () if is_narrow else _COLUMNS
    show_table(shown, _COLUMNS, whole=whole, stack_below=name_chars)
    echo_wrapped(f"\nIn {os.path.dirname(settings.db_path)} and its folder backups.")
    echo_wrapped("Restore one with: aforesaid restore NAME; the newest: aforesaid restore latest")


def _kind(copy: Backup) -> str:
    if not copy.reason:
        return "automatic" if copy.automatic else "backup"
    # a number is the schema that an update migrated
    return "before update" if copy.reason.isdigit() else f"before {copy.reason}"


@aforesaid.command()
@_yes
@as_json
def reset(*, yes: bool, as_json: bool) -> None:
    """Start over with an empty store; the old one is kept beside it.

    Texts that you erased stay erased, even if they are imported again.
    """
    from aforesaid.operations.backups import reset as reset_store

    settings = _settings()
    confirm(
        f"Empty {settings.db_path}, for all projects?",
        yes=yes,
        reason="a reset empties the store",
    )
    result = reset_store(settings)
    show_json(result) if as_json else print_fields(result, _LABELS)


def _updater(bar: Any) -> Callable[[int, int], None]:
    """Return a callback that sets a progress bar."""

    def update(position: int, length: int) -> None:
        bar.length = length
        bar.update(position - bar.pos)

    return update


def _settings() -> Settings:
    from aforesaid.config import load_settings

    return load_settings(os.environ)
