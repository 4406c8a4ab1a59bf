"""Default paths of other programs' memories, and the variables that change them."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

from aforesaid.domain.errors import InvalidInputError


def default_paths(program: str, environment: Mapping[str, str], folder: str) -> list[str]:
    """Return the default paths of a program's memories that exist.

    Args:
        program: one of PROGRAMS.
        environment: the process environment.
        folder: the current project's folder.

    Raises:
        InvalidInputError: none exists, or the program has no default path.
    """
    candidates = [path for path in _candidates(program, environment, folder) if path]
    paths = [path for path in candidates if os.path.exists(path)]
    if not paths:
        reason = (
            f"found nothing at {' or '.join(candidates)}" if candidates else "has no default path"
        )
        raise InvalidInputError(f"{program}: {reason}; name the file or folder")
    return paths


def _candidates(program: str, environment: Mapping[str, str], folder: str) -> list[str]:
    home = environment.get("HOME", "")
    get = environment.get
    client = get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    claude_mem = get("CLAUDE_MEM_DATA_DIR") or os.path.join(home, ".claude-mem")
    service = get("MCP_MEMORY_BASE_DIR") or _data_folder(home, environment)
    return {
        "claude-md": [client, folder],
        "auto-memory": [client],
        "mcp-memory": [get("MEMORY_FILE_PATH", "")],
        "claude-mem": [os.path.join(claude_mem, "claude-mem.db")],
        "mcp-memory-service": [
            get("MCP_MEMORY_SQLITE_PATH") or os.path.join(service, "sqlite_vec.db")
        ],
        "basic-memory": [get("BASIC_MEMORY_HOME") or os.path.join(home, "basic-memory")],
    }[program]


def _data_folder(home: str, environment: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "mcp-memory")
    if sys.platform == "win32":
        return os.path.join(environment.get("LOCALAPPDATA", home), "mcp-memory")
    return os.path.join(home, ".local", "share", "mcp-memory")
