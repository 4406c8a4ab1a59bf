"""Changing the embedding model: what it costs, its beginning, its steps, its end.

Old vectors answer until the new ones are complete; whoever is killed in between goes on where it
was, for what is missing is in the store. Not here: processes (operations/reembed.py), models.
"""

from __future__ import annotations

from aforesaid.domain.model.embedding_model import COMING, PROBES, SERVING, Model, reference_cosines
from aforesaid.domain.text.token_budget import CHARS_PER_TOKEN
from aforesaid.domain.value import Value
from aforesaid.services.memories.embed_missing import embed_missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from aforesaid.ports import Embedder, Store


class Cost(Value):
    """What a change takes."""

    memories: int  #: without vectors of the model
    tokens: int  #: of their texts, about


class ChangeModel:
    """The change from one model to another."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def cost(self, name: str) -> Cost:
        """Return what is left to embed with this model."""
        memories, characters = self._store.models.work_of(name)
        return Cost(memories=memories, tokens=-(-characters // CHARS_PER_TOKEN))

    def start_reembedding(self, embedder: Embedder, source: str) -> Model:
        """Announce a model, which serves at once where none does; return it as the store has it.

        Args:
            embedder: the model itself: a few probes show what its cosines are usually like.
            source: what opens it; empty for the shipped one, whose cosines are the scale.

        Raises:
            UnavailableError: an API does not answer, or the file cannot be written.
        """
        low = high = None
        if source:
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
        return next(one for one in self._store.models.list_all() if one.name == embedder.model)

    def run(self, embedder: Embedder, batch: int, told: Callable[[int], None]) -> bool:
        """Embed what is missing, and let the model serve; False if it was given up meanwhile.

        Args:
            embedder: the model that comes.
            batch: memories of one transaction.
            told: is told how many were embedded, after each transaction.

        Raises:
            UnavailableError: an API does not answer, or the file cannot be written now.
        """
        name = embedder.model
        while not self._store.models.let_serve(name):
            coming = self._store.models.in_state(COMING)
            if coming is None or coming.name != name:
                return False
            while done := embed_missing(self._store, embedder, batch, batch):
                told(done)
        serving = self._store.models.in_state(SERVING)
        return serving is not None and serving.name == name
