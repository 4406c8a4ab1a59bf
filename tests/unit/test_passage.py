"""Of a long text, the passage that a query matches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.text.passage import cut_to_passage
from aforesaid.domain.text.token_budget import CHARS_PER_TOKEN, CUT_MARK

FILLER = " ".join(f"The crane of pier {number} was painted on a dry day." for number in range(200))
ANSWER = "The signal for a free berth is a green lantern."


@pytest.mark.parametrize("tokens", [30, 60, 500])
@pytest.mark.parametrize(
    "text", [f"{FILLER} {ANSWER}", f"{ANSWER} {FILLER}", FILLER[:4999] + ANSWER]
)
def test_the_matching_sentence_is_whole_wherever_it_is(text, tokens) -> None:
    passage = cut_to_passage(text, "which signal for a free berth?", tokens)

    assert ANSWER in passage
    assert len(passage) <= tokens * CHARS_PER_TOKEN


def test_a_synonym_of_the_query_is_a_match_too() -> None:
    text = f"{FILLER} The Postgres instance has two replicas. {FILLER}"

    assert "Postgres" in cut_to_passage(text, "which database", 40)


def test_of_a_sentence_longer_than_the_budget_the_matching_part_is_shown() -> None:
    text = FILLER.replace(".", ",").replace("pier 150", "pier 150 (the lantern)")

    assert "(the lantern)" in cut_to_passage(text, "lantern", 30)


def test_sentences_of_other_scripts_are_whole_as_well() -> None:
    filler = "今日は良い天気です。" * 100
    answer = "信号は緑の灯です。"
    passage = cut_to_passage(filler + answer + filler, "信号", 20)

    assert answer in passage


def test_without_a_match_the_beginning_is_shown() -> None:
    passage = cut_to_passage(FILLER, "zebra", 40)

    assert FILLER.startswith(passage.removesuffix(CUT_MARK))


@given(st.text(max_size=600), st.text(max_size=40), st.integers(1, 100))
def test_any_passage_fits_its_budget(text: str, query: str, tokens: int) -> None:
    assert len(cut_to_passage(text, query, tokens)) <= max(tokens * CHARS_PER_TOKEN, 4)
