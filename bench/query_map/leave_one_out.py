"""Maps that never saw a question: what learns from mapped questions must not see its own labels.

``python -m bench.query_map`` makes one map without each fold and keeps them beside the cached
vectors. Here: an embedder that turns each known question by the map of its fold's absence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from bench.query_map.examples import plain_vector
from bench.vectors import cache_folder, open_cached

from aforesaid.adapters.embedding.query_projection import QueryProjection

if TYPE_CHECKING:
    from aforesaid.ports import Embedder


class LeftOutEmbedder:
    """An ``Embedder`` whose questions are turned by maps that did not learn from them."""

    def __init__(
        self, embedder: Embedder, maps: Sequence[QueryProjection], fold_of: Mapping[str, int]
    ) -> None:
        """Join an embedder to its maps.

        Args:
            embedder: the model's.
            maps: the map of each fold, learned without it.
            fold_of: by the text of a question; others are turned as the product does.
        """
        self._embedder = embedder
        self._maps = maps
        self._fold_of = fold_of

    @property
    def model(self) -> str:
        """Return the name stamped on vectors."""
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        """Return the length of a vector."""
        return self._embedder.dimensions

    def embed_query(self, text: str) -> bytes:
        """Return the vector of a question."""
        fold = self._fold_of.get(text)
        if fold is None:
            return self._embedder.embed_query(text)
        return self._maps[fold].apply(plain_vector(self._embedder, text).tobytes())

    def embed_document(self, text: str) -> list[bytes]:
        """Return the vectors of a text's windows."""
        return self._embedder.embed_document(text)

    def embed_documents(self, texts: Sequence[str]) -> list[list[bytes]]:
        """Return the windows of each text."""
        return self._embedder.embed_documents(texts)


def open_left_out(fold_of: Mapping[str, int]) -> LeftOutEmbedder:
    """Return the shipped model with maps that did not learn from these questions.

    Raises:
        FileNotFoundError: ``python -m bench.query_map`` has not made them yet.
    """
    embedder = open_cached()
    size = embedder.dimensions
    with open(maps_path(embedder), "rb") as file:
        content = file.read()
    step = 2 * (size + 1) * size
    maps = [
        QueryProjection(np, content[at : at + step], size) for at in range(0, len(content), step)
    ]
    return LeftOutEmbedder(embedder, maps, fold_of)


def keep_left_out(embedder: Embedder, maps: Sequence[np.ndarray]) -> None:
    """Keep the map of each fold."""
    os.makedirs(cache_folder(), exist_ok=True)
    with open(maps_path(embedder), "wb") as file:
        file.write(b"".join(one.astype("<f2").tobytes() for one in maps))


def maps_path(embedder: Embedder) -> str:
    """Return where the maps that leave a fold out lie."""
    return os.path.join(cache_folder(), f"query-maps-left-out-{embedder.model}.f2")
