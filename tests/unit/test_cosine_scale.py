"""Cosines of any model on the shipped model's scale, for which all weights are made."""

from __future__ import annotations

import pytest
from bench.hashed_embedder import HashedEmbedder
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.adapters.embedding.onnx import open_shipped
from aforesaid.domain.model.embedding_model import (
    PROBES,
    REFERENCE_HIGH,
    REFERENCE_LOW,
    SHIPPED_HIGH,
    SHIPPED_LOW,
    SHIPPED_MODEL,
    Model,
    calibrate_cosine,
    reference_cosines,
    scale_in_words,
)

cosines = st.floats(-1, 1)


def measured(embedder) -> tuple[float, float]:
    questions = [embedder.embed_query(question) for question, _ in PROBES]
    return reference_cosines(questions, [embedder.embed_document(item)[0] for _, item in PROBES])


def test_the_scale_is_what_the_shipped_model_says() -> None:
    assert pytest.approx((SHIPPED_LOW, SHIPPED_HIGH), abs=0.005) == measured(open_shipped())


def test_what_another_model_means_for_floors_is_said_and_nothing_of_the_shipped_one() -> None:
    assert "" == scale_in_words(Model(name="ours"))
    shipped = Model(name=f"{SHIPPED_MODEL}@1", low=SHIPPED_LOW, high=SHIPPED_HIGH)
    assert "" == scale_in_words(shipped)
    report = scale_in_words(Model(name="other", source="/m", low=0.71, high=0.84))
    assert "0.84 for related texts, 0.71 for unrelated ones" in report
    assert "retrieval.floor" in report
    assert "model use shipped" in scale_in_words(Model(name="bad", source="/m", low=0.8, high=0.8))


def test_what_is_usual_for_a_model_is_what_is_usual_for_ours() -> None:
    assert pytest.approx(REFERENCE_LOW) == calibrate_cosine(0.7, 0.7, 0.85)
    assert pytest.approx(REFERENCE_HIGH) == calibrate_cosine(0.85, 0.7, 0.85)
    assert pytest.approx(1.0) == calibrate_cosine(1.0, 0.7, 0.85)


@given(first=cosines, other=cosines, low=st.floats(-0.2, 0.9), high=st.floats(-0.2, 0.99))
def test_the_order_never_changes(first, other, low, high) -> None:
    before, after = sorted((first, other))

    assert calibrate_cosine(before, low, high) <= calibrate_cosine(after, low, high)
    assert -1 <= calibrate_cosine(first, low, high) <= 1 + 1e-9


def test_a_model_that_nothing_is_known_of_is_taken_as_ours() -> None:
    assert 0.3 == calibrate_cosine(0.3, None, None)
    assert 0.3 == calibrate_cosine(0.3, 0.9, 0.2)


def test_probes_that_belong_together_are_nearer_than_others() -> None:
    low, high = measured(HashedEmbedder())

    assert low < high
