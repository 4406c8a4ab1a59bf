"""The plugin in Claude Code: the command that installs it, and whether it is installed.

The client's own files are only read, and only for `aforesaid` without a command and the doctor.
"""

from __future__ import annotations

import json
import os
import shlex
from typing import TYPE_CHECKING, Any

from aforesaid.bootstrap.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

UNINSTALL = "claude plugin uninstall aforesaid@aforesaid"
_PLUGIN = "aforesaid@"


def install_command() -> str:
    """Return the command that installs the plugin from this copy; a wheel contains none."""
    command = "claude plugin install aforesaid"
    if os.path.isdir(os.path.join(ROOT, ".claude-plugin")):
        return f"{command} --marketplace {shlex.quote(ROOT)}"
    return command


def client_folder(environment: Mapping[str, str]) -> str:
    """Return the client's configuration folder; it may not exist."""
    home = environment.get("HOME") or os.path.expanduser("~")
    return environment.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")


def list_installed(environment: Mapping[str, str]) -> list[str]:
    """Return the names under which the client has the plugin, such as ``aforesaid@aforesaid``."""
    folder = client_folder(environment)
    return _plugin_names(read_json_file(os.path.join(folder, "plugins", "installed_plugins.json")))


def _plugin_names(value: Any) -> list[str]:
    """Return the keys, at any depth, that start with this plugin's name."""
    if not isinstance(value, dict):
        return []
    names = [key for key in value if key.startswith(_PLUGIN)]
    return names + [name for nested in value.values() for name in _plugin_names(nested)]


def read_json_file(path: str) -> dict[str, Any]:
    """Return the JSON object in a file; empty if there is none."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
