"""What a question's vector becomes before it is compared."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest
from bench.query_map.examples import Example
from bench.query_map.fit import fit_map, identity

from aforesaid.adapters.embedding.query_projection import QueryProjection
from aforesaid.domain.errors import CorruptError

NEAR, FAR = (0.6, 0.8, 0.0), (0.8, 0.0, 0.6)


def packed(*values: float) -> bytes:
    return struct.pack(f"<{len(values)}f", *values)


def values(vector: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(vector) // 4}f", vector))


def read(table: np.ndarray) -> QueryProjection:
    return QueryProjection(np, table.astype("<f2").tobytes(), table.shape[1])


def test_a_map_that_learned_nothing_changes_nothing() -> None:
    assert pytest.approx(NEAR, abs=1e-6) == values(read(identity(3)).apply(packed(*NEAR)))


def test_the_last_row_is_added_by_half_and_the_length_stays_one() -> None:
    table = identity(3)
    table[3] = (0.0, 0.0, 2.0)

    turned = values(read(table).apply(packed(1.0, 0.0, 0.0)))

    assert pytest.approx([math.sqrt(0.5), 0.0, math.sqrt(0.5)]) == turned


def test_a_vector_that_would_vanish_stays_as_it_is() -> None:
    nothing = np.zeros((4, 3))

    assert packed(*NEAR) == read(nothing).apply(packed(*NEAR))


def test_a_file_of_another_size_is_refused() -> None:
    with pytest.raises(CorruptError, match="no map of 3 dimensions"):
        QueryProjection(np, b"\0" * 10, 3)


def test_what_answers_comes_nearer_by_learning() -> None:
    question = np.array((1.0, 0.0, 0.0), np.float32)
    texts = np.array((NEAR, FAR), np.float32)
    example = Example("one", 0, question, texts, np.array((True, False)))

    turned = np.array(values(read(fit_map([example])).apply(question.tobytes())))

    assert question @ texts[0] < question @ texts[1]
    assert turned @ texts[0] > turned @ texts[1]
