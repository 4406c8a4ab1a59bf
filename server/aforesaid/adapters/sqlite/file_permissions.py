"""The rights of the file and of what stands beside it: the user's alone."""

from __future__ import annotations

import os
import stat
from _thread import get_ident

from aforesaid.domain.errors import CorruptError, UnavailableError


def make_private_file(path: str) -> None:
    """Make the file (0600) and its folder (0700) if missing; refuse links and strangers' files.

    A file that is there is looked at, never opened: closing it again would drop the locks that
    other connections of this process hold on it. Source: SQLite, How to corrupt, section 2.2.

    Raises:
        UnavailableError: the folder or file cannot be made, is a link, or belongs to another user.
    """
    try:
        try:
            facts = os.lstat(path)
        except FileNotFoundError:
            try:
                new_private_file(path)
            except FileExistsError:
                pass  # another process was faster
            facts = os.lstat(path)
    except OSError as error:
        raise _unusable(path, error) from error
    refuse_unless_ours(path, facts)


def refuse_unusable_file(path: str) -> None:
    """Refuse a store that is missing, empty, no regular file or another user's.

    Raises:
        UnavailableError: it cannot be opened, is a link, or belongs to another user.
        CorruptError: it is empty: SQLite would take it for a new one, and remove its log.
    """
    try:
        facts = os.lstat(path)
    except OSError as error:
        raise _unusable(path, error) from error
    refuse_unless_ours(path, facts)
    if facts.st_size == 0:
        raise CorruptError(told_empty(path))


def told_empty(path: str) -> str:
    """Return the sentence for a store that holds nothing, not even tables."""
    return (
        f"{path} is empty, so what it held is no longer there: `aforesaid restore` lists the "
        "backups that can replace it; to start anew, remove the file"
    )


def refuse_log_without_store(path: str) -> None:
    """Refuse to make a store beside the log of one: the engine would write that into the new one.

    Raises:
        CorruptError: there is a log, and no file that it belongs to.
    """
    log = f"{path}-wal"
    try:
        held = os.lstat(log).st_size
    except OSError:  # there is none, or opening the store will say what keeps it from us
        return
    if held and not os.path.lexists(path):  # else another process has just made both
        raise CorruptError(
            f"{path} is missing, and its log {log} is there: put the file back, or `aforesaid "
            "restore latest` puts the newest backup in its place; to start anew, remove the log"
        )


def refuse_unless_ours(path: str, facts: os.stat_result) -> None:
    """Refuse what is no regular file, or belongs to another user."""
    if not stat.S_ISREG(facts.st_mode):
        raise UnavailableError(
            f"{path} is no regular file but a link, folder or device: move it away, or set "
            "AFORESAID_DB to another file"
        )
    if hasattr(os, "getuid") and facts.st_uid != os.getuid():
        raise UnavailableError(f"{path} belongs to another user: set AFORESAID_DB")


def _unusable(path: str, error: OSError) -> UnavailableError:
    return UnavailableError(
        f"{path} cannot be opened ({error.strerror}): check the folder's rights and free "
        "space, or set AFORESAID_DB to another file"
    )


def new_private_file(path: str) -> None:
    """Make a file (0600) where none is, and its folder (0700) if missing.

    Raises:
        OSError: it cannot be made.
    """
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        os.makedirs(folder, 0o700, exist_ok=True)
        os.chmod(folder, 0o700)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    os.close(os.open(path, flags, 0o600))


def keep_private_folder(path: str) -> None:
    """Make a folder (0700) if missing, and take the rights of others from one that is there.

    Raises:
        UnavailableError: it cannot be made, or its rights cannot be changed.
    """
    try:
        os.makedirs(path, 0o700, exist_ok=True)
        if os.stat(path).st_mode & 0o077:
            os.chmod(path, 0o700)
    except OSError as error:
        raise UnavailableError(
            f"{path} cannot be made private ({error.strerror}): check its rights and free space"
        ) from error


def place_new_file(path: str, content: bytes) -> None:
    """Write a file (0600) that appears at its path whole; one that is there by then stays.

    Raises:
        UnavailableError: it cannot be written.
    """
    draft = f"{path}.{os.getpid()}.{get_ident()}.new"
    try:
        try:
            remove(draft)  # one of a process that was killed
            new_private_file(draft)
            with open(draft, "wb") as file:
                file.write(content)
            sync(draft)
            _move_unless_there(draft, path)
            try:
                sync(os.path.dirname(path))
            except OSError:
                pass  # a file system that keeps folders in its own way
        finally:
            remove(draft)
    except OSError as error:
        raise _unusable(path, error) from error


def _move_unless_there(draft: str, path: str) -> None:
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without links
        from fcntl import LOCK_EX, flock

        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        try:
            flock(folder, LOCK_EX)  # a rename would replace a store that another process just made
            if not os.path.lexists(path):
                os.rename(draft, path)
        finally:
            os.close(folder)


def sync(path: str) -> None:
    """Have the disk keep a file, or what a folder lists."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove(path: str) -> None:
    """Remove a database that was not finished, with what SQLite puts beside it."""
    for name in (path, f"{path}-journal", f"{path}-wal", f"{path}-shm", f"{path}-ledger"):
        try:
            os.unlink(name)
        except FileNotFoundError:
            continue


def keep_private(path: str) -> None:
    """Take the rights of others from the file and what stands beside it, where they have any."""
    for name in (path, f"{path}-wal", f"{path}-shm"):
        try:
            if os.lstat(name).st_mode & 0o077:
                os.chmod(name, 0o600)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise UnavailableError(
                f"{name} can be read by others and its rights cannot be changed "
                f"({error.strerror}): set AFORESAID_DB to a file on another disk"
            ) from error
