"""Opens and reads regular files only, whatever lies at a path, and never waits."""

from __future__ import annotations

import os
import stat

# More than any file that we need; what is larger is not believed. Source: DESIGN section 5.
MAX_FILE_BYTES = 1 << 20


def read_regular(path: str, limit: int = MAX_FILE_BYTES, *, part: str = "all") -> bytes | None:
    """Return the bytes of a regular file, or None if it is none, unreadable or too large.

    Links are not followed and nothing is waited for (a FIFO, a device). With ``part`` "head" or
    "tail" a larger file gives its first or last ``limit`` bytes.
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
        made = b""
        while len(made) < limit:
            more = os.read(handle, limit - len(made))
            if not more:
                break
            made += more
    except OSError:
        return None
    else:
        return made
    finally:
        os.close(handle)


def open_regular(path: str) -> int | None:
    """Return a handle of a regular file, to be closed; None if it is none or unreadable.

    Links are not followed and nothing is waited for.
    """
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
    try:
        # Looked at before it is opened: opening a device or FIFO can already do something.
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        handle = os.open(path, flags)
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None
