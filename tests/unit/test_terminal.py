"""Texts made to fit a terminal: cells, cutting, wrapping, columns, numbers and times."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.text.pluralize import pluralize
from aforesaid.entrypoints.cli.common import text_of
from aforesaid.entrypoints.cli.terminal import (
    column_widths,
    display_width,
    pad,
    size_text,
    time_text,
    truncate,
    wrap,
)

TEXTS = st.text(st.sampled_from("abc é日本…\n /-\u0301"), max_size=120)


def test_nothing_that_is_shown_steers_the_terminal() -> None:
    evil = "a\x1b[31mb\x07\x9bc\u202ed\x7f\tGröße"
    assert ["abcd\tGröße"] == wrap(evil, 0)
    assert ["abcd\tGröße"] == wrap(evil, 40)
    assert "name: abcd Größe" == text_of({"name": [evil]})


def test_wide_letters_take_two_cells_and_marks_none() -> None:
    assert [4, 5, 1] == [display_width("日本"), display_width("Größe"), display_width("e\u0301")]


@given(TEXTS, st.integers(1, 40))
def test_what_is_cut_fits_and_begins_as_it_did(text: str, room: int) -> None:
    short = truncate(text, room)
    assert display_width(short) <= max(room, 1)
    assert text == short or text.startswith(short.removesuffix("…"))


@given(TEXTS, st.integers(8, 40), st.integers(0, 6))
def test_wrapping_loses_no_word_and_only_a_word_without_end_is_too_long(text, room, hang) -> None:
    lines = wrap(text, room, hang)
    assert "".join(text.split()) == "".join("".join(lines).split())
    for line in lines:
        assert display_width(line) <= room or len(line.split()) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("one two three", ["one two", "  three"]),
        ("  - one two three", ["  - one", "    two", "    three"]),
        ("name  one two", ["name  one", "  two"]),
        ("see /a/path/without/end now", ["see", "  /a/path/without/end", "  now"]),
        ("日本語日本語日本語", ["日本語日本", "  語日本語"]),
        ("", [""]),
    ],
)
def test_lines_break_at_blanks_and_hang(text: str, expected: list[str]) -> None:
    assert expected == wrap(text, 10, 2)


def test_into_a_pipe_nothing_is_broken() -> None:
    assert ["a line " * 40] == wrap("a line " * 40, 0, 2)


def test_the_widest_column_gives_way_and_ids_stay_whole() -> None:
    rows = [["id", "date", "memory count", "memory"], ["k3f9", "2026-11-22", "12", "x" * 200]]
    assert [4, 10, 12, 200] == column_widths(rows, 0)
    assert [4, 10, 6, 34] == column_widths(rows, 60)


def test_a_table_that_fits_keeps_its_headings_on_one_line() -> None:
    assert [4, 12] == column_widths([["id", "memory count"], ["k3f9", "12"]], 18)


@given(st.lists(st.integers(0, 80), min_size=1, max_size=8), st.integers(90, 200))
def test_a_table_fits_where_its_columns_can_give_way(sizes: list[int], room: int) -> None:
    widths = column_widths([["h"] * len(sizes), ["x" * size for size in sizes]], room)
    assert sum(widths) + 2 * (len(widths) - 1) <= room


def test_counts_sizes_and_times_are_said_as_people_do(monkeypatch) -> None:
    assert ["1 memory", "2 memories", "1,000 steps"] == [
        pluralize(1, "memory", "memories"),
        pluralize(2, "memory", "memories"),
        pluralize(1000, "step"),
    ]
    assert ["0 kB", "93 kB", "0.4 MB", "51.6 GB"] == [
        size_text(size) for size in (0, 92_800, 370_808, 51_600_000_000)
    ]
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    try:
        assert "2026-11-22 16:08" == time_text("2026-11-22T10:38:38Z")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert "on 2026-11-22T10:38:38Z" == time_text("on 2026-11-22T10:38:38Z")


def test_numbers_stand_at_the_right() -> None:
    assert [" 12", "12 "] == [pad("12", 3, right=True), pad("12", 3)]


def test_a_column_whose_values_are_typed_in_commands_is_never_cut():
    rows = [["name", "key"], ["n" * 50, "k" * 60]]
    assert [39, 39] == column_widths(rows, 80)
    assert [50, 28] == column_widths(rows, 80, [0])
    assert [50, 60] == column_widths(rows, 80, [0, 1])
