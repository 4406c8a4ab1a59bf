"""The prompt hook: asks the session's own server; without one, recalls by words itself."""

from __future__ import annotations

from aforesaid.config import client_pid, is_hook_enabled, load_settings
from aforesaid.domain.text.lean_json import write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from aforesaid.config import Settings

SENT_CHARS = 8_000  #: of a longer prompt, the first and last half of this are sent


def recall_for_prompt(
    environment: Mapping[str, str],
    *,
    session_id: str,
    folder: str,
    prompt: str,
    max_wait_seconds: float | None = None,
) -> str:
    """Return the text to show with a prompt; empty if nothing is relevant.

    Args:
        environment: The environment variables.
        session_id: The client's id of the session.
        folder: The session's folder.
        prompt: What the user wrote.
        max_wait_seconds: How long to wait for the server; by default ``WAIT_SECONDS``.
    """
    settings = load_settings(environment, lenient=True)
    if not is_hook_enabled("prompt", settings, environment) or not prompt.strip():
        return ""
    if len(prompt) > SENT_CHARS:
        prompt = f"{prompt[: SENT_CHARS // 2]}\n{prompt[-SENT_CHARS // 2 :]}"
    from aforesaid.adapters.prompt_socket import WAIT_SECONDS, ask, socket_path

    client = client_pid(environment)
    request = write_json({"session": session_id, "folder": folder, "prompt": prompt})
    try:
        path = socket_path(client, environment)
        answer = ask(path, request, max_wait_seconds or WAIT_SECONDS)
        if answer is not None:
            answer.confirm()
            return answer.text
    except OSError:
        pass  # the server exited during the request
    return _lexical_fallback(settings, environment, session_id, folder, prompt, client)


def _lexical_fallback(
    settings: Settings,
    environment: Mapping[str, str],
    session_id: str,
    folder: str,
    prompt: str,
    client: int,
) -> str:
    """Return what a search by words alone finds, and record it as shown."""
    from aforesaid.adapters.system.machine import SystemClock
    from aforesaid.services.sessions.prompt_recall import PromptRecall
    from aforesaid.wiring import factories

    from .prompt_handler import PromptHandler

    store = factories.open_store(settings, hook=True)
    recall = PromptRecall(store, SystemClock(), branches=factories.make_branch_reader)
    handler = PromptHandler(store, settings, environment, recall, client, can_wait=True)
    reply = handler.answer(session_id, folder, prompt)
    reply.record_shown()
    return reply.text
