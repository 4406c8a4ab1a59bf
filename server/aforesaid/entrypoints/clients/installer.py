"""Adds our entries to a client's files, and removes them.

A record in the state folder has the checksum of what was written, so that a file that nobody
edited since is restored byte for byte from the backup beside it.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from aforesaid.adapters.system.user_files import open_regular, write_whole
from aforesaid.bootstrap.paths import installation_record, make_private_folder
from aforesaid.domain.errors import InvalidInputError, NotFoundError
from aforesaid.domain.text.hashing import text_checksum
from aforesaid.domain.value import Value

from .integrations import INTEGRATIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .integrations import ManagedFile
    from .launch import StdioLaunch

MAX_BYTES = 10_000_000
_BACKUP = ".before-aforesaid"


class FileChange(Value):
    """One file, before and after; None means that it does not exist."""

    path: str
    before: str | None
    after: str | None
    original: str | None = None  #: without our entries


class Installer:
    """Installs into the files of one client."""

    def __init__(
        self, name: str, launch: StdioLaunch, environment: Mapping[str, str], state_folder: str
    ) -> None:
        """Set up the installer.

        Args:
            name: The client, one of ``INTEGRATIONS``.
            launch: How the server is started.
            environment: The variables that locate the client's files.
            state_folder: Where the record is kept.
        """
        self.integration = INTEGRATIONS[name]
        self._files = self.integration.files(launch, environment)
        self._record_path = installation_record(state_folder, name)

    @property
    def is_installed(self) -> bool:
        """Whether there is a record of an installation."""
        return os.path.exists(self._record_path)

    def plan_install(self) -> list[FileChange]:
        """Return the files that an installation would change.

        Raises:
            InvalidInputError: A file cannot be edited safely.
            ConflictError: A file has another server of our name.
            UnavailableError: A file cannot be read.
        """
        changes = []
        for file in self._files:
            before = _read(file.path)
            original = self._original(file, before)
            after = file.add(original or "")
            if before is None or file.parse(before) != file.parse(after):
                changes.append(
                    FileChange(path=file.path, before=before, after=after, original=original)
                )
        return changes

    def plan_uninstall(self) -> list[FileChange]:
        """Return the files that an uninstallation would change. Raises as ``plan_install``."""
        changes = []
        for file in self._files:
            before = _read(file.path)
            after = self._original(file, before)
            if before != after:
                changes.append(FileChange(path=file.path, before=before, after=after))
        return changes

    def _original(self, file: ManagedFile, text: str | None) -> str | None:
        """Return a file without our entries; if nobody edited it, that is the backup."""
        written = self._records().get(file.path)
        if text is None or written is None:
            return text
        if written["checksum"] == text_checksum(text):
            return _read(written["backup"]) if written["backup"] else None
        return file.remove(text) or None

    def _records(self) -> dict[str, Any]:
        try:
            with open(self._record_path, encoding="utf-8") as file:
                records = json.load(file)
        except (OSError, ValueError):
            return {}
        if not isinstance(records, dict):
            return {}
        for path, record in records.items():
            # before a backup's name was recorded, there was only one
            record.setdefault("backup", path + _BACKUP if record.get("existed") else "")
        return records

    def install(self, changes: list[FileChange]) -> None:
        """Write changes from ``plan_install``, each after a backup of the file.

        Raises:
            OSError: A file cannot be written; the files before it were.
        """
        records = self._records()
        make_private_folder(os.path.dirname(self._record_path))
        for change in changes:
            record = {"checksum": text_checksum(change.after or ""), "backup": ""}
            if change.original is not None:
                earlier = records.get(change.path) or {}
                record["backup"] = earlier.get("backup") or _free_name(change.path + _BACKUP)
                _write(record["backup"], change.original)
            _write(change.path, change.after or "")
            records[change.path] = record
            _write(self._record_path, json.dumps(records, indent=1) + "\n")

    def uninstall(self, changes: list[FileChange]) -> None:
        """Write changes from ``plan_uninstall``, and forget the installation. Raises as there."""
        for change in changes:
            if change.after is None:
                os.unlink(change.path)
                with suppress(OSError):  # not empty: others use it
                    os.removedirs(os.path.dirname(change.path))
            else:
                _write(change.path, change.after)
        backups = [record["backup"] for record in self._records().values() if record["backup"]]
        for path in [*backups, self._record_path]:
            with suppress(FileNotFoundError):
                os.unlink(path)


def _read(path: str) -> str | None:
    """Return a file's text with its line ends; None if it does not exist."""
    try:
        with open_regular(path, MAX_BYTES) as file:
            return file.read().decode("utf-8")
    except NotFoundError:
        if os.path.islink(path):
            raise InvalidInputError(f"{path} is a broken link: fix or remove it first") from None
        return None
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"{path} is not UTF-8 ({error}): it was not changed") from error


def _free_name(path: str) -> str:
    """Return a path that does not exist yet."""
    names = (path, *(f"{path}-{number}" for number in range(2, 100)))
    return next(name for name in names if not os.path.lexists(name))


def _write(path: str, text: str) -> None:
    """Write a whole file, with the permissions that it had; a link is followed."""
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o600
    with write_whole(path, overwrite=True) as file:
        file.write(text)
    os.chmod(path, mode)
