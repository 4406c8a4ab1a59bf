"""Whether a hook is enabled. Every hook checks this first, so the module imports only os."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.config import Settings


def is_hook_enabled(name: str, settings: Settings, environment: Mapping[str, str]) -> bool:
    """Return whether hooks, this hook and, in a headless session, headless hooks are enabled."""
    if not (settings["hooks.enabled"] and settings[f"hooks.{name}"]):
        return False
    return bool(settings["hooks.headless"]) or not is_headless(environment)


def is_headless(environment: Mapping[str, str]) -> bool:
    """Return whether the session has no user: the client runs in print mode or under an SDK."""
    return environment.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")


def client_pid(environment: Mapping[str, str]) -> int:
    """Return the client's process id: CLAUDE_PID, else the parent (the launcher uses exec)."""
    pid = environment.get("CLAUDE_PID", "")
    return int(pid) if pid.isdigit() else os.getppid()
