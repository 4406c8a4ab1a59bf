"""Vectors for what has none yet: of the model that serves, or of the one that comes."""

from __future__ import annotations

from aforesaid.domain.errors import UnavailableError
from aforesaid.domain.model.memory import text_to_embed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from aforesaid.ports import Embedder, Store

BATCH = 16  #: memories of one transaction


class EmbeddingUnavailableError(UnavailableError):
    """A model behind an API does not answer; what it was to embed is embedded later."""


def embed_missing(store: Store, embedder: Embedder, most: int, batch: int = BATCH) -> int:
    """Give vectors to memories that need some of this model; return how many were looked at.

    Texts are embedded outside of the transaction: what changed meanwhile is left for the next time.

    Raises:
        NotEmbeddedError: an API does not answer.
        UnavailableError: the file cannot be written now.
    """
    try:
        model = embedder.model
    except UnavailableError as error:
        raise EmbeddingUnavailableError(str(error)) from error
    done = 0
    while done < most:
        keys = store.search.without_vectors(model, min(batch, most - done))
        if not keys:
            break
        texts = _texts(store, keys)
        try:
            windows = embedder.embed_documents(list(texts.values()))
        except UnavailableError as error:
            raise EmbeddingUnavailableError(str(error)) from error
        with store.transaction():
            now = _texts(store, keys)
            for key, vectors in zip(texts, windows, strict=True):
                if now.get(key) == texts[key]:
                    store.search.set_vectors(key, vectors, model)
        done += len(keys)
    return done


def _texts(store: Store, keys: list[int]) -> dict[int, str]:
    return {one.key: text_to_embed(one.content, one.metadata) for one in store.memories.get(keys)}
