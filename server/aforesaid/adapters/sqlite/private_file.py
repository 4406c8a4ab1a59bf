"""The rights of the file and of what stands beside it: the user's alone."""

from __future__ import annotations

import os
import stat

from aforesaid.domain.errors import UnavailableError


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
        raise UnavailableError(
            f"{path} cannot be opened ({error.strerror}): check the folder's rights and free "
            "space, or set AFORESAID_DB to another file"
        ) from error
    if not stat.S_ISREG(facts.st_mode):
        raise UnavailableError(
            f"{path} is no regular file but a link, folder or device: move it away, or set "
            "AFORESAID_DB to another file"
        )
    if hasattr(os, "getuid") and facts.st_uid != os.getuid():
        raise UnavailableError(f"{path} belongs to another user: set AFORESAID_DB")


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
