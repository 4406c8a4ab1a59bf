"""Changing the embedding model: its cost, registering the new model, computing its vectors.

Searches use the old vectors until the new ones are complete. An interrupted change continues where
it stopped: the store knows which vectors are missing. Not here: processes (operations/reembed.py).
"""

from __future__ import annotations

from collections.abc import Callable

from aforesaid.domain.model.embedding_model import (
    COMING,
    PROBES,
    SERVING,
    Model,
    known_scale,
    reference_cosines,
)
from aforesaid.domain.text.token_budget import CHARS_PER_TOKEN
from aforesaid.domain.value import Value
from aforesaid.ports import Embedder, Store
from aforesaid.services.memories.embed_missing import embed_missing


class Cost(Value):
    """The cost of a change."""

    memories: int  #: memories without vectors of the model
    tokens: int  #: approximate number of tokens of their texts


class ModelChanger:
    """Changes the embedding model of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def cost(self, name: str) -> Cost:
        """Return how much text is left to embed with a model."""
        memories, characters = self._store.models.embedding_workload(name)
        return Cost(memories=memories, tokens=-(-characters // CHARS_PER_TOKEN))

    def start_reembedding(self, embedder: Embedder, source: str) -> Model:
        """Register a model as pending, or as active if there is none; return its row.

        Args:
            embedder: The model; unless its usual cosines are known, probe texts show them.
            source: The path or URL that the model is loaded from; empty for the shipped one.

        Raises:
            UnavailableError: The embedding API is down, or the store cannot be written.
        """
        low, high = known_scale(embedder.model)
        if source and low is None:
            questions = [embedder.embed_query(question) for question, _ in PROBES]
            statements = embedder.embed_documents([statement for _, statement in PROBES])
            low, high = reference_cosines(questions, [windows[0] for windows in statements])
        self._store.models.announce(
            Model(
                name=embedder.model,
                source=source,
                dimensions=embedder.dimensions,
                low=low,
                high=high,
            )
        )
        models = self._store.models.list_all()
        return next(model for model in models if model.name == embedder.model)

    def run(self, embedder: Embedder, batch: int, progress: Callable[[int], None]) -> bool:
        """Compute the missing vectors and activate the model; False if the change was cancelled.

        Args:
            embedder: The pending model.
            batch: The number of memories in one transaction.
            progress: Called with the number of memories embedded, after each transaction.

        Raises:
            UnavailableError: The embedding API is down, or the store cannot be written now.
        """
        name = embedder.model
        while not self._store.models.activate(name):
            pending = self._store.models.in_state(COMING)
            if pending is None or pending.name != name:
                return False
            while done := embed_missing(self._store, embedder, batch, batch):
                progress(done)
        active = self._store.models.in_state(SERVING)
        return active is not None and active.name == name
