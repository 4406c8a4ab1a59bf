"""Thread of the MCP server that answers prompts and actions over its own store connection.

It shares only the embedding model with tool calls, so neither delays the other.
"""

from __future__ import annotations

import os
import threading
from functools import partial
from typing import TYPE_CHECKING

from aforesaid.adapters.prompt_socket import PromptSocketServer, socket_path
from aforesaid.adapters.system.cited_files import CitedFiles
from aforesaid.adapters.system.log import type_and_location
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.config import load_settings
from aforesaid.domain.text.lean_json import read_json
from aforesaid.services.sessions.action_recall import ActionRecall
from aforesaid.services.sessions.prompt_recall import PromptRecall
from aforesaid.wiring import factories

from .action_handler import ActionHandler, ActionReply
from .prompt_handler import DigestPendingError, PromptHandler, PromptReply
from .reembed import upgrade_shipped_model

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.config import Settings
    from aforesaid.ports import Embedder


class PromptServer:
    """Serves prompt recall to the hooks of one client."""

    def __init__(
        self, environment: Mapping[str, str], client: int, embedder: Callable[[], Embedder | None]
    ) -> None:
        """Listen on the client's socket.

        Args:
            environment: The environment variables.
            client: The client's process id.
            embedder: Returns the model once it is loaded; until then, recall uses words only.

        Raises:
            OSError: The socket cannot be opened.
        """
        self._environment = environment
        self._client = client
        self._embedder = embedder
        self._prompts: PromptHandler | None = None
        self._actions: ActionHandler | None = None
        self._pending_upgrade: Callable[[], None] | None = None  #: until the first reply is sent
        self._listener = PromptSocketServer(socket_path(client, environment))

    def start(self) -> None:
        """Start the thread."""
        threading.Thread(
            target=self._listener.serve, args=(self._answer,), name="prompts", daemon=True
        ).start()

    def close(self) -> None:
        """Stop listening."""
        self._listener.close()

    def _answer(self, request: str) -> tuple[str, Callable[[], None]]:
        """Return the answer to one request, and a callback that records it.

        Raises:
            ConnectionAbortedError: There is no answer; the hook falls back to words.
        """
        try:
            fields = read_json(request)
            settings = load_settings(self._environment, lenient=True)
            if self._prompts is None or self._actions is None:
                self._prompts, self._actions = self._open(settings)
            self._prompts.settings = settings  # the user may have changed them
            answer: PromptReply | ActionReply
            if "prompt" in fields:
                answer = self._prompts.answer(fields["session"], fields["folder"], fields["prompt"])
            else:
                answer = self._actions.answer(fields)
        except DigestPendingError as error:
            raise ConnectionAbortedError from error
        except Exception as error:
            self._log_error(error)
            raise ConnectionAbortedError from error
        return answer.text, lambda: self._record(answer)

    def _open(self, settings: Settings) -> tuple[PromptHandler, ActionHandler]:
        store = factories.open_store(settings)
        self._pending_upgrade = partial(upgrade_shipped_model, store, settings)
        recall = PromptRecall(store, SystemClock(), self._embedder, factories.make_branch_reader)
        prompts = PromptHandler(store, settings, self._environment, recall, self._client)
        actions = ActionRecall(store, SystemClock(), CitedFiles(), factories.make_branch_reader)
        return prompts, ActionHandler(store, self._environment, prompts, actions)

    def _record(self, answer: PromptReply | ActionReply) -> None:
        """Record what was shown; if the store cannot be written, the handler remembers it."""
        try:
            answer.record_shown()
            if self._pending_upgrade is not None:
                self._pending_upgrade()
                self._pending_upgrade = None
        except Exception as error:  # noqa: BLE001 - a thread's outermost boundary
            self._log_error(error)

    def _log_error(self, error: Exception) -> None:
        factories.open_log(self._environment).write("error", f"prompt: {type_and_location(error)}")


def listens(environment: Mapping[str, str]) -> bool:
    """Whether recall at prompts or at actions is enabled; if not, no socket is opened."""
    settings = load_settings(environment, lenient=True)
    return (
        hasattr(os, "getuid")
        and settings["hooks.enabled"]
        and (settings["hooks.prompt"] or settings["hooks.action"])
    )


def needs_model(environment: Mapping[str, str]) -> bool:
    """Whether prompts are searched by meaning; if not, no model is loaded for the socket."""
    return bool(load_settings(environment, lenient=True)["hooks.prompt"])
