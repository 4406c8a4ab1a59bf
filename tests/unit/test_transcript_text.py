"""How texts are bounded and cleaned before anything keeps them."""

from __future__ import annotations

import pytest

from aforesaid.domain.model.transcript import bounded, cut, relevant_lines, user_words


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 10, "short"),
        ("one two three", 8, "one two…"),
        ("one two three", 9, "one two…"),
        ("onetwothree", 5, "…"),
        ("one twothree", 6, "one…"),
    ],
)
def test_text_is_cut_between_words(text, limit, expected):
    assert expected == cut(text, limit)


def test_a_long_text_keeps_its_start_and_its_end():
    text = " ".join(f"w{number}" for number in range(500))
    kept = bounded(text, 300)
    assert kept.startswith("w0 w1 ")
    assert kept.endswith(" w498 w499")
    assert len(kept) <= 305


def test_of_long_output_the_first_last_and_telling_lines_stay():
    lines = ["start", *(f"noise {number}" for number in range(400)), "E   ValueError: bad"]
    lines += [*(f"noise {number}" for number in range(400)), "1 failed, 2 passed"]
    kept = relevant_lines("\n".join(lines))[0].split("\n")
    assert kept[0] == "start"
    assert "E   ValueError: bad" in kept
    assert kept[-1] == "1 failed, 2 passed"
    assert len(kept) < 40


def test_output_of_terminals_loses_its_colours():
    assert relevant_lines("\x1b[31mFAILED\x1b[0m x") == ("FAILED x", 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("fix it", "fix it"),
        ("<ide_selection>code</ide_selection>fix it", "fix it"),
        ("fix <b>it</b>", "fix <b>it</b>"),
        ("fix <my-tag>it", "fix  it"),
        ("a <x-y>1</x-y> b <x-y>2</x-y> c", "a   b   c"),
        ("<system-reminder>never closed, fix it", ""),
        ("[Image #1] fix it", "fix it"),
        ("is a < b and c-d > e?", "is a < b and c-d > e?"),
    ],
)
def test_only_what_the_person_said_stays(text, expected):
    assert expected == user_words(text)[0]


def test_the_private_tag_can_be_another():
    assert ("keep", 1) == user_words("keep <geheim>this</geheim>", "geheim")


def test_many_tags_that_never_close_take_no_time():
    text = " ".join(f"<a-{number}>" for number in range(60_000))
    assert len(user_words(text)[0]) > 1000
