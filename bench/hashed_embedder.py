"""A deterministic embedder without a model, for tests: texts with common words are similar."""

from __future__ import annotations

import hashlib
import math
import re
import struct
from collections import Counter
from collections.abc import Sequence

from aforesaid.adapters.embedding.chunking import MAX_CHARACTERS, cut_windows

PLACES_PER_WORD = 4  #: dimensions of a word, so that one collision does not make two words equal
FULL_WEIGHT_LENGTH = 6  #: a word's weight grows with the square of its length, up to this length
WINDOW_WORDS = 200
OVERLAP_WORDS = 25

_WORD = re.compile(r"\w+")


class HashedEmbedder:
    """An ``Embedder`` by feature hashing of words.

    Source: Weinberger et al. 2009, Feature Hashing for Large Scale Multitask Learning.
    """

    def __init__(self, dimensions: int = 384) -> None:
        if dimensions < 1:
            raise ValueError(f"dimensions must be at least 1, not {dimensions}")
        self._dimensions = dimensions

    @property
    def model(self) -> str:
        """Name stored with vectors."""
        return "hashed@1"

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of the text's first chunk."""
        return self._vector(_words(text)[:WINDOW_WORDS])

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector for each chunk of a text, in order: at least one, at most 64."""
        words = _words(text)
        windows = cut_windows([True] * len(words), size=WINDOW_WORDS, overlap=OVERLAP_WORDS)
        return [self._vector(words[start:end]) for start, end in windows]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the vectors of each text's chunks, in the order of the texts."""
        return [self.embed_document(text) for text in texts]

    def _vector(self, words: Sequence[str]) -> bytes:
        """Return the vector of the words, L2-normalised float32."""
        sums = [0.0] * self._dimensions
        # the empty word, of minimal weight, gives a text without words a direction
        for word, count in Counter(["", *words]).items():
            weight = max(min(len(word) / FULL_WEIGHT_LENGTH, 1) ** 2, 1e-3) * math.sqrt(count)
            digest = hashlib.blake2b(
                word.encode("utf-8", "replace"), digest_size=4 * PLACES_PER_WORD
            ).digest()
            for feature in struct.unpack(f"<{PLACES_PER_WORD}I", digest):
                sums[(feature >> 1) % self._dimensions] += weight if feature & 1 else -weight
        length = math.sqrt(sum(value * value for value in sums))
        if length == 0:
            sums[0] = length = 1.0
        return struct.pack(f"<{self._dimensions}f", *(value / length for value in sums))


def _words(text: str) -> list[str]:
    return _WORD.findall(text[:MAX_CHARACTERS].lower())
