"""When two names are one, and which a question may hold."""

from __future__ import annotations

import pytest

from aforesaid.adapters.name_matcher import RapidfuzzNameMatcher
from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.entity import (
    MAX_ALIASES,
    NAME_CHARS,
    check_aliases,
    check_name,
    differ_in_number,
    first_name,
    first_names_in,
    may_mean_person,
    names_in,
    normalise_name,
    spaced_name,
)


@pytest.mark.parametrize(
    "same",
    [
        ["user_preferences", "User Preferences", "user-preferences", "UserPreferences"],
        ["Alice", "alice's", "ALICE\u2019s", '"Alice"', " alice "],
        ["the users", "The users'"],
        ["\uff21\uff30\uff29", "api"],
        ["Straße", "STRASSE"],
        ["node\u2010red", "Node RED"],
    ],
)
def test_names_that_differ_in_case_breaks_and_possessives_are_one(same):
    assert 1 == len({normalise_name(name) for name in same})


@pytest.mark.parametrize(
    ("first", "other"),
    [("C", "C++"), ("C#", "C"), (".NET", "net"), ("1-2", "12"), ("v1", "v2"), ("Anna", "Ana")],
)
def test_names_that_differ_in_what_they_say_are_two(first, other):
    assert normalise_name(first) != normalise_name(other)


def test_a_name_is_compared_by_its_words_and_my_means_the_user():
    assert "payment service" == spaced_name("PaymentService") == spaced_name("payment_service")
    assert "user preferences" == spaced_name("my preferences")


@pytest.mark.parametrize("name", ["", " ", "---", "''", "_", "x" * (NAME_CHARS + 1)])
def test_what_is_no_name_is_refused(name):
    with pytest.raises(InvalidInputError):
        check_name(name)


def test_aliases_are_kept_once_and_bounded():
    assert ("CRM", "customer base") == check_aliases(["CRM", "crm", "customer  base"])
    with pytest.raises(InvalidInputError):
        check_aliases([f"alias {n}x" for n in range(MAX_ALIASES + 1)])


def test_a_question_holds_every_run_of_its_words_but_no_lone_pronoun():
    results = names_in("What does my payment-service cost?")
    assert {"paymentservice", "mypaymentservice", "cost", "doesmypaymentservice"} <= set(results)
    assert "my" not in results
    assert [] == names_in(" ?!")


def test_other_numbers_are_no_slip():
    assert differ_in_number("api v1", "api v2")
    assert not differ_in_number("api v1", "apis v1")


def test_likeness_takes_slips_and_order_and_in_a_search_other_words_and_beginnings():
    known = ["grace miller", "clarity", "kubernetes", "postgres"]
    match = RapidfuzzNameMatcher()

    assert [0] == [index for index, _score in match.near("miller grace", known, 0.8)]
    assert [2] == [index for index, _score in match.near("kubernets", known, 0.8)]
    assert [] == match.near("clarity project", known, 0.8)
    assert (1, 0.95) == match.search("clarity project", known, 0.7)[0]
    assert (3, 0.9) == match.search("post", known, 0.7)[0]
    assert [] == match.search("weather", known, 0.7)


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Marta Oliveira", "marta"),
        ("Ludwig van Beethoven", "ludwig"),
        ("Ada L.", "ada"),
        ("Conor O'Neill", "conor"),
        ("Marta", ""),
        ("API Gateway", ""),
        ("Payments API", ""),
        ("Server 2", ""),
        ("marta oliveira", ""),
        ("The very long name of something", ""),
        ("", ""),
    ],
)
def test_a_full_name_has_a_first_name(name, first):
    assert first == first_name(name)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("who is marta", ["marta"]),
        ("Who owns Marta's cluster?", ["owns", "marta", "cluster"]),
        ("what does Marta own", ["marta"]),
        ("what does marta own", []),
        ("Which queue do we use", []),
    ],
)
def test_a_query_may_contain_first_names(question, names):
    assert names == first_names_in(question)


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("Mendez", "Carlos Mendez", True),
        ("Ana", "Ana Lopez", True),
        ("Ana Maria Lopez", "Ana Lopez", True),
        ("Ana Lopez", "Ana Maria Lopez", True),
        ("Ana Garcia", "Ana Lopez", False),
        ("Maria", "Ana Maria Lopez", False),
        ("Gateway", "API Gateway", False),
    ],
)
def test_a_part_of_a_full_name_may_mean_the_person(name, known, expected) -> None:
    assert expected == may_mean_person(name, known)
