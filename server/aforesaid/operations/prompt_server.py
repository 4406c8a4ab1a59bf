"""The server's thread that answers the prompts of its own client, on a store of its own.

It never holds up a tool's call: its connection, its services and its loop are apart from theirs;
they share the embedding model alone.
"""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from aforesaid.adapters.prompt_socket import PromptSocketServer, socket_path
from aforesaid.adapters.system.log import kind_and_place
from aforesaid.adapters.system.machine import SystemClock
from aforesaid.config import load_settings
from aforesaid.domain.text.lean_json import read_json
from aforesaid.services.sessions.prompt_recall import PromptRecall
from aforesaid.wiring import factories

from .prompt_handler import DigestPendingError, PromptHandler

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aforesaid.config import Settings
    from aforesaid.ports import Embedder


class PromptServer:
    """Answers what hooks ask at prompts."""

    def __init__(
        self, environment: Mapping[str, str], client: int, embedder: Callable[[], Embedder | None]
    ) -> None:
        """Listen at the client's place.

        Args:
            environment: the process's.
            client: the client's pid.
            embedder: gives the model once it is loaded; until then prompts go by words.

        Raises:
            OSError: nothing can listen there.
        """
        self._environment = environment
        self._client = client
        self._embedder = embedder
        self._prompts: PromptHandler | None = None
        self._listener = PromptSocketServer(socket_path(client, environment))

    def start(self) -> None:
        """Answer in a thread."""
        threading.Thread(
            target=self._listener.serve, args=(self._answer,), name="prompts", daemon=True
        ).start()

    def close(self) -> None:
        """Stop listening."""
        self._listener.close()

    def _answer(self, request: str) -> tuple[str, Callable[[], None]]:
        """Return the answer to one request.

        Raises:
            ConnectionAbortedError: it cannot be answered; the hook goes by words.
        """
        try:
            asked = read_json(request)
            settings = load_settings(self._environment, lenient=True)
            if self._prompts is None:
                self._prompts = self._open(settings)
            self._prompts.settings = settings  # the user may have changed them
            answer = self._prompts.answer(asked["session"], asked["folder"], asked["prompt"])
        except DigestPendingError as error:
            raise ConnectionAbortedError from error
        except Exception as error:
            factories.open_log(self._environment).write("error", f"prompt: {kind_and_place(error)}")
            raise ConnectionAbortedError from error
        return answer.text, self._quietly(answer.note)

    def _open(self, settings: Settings) -> PromptHandler:
        store = factories.open_store(settings)
        recall = PromptRecall(store, SystemClock(), self._embedder)
        return PromptHandler(store, settings, self._environment, recall, self._client)

    def _quietly(self, note: Callable[[], None]) -> Callable[[], None]:
        """Return what notes and never fails: what the store did not take, this process knows."""

        def noted() -> None:
            try:
                note()
            except Exception as error:  # noqa: BLE001 - a thread's outermost boundary
                factories.open_log(self._environment).write(
                    "error", f"prompt: {kind_and_place(error)}"
                )

        return noted


def listens(environment: Mapping[str, str]) -> bool:
    """Tell whether prompts are recalled for at all: else nothing listens and no model is loaded."""
    settings = load_settings(environment, lenient=True)
    return hasattr(os, "getuid") and settings["hooks.enabled"] and settings["hooks.prompt"]
