"""Port for a reranker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Reranker(Protocol):
    """A cross-encoder: more expensive than comparing vectors, so used for few texts only."""

    def scores(self, query: str, texts: Sequence[str], seconds: float) -> list[float]:
        """Return the scores of texts, in their order; higher is better.

        Args:
            query: the query.
            texts: the candidates, best first.
            seconds: time limit, after which the remaining texts get no score: the list is shorter.

        Raises:
            UnavailableError: the model cannot be run.
        """
        ...
