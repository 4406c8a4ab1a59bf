"""What a remark refers to is quoted where it was said just before."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest.memory_candidates import MemoryCandidate
from aforesaid.domain.digest.message_text import split_sentences
from aforesaid.domain.digest.referents import is_broken, with_referent
from aforesaid.domain.digest.sentence_classifier import matches


def named(text: str, prompt: list[str], answer: str = "", accepted: str = "") -> str:
    candidate = MemoryCandidate(text=text, at_ms=1, kind="fact", scope="project")
    return with_referent(candidate, prompt, answer, accepted).text


@pytest.mark.parametrize(
    ("prompt", "answer", "quoted"),
    [
        (
            ["that file comes from the lab"],
            "Seven codes are missing in mappings/codes.csv. I can add them; six are obvious.",
            ' (about: "Seven codes are missing in mappings/codes.csv")',
        ),
        (
            ["it gets reset every night at 2"],
            "test-01 does not know the patient. He was created there yesterday.",
            ' (about: "test-01 does not know the patient")',
        ),
        (
            ["that would break all scripts"],
            "Reproduced. I could quote every identifier in clone and drop.",
            ' (about: "I could quote every identifier in clone and drop")',
        ),
        (["20000"], "Upsert follows. Chunk size: 100,000?", ' (asked: "Chunk size: 100,000?")'),
        (
            ["scp, then restart", "never between 6 and 9"],
            "How do you deploy? I find no script.",
            ' (asked: "How do you deploy?")',
        ),
        (["this is our billing repository"], "Hello.", ""),
        (["the export is in capitals"], "Which file is it?", ""),
    ],
)
def test_what_a_remark_refers_to_is_quoted_from_the_answer(prompt, answer, quoted):
    assert prompt[-1] + quoted == named(prompt[-1], prompt, answer)


def test_what_the_prompt_names_comes_before_the_remark():
    prompt = ["one more thing: the freshness of the carrier source", "it has no limits at all"]
    assert (
        named(prompt[1], prompt) == "the freshness of the carrier source; it has no limits at all"
    )


def test_the_details_of_a_choice_name_it():
    prompt = ["doubling", "start 5s, give up after 10 min"]
    assert named(prompt[1], prompt, "", "a doubling pause") == f"a doubling pause: {prompt[1]}"


def test_a_wish_of_the_person_quotes_nothing():
    wish = MemoryCandidate(text="it annoys me", at_ms=1, kind="preference", scope="global")
    assert wish == with_referent(wish, [wish.text], "I could add tests-2.", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cool; while we are in tests: containers", True),
        ("if it fails, tell me the reason first", False),
        ("no mocks", False),
    ],
)
def test_a_subordinate_clause_alone_is_no_remark(text, expected):
    assert expected == is_broken(text)


def test_a_command_is_not_split_at_its_dots():
    said = "The procedure is `make fill TABLE=... START=... END=...`, in slices. Then compare."
    assert split_sentences(said) == [said[:-14], "Then compare."]


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("nope, new rule from the release team, their tool chokes", "rule_announcement"),
        ("neue Regel vom Release-Team", "rule_announcement"),
        ("So from today the number moves to a trailer", "conclusion"),
        ("no big refactors in the order route before", "leaning_end"),
    ],
)
def test_some_sentences_are_kept_only_with_their_neighbours(sentence, kind):
    assert matches(sentence, kind)


def test_what_somebody_complained_of_is_what_the_session_is_for():
    assert matches("Ann complained that the workers are full every morning", "reported")
