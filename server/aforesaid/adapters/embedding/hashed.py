"""A deterministic embedder without a model: shared words make similar vectors.

Here: feature hashing on the standard library, for tests and for work on everything else. Not
here: any meaning; "car" and "automobile" are strangers. Next: onnx.py has the real one.
"""

from __future__ import annotations

import hashlib
import math
import re
import struct
from collections import Counter
from collections.abc import Sequence

from aforesaid.adapters.embedding.chunking import MAX_CHARACTERS, cut_windows

#: Each word stands in this many places, so that one collision does not make two words the same.
PLACES_PER_WORD = 4
#: Articles and the like say little: a word counts by the square of its length, up to this.
FULL_WEIGHT_LENGTH = 6
WINDOW_WORDS = 200
OVERLAP_WORDS = 25

_WORD = re.compile(r"\w+")


class HashedEmbedder:
    """Embeds by the words of a text alone; an ``Embedder``.

    Source: Weinberger et al. 2009, Feature Hashing for Large Scale Multitask Learning.
    """

    def __init__(self, dimensions: int = 384) -> None:
        if dimensions < 1:
            raise ValueError(f"a vector has at least one dimension, not {dimensions}")
        self._dimensions = dimensions

    @property
    def model(self) -> str:
        """Return the name stamped on vectors."""
        return "hashed@1"

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self._dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of the text's first window."""
        return self._vector(_words(text)[:WINDOW_WORDS])

    def embed_document(self, text: str) -> list[bytes]:
        """Return a vector per window of the text, in order; at least one, at most 64."""
        words = _words(text)
        windows = cut_windows([True] * len(words), size=WINDOW_WORDS, overlap=OVERLAP_WORDS)
        return [self._vector(words[start:end]) for start, end in windows]

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the windows of each text, in the order of the texts."""
        return [self.embed_document(text) for text in texts]

    def _vector(self, words: Sequence[str]) -> bytes:
        """Return the words' vector, L2-normalised float32; one of its own for no words."""
        sums = [0.0] * self._dimensions
        # The empty word gives texts without words a direction, and others next to none.
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
