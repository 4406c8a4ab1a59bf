"""Computes the vectors that memories lack for a model, active or pending."""

from __future__ import annotations

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.memory import text_to_embed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.ports import Embedder, Store

BATCH = 16  #: memories per transaction


class EmbeddingUnavailableError(UnavailableError):
    """An embedding API does not answer; the memories are embedded later."""


def embed_missing(store: Store, embedder: Embedder, limit: int, batch: int = BATCH) -> int:
    """Compute missing vectors of the embedder's model; return how many memories were processed.

    Texts are embedded outside the transaction; one that changed meanwhile is left for next time.

    Raises:
        EmbeddingUnavailableError: an API does not answer.
        UnavailableError: the store cannot be written now.
    """
    try:
        model = embedder.model
    except UnavailableError as error:
        raise EmbeddingUnavailableError(str(error)) from error
    processed = 0
    while processed < limit:
        keys = store.search.without_vectors(model, min(batch, limit - processed))
        if not keys:
            break
        texts = _texts(store, keys)
        try:
            windows = embedder.embed_documents(list(texts.values()))
        except UnavailableError as error:
            raise EmbeddingUnavailableError(str(error)) from error
        with store.transaction():
            current = _texts(store, keys)
            for key, vectors in zip(texts, windows, strict=True):
                if current.get(key) == texts[key]:
                    store.search.set_vectors(key, vectors, model)
        processed += len(keys)
    return processed


def _texts(store: Store, keys: list[int]) -> dict[int, str]:
    return {
        memory.key: text_to_embed(memory.content, memory.metadata)
        for memory in store.memories.get(keys)
    }
