"""Vectors made ahead of a transaction, for texts that are stored inside it.

Not here: any model. Texts that were not prepared are embedded when they are asked for.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aforesaid.ports import Embedder


class AheadEmbedder:
    """An ``Embedder`` that knows some answers already."""

    def __init__(self, slot: Callable[[], Embedder | None]) -> None:
        """Take where a process has its embedder; it is asked when it is first needed."""
        self._slot = slot
        self._ready: dict[str, list[bytes]] = {}

    def get(self) -> AheadEmbedder | None:
        """Return this one; None where the process has no embedder."""
        return None if self._slot() is None else self

    @property
    def _embedder(self) -> Embedder:
        found = self._slot()
        assert found is not None, "asked only through get"
        return found

    def prepare(self, texts: Sequence[str]) -> None:
        """Embed texts now, if that can be; what was prepared before is forgotten."""
        self._ready = {}
        if texts and self.get() is not None:
            self._ready = dict(zip(texts, self._embedder.embed_documents(texts), strict=True))

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
        """Return a vector per window of the text, in order."""
        return self._ready.get(text) or self._embedder.embed_document(text)

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the windows of each text, in the order of the texts."""
        if all(text in self._ready for text in texts):
            return [self._ready[text] for text in texts]
        return self._embedder.embed_documents(texts)
