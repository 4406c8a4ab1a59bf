"""The hook before an edit or a command, and after one that failed: asks the session's server.

Without a server, it shows nothing.
"""

from __future__ import annotations

from aforesaid.config import client_pid, is_hook_enabled, load_settings
from aforesaid.domain.text.lean_json import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

ADDED_CHARS = 8_000  #: of the lines that an edit adds
COMMAND_CHARS = 2_000  #: of a longer command, the beginning is sent
ASK_END = "\x1e"  #: in an answer, after the reason to ask the user, if there is one
ERROR_CHARS = 4_000  #: sent of the beginning, and of the end, of a longer output


class ActionAnswer:
    """What the model is shown with an action, and what the user is asked."""

    __slots__ = ("ask", "text")

    def __init__(self, text: str = "", ask: str = "") -> None:
        self.text = text  #: for the model; empty if nothing applies
        self.ask = ask  #: why the user is asked before the action; empty if there is no question


def recall_for_action(
    environment: Mapping[str, str],
    *,
    session_id: str,
    agent_id: str,
    folder: str,
    path: str,
    command: str,
    added: str = "",
    error: str = "",
    max_wait_seconds: float | None = None,
) -> ActionAnswer:
    """Return what is shown with an action, and whether the user is asked before it.

    Args:
        environment: The environment variables.
        session_id: The client's id of the session.
        agent_id: The client's id of the subagent; empty for the session's own agent.
        folder: The current folder.
        path: The file that is about to be edited, or empty.
        command: The shell command that is about to be run, or that failed, or empty.
        added: The lines that the edit adds.
        error: What a command that failed printed.
        max_wait_seconds: How long to wait for the server; by default ``WAIT_SECONDS``.
    """
    settings = load_settings(environment, lenient=True)
    if not is_hook_enabled("action", settings, environment) or not (path or command.strip()):
        return ActionAnswer()
    from aforesaid.adapters.prompt_socket import WAIT_SECONDS, ask, socket_path

    request = write_json(
        {
            "session": session_id,
            "agent": agent_id,
            "folder": folder,
            "path": path,
            "command": command[:COMMAND_CHARS],
            "added": added[:ADDED_CHARS],
            "error": error[:ERROR_CHARS] + error[ERROR_CHARS:][-ERROR_CHARS:],
        }
    )
    try:
        socket = socket_path(client_pid(environment), environment)
        answer = ask(socket, request, max_wait_seconds or WAIT_SECONDS)
        if answer is None:
            return ActionAnswer()
        answer.confirm()
    except OSError:
        return ActionAnswer()  # the server exited during the request
    reason, _, text = answer.text.rpartition(ASK_END)
    return ActionAnswer(text, reason)
