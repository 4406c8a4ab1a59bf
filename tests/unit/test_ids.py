"""Ids: order, short forms, and what people write."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.ids import ALPHABET, code_of, next_uuid7, read_reference, short_form

times = st.integers(-10, 2**47)
chances = st.binary(min_size=10, max_size=10)


@given(times, chances)
def test_an_id_is_a_uuid_of_version_7_that_carries_its_time(now: int, chance: bytes) -> None:
    made = next_uuid7(None, now, chance)
    read = uuid.UUID(made)

    assert (7, uuid.RFC_4122, made) == (read.version, read.variant, str(read))
    assert max(now, 0) == read.int >> 80


@given(st.lists(st.tuples(times, chances), min_size=2, max_size=20))
def test_ids_rise_whatever_the_clock_does(moments: list[tuple[int, bytes]]) -> None:
    issued: list[str] = []
    for now, chance in moments:
        issued.append(next_uuid7(issued[-1] if issued else None, now, chance))

    assert sorted(set(issued)) == issued


def test_ids_of_one_moment_differ_without_being_told_of_each_other() -> None:
    assert 1_000 == len({next_uuid7(None, 1) for _ in range(1_000)})


@given(times, chances)
def test_the_code_is_the_whole_id_from_its_end(now: int, chance: bytes) -> None:
    made = next_uuid7(None, now, chance)
    value = 0
    for letter in reversed(code_of(made)):
        value = value * 32 + ALPHABET.index(letter)

    assert uuid.UUID(made).int == value


@pytest.mark.parametrize(
    ("neighbours", "expected"),
    [
        ((None, None), 4),
        (("000", "zzz"), 4),
        (("abcd", None), 5),
        ((None, "abcdef"), 7),
        (("abcde", "abcdef"), 7),
    ],
)
def test_the_short_form_is_as_long_as_its_neighbours_make_it(neighbours, expected: int) -> None:
    mine = "abcdefghjk".ljust(26, "0")
    filled = tuple(
        None if neighbour is None else neighbour.ljust(26, "1") for neighbour in neighbours
    )

    assert mine[:expected][::-1] == short_form(mine, filled)


@given(times, chances, st.integers(4, 26))
def test_any_end_of_an_id_reads_as_the_start_of_its_code(now, chance, length) -> None:
    code = code_of(next_uuid7(None, now, chance))

    assert (None, code[:length]) == read_reference(code[:length][::-1])


@pytest.mark.parametrize("written", ["K3F9", " k3f9 ", "[k3f9]", "#k3f9", "`k3f9`", '"k3f9"'])
def test_brackets_blanks_and_case_do_not_matter(written: str) -> None:
    assert (None, "9f3k") == read_reference(written)


def test_letters_that_look_like_digits_are_read_as_digits() -> None:
    assert read_reference("0110") == read_reference("OilO")


@pytest.mark.parametrize("cut", ["", "-"])
def test_a_whole_id_is_read_with_or_without_its_dashes(cut: str) -> None:
    made = next_uuid7(None, 1_700_000_000_000)

    assert (made, None) == read_reference(made.upper().replace("-", cut))


@pytest.mark.parametrize(
    "written",
    ["", "   ", "abc", "k3u9", "k3f9!", "k3f9 k3f8", "..", "x" * 27, "\ud800abc", "\0\0\0\0",
     "数据库中", "' OR 1=1", "%%%%", "k" * 10_000],
)  # fmt: skip
def test_what_is_no_id_is_refused_in_our_words(written: str) -> None:
    with pytest.raises(InvalidInputError, match="not a memory id"):
        read_reference(written)
