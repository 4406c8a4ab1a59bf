"""Where other programs keep what they remember, on this user's machine.

Here: their own defaults and variables. Not here: reading anything.
"""

from __future__ import annotations

import os
import sys

from aforesaid.domain.errors import InvalidInputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def default_paths(form: str, environment: Mapping[str, str], folder: str) -> list[str]:
    """Return where a form lies unless it was moved; only places that are there.

    Args:
        form: one of FORMS.
        environment: the variables by which these programs are told otherwise.
        folder: the project that one is in.

    Raises:
        InvalidInputError: there is nothing, or the form has no place of its own.
    """
    asked = [path for path in _candidates(form, environment, folder) if path]
    found = [path for path in asked if os.path.exists(path)]
    if not found:
        looked = f"nothing lies at {' or '.join(asked)}" if asked else "it has no place of its own"
        raise InvalidInputError(f"{form}: {looked}; name the file or folder")
    return found


def _candidates(form: str, environment: Mapping[str, str], folder: str) -> list[str]:
    home = environment.get("HOME", "")
    told = environment.get
    client = told("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    claude_mem = told("CLAUDE_MEM_DATA_DIR") or os.path.join(home, ".claude-mem")
    service = told("MCP_MEMORY_BASE_DIR") or _data_folder(home, environment)
    return {
        "claude-md": [client, folder],
        "auto-memory": [client],
        "mcp-memory": [told("MEMORY_FILE_PATH", "")],
        "claude-mem": [os.path.join(claude_mem, "claude-mem.db")],
        "mcp-memory-service": [
            told("MCP_MEMORY_SQLITE_PATH") or os.path.join(service, "sqlite_vec.db")
        ],
        "basic-memory": [told("BASIC_MEMORY_HOME") or os.path.join(home, "basic-memory")],
    }[form]


def _data_folder(home: str, environment: Mapping[str, str]) -> str:
    if sys.platform == "darwin":
        return os.path.join(home, "Library", "Application Support", "mcp-memory")
    if sys.platform == "win32":
        return os.path.join(environment.get("LOCALAPPDATA", home), "mcp-memory")
    return os.path.join(home, ".local", "share", "mcp-memory")
