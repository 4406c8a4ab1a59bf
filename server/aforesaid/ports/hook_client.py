"""The port to a client that runs our hooks: what it sends, and what it accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class HookClient(Protocol):
    """A client with hooks."""

    name: str  #: as in ``aforesaid hook EVENT --client NAME``

    def prompt(self, event: dict[str, Any]) -> str:
        """Return what the user typed, without what hooks added to it."""
        ...

    def transcript(self, event: dict[str, Any], environment: Mapping[str, str]) -> str:
        """Return the path of the session's transcript; empty if unknown."""
        ...

    def answer(
        self, event: str, context: str, message: str = "", ask: str = ""
    ) -> dict[str, Any] | None:
        """Return the answer to an event; None if there is nothing to say.

        Args:
            event: our name of the event, such as session-start.
            context: for the model.
            message: for the user.
            ask: why the user is asked before an action; some clients cannot ask.
        """
        ...
