"""Files that the user names: regular files, read up to a limit and written atomically."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedReader
from typing import TextIO

from aforesaid.domain.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)

DATABASE_HEADER = b"SQLite format 3\0"

_READ_FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _READ_FLAGS |= getattr(os, _name, 0)
_WRITE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL
for _name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"):
    _WRITE_FLAGS |= getattr(os, _name, 0)
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def open_regular(path: str, max_bytes: int | None = None) -> BufferedReader:
    """Open a regular file for reading; a link is followed.

    Args:
        path: the file.
        max_bytes: the largest file that is accepted.

    Raises:
        NotFoundError: there is no file at the path.
        InvalidInputError: it is not a regular file, or it is too large.
        UnavailableError: it cannot be read.
    """
    try:
        real = os.path.realpath(path)
        # checked before it is opened: opening a device or a pipe can already have an effect
        _require_regular(path, os.stat(path).st_mode, "read")
        file = os.fdopen(os.open(real, _READ_FLAGS), "rb")
    except FileNotFoundError as error:
        raise NotFoundError(f"{path} does not exist") from error
    except (OSError, ValueError) as error:
        raise UnavailableError(f"cannot read {path}: {error}") from error
    try:
        _require_readable(path, os.fstat(file.fileno()), max_bytes)
    except BaseException:
        file.close()
        raise
    return file


def _require_readable(path: str, status: os.stat_result, max_bytes: int | None) -> None:
    _require_regular(path, status.st_mode, "read")
    if max_bytes is not None and status.st_size > max_bytes:
        raise InvalidInputError(
            f"{path} has {status.st_size} bytes, more than the limit of {max_bytes}: split it"
        )


def read_bytes(path: str, max_bytes: int) -> bytes:
    """Return the content of a file of at most ``max_bytes``. Raises as ``open_regular``."""
    with open_regular(path, max_bytes) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise InvalidInputError(
            f"{path} grew beyond the limit of {max_bytes} bytes while it was read: split it"
        )
    return content


def require_folder_of(path: str) -> None:
    """Check that the folder of a file to be written exists: its name may be mistyped.

    Raises:
        NotFoundError: it does not.
    """
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.exists(folder):  # writing below a file says what is wrong
        raise NotFoundError(f"there is no folder {folder}: create it first, or name another file")


def resolve_output(path: str, *, overwrite: bool = False, database: str = "") -> str:
    """Return the path, with links resolved, at which an output file will be written.

    Args:
        path: the path as the user named it.
        overwrite: allow an existing regular file.
        database: the path of the store, which is never overwritten.

    Raises:
        ConflictError: the file exists, or is a database in use.
        InvalidInputError: it is not a regular file.
        OSError: the path cannot be examined.
    """
    real = os.path.realpath(path)
    if database:
        store = os.path.realpath(database)
        files = [
            store + suffix for suffix in ("", "-wal", "-shm", "-journal", "-ledger", "-unchanged")
        ]
        if real in files or any(_is_same(real, file) for file in files):
            raise ConflictError(f"{path} belongs to the store that is in use: name another file")
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        if os.path.lexists(path):
            raise ConflictError(f"{path} is a broken link: remove it first") from None
        return real
    _require_regular(path, mode, "written")
    if not overwrite:
        raise ConflictError(
            f"{path} exists and was not overwritten: name another file, or use --force"
        )
    if any(os.path.lexists(real + suffix) for suffix in ("-wal", "-journal")):
        raise ConflictError(f"{path} is a database in use: close the program that uses it first")
    return real


@contextmanager
def write_whole(
    path: str, *, overwrite: bool = False, database: str = "", errors: str = "surrogateescape"
) -> Iterator[TextIO]:
    """Open a text file (0600) for atomic writing: it replaces the path when the block succeeds.

    After an error the previous file is unchanged and no draft is left.

    Args:
        path: the path as the user named it.
        overwrite: as for ``resolve_output``.
        database: as for ``resolve_output``.
        errors: how to handle characters that UTF-8 cannot encode, as for ``open``.

    Raises:
        ConflictError: as ``resolve_output``, or the file is a database.
        InvalidInputError: as ``resolve_output``.
        OSError: the file cannot be written.
    """
    target = resolve_output(path, overwrite=overwrite, database=database)
    _refuse_database(path)
    draft = f"{target}.{os.getpid()}-{os.urandom(4).hex()}.part"
    try:
        os.makedirs(os.path.dirname(target), 0o700, exist_ok=True)
        handle, is_named = _open_draft(draft)
        with open(handle, "w", encoding="utf-8", newline="\n", errors=errors) as file:
            yield file
            file.flush()
            os.fsync(handle)
            resolve_output(path, overwrite=overwrite, database=database)  # it may exist by now
            if not is_named:
                os.link(f"/proc/self/fd/{handle}", draft, src_dir_fd=handle, follow_symlinks=True)
        os.replace(draft, target)
        sync_folder(target)
    except OSError as error:  # report the user's path, not the draft's
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        with suppress(OSError):
            os.unlink(draft)


def _refuse_database(path: str) -> None:
    """Raise if a file is a database: it may be the only backup of a store."""
    if not os.path.exists(path):
        return
    with open_regular(path) as file:
        if file.read(len(DATABASE_HEADER)) == DATABASE_HEADER:
            raise ConflictError(
                f"{path} is a database, perhaps a backup, and was not overwritten: "
                "name another file"
            )


def _open_draft(draft: str) -> tuple[int, bool]:
    """Return a handle to write to, and whether the file already has its name.

    If the system supports O_TMPFILE, a draft gets its name when it is complete, so that a killed
    process leaves none behind.
    """
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # not supported by this file system
            flags = os.O_TMPFILE | os.O_WRONLY | os.O_CLOEXEC
            return os.open(os.path.dirname(draft), flags, 0o600), False
    return os.open(draft, _WRITE_FLAGS, 0o600), True


def sync_folder(path: str) -> None:
    """Sync the folder of a file that was just renamed, if the system supports it."""
    with suppress(OSError):
        handle = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _require_regular(path: str, mode: int, action: str) -> None:
    if not stat.S_ISREG(mode):
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "a special file")
        raise InvalidInputError(f"{path} is {kind}, not a regular file, so it was not {action}")


def _is_same(path: str, other: str) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False
