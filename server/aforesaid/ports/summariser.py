"""Port for a summariser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.text.token_budget import SummaryLimits


class Summariser(Protocol):
    """A language model that follows an instruction about a text.

    Callers remove private spans and secrets from the text first.
    """

    @property
    def name(self) -> str:
        """The summariser and its model, for readers of a summary: ``claude-cli (haiku)``."""
        ...

    def check(self) -> None:
        """Check, without a request, that requests are possible.

        Raises:
            UnavailableError: the key, the program or a package is missing; says what to do.
        """
        ...

    def summarise(self, text: str, instruction: str, limits: SummaryLimits) -> str:
        """Return the unmodified response of the model.

        Args:
            text: the text, as data.
            instruction: what to do with it.
            limits: of time and size.

        Raises:
            UnavailableError: there was no response in time.
            InvalidInputError: the text is too long, or the model refused or was cut off.
        """
        ...
