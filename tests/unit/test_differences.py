"""The differences of two texts, by words and by lines."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.text.differences import (
    ADDED,
    MAX_PARTS,
    REMOVED,
    SAME,
    compare_lines,
    compare_words,
)

TEXTS = st.lists(st.sampled_from(["a", "b", "the", ",", " ", "\n", "queue"]), max_size=30).map(
    "".join
)


def kinds(parts):
    return [(part.kind, part.text) for part in parts]


def test_changed_words_stand_together():
    parts = compare_words("The queue is Rabbit MQ.", "The queue is NATS.")
    assert [
        (SAME, "The queue is "), (REMOVED, "Rabbit MQ"), (ADDED, "NATS"), (SAME, "."),
    ] == kinds(parts)  # fmt: skip


def test_words_that_are_only_added_leave_the_rest():
    assert [(SAME, "a b"), (ADDED, " c")] == kinds(compare_words("a b", "a b c"))
    assert [] == compare_words("", "")


@given(TEXTS, TEXTS)
def test_both_texts_can_be_read_from_their_differences(before, after):
    parts = compare_words(before, after)
    assert before == "".join(part.text for part in parts if part.kind != ADDED)
    assert after == "".join(part.text for part in parts if part.kind != REMOVED)


def test_lines_that_differ_are_shown_with_some_around():
    before = [f"line {number}" for number in range(1, 21)]
    after = [*before[:9], "changed", *before[10:]]
    parts = compare_lines(before, after, around=1)
    assert [
        (SAME, "line 9", 9), (REMOVED, "line 10", 10), (ADDED, "changed", 10),
        (SAME, "line 11", 11),
    ] == [(part.kind, part.text, part.line) for part in parts]  # fmt: skip


def test_long_texts_replace_each_other_as_a_whole():
    before, after = ["a"] * MAX_PARTS, ["a"] * (MAX_PARTS - 1)
    assert {REMOVED, ADDED} == {part.kind for part in compare_lines(before, after)}
