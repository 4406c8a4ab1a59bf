"""A language model that the user chose, as the services need it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.text.token_budget import SummaryLimits


class Summariser(Protocol):
    """Answers an instruction about a text. Asks nothing of the text but to be read.

    Callers take private spans and secrets out of the text first.
    """

    @property
    def name(self) -> str:
        """What made a summary, for those who read it: ``claude-cli (haiku)``."""
        ...

    def check(self) -> None:
        """Find out, without asking anything, whether it can be asked.

        Raises:
            UnavailableError: it cannot: no key, no program, no package; says what to do.
        """
        ...

    def summarise(self, text: str, instruction: str, limits: SummaryLimits) -> str:
        """Return what the model says, as it says it.

        Args:
            text: what it is about.
            instruction: what is asked.
            limits: on time and size.

        Raises:
            UnavailableError: it did not answer, or not in time.
            InvalidInputError: the text is too long for the limits, or it refused, or was cut off.
        """
        ...
