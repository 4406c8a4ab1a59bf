"""Reads the user's name from git's user-level config files."""

from __future__ import annotations

import os
from collections.abc import Mapping

from aforesaid.adapters.git_reader.config import parse_config

MAX_BYTES = 1_000_000


def read_user_name(environment: Mapping[str, str]) -> str | None:
    """Return ``user.name``; ``~/.gitconfig`` takes precedence over the XDG config."""
    home = environment.get("HOME", "")
    base = environment.get("XDG_CONFIG_HOME") or (home and os.path.join(home, ".config"))
    name: str | None = None
    for path in (
        base and os.path.join(base, "git", "config"),
        home and os.path.join(home, ".gitconfig"),
    ):
        for section, sub, key, value in parse_config(_read(path)) if path else ():
            if (section, sub, key) == ("user", "", "name") and value:
                name = value
    return name


def _read(path: str) -> str:
    """Return a regular file's text; empty if it is not one, too large or unreadable."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MAX_BYTES:
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(MAX_BYTES)
    except OSError:
        return ""
