"""How a long text is cut."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.adapters.embedding.chunking import MAX_WINDOWS, cut_windows

PIECES = st.lists(st.booleans(), max_size=600)
SIZES = st.integers(min_value=1, max_value=100)


def test_what_fits_is_one_window() -> None:
    assert [(0, 10)] == cut_windows([True] * 10, size=10, overlap=3)


def test_nothing_is_one_empty_window() -> None:
    assert [(0, 0)] == cut_windows([], size=10, overlap=3)


def test_neighbours_overlap() -> None:
    assert [(0, 10), (7, 17), (14, 20)] == cut_windows([True] * 20, size=10, overlap=3)


def test_a_window_ends_and_starts_between_words() -> None:
    # Words of three pieces start at 0, 3, 6, 9 and so on.
    opens_word = [index % 3 == 0 for index in range(20)]

    assert [(0, 9), (6, 15), (12, 20)] == cut_windows(opens_word, size=10, overlap=4)


def test_a_word_longer_than_a_window_is_cut_where_it_must() -> None:
    opens_word = [True] + [False] * 19

    assert [(0, 10), (7, 17), (14, 20)] == cut_windows(opens_word, size=10, overlap=3)


def test_an_overlap_of_half_a_window_is_refused() -> None:
    with pytest.raises(ValueError, match="overlap 5 is not between 0 and half the window size 10"):
        cut_windows([True] * 20, size=10, overlap=5)


@given(opens_word=PIECES, size=SIZES, data=st.data())
def test_windows_are_in_order_fit_and_leave_nothing_between(
    opens_word: list[bool], size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(min_value=0, max_value=(size - 1) // 2))
    windows = cut_windows(opens_word, size=size, overlap=overlap)

    assert 0 == windows[0][0]
    assert all(end - start <= size for start, end in windows)
    for (start, end), (next_start, next_end) in pairwise(windows):
        assert start < next_start <= end < next_end
        assert end - next_start <= overlap
    assert len(opens_word) == windows[-1][1] or MAX_WINDOWS == len(windows)


@given(count=st.integers(min_value=0, max_value=20_000), size=st.integers(10, 50))
def test_there_are_never_more_windows_than_the_limit(count: int, size: int) -> None:
    assert 1 <= len(cut_windows([True] * count, size=size, overlap=3)) <= MAX_WINDOWS
