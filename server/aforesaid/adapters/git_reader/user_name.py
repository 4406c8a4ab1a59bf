"""What git calls the user in the user's own config, read as a file. Not on the hook path."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aforesaid.adapters.git_reader.config import parse_config

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 1_000_000


def read_user_name(environment: Mapping[str, str]) -> str | None:
    """Return ``user.name`` of the user's config; that of ``~/.gitconfig`` counts over the other."""
    home = environment.get("HOME", "")
    base = environment.get("XDG_CONFIG_HOME") or (home and os.path.join(home, ".config"))
    found: str | None = None
    for path in (
        base and os.path.join(base, "git", "config"),
        home and os.path.join(home, ".gitconfig"),
    ):
        for section, sub, key, value in parse_config(_read(path)) if path else ():
            if (section, sub, key) == ("user", "", "name") and value:
                found = value
    return found


def _read(path: str) -> str:
    """Return a regular file's text; empty for what is none, or cannot be read."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MAX_BYTES:
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return ""
