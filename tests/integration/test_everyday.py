"""How everyday a prompt is: told by the shipped model's vectors, and by no other's."""

from __future__ import annotations

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.embedding.onnx import OnnxEmbedder, open_shipped
from aforesaid.domain.retrieval.prompt_relevance import MODEL, generic_prompt_log_odds


@pytest.fixture(scope="module")
def shipped() -> OnnxEmbedder:
    return open_shipped()


@pytest.mark.parametrize(
    ("usual", "special"),
    [
        ("undo my last commit, but keep the files", "raise the limit of plants for free users"),
        ("write a regex for an e-mail address", "settlement for the bank is stuck again"),
        ("what is a closure?", "which alarm goes off when the greenhouse is too warm"),
    ],
)
def test_what_anybody_may_type_is_more_everyday_than_what_calls_for_a_project(
    shipped, usual, special
) -> None:
    assert MODEL == shipped.model
    first, second = (
        generic_prompt_log_odds(shipped.embed_query(text), shipped.model)
        for text in (usual, special)
    )
    assert max(second, 0.0) < first - 0.5


def test_of_another_model_s_vectors_nothing_is_known() -> None:
    hashed = HashedEmbedder()
    assert 0.0 == generic_prompt_log_odds(hashed.embed_query("what is a closure?"), hashed.model)
