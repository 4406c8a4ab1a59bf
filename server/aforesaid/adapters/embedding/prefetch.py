"""Vectors made ahead of a transaction, for texts that are stored inside it.

Not here: any model. No other text is embedded: an API would be waited for inside the transaction.
"""

from __future__ import annotations

from aforesaid.domain.errors import UnavailableError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.ports import Embedder


class PrefetchedEmbedder:
    """Makes vectors ahead, and gives them to those who ask for the same texts later."""

    def __init__(self, slot: Callable[[], Embedder | None]) -> None:
        """Take where a process has its embedder; it is asked when it is first needed."""
        self._slot = slot
        self._ready: dict[str, list[bytes]] = {}
        self._model = ""  #: that made them

    def get(self) -> Embedder | None:
        """Return an embedder that knows what was prepared; None where the process has none."""
        embedder = self._slot()
        if embedder is None:
            return None
        # another model may serve by now: its vectors are never mixed with those made ahead
        ready = self._ready if self._ready and embedder.model == self._model else {}
        return _Prepared(embedder, ready)

    def prepare(self, texts: Sequence[str]) -> None:
        """Embed texts now, if that can be; what was prepared before is forgotten."""
        self._ready = {}
        embedder = self._slot() if texts else None
        if embedder is None:
            return
        try:
            self._ready = dict(zip(texts, embedder.embed_documents(texts), strict=True))
            self._model = embedder.model
        except UnavailableError:
            pass  # an API that is down: they are stored by words, and embedded once it answers


class _Prepared:
    """An ``Embedder`` that knows some answers already, all of one model, and no other."""

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
        """Return one vector for a question."""
        return self._embedder.embed_query(text)

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector per window of the text, in order. As ``embed_documents``."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the windows of each text, in the order of the texts.

        Raises:
            UnavailableError: one of them was not prepared: it is embedded later.
        """
        if not all(text in self._ready for text in texts):
            raise UnavailableError("this text was not embedded ahead")
        return [self._ready[text] for text in texts]
