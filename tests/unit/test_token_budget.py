"""Budgets: what text costs, and how it is cut."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.text.token_budget import CUT_MARK, count_tokens, cut_to_tokens


def test_a_token_is_a_quarter_of_the_characters_rounded_up() -> None:
    assert [0, 1, 1, 2, 250] == [count_tokens("x" * n) for n in (0, 1, 4, 5, 1_000)]


def test_text_within_its_budget_is_untouched() -> None:
    assert "x" * 40 == cut_to_tokens("x" * 40, 10)


def test_a_cut_says_so_and_falls_between_words() -> None:
    cut = cut_to_tokens("word " * 100, 50)

    assert cut.endswith("word" + CUT_MARK)


@given(st.text(max_size=600), st.integers(len(CUT_MARK) // 4 + 1, 200))
def test_a_cut_text_fits_and_starts_like_the_whole(text: str, budget: int) -> None:
    cut = cut_to_tokens(text, budget)

    assert count_tokens(cut) <= budget
    assert text.startswith(cut.removesuffix(CUT_MARK))
