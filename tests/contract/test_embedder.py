"""What every embedder guarantees."""

from __future__ import annotations

import math
import struct
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.embedding.onnx import open_shipped

if TYPE_CHECKING:
    from aforesaid.ports import Embedder

FORT = "The database listens on port 5432 of the build server"
SAME_FORT = "On the build server, the database listens on port 5432"
CAKE = "Whisk three eggs with sugar until pale and fold in flour"
LONG = "Nothing of note happened on that day, as on most others. " * 200
ODD_TEXTS = {
    "empty": "",
    "blanks": " \n\t ",
    "symbols": "?!",
    "control characters": "\x00\x01\x7f",
    "lone surrogate": "broken \ud800 text",
    "emoji": "🚀🔥",
    "chinese": "数据库监听端口 5432",
    "one word without end": "x" * 40_000,
    "beyond any limit": "word " * 100_000,
}


@pytest.fixture(scope="module", params=[HashedEmbedder, open_shipped])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = request.param()
    return made


def _values(embedder: Embedder, vector: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{embedder.dimensions}f", vector)


def _cosine(embedder: Embedder, first: bytes, other: bytes) -> float:
    pairs = zip(_values(embedder, first), _values(embedder, other), strict=True)
    return sum(a * b for a, b in pairs)


def test_the_name_tells_the_version_apart(embedder: Embedder) -> None:
    name, _, version = embedder.model.partition("@")

    assert name
    assert version


def test_a_query_is_one_vector_of_little_endian_float32(embedder: Embedder) -> None:
    assert 4 * embedder.dimensions == len(embedder.embed_query(FORT))


def test_a_short_document_is_one_window(embedder: Embedder) -> None:
    assert 1 == len(embedder.embed_document(FORT))


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_any_text_has_vectors_of_length_one(embedder: Embedder, text: str) -> None:
    windows = embedder.embed_document(text)

    assert 1 <= len(windows) <= 64
    for vector in [*windows, embedder.embed_query(text)]:
        assert pytest.approx(1, abs=1e-4) == math.hypot(*_values(embedder, vector))


def test_texts_beyond_the_limit_have_64_windows(embedder: Embedder) -> None:
    assert 64 == len(embedder.embed_document(ODD_TEXTS["beyond any limit"]))


def test_no_texts_have_no_vectors(embedder: Embedder) -> None:
    assert [] == embedder.embed_documents([])


def test_the_same_text_has_the_same_vector(embedder: Embedder) -> None:
    assert embedder.embed_query(FORT) == embedder.embed_query(FORT)


def test_many_texts_have_the_vectors_of_each_alone_in_their_order(embedder: Embedder) -> None:
    texts = [LONG, FORT, "", CAKE, FORT]

    assert [embedder.embed_document(t) for t in texts] == embedder.embed_documents(texts)


def test_threads_get_what_one_thread_gets(embedder: Embedder) -> None:
    texts = [f"{FORT}, as note {number} says" for number in range(40)]
    alone = [embedder.embed_query(text) for text in texts]

    with ThreadPoolExecutor(4) as threads:
        assert alone == list(threads.map(embedder.embed_query, texts))


def test_near_identical_texts_are_close_and_unrelated_ones_far(embedder: Embedder) -> None:
    fort, same, cake = (embedder.embed_query(t) for t in (FORT, SAME_FORT, CAKE))

    assert _cosine(embedder, fort, same) > 0.9
    assert _cosine(embedder, fort, cake) < 0.3


def test_what_stands_at_the_end_of_a_long_text_is_found_in_its_last_window(
    embedder: Embedder,
) -> None:
    query = embedder.embed_query(FORT)
    windows = embedder.embed_document(LONG + FORT)
    scores = [_cosine(embedder, query, window) for window in windows]

    assert len(windows) > 1
    assert len(windows) - 1 == scores.index(max(scores))
