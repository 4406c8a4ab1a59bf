"""In which order memories answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.model.memory import Hit
from aforesaid.domain.retrieval.fusion import WEIGHTS, SearchCandidate, best_first, boost, fuse
from aforesaid.domain.retrieval.ranking import explain
from factories import DAY, NOON, make_memory


def hit(key: int, score: float, head: int | None = None) -> Hit:
    return Hit(key=key, head=head or key, score=score)


def test_what_both_words_and_meaning_find_comes_first() -> None:
    ranking = fuse([hit(1, 8.0), hit(2, 8.0)], [hit(2, 0.9), hit(3, 0.9)])

    assert [2, 3, 1] == [
        memory.head for memory in ranking
    ]  # what is as good by meaning before the rest


@pytest.mark.parametrize(
    ("words", "vectors"), [([hit(1, 3.0), hit(2, 1.5)], []), ([], [hit(1, 0.8), hit(2, 0.5)])]
)
def test_where_one_side_finds_nothing_the_other_counts_whole(words, vectors) -> None:
    ranking = fuse(words, vectors)

    assert [1, 2] == [memory.head for memory in ranking]
    assert pytest.approx(1.0) == ranking[0].score


def test_nothing_found_is_nothing_fused() -> None:
    assert [] == fuse([], [])


def test_versions_of_one_chain_answer_once_by_the_best_match() -> None:
    ranking = fuse([hit(1, 4.0, head=9), hit(9, 2.0)], [hit(9, 0.5)])

    assert [(9, 1)] == [(memory.head, memory.matched) for memory in ranking]


def test_a_cosine_that_says_nothing_finds_nothing() -> None:
    assert [] == fuse([], [hit(1, WEIGHTS.near - 0.01), hit(2, -0.4)])


def test_a_cosine_that_says_little_finds_but_does_not_count() -> None:
    ranking = fuse([hit(9, 1.0)], [hit(1, WEIGHTS.near), hit(2, WEIGHTS.near + 0.05)])

    assert [(9, 0.5), (2, 0.0), (1, 0.0)] == [(memory.head, memory.score) for memory in ranking]


def test_ties_break_by_head() -> None:
    assert [1, 2, 3] == [
        memory.head for memory in fuse([hit(3, 1.0), hit(1, 1.0), hit(2, 1.0)], [])
    ]


hits = st.lists(
    st.builds(
        Hit, key=st.integers(1, 8), head=st.integers(1, 8), score=st.floats(-1, 1, allow_nan=False)
    ),
    max_size=8,
)


@given(hits, hits)
def test_scores_stay_in_range_and_in_order_whatever_was_found(words, vectors) -> None:
    ranking = fuse(words, vectors)

    assert all(-1e-9 <= item.score <= 1 + 1e-9 for item in ranking)
    assert sorted(ranking, key=best_first) == ranking
    assert len({memory.head for memory in ranking}) == len(ranking)


def test_boosts_are_gentle() -> None:
    candidate = SearchCandidate(head=1, matched=1, score=0.5)
    plain = make_memory(at=NOON, importance=0.0)
    kept = make_memory(at=NOON, importance=1.0, access_count=50, pinned=True)
    later = NOON + 400 * DAY

    assert pytest.approx(0.475) == boost(candidate, plain, later).score
    assert pytest.approx(0.475 + 0.05 + WEIGHTS.pinned) == boost(candidate, kept, later).score
    assert (
        pytest.approx(0.95 + 0.05 + WEIGHTS.pinned)
        == boost(candidate.replace(score=1.0), kept, NOON).score
    )


def test_why_tells_ranks_shares_and_boosts_in_words() -> None:
    memory = make_memory(2, pinned=True, importance=1.0)
    words = [hit(1, 4.0), hit(9, 2.0, head=2)]
    results = {
        item.head: boost(item, memory, NOON) for item in fuse(words, [hit(2, 0.4), hit(3, 0.3)])
    }

    text = "words rank 2 (0.50), meaning best (0.40), retention +0.05, pinned +0.02"
    assert f"{text}, an older version matched" == explain(results[2])
    assert "meaning rank 2 (0.30)" in explain(results[3])
    assert "words best (1.00)" in explain(results[1])
    assert "meaning" not in explain(results[1])
