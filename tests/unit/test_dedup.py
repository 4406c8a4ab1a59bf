"""The judgement of the duplicate gate: nothing that differs is merged, plain repeats are caught."""

from __future__ import annotations

import pytest
from bench.duplicates.__main__ import part_of, read_pairs

from aforesaid.domain.dedup import differences, same_statement

PAIRS = read_pairs()


def test_the_labelled_set_is_large_and_both_parts_hold_both_labels():
    assert len(PAIRS) >= 240
    assert {(part_of(pair), pair["label"]) for pair in PAIRS} == {
        (part, label) for part in ("dev", "test") for label in ("same", "different")
    }


def test_no_differing_pair_of_the_labelled_set_is_merged():
    merged = [
        pair["id"]
        for pair in PAIRS
        if pair["label"] == "different" and same_statement(pair["a"], pair["b"])
    ]
    assert merged == []


@pytest.mark.parametrize("part", ["dev", "test"])
def test_four_in_five_true_repeats_of_the_labelled_set_are_caught(part):
    repeats = [pair for pair in PAIRS if pair["label"] == "same" and part_of(pair) == part]
    caught = [pair for pair in repeats if same_statement(pair["a"], pair["b"])]
    assert len(caught) / len(repeats) >= 0.8


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        ("Port 5432.", "Port 5433.", 'number: "5432" / "5433"'),
        ("Use Redis.", "Do not use Redis.", 'negation: nothing / "not"'),
        ("Enable it.", "Disable it.", 'opposites: "enable" / "disable"'),
        ("You must ask.", "You should ask.", 'obligation: "must" / "should"'),
        ("In /etc/a.", "In /etc/b.", 'path: "/etc/a" / "/etc/b"'),
        ("Wait 5 seconds.", "Wait 5 minutes.", 'unit: "seconds" / "minutes"'),
        ("Run all tests.", "Run some tests.", 'scope: "all" / "some"'),
        ("Ask Alice.", "Ask Bob.", 'name: "Alice" / "Bob"'),
        ("The log is `a b`.", "The log is `a c`.", 'quoted text: "b" / "c"'),
        ("X calls Y.", "Y calls X.", 'order of words: "X" / "Y" in the same place'),
        ("Never deploy. On Friday test.", "Never deploy on Friday. Test.", None),
    ],
)
def test_what_differs_is_said_in_words(a, b, text):
    results = differences(a, b)
    assert results
    assert text is None or text in results


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ('Indent with "  ".', 'Indent with "    ".'),
        ("ports 5 - 10", "ports 5, 10"),
        ("Release tags look like v1.2.3", "Release tags look like 1.2.3"),
        ("Admins who are on call get paged", "Admins, who are on call, get paged"),
        ("Der Job tut nichts", "Der Job tut nicht"),
        ("It opens at 2pm. Never deploy.", "It opens at 2pm never deploy."),
        ("if x:\n    a\n    b", "if x:\n    a\nb"),
        ("We use The Graph", "We use Graph"),
        ("the column userId", "the column userID"),
        ("use our fork", "use a fork"),
        ("talk to each other", "talk to every other"),
        ("x > 5", "x < 5"),
        ("sqrt(x) is cached", "sqrt(y) is cached"),
        ("The service is owned by all teams", "All teams own some service"),
        ("wait 5 m", "wait 5 min"),
        ("", "something"),
    ],
)
def test_small_marks_that_carry_meaning_keep_texts_apart(a, b):
    assert not same_statement(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("", ""),
        ("Node v18", "Node 18"),
        ("Please note that we're using k8s.", "We use Kubernetes"),
        ("The window opens at 2 p.m. on Friday", "The window opens at 14:00 on Friday"),
        ("Due 5 March 2026", "Due March 5, 2026"),
        ("Before a release, run the smoke tests.", "Run the smoke test before a release"),
        ("Auth is handled by Keycloak.", "Keycloak handles auth"),
    ],
)
def test_wording_that_carries_no_meaning_does_not_keep_texts_apart(a, b):
    assert differences(a, b) == ()
