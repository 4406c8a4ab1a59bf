"""A file beside the store, ``FILE-unchanged``, which exists only while nobody writes to the store.

Each connection removes it before each commit, so a process that dies leaves no stale file.
It is created only while other processes cannot write, so none appears between the removal and the
commit. Its text is random, and differs each time that the file is created.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    import apsw

SUFFIX = "-unchanged"
_RANDOM_BYTES = 8


def watch(connection: apsw.Connection, path: str) -> None:
    """Let a connection to the store at a path remove the file before each of its commits."""

    def before_commit() -> bool:
        remove(path)
        return False  # true would roll back

    connection.set_commit_hook(before_commit)


def create(path: str) -> tuple[str, str, bool]:
    """Return the file's path, its text, and whether it is new.

    Call this inside a transaction that does not commit.

    Raises:
        OSError: it cannot be written.
    """
    name = path + SUFFIX
    flags = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        descriptor = os.open(name, os.O_RDONLY | flags)
    except FileNotFoundError:
        pass
    else:
        try:
            text = os.read(descriptor, 2 * _RANDOM_BYTES + 1).decode("ascii", "replace")
        finally:
            os.close(descriptor)
        if len(text) == 2 * _RANDOM_BYTES + 1:
            return name, text[:-1], False
        os.unlink(name)  # cut off, by a full disk
    text = os.urandom(_RANDOM_BYTES).hex()
    descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | flags, 0o600)
    try:
        os.write(descriptor, f"{text}\n".encode("ascii"))
    finally:
        os.close(descriptor)
    return name, text, True


def remove(path: str) -> None:
    """Remove the file, if it exists: the store is about to change."""
    try:
        os.unlink(path + SUFFIX)
    except OSError:
        pass  # a folder that cannot be written to has none
