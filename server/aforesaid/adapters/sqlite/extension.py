"""Finds sqlite-vec's library by path, since importing its module imports numpy."""

from __future__ import annotations

import os
import sys


def find_vec_extension() -> str | None:
    """Return the path of sqlite-vec's loadable library, or None if it is not installed."""
    name = {"win32": "vec0.dll", "darwin": "vec0.dylib"}.get(sys.platform, "vec0.so")
    for folder in sys.path:
        path = os.path.join(folder, "sqlite_vec", name)
        if os.path.isfile(path):
            return path
    return None
