"""Reads files below a project's root for their checksums; nothing outside the root is opened.

A path is resolved first, then opened from the root one folder at a time without following links, so
that swapping in a link meanwhile has no effect. Devices and FIFOs are never opened.
"""

from __future__ import annotations

import os
import stat

from aforesaid.domain.errors import InvalidInputError

MAX_BYTES = 2_000_000
_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
)


class CitedFiles:
    """Reads the files that memories cite."""

    def resolve(self, root: str, path: str) -> str:
        """Return a path below a root as it is stored: relative, separated by ``/``.

        Raises:
            InvalidInputError: it is outside the root, or inside ``.git``.
        """
        try:
            top = os.path.realpath(root)
            real = os.path.realpath(os.path.join(top, path))
            relative = os.path.relpath(real, top)
            inside = os.path.commonpath([top, real]) == top and top != os.path.dirname(top)
        except (OSError, ValueError):
            inside, relative = False, ""
        parts = relative.split(os.sep)
        if not inside or ".git" in parts:
            raise InvalidInputError(
                f"anchor {path!r} is outside this project: cite a file below the project's root"
            )
        return "/".join(parts)

    def read(self, root: str, relative: str) -> bytes | None:
        """Return the content of a file below a root; None if it is missing or not readable."""
        parts = relative.split("/")
        if any(part in {"", ".", ".."} for part in parts):
            return None
        try:
            handle = os.open(os.path.realpath(root), os.O_RDONLY | os.O_DIRECTORY)
        except (OSError, ValueError):
            return None
        try:
            for part in parts[:-1]:
                below = os.open(part, _FLAGS | os.O_DIRECTORY, dir_fd=handle)
                os.close(handle)
                handle = below
            return _content(parts[-1], handle)
        except (OSError, ValueError):
            return None
        finally:
            os.close(handle)

    def exists(self, root: str, relative: str) -> bool:
        """Return whether there is a file or a folder at a path below a root."""
        return os.path.lexists(os.path.join(os.path.realpath(root), relative))


def _content(name: str, folder: int) -> bytes | None:
    """Return the content of a regular file in an open folder; None if not regular or too large."""
    if not stat.S_ISREG(os.lstat(name, dir_fd=folder).st_mode):
        return None  # checked before opening: opening a device or FIFO can have an effect
    handle = os.open(name, _FLAGS, dir_fd=folder)
    with os.fdopen(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return None
        content = file.read(MAX_BYTES + 1)
    return content if len(content) <= MAX_BYTES else None
