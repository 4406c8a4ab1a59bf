"""Which sentences of a prompt are kept together, and for which projects they hold."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.clauses import leans
from aforesaid.domain.digest.joined_remarks import as_wish, is_topic
from aforesaid.domain.digest.judged_prompt import is_of_project
from aforesaid.domain.digest.message_text import looks_pasted, split_sentences
from aforesaid.domain.digest.outcome import without_item
from aforesaid.domain.digest.sentence_classifier import is_temporary, matches, only_extends_scope
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
        ("never log `token`, in all my repos", False),
        ("keine Kundendaten in test_parser.py; in keinem Projekt", False),
    ],
)
def test_a_remark_on_files_and_identifiers_belongs_to_its_project(text, expected):
    assert expected == is_of_project(text, frozenset({"parse"}))


@pytest.mark.parametrize(
    "text",
    [
        "the footer says Refs: AB-12, all repos",
        "in no repo",
        "not only here, generally",
        "push never, everywhere",
        "gilt immer",
        "nirgends, in keinem Projekt",
        "dans tous mes dépôts",
        "pas seulement ici",
        "en ningún proyecto",
        "no solo aquí",
    ],
)
def test_a_remark_can_say_that_it_holds_in_all_projects(text):
    assert matches(text, "all_projects")


@pytest.mark.parametrize(
    "text",
    [
        "use deferrable=True everywhere in the DAGs",
        "the endpoint lists all projects of the customer",
        "this repo is generated",
        "en todo caso usa make",
    ],
)
def test_a_remark_on_everything_in_one_project_does_not(text):
    assert not matches(text, "all_projects")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in all my repos", True),
        ("nirgends, in no repo.", True),
        ("that goes for both", True),
        ("the token is rotated in all my repos", False),
    ],
)
def test_a_few_words_may_only_say_where_the_sentence_before_holds(text, expected):
    assert expected == only_extends_scope(text)


@pytest.mark.parametrize(
    ("text", "is_personal", "expected"),
    [
        ("before we start, tell me the plan", True, False),
        ("before we start, tell me the plan", False, True),
        ("tell me the plan first in this repo", True, True),
        ("we need no alias", True, True),
    ],
)
def test_we_names_no_project_in_a_wish_about_answers_and_work(text, is_personal, expected):
    assert expected == is_of_project(text, frozenset(), is_personal=is_personal)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I am on the train from now on, so nothing more today", True),
        ("ich bin gerade im Zug, heute nichts mehr", True),
        ("je suis dans le train, plus rien ce soir", True),
        ("from today the number moves to a trailer", False),
        ("I am on Windows and never use WSL", False),
    ],
)
def test_where_the_person_is_today_holds_for_the_moment_and_from_today_does_not(text, expected):
    assert expected == is_temporary(text)


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
