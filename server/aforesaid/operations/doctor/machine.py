"""What Aforesaid runs on: versions, settings, rights of files, disk, the log."""

from __future__ import annotations

import os
import shutil
import stat
from shlex import quote
from typing import TYPE_CHECKING

from aforesaid.adapters.system.log import NAME as LOG_NAME
from aforesaid.adapters.system.log import last_lines
from aforesaid.domain.errors import AforesaidError

from .finding import NOTE, OK, WRONG, CheckContext, CheckResult

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MIN_FREE_BYTES = 200_000_000
_COPIES = 3  #: of the file that a migration, a backup and its log may need at once
_ERRORS_TOLD = 3
#: Folders that other programs copy while we write.
_SYNCED = ("dropbox", "onedrive", "icloud", "google drive", "mobile documents", "nextcloud")


def check(scene: CheckContext) -> Iterator[CheckResult]:
    """Yield what is found of the machine."""
    scene.progress("versions")
    yield from _versions()
    yield from _settings(scene)
    yield from _rights(scene)
    yield from _state_folder(scene)
    yield from _disk(scene)
    yield from _log(scene)


def _versions() -> Iterator[CheckResult]:
    import platform

    import apsw

    from aforesaid.adapters.sqlite.engine import check_engine_version
    from aforesaid.version import __version__

    said = (
        f"Aforesaid {__version__}, Python {platform.python_version()}, "
        f"SQLite {apsw.sqlite_lib_version()}"
    )
    try:
        check_engine_version()
        yield CheckResult(area="versions", state=OK, says=said)
    except AforesaidError as error:
        yield CheckResult(
            area="versions", state=WRONG, says=str(error), fix="aforesaid setup --rebuild"
        )


def _settings(scene: CheckContext) -> Iterator[CheckResult]:
    for problem in scene.settings.problems:
        yield CheckResult(area="settings", state=WRONG, says=problem, fix="aforesaid config")
    for note in scene.settings.notes:
        yield CheckResult(area="settings", state=NOTE, says=note)
    if not scene.settings.problems:
        there = os.path.exists(scene.settings.config_file)
        said = scene.settings.config_file if there else "all at their defaults"
        yield CheckResult(area="settings", state=OK, says=said)


def _rights(scene: CheckContext) -> Iterator[CheckResult]:
    database = scene.settings.db_path
    folders = [os.path.dirname(database), scene.settings.state_folder, scene.settings.notes_folder]
    files = [database, f"{database}-wal", f"{database}-shm", f"{database}-ledger"]
    files += [os.path.join(scene.settings.state_folder, name) for name in (LOG_NAME, "http-token")]
    wrong = 0
    for path, wanted in [*((one, 0o700) for one in folders), *((one, 0o600) for one in files)]:
        try:
            mode = os.lstat(path).st_mode
        except OSError:
            continue  # not made yet
        if stat.S_ISDIR(mode) != (path in folders):
            continue  # what stands in the way is told elsewhere
        mode &= 0o777
        if path == folders[0] and scene.settings.sources["storage.db_path"] != "default":
            continue  # a folder of the user's choice is theirs to share
        if mode & 0o077:
            wrong += 1
            yield CheckResult(
                area="rights",
                state=WRONG,
                says=f"others may look into {path} ({mode:o})",
                fix=f"chmod {wanted:o} {quote(path)}",
                mend=_chmod(path, wanted),
            )
    if not wrong:
        yield CheckResult(area="rights", state=OK, says="files and folders are yours alone")


def _state_folder(scene: CheckContext) -> Iterator[CheckResult]:
    folder = there = scene.settings.state_folder
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not (os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)):
        yield CheckResult(
            area="state", state=WRONG,
            says=f"{folder} cannot be written: sessions that end leave no note for their digest, "
            "and nothing tends the store",
            fix=f"set XDG_STATE_HOME to a folder that you may write, as {there} is none",
        )  # fmt: skip


def _chmod(path: str, mode: int) -> Callable[[], None]:
    def change() -> None:
        os.chmod(path, mode)

    return change


def _disk(scene: CheckContext) -> Iterator[CheckResult]:
    path = scene.settings.db_path
    folder = os.path.dirname(path)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    free = shutil.disk_usage(folder).free
    size = os.path.getsize(path) if os.path.exists(path) else 0
    needed = max(MIN_FREE_BYTES, _COPIES * size)
    said = f"{free / 1e9:.1f} GB free for a store of {size / 1e6:.1f} MB"
    if free < needed:
        yield CheckResult(
            area="disk", state=WRONG, says=f"{said}; {needed / 1e9:.1f} GB are wise",
            fix=f"free some space in {folder}, or set storage.db_path to another disk",
        )  # fmt: skip
    else:
        yield CheckResult(area="disk", state=OK, says=said)
    low = path.casefold()
    if any(name in low for name in _SYNCED):
        yield CheckResult(
            area="disk", state=NOTE,
            says=f"{path} looks like a folder that is synchronised, which can tear a database",
            fix="set storage.db_path to a folder that is not, and move the file there",
        )  # fmt: skip


def _log(scene: CheckContext) -> Iterator[CheckResult]:
    lines = last_lines(scene.settings.state_folder, "error", _ERRORS_TOLD)
    for line in lines:
        yield CheckResult(area="log", state=NOTE, says=line)
    if not lines:
        yield CheckResult(area="log", state=OK, says="no error")
