"""Embeds texts before the transaction in which they are stored.

Inside the transaction no other text is embedded, because it might wait for an API.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aforesaid.domain.errors import UnavailableError
from aforesaid.ports import Embedder


class PrefetchedEmbedder:
    """Embeds texts in advance, and provides an embedder that returns those vectors."""

    def __init__(self, slot: Callable[[], Embedder | None]) -> None:
        """Set the function that returns the process's embedder."""
        self._slot = slot
        self._ready: dict[str, list[bytes]] = {}
        self._model = ""  #: of the prepared vectors

    def get(self) -> Embedder | None:
        """Return an embedder with the prepared vectors; None if the process has no embedder."""
        embedder = self._slot()
        if embedder is None:
            return None
        # another model may be active by now, and vectors of two models must not be mixed
        ready = self._ready if self._ready and embedder.model == self._model else {}
        return _PreparedEmbedder(embedder, ready)

    def prepare(self, texts: Sequence[str]) -> None:
        """Embed texts, if there is an embedder; previously prepared vectors are dropped."""
        self._ready = {}
        embedder = self._slot() if texts else None
        if embedder is None:
            return
        try:
            self._ready = dict(zip(texts, embedder.embed_documents(texts), strict=True))
            self._model = embedder.model
        except UnavailableError:
            pass  # the API is down: the texts are stored without vectors and embedded later


class _PreparedEmbedder:
    """An ``Embedder`` that embeds no documents except the prepared ones."""

    def __init__(self, embedder: Embedder, ready: dict[str, list[bytes]]) -> None:
        self._embedder = embedder
        self._ready = ready

    @property
    def model(self) -> str:
        """Name and hash of the model."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._embedder.dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a query."""
        return self._embedder.embed_query(text)

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector for each chunk of a text, in order. Raises as ``embed_documents``."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the vectors of each text's chunks, in the order of the texts.

        Raises:
            UnavailableError: a text was not prepared; it will be embedded later.
        """
        if not all(text in self._ready for text in texts):
            raise UnavailableError("the text was not embedded before the transaction")
        return [self._ready[text] for text in texts]
