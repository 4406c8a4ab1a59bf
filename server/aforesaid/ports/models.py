"""Embedding models of a store: which one serves, and which one comes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.model.embedding_model import Model


class ModelStore(Protocol):
    """The models whose vectors a store holds. All processes on it agree on the one that serves."""

    def list_all(self) -> list[Model]:
        """Return every model with its counts: the one that serves, the one that comes, others."""
        ...

    def in_state(self, state: str) -> Model | None:
        """Return the model that serves, or comes, uncounted; cheap enough for every call."""
        ...

    def announce(self, model: Model) -> None:
        """Make a model the one that comes; where none serves, it serves at once.

        Whatever has no vectors of it is listed by ``without_vectors``; what it made before counts.
        One that came before it is kept.
        """
        ...

    def work_of(self, name: str) -> tuple[int, int]:
        """Return how many memories have no vectors of a model, and their characters."""
        ...

    def let_serve(self, name: str) -> bool:
        """Let the model that comes serve, if nothing lacks its vectors; tell whether it does."""
        ...

    def keep(self, name: str) -> None:
        """Give up a model that comes: what it made is kept."""
        ...

    def drop_vectors(self, name: str, most: int) -> int:
        """Remove so many vectors of a model that is kept, and it with the last; return how many."""
        ...
