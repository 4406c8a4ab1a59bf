"""Clients, and whose a transcript is by its path."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Clients, by the names of ``aforesaid config --client``.
CLAUDE_CODE, CODEX, GEMINI, OPENCODE = "claude-code", "codex", "gemini", "opencode"
OPENCODE_DATABASE = "opencode.db"


def client_of(path: str) -> str:
    """Return the client that writes transcripts at such a path."""
    folder, name = os.path.split(path)
    if name.startswith(f"{OPENCODE_DATABASE}#"):
        return OPENCODE
    if name.startswith("rollout-"):
        return CODEX
    if name.startswith("session-") and os.path.basename(folder) == "chats":
        return GEMINI
    return CLAUDE_CODE


def opencode_folder(environment: Mapping[str, str]) -> str:
    """Return the folder of OpenCode's database."""
    data = environment.get("XDG_DATA_HOME")
    return os.path.join(
        data or os.path.join(environment.get("HOME", ""), ".local", "share"), "opencode"
    )


def opencode_transcript(environment: Mapping[str, str], session: str) -> str:
    """Return the path of a session of OpenCode."""
    return os.path.join(opencode_folder(environment), f"{OPENCODE_DATABASE}#{session}")
