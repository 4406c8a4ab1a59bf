"""What went wrong where nobody looks: lines in a private file of the state folder.

Never the text of a memory or a prompt: whoever writes here names kinds and places.
"""

from __future__ import annotations

import os
import time

NAME = "aforesaid.log"
LOG_BYTES = 256_000  #: beyond it the file becomes the older one, which is dropped
LINE_CHARS = 500


def write_line(folder: str, level: str, text: str) -> None:
    """Append one line to the log of a state folder; what cannot be written is left out."""
    path = os.path.join(folder, NAME)
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{now} {level} {' '.join(text.split())[:LINE_CHARS]}\n"
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, line.encode("utf-8", "replace"))
            full = os.fstat(descriptor).st_size > LOG_BYTES
        finally:
            os.close(descriptor)
        if full:
            os.replace(path, f"{path}.1")
    except OSError:
        pass  # a log that cannot be written must not be the next failure
