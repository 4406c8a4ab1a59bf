"""Which sentences of a prompt are kept together, and for which projects they hold."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.joined_remarks import as_wish, is_topic, leans
from aforesaid.domain.digest.judged_prompt import is_of_project
from aforesaid.domain.digest.message_text import looks_pasted, split_sentences
from aforesaid.domain.digest.outcome import without_item
from aforesaid.domain.digest.stated_change import states_change


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("the desktop program reads from it", True),
        ("she does that part alone", True),
        ("never change the original row", True),
        ("our customers are dentists", False),
        ("the export has a header, and it is in capitals", False),
    ],
)
def test_a_sentence_leans_on_what_its_first_clause_does_not_name(sentence, expected):
    assert expected == leans(sentence)


@pytest.mark.parametrize(
    ("sentence", "expected"), [("the counter.", True), ("fix it", False), ("you do it", False)]
)
def test_a_topic_names_something_and_asks_for_nothing(sentence, expected):
    assert expected == is_topic(sentence)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("always connect them in _ready", True),
        ("no comments in this repo", True),
        ("ask me before you touch the parser", True),
        ("short answers, that's for everything we do", False),
    ],
)
def test_a_remark_on_files_and_identifiers_belongs_to_its_project(text, expected):
    assert expected == is_of_project(text, frozenset({"parse"}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("docker is out, we use the laptop", True),
        ("we go back to full images", True),
        ("opens 9 december, not the 2nd", True),
        ("not now", False),
        ("did they move it back to the host?", False),
    ],
)
def test_a_change_is_stated_and_not_asked(text, expected):
    assert expected == states_change(text)


def test_a_full_stop_after_no_ends_a_sentence_unless_a_number_follows():
    assert ["maybe, lol no.", "english comments"] == split_sentences(
        "maybe, lol no. english comments"
    )
    assert ["see no. 5 of the list"] == split_sentences("see no. 5 of the list")


def test_a_pasted_line_has_few_words():
    assert looks_pasted("database@sms  App\\Jobs\\Send  2025-11-19 07:02:11")
    assert not looks_pasted("two workers, one for mails")


def test_the_next_open_end_moves_up_when_the_first_is_closed():
    line = "Add an export; committed; left open: ask Ann; also open: the header"
    assert "Add an export; committed; left open: the header" == without_item(
        line, "left open: ask Ann"
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "hey, when you answer, can you tell me the why first and then the code?",
            "when you answer, tell me the why first and then the code",
        ),
        ("can you rename the column?", ""),
        ("can you explain that again today?", ""),
        ("why is the plan so long?", ""),
    ],
)
def test_a_question_may_be_a_wish_about_how_to_answer(question, expected):
    assert expected == as_wish(question)
