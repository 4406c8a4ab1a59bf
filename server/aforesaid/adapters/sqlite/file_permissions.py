"""Permissions of the store file and the files beside it: the user's alone."""

from __future__ import annotations

import os
import stat
from _thread import get_ident

from aforesaid.domain.errors import CorruptError, UnavailableError


def make_private_file(path: str) -> None:
    """Create the file (0600) and its folder (0700) if missing; refuse links and foreign files.

    An existing file is never opened: closing it again would drop the locks that other connections
    of this process hold on it. Source: SQLite, How to corrupt, section 2.2.

    Raises:
        UnavailableError: the file cannot be created, is a link, or belongs to another user.
    """
    try:
        try:
            status = os.lstat(path)
        except FileNotFoundError:
            try:
                new_private_file(path)
            except FileExistsError:
                pass  # another process was faster
            status = os.lstat(path)
    except OSError as error:
        raise _unusable(path, error) from error
    refuse_unless_ours(path, status)


def refuse_unusable_file(path: str) -> None:
    """Refuse a store that is missing, empty, not a regular file or another user's.

    Raises:
        UnavailableError: it cannot be opened, is a link, or belongs to another user.
        CorruptError: it is empty: SQLite would take it for a new database and remove its log.
    """
    try:
        status = os.lstat(path)
    except OSError as error:
        raise _unusable(path, error) from error
    refuse_unless_ours(path, status)
    if status.st_size == 0:
        raise CorruptError(empty_store_message(path))


def empty_store_message(path: str) -> str:
    """Return the error message for a store without content, not even tables."""
    return (
        f"{path} is empty: its content was lost; `aforesaid restore` lists the backups to replace "
        "it with; to start again with an empty store, remove the file"
    )


def refuse_log_without_store(path: str) -> None:
    """Refuse to create a store beside an old log: SQLite would write that log into it.

    Raises:
        CorruptError: there is a log without its file.
    """
    log = f"{path}-wal"
    try:
        log_bytes = os.lstat(log).st_size
    except OSError:  # there is none, or opening the store will say what is wrong
        return
    if log_bytes and not os.path.lexists(path):  # else another process has just created both
        raise CorruptError(
            f"{path} is missing, but its log {log} is there: put the file back, or run `aforesaid "
            "restore latest` to use the newest backup; to start again with an empty store, remove "
            "the log"
        )


def refuse_unless_ours(path: str, status: os.stat_result) -> None:
    """Refuse a path that is not a regular file, or a file of another user."""
    if not stat.S_ISREG(status.st_mode):
        raise UnavailableError(
            f"{path} is a link, folder or device, not a regular file: move it away, or set "
            "AFORESAID_DB to another file"
        )
    if hasattr(os, "getuid") and status.st_uid != os.getuid():
        raise UnavailableError(f"{path} belongs to another user: set AFORESAID_DB to another file")


def _unusable(path: str, error: OSError) -> UnavailableError:
    return UnavailableError(
        f"{path} cannot be opened ({error.strerror}): check its folder's permissions and free "
        "space, or set AFORESAID_DB to another file"
    )


def new_private_file(path: str) -> None:
    """Create a new file (0600), and its folder (0700) if missing.

    Raises:
        OSError: it cannot be created, or exists.
    """
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
        os.chmod(folder, 0o700)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    os.close(os.open(path, flags, 0o600))


def keep_private_folder(path: str) -> None:
    """Create a folder (0700) if missing; make an existing one private.

    Raises:
        UnavailableError: it cannot be created, or its permissions cannot be changed.
    """
    try:
        os.makedirs(path, 0o700, exist_ok=True)
        if os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o700)
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be made private ({error.strerror}): check its permissions and free "
            "space"
        ) from error


def place_new_file(path: str, content: bytes) -> None:
    """Write a file (0600) that appears complete; a file that exists by then stays.

    Raises:
        UnavailableError: it cannot be written.
    """
    draft = f"{path}.{os.getpid()}.{get_ident()}.new"
    try:
        try:
            remove(draft)  # left by a process that was killed
            new_private_file(draft)
            with open(draft, "wb") as file:
                file.write(content)
            sync(draft)
            _move_unless_there(draft, path)
            try:
                sync(os.path.dirname(path))
            except OSError:
                pass  # some file systems cannot sync a folder
        finally:
            remove(draft)
    except OSError as error:
        raise _unusable(path, error) from error


def _move_unless_there(draft: str, path: str) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        from fcntl import LOCK_EX, flock

        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            flock(folder, LOCK_EX)  # a rename would replace a store that was just created
            if not os.path.lexists(path):
                os.rename(draft, path)
        finally:
            os.close(folder)


def sync(path: str) -> None:
    """Flush a file, or a folder's entries, to disk."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: str) -> None:
    """Remove a database file and the files that SQLite puts beside it."""
    for suffix in ("", "-journal", "-wal", "-shm", "-ledger", "-unchanged"):
        try:
            os.unlink(path + suffix)
        except FileNotFoundError:
            continue


def keep_private(path: str) -> None:
    """Remove other users' permissions from the store and the files beside it."""
    for name in (path, f"{path}-wal", f"{path}-shm"):
        try:
            if os.lstat(name).st_mode & 0o077:
                os.chmod(name, 0o600)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UnavailableError(
                f"{name} can be read by other users, and its permissions cannot be changed "
                f"({error.strerror}): set AFORESAID_DB to a file on another disk"
            ) from error
