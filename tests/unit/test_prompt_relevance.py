"""How likely a prompt calls for a memory, which triggers it names, and what is shown with it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.context.prompt_context import (
    MAX_SHOWN,
    MIN_TOKENS,
    PROMPT_CHARS,
    PromptMatch,
    is_global_preference,
    match_reason,
    names_trigger,
    prompt_query,
    render_matches,
)
from aforesaid.domain.model.memory import Hit, Memory
from aforesaid.domain.retrieval.prompt_relevance import (
    FLOOR,
    NEED_WEIGHTS,
    WEIGHTS,
    NeedFeatures,
    PromptFeatures,
    need_probability,
    prompt_features,
    prompt_relevance,
    relevance_cutoff,
)
from aforesaid.domain.text.token_budget import count_tokens
from aforesaid.lexicon.stop_words import GENERIC_WORDS
from factories import DAY, NOON, make_memory

SECRET = "0123456789abcdef" * 4


def memories(*contents: str, **fields) -> dict[int, Memory]:
    return {
        key: make_memory(key, key=key, content=content, **fields)
        for key, content in enumerate(contents, start=1)
    }


def likely(prompt: str, known: dict[int, Memory], *hits: Hit) -> dict[int, float]:
    results = prompt_features(prompt, known, hits)
    return {key: prompt_relevance(item, vectors=bool(hits)) for key, item in results.items()}


def test_what_holds_the_prompt_s_rare_words_is_called_for_and_the_rest_is_not() -> None:
    known = memories("The queue is NATS JetStream, for replay.", "Buttons are rounded.")
    results = likely("replay the lost events from the NATS JetStream queue", known)
    assert results[1] >= FLOOR["words only"] > 0.1 > results[2]


def test_a_store_of_one_memory_knows_a_rare_word_from_a_common_one() -> None:
    (rare,) = likely("flush the JetStream queue of NATS", memories("NATS JetStream queue")).values()
    (common,) = likely("run the test again", memories("Run the test with make.")).values()
    assert rare >= FLOOR["words only"] > common


def test_everyday_words_alone_call_for_nothing() -> None:
    known = memories(" ".join(sorted(GENERIC_WORDS)))
    assert {1: True} == {
        key: item < FLOOR["words only"]
        for key, item in likely("yes, please write the test again", known).items()
    }


def test_one_shared_word_without_meaning_is_chance_unless_it_is_a_code() -> None:
    known = memories("The pipe has a filter.", "QM-W052 is a footnote that is never used.")
    assert 0.0 == likely("what is the pipe operator", known)[1]
    assert likely("what does QM-W052 mean", known)[2] > 0.4


def test_what_is_nearest_in_meaning_is_likelier() -> None:
    known = memories("alpha", "beta")
    near, far = Hit(key=1, head=1, score=0.7), Hit(key=2, head=2, score=0.5)
    results = likely("zulu", known, near, far)
    assert results[1] > results[2]


def test_what_holds_is_likelier_than_what_happened() -> None:
    (fact,) = likely("NATS queue", memories("the NATS queue")).values()
    (event,) = likely("NATS queue", memories("the NATS queue", type="episodic")).values()
    assert fact > event


def test_every_weight_has_its_signal() -> None:
    (prompt_feature,) = prompt_features("a", memories("a"), []).values()
    assert set() == {name for each in WEIGHTS.values() for name in each} - set(
        prompt_feature.as_dict()
    )
    assert set(NEED_WEIGHTS) == set(NeedFeatures().as_dict())


def test_a_generic_prompt_needs_a_nearer_memory() -> None:
    alike = {"meaning": 0.55, "covered": 0.3}
    generic, special = (
        need_probability([PromptFeatures(**alike, everyday=odds)]) for odds in (4.0, -4.0)
    )
    assert generic < special


def test_below_the_floor_nothing_is_shown_and_above_it_what_is_not_far_behind() -> None:
    near = [PromptFeatures(meaning=0.8, covered=0.6), PromptFeatures(meaning=0.5)]
    far = [PromptFeatures(meaning=0.2, behind=0.0), PromptFeatures(meaning=0.19, behind=0.01)]
    assert need_probability(near) > FLOOR["with vectors"] > need_probability(far)
    assert relevance_cutoff(far, vectors=True) > 1
    assert 0 < relevance_cutoff(near, vectors=True) < prompt_relevance(near[0], vectors=True)

    words = [PromptFeatures(covered=0.9, first=5.0, second=4.0, third=3.0)]
    assert 0 < relevance_cutoff(words, vectors=False) < prompt_relevance(words[0], vectors=False)
    assert relevance_cutoff([PromptFeatures(covered=0.1)], vectors=False) > 1
    assert relevance_cutoff([], vectors=True) > 1


@pytest.mark.parametrize(
    ("prompt", "trigger", "named"),
    [
        ("let's cut a release", "when a release is asked for", True),
        ("we are releasing on Monday", "release", True),
        ("deploy to the staging server", "deploying to staging", True),
        ("deploy it", "deploying to staging", False),
        ("ship it!", "cutting a release, ship it", True),
        ("relocate the file", "release", False),
        ("anything", "", False),
        ("anything", "when the user wants it", False),
        ("", "release", False),
        ("リリースして", "リリース", True),
    ],
)
def test_a_trigger_is_named_by_all_its_words(prompt, trigger, named) -> None:
    assert named == names_trigger(prompt, trigger)


@pytest.mark.parametrize(
    ("prompt", "asked"),
    [
        ("  fix it ", "fix it"),
        ("/compact", ""),
        ("/aforesaid:recall the queue", "the queue"),
        ("/etc/hosts is wrong", "is wrong"),
        ("", ""),
    ],
)
def test_a_command_s_name_is_not_asked(prompt, asked) -> None:
    assert asked == prompt_query(prompt)


def test_of_a_long_prompt_its_two_ends_are_asked() -> None:
    asked = prompt_query(f"begin {'x' * 9_000} end")
    assert PROMPT_CHARS + 1 == len(asked)
    assert asked.startswith("begin ")
    assert asked.endswith(" end")


def test_a_standing_wish_is_a_global_preference() -> None:
    by_tag = make_memory(tags=("preference",))
    by_category = make_memory(metadata={"category": "Preference"})
    in_project = make_memory(scope="project", project=1, tags=("preference",))
    fact = make_memory(metadata={"category": "fact"})
    assert [True, True, False, False] == [
        is_global_preference(item) for item in (by_tag, by_category, in_project, fact)
    ]


def test_a_reason_names_the_words_that_were_met_and_how_near_it_is() -> None:
    known = memories("The queue is NATS JetStream.")
    (evidence,) = prompt_features(
        "use the NATS queue", known, [Hit(key=1, head=1, score=0.71)]
    ).values()
    assert "names nats, queue; meaning 0.71" == match_reason(
        "use the NATS queue", known[1], evidence
    )


def test_cues_and_tags_are_met_however_long_the_text_is() -> None:
    known = memories("word " * 2_000, tags=("ledger",), metadata={"cues": ["a slow bank"]})
    for prompt in ("the bank is slow", "what of the ledger"):
        assert prompt_features(prompt, known, ())[1].covered > 0.1


def test_a_cue_that_was_not_met_is_no_reason() -> None:
    known = memories("ACQUIRER_TIMEOUT_S is 20", metadata={"cues": ["a slow bank", "it hangs"]})
    for prompt, expected in (
        ("why does the page hang", "matching cue: it hangs; meaning 0.71"),
        ("customers see a spinner", "meaning 0.71"),
    ):
        (evidence,) = prompt_features(prompt, known, [Hit(key=1, head=1, score=0.71)]).values()
        assert expected == match_reason(prompt, known[1], evidence)


def found(*contents: str) -> list[PromptMatch]:
    return [
        PromptMatch(memory=memory, reason="names nats")
        for memory in memories(*contents, at=NOON).values()
    ]


def test_what_is_shown_has_date_id_and_reason_on_one_line() -> None:
    shown = render_matches(found("Queue:\nNATS."), {1: "k3f9"}, NOON + DAY, SECRET)
    assert "- Queue: NATS. [k3f9 · 14 Nov · names nats]" == shown.text.split("\n")[2]
    assert (1,) == shown.keys


@given(
    st.lists(st.text(min_size=1, max_size=3_000), min_size=1, max_size=5), st.integers(150, 2_000)
)
def test_what_is_shown_keeps_to_its_budget_and_closes_its_fence(contents, budget) -> None:
    short = dict.fromkeys(range(1, 6), "k3f9")
    shown = render_matches(found(*contents), short, NOON, SECRET, budget_tokens=budget)
    fence = shown.text[1 : shown.text.index(" ")]
    assert count_tokens(shown.text) <= budget
    assert len(shown.keys) <= MAX_SHOWN
    assert shown.text.endswith(f"\n</{fence}>")
    assert 1 == shown.text.count(f"</{fence}>")


def test_a_long_memory_leaves_room_for_the_next() -> None:
    shown = render_matches(
        found("word " * 900, "The second."), {1: "aaaa", 2: "bbbb"}, NOON, SECRET
    )
    assert (1, 2) == shown.keys
    assert "[truncated: read it by its id]" in shown.text


def test_where_not_even_the_best_fits_nothing_is_shown() -> None:
    budget = MIN_TOKENS + 20
    shown = render_matches(found("word " * 90), {1: "k3f9"}, NOON, SECRET, budget_tokens=budget)
    assert "" == shown.text
    assert () == shown.keys


def test_a_single_letter_is_no_rare_word() -> None:
    lettered, worded = (
        prompt_features(prompt, memories("Revision C has the sensor, grade B, on lantern."), [])[1]
        for prompt in ("a b c d e f g", "which lantern")
    )
    assert lettered.second < worded.first / 2


@pytest.mark.parametrize(
    ("general", "particular"),
    [
        ("what is a lantern queue", "drain the lantern queue"),
        ("please explain lantern queues", "why is the lantern queue slow"),
        ("how does a lantern queue work", "how do we drain the lantern queue"),
    ],
)
def test_what_anybody_could_answer_calls_for_less(general: str, particular: str) -> None:
    known = memories("The lantern queue is drained at night.")
    assert (1.0, 0.0) == tuple(
        prompt_features(prompt, known, [])[1].general for prompt in (general, particular)
    )
    assert NEED_WEIGHTS["general"] < 0 > WEIGHTS["words only"]["general"]
