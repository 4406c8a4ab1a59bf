"""Port for the embedding models of a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from aforesaid.domain.model.embedding_model import Model


class ModelStore(Protocol):
    """The embedding models of a store. All its processes agree on the active one.

    States: active (``serving``), pending (``coming``) and retired (``kept``).
    """

    def list_all(self) -> list[Model]:
        """Return all models with their counts: the active one, the pending one, then others."""
        ...

    def in_state(self, state: str) -> Model | None:
        """Return the model in a state, without counts; fast enough for every call."""
        ...

    def announce(self, model: Model) -> None:
        """Make a model pending, or active if there is no active one.

        ``without_vectors`` then lists the memories without its vectors; existing ones are reused. A
        previously pending model is retired.
        """
        ...

    def embedding_workload(self, name: str) -> tuple[int, int]:
        """Return the number of memories without vectors of a model, and of their characters."""
        ...

    def activate(self, name: str) -> bool:
        """Activate the pending model if no vectors are missing; return whether it is active."""
        ...

    def keep(self, name: str) -> None:
        """Retire a pending model; its vectors are kept."""
        ...

    def drop_vectors(self, name: str, limit: int) -> int:
        """Delete at most ``limit`` vectors of a retired model; return how many were deleted.

        The model is deleted with its last vector.
        """
        ...
