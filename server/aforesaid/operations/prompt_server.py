"""Thread of the MCP server that serves prompt recall over its own store connection.

It shares only the embedding model with tool calls, so neither delays the other.
"""

from __future__ import annotations

import os
import threading
from functools import partial
from typing import TYPE_CHECKING

from aforesaid.adapters.prompt_socket import PromptSocketServer, socket_path
from aforesaid.adapters.system.log import type_and_location
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.config import load_settings
from aforesaid.domain.text.lean_json import read_json
from aforesaid.services.sessions.prompt_recall import PromptRecall
from aforesaid.wiring import factories

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
            if self._prompts is None:
                self._prompts = self._open(settings)
            self._prompts.settings = settings  # the user may have changed them
            answer = self._prompts.answer(fields["session"], fields["folder"], fields["prompt"])
        except DigestPendingError as error:
            raise ConnectionAbortedError from error
        except Exception as error:
            self._log_error(error)
            raise ConnectionAbortedError from error
        return answer.text, lambda: self._record(answer)

    def _open(self, settings: Settings) -> PromptHandler:
        store = factories.open_store(settings)
        self._pending_upgrade = partial(upgrade_shipped_model, store, settings)
        recall = PromptRecall(store, SystemClock(), self._embedder)
        return PromptHandler(store, settings, self._environment, recall, self._client)

    def _record(self, answer: PromptReply) -> None:
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
    """Whether prompt recall is enabled; if not, no socket is opened and no model loaded."""
    settings = load_settings(environment, lenient=True)
    return hasattr(os, "getuid") and settings["hooks.enabled"] and settings["hooks.prompt"]
