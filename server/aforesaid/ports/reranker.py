"""What reads a question and a text together, and says how well the one answers the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Reranker(Protocol):
    """A model that scores pairs; far dearer than comparing vectors, so for few texts only."""

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        """Return the score of each text, higher is better, in their order.

        Args:
            query: the question.
            texts: what may answer, likeliest first.
            seconds: when they are over, what has no score yet is left out: at the end of the list.

        Raises:
            UnavailableError: the model cannot read them.
        """
        ...
