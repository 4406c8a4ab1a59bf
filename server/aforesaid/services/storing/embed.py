"""Vectors for what has none yet: of the model that serves, or of the one that comes."""

from __future__ import annotations

from aforesaid.domain.errors import UnavailableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.ports import Embedder, MemoryStore

BATCH = 16  #: memories of one transaction


class NotEmbeddedError(UnavailableError):
    """A model behind an API does not answer; what it was to embed is embedded later."""


def embed_missing(store: MemoryStore, embedder: Embedder, most: int, batch: int = BATCH) -> int:
    """Give vectors to memories that need some of this model; return how many were looked at.

    Texts are embedded outside of the transaction: what changed meanwhile is left for the next time.

    Raises:
        NotEmbeddedError: an API does not answer.
        UnavailableError: the file cannot be written now.
    """
    try:
        model = embedder.model
    except UnavailableError as error:
        raise NotEmbeddedError(str(error)) from error
    done = 0
    while done < most:
        keys = store.without_vectors(model, min(batch, most - done))
        if not keys:
            break
        memories = store.get(keys)
        try:
            windows = embedder.embed_documents([memory.content for memory in memories])
        except UnavailableError as error:
            raise NotEmbeddedError(str(error)) from error
        with store.transaction():
            now = {one.key: one.content for one in store.get(keys)}
            for memory, vectors in zip(memories, windows, strict=True):
                if now.get(memory.key) == memory.content:
                    store.set_vectors(memory.key, vectors, model)
        done += len(keys)
    return done
