"""What only the user may do: guards are put in force and changed by a person, never by an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aforesaid.domain.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Set in the commands that an agent runs: by Claude Code, Codex, Gemini CLI, OpenCode.
_AGENT_VARIABLES = ("CLAUDECODE", "CODEX_SANDBOX", "GEMINI_CLI", "OPENCODE")


def is_run_by_agent(environment: Mapping[str, str]) -> bool:
    """Return whether an agent runs this process."""
    return any(environment.get(name) for name in _AGENT_VARIABLES)


def require_person(environment: Mapping[str, str]) -> None:
    """Refuse if an agent runs this process.

    Raises:
        InvalidInputError: an agent runs it.
    """
    if is_run_by_agent(environment):
        raise InvalidInputError(
            "only the user can add, change or remove guards: ask them to run this command in "
            "their own terminal"
        )
