"""One sentence on two subjects is two remarks."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.clauses import are_apart, divide, divide_all


def cosine_of(value: float | None):
    return lambda _text, _other: value


UNRELATED, RELATED = cosine_of(0.0), cosine_of(0.4)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "never deploy on Fridays; I like reading diffs with my coffee",
            ["never deploy on Fridays;", "I like reading diffs with my coffee"],
        ),
        (
            "prices are kept in cents, and by the way my train was late",
            ["prices are kept in cents;", "my train was late"],
        ),
        (
            "Preise stehen immer in Cent, und heute regnet es wieder",
            ["Preise stehen immer in Cent;", "heute regnet es wieder"],
        ),
        (
            "logs are in JSON here; my chair squeaks badly and it drives me nuts",
            ["logs are in JSON here;", "my chair squeaks badly and it drives me nuts"],
        ),
    ],
)
def test_clauses_on_different_subjects_are_divided(sentence, expected):
    assert expected == divide(sentence, UNRELATED)


@pytest.mark.parametrize(
    "sentence",
    [
        "the staging db moved to db-4; its port is still 5433",  # leans
        "we branch off from develop; develop is what staging runs",  # a common word
        "wait for the mail, run the job, and tell the people downstairs",  # a list
        "our customers are in Europe, so day first in all dates",  # a conclusion
        "we pin every dependency; no surprises",  # a few words
    ],
)
def test_clauses_that_need_each_other_stay_one_sentence(sentence):
    assert [sentence] == divide(sentence, UNRELATED)


def test_likeness_keeps_clauses_together_and_without_a_model_nothing_is_divided():
    first, second = "never deploy on Fridays", "I like reading diffs with my coffee"

    assert are_apart(first, second, UNRELATED)
    assert not are_apart(first, second, RELATED)
    assert not are_apart(first, second, cosine_of(None))
    assert [f"{first}; {second}"] == divide_all([f"{first}; {second}"], None)
