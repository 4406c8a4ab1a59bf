"""The embedder without a model."""

from __future__ import annotations

import hashlib
import struct

import pytest
from bench.hashed_embedder import HashedEmbedder


def _cosine(first: bytes, other: bytes) -> float:
    read = struct.Struct(f"<{len(first) // 4}f").unpack
    return sum(a * b for a, b in zip(read(first), read(other), strict=True))


def test_vectors_are_the_same_on_every_machine_and_in_every_version() -> None:
    vector = HashedEmbedder().embed_query("Deploy with make ship, never on Fridays")

    assert "b3d1ed443a454c81" == hashlib.sha256(vector).hexdigest()[:16]


def test_case_and_punctuation_do_not_count() -> None:
    embedder = HashedEmbedder()

    assert embedder.embed_query("Use uv, not pip!") == embedder.embed_query("use UV not pip")


def test_unrelated_sentences_stay_apart_though_they_share_small_words() -> None:
    embedder = HashedEmbedder()
    item = embedder.embed_query("the server is on the port of the proxy")
    other = embedder.embed_query("the cake is in the oven of the bakery")

    assert _cosine(item, other) < 0.5


def test_any_number_of_dimensions_can_be_asked_for() -> None:
    assert 4 * 7 == len(HashedEmbedder(dimensions=7).embed_query("seven"))


def test_no_dimensions_are_refused() -> None:
    with pytest.raises(ValueError, match="at least 1, not 0"):
        HashedEmbedder(dimensions=0)
