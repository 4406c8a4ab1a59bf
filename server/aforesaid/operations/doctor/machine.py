"""Checking versions, settings, file permissions, disk space and the log."""

from __future__ import annotations

import os
import shutil
import stat
from shlex import quote
from typing import TYPE_CHECKING

from aforesaid.adapters.system.log import NAME as LOG_NAME
from aforesaid.adapters.system.log import last_lines
from aforesaid.domain.errors import AforesaidError

from .check_result import NOTE, OK, WRONG, CheckContext, CheckResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MIN_FREE_BYTES = 200_000_000
_COPIES = 3  #: copies of the file that a migration, a backup and its log may need at once
_MAX_ERRORS = 3  #: lines of the log that are shown
#: Names of folders that other programs synchronise while the store is written.
_SYNCED = ("dropbox", "onedrive", "icloud", "google drive", "mobile documents", "nextcloud")


def check(context: CheckContext) -> Iterator[CheckResult]:
    """Yield the results for the machine."""
    context.progress("versions")
    yield from _versions()
    yield from _settings(context)
    yield from _permissions(context)
    yield from _state_folder(context)
    yield from _disk(context)
    yield from _log(context)


def _versions() -> Iterator[CheckResult]:
    import platform

    import apsw

    from aforesaid.adapters.sqlite.engine import check_engine_version
    from aforesaid.version import __version__

    says = (
        f"Aforesaid {__version__}, Python {platform.python_version()}, "
        f"SQLite {apsw.sqlite_lib_version()}"
    )
    try:
        check_engine_version()
        yield CheckResult(area="versions", state=OK, says=says)
    except AforesaidError as error:
        yield CheckResult(
            area="versions", state=WRONG, says=str(error), fix="aforesaid setup --rebuild"
        )


def _settings(context: CheckContext) -> Iterator[CheckResult]:
    for problem in context.settings.problems:
        yield CheckResult(area="settings", state=WRONG, says=problem, fix="aforesaid config")
    for note in context.settings.notes:
        yield CheckResult(area="settings", state=NOTE, says=note)
    if context.settings.off:
        says = "AFORESAID_OFF is set: nothing is stored or shown from here; search and list work"
        yield CheckResult(area="settings", state=NOTE, says=says)
    if not context.settings.problems:
        exists = os.path.exists(context.settings.config_file)
        says = context.settings.config_file if exists else "all settings have their defaults"
        yield CheckResult(area="settings", state=OK, says=says)


def _permissions(context: CheckContext) -> Iterator[CheckResult]:
    database = context.settings.db_path
    folders = [
        os.path.dirname(database),
        context.settings.state_folder,
        context.settings.notes_folder,
    ]
    files = [database, f"{database}-wal", f"{database}-shm", f"{database}-ledger"]
    files += [
        os.path.join(context.settings.state_folder, name) for name in (LOG_NAME, "http-token")
    ]
    wrong = 0
    expected = [*((folder, 0o700) for folder in folders), *((file, 0o600) for file in files)]
    for path, wanted in expected:
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue  # does not exist yet
        if stat.S_ISDIR(mode) != (path in folders):
            continue  # another check reports a file in the place of a folder
        mode &= 0o777
        if path == folders[0] and context.settings.sources["storage.db_path"] != "default":
            continue  # the user may share a folder of their choice
        if mode & 0o077:
            wrong += 1
            yield CheckResult(
                area="permissions",
                state=WRONG,
                says=f"other users can access {path} (mode {mode:o})",
                fix=f"chmod {wanted:o} {quote(path)}",
                repair=_chmod(path, wanted),
            )
    if not wrong:
        yield CheckResult(
            area="permissions", state=OK, says="only you can access the files and folders"
        )


def _state_folder(context: CheckContext) -> Iterator[CheckResult]:
    folder = existing = context.settings.state_folder
    while not os.path.lexists(existing):
        existing = os.path.dirname(existing)
    if not (os.path.isdir(existing) and os.access(existing, os.W_OK | os.X_OK)):
        yield CheckResult(
            area="state", state=WRONG,
            says=f"cannot write {folder}: sessions that end are not digested, and maintenance "
            "does not run",
            fix=f"make {existing} a writable folder, or set XDG_STATE_HOME to one",
        )  # fmt: skip


def _chmod(path: str, mode: int) -> Callable[[], None]:
    def change() -> None:
        os.chmod(path, mode)

    return change


def _disk(context: CheckContext) -> Iterator[CheckResult]:
    path = context.settings.db_path
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    free = shutil.disk_usage(folder).free
    size = os.path.getsize(path) if os.path.exists(path) else 0
    needed = max(MIN_FREE_BYTES, _COPIES * size)
    says = f"{free / 1e9:.1f} GB free for a store of {size / 1e6:.1f} MB"
    if free < needed:
        yield CheckResult(
            area="disk", state=WRONG, says=f"{says}; at least {needed / 1e9:.1f} GB recommended",
            fix=f"free some space in {folder}, or set storage.db_path to another disk",
        )  # fmt: skip
    else:
        yield CheckResult(area="disk", state=OK, says=says)
    lower = path.casefold()
    if any(name in lower for name in _SYNCED):
        yield CheckResult(
            area="disk", state=NOTE,
            says=f"{path} seems to be in a synchronised folder, which can corrupt a database",
            fix="move the file to a local folder, and set storage.db_path to it",
        )  # fmt: skip


def _log(context: CheckContext) -> Iterator[CheckResult]:
    lines = last_lines(context.settings.state_folder, "error", _MAX_ERRORS)
    for line in lines:
        yield CheckResult(area="log", state=NOTE, says=line)
    if not lines:
        yield CheckResult(area="log", state=OK, says="no errors")
