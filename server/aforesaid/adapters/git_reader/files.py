"""Opens and reads regular files only, without blocking and without following links."""

from __future__ import annotations

import os
import stat

MAX_FILE_BYTES = 1 << 20  #: larger than any file that is needed


def read_regular(path: str, limit: int = MAX_FILE_BYTES, *, part: str = "all") -> bytes | None:
    """Return the bytes of a regular file; None if it is not one, unreadable or too large.

    Links are not followed, and FIFOs and devices do not block. With ``part`` "head" or "tail", the
    result is the first or last ``limit`` bytes of a larger file.
    """
    handle = open_regular(path)
    if handle is None:
        return None
    try:
        size = os.fstat(handle).st_size
        if part == "all" and size > limit:
            return None
        if part == "tail" and size > limit:
            os.lseek(handle, -limit, os.SEEK_END)
        content = b""
        while len(content) < limit:
            chunk = os.read(handle, limit - len(content))
            if not chunk:
                break
            content += chunk
    except OSError:
        return None
    else:
        return content
    finally:
        os.close(handle)


def open_regular(path: str) -> int | None:
    """Return an open handle to a regular file; None if it is not one, or unreadable.

    Links are not followed, and FIFOs and devices do not block.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        # checked before opening: opening a device or FIFO can have an effect
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        handle = os.open(path, flags)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None


def is_within(path: str, folder: str) -> bool:
    """Return whether a normalised path is a folder or lies below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
