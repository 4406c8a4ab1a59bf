"""Whether a hook may act at all, and for whom: every hook asks this first, it imports nothing."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.config import Settings


def is_hook_enabled(name: str, settings: Settings, environment: Mapping[str, str]) -> bool:
    """Tell whether a hook is switched on: all, this one, and in headless runs."""
    if not (settings["hooks.enabled"] and settings[f"hooks.{name}"]):
        return False
    return bool(settings["hooks.headless"]) or not is_headless(environment)


def is_headless(environment: Mapping[str, str]) -> bool:
    """Tell whether nobody sits before the client: print mode and the SDKs say so."""
    return environment.get("CLAUDE_CODE_ENTRYPOINT", "").startswith("sdk")


def client_pid(environment: Mapping[str, str]) -> int:
    """Return the client's process: what it says, else our parent, since the launcher execs."""
    told = environment.get("CLAUDE_PID", "")
    return int(told) if told.isdigit() else os.getppid()
