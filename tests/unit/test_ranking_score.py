"""What texts and their sessions add to the order of candidates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.model.memory import Hit, SessionNeighbours
from aforesaid.domain.retrieval.fusion import WEIGHTS, fuse
from aforesaid.domain.retrieval.ranking import (
    NAMES,
    RankingContext,
    explain,
    measure_signals,
    rank_candidates,
    talk_share,
)


def found(*scores: tuple[int, float], near: tuple[tuple[int, float], ...] = ()):
    words, vectors = (
        [Hit(key=key, head=key, score=score) for key, score in each] for each in (scores, near)
    )
    return fuse(words, vectors)


def signals(query: str, texts: dict[int, str], around=(), fused=()) -> dict[int, dict[str, float]]:
    rows = measure_signals(query, fused, RankingContext(around), texts)
    return {head: dict(zip(NAMES, row, strict=True)) for head, row in rows.items()}


def talk(heads: tuple[int, ...], speaker: str) -> dict[int, str]:
    return dict.fromkeys(heads, f"{speaker}: hm")


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["Ann: yes", "Bob: no", "Ann: why", "Ann: so"], 0.75),
        (["[3 May] Ann: yes", "[3 May] Ann: no", "[4 May] ann: why"], 1.0),
        (["Ann: yes", "Bob: no", "Cid: why"], 0.0),
        (["We deploy at noon", "The port is 80"], 0.0),
        ([], 0.0),
    ],
)
def test_messages_of_speakers_who_say_several_are_talk(texts, expected) -> None:
    assert expected == talk_share(texts)


def test_neighbours_in_a_session_lift_a_message_but_not_a_note() -> None:
    around = [
        SessionNeighbours(key=1, session="a", after=(2,)),
        SessionNeighbours(key=3, session="b"),
    ]
    fused = found((1, 2.0), (3, 2.0), near=((1, 0.5), (2, 0.3), (3, 0.4)))
    notes = {1: "kilo lima", 2: "golf", 3: "lima"}
    messages = {key: f"Ann: {text}" for key, text in notes.items()}

    order = {
        name: [one.head for one in rank_candidates("kilo lima", fused, around, texts, 9)]
        for name, texts in (("notes", notes), ("talk", messages))
    }

    assert {"notes": [1, 3, 2], "talk": [1, 2, 3]} == order


def test_what_says_more_of_the_question_comes_first() -> None:
    texts = {1: "kilo lima", 2: "kilo", 3: "golf"}

    ranked = rank_candidates("kilo lima?", found((2, 2.0), (1, 2.0), (3, 2.0)), [], texts, 9)

    assert [1, 2, 3] == [memory.head for memory in ranked]
    assert "has the query's words (1.00)" in explain(ranked[0])


def test_a_question_that_is_asked_back_counts_for_less_than_what_follows_it() -> None:
    texts = {
        1: "Ann: When did you adopt the dog?",
        2: "Bob: Last Tuesday!",
        **talk((3, 4), "Ann"),
        **talk((5, 6), "Bob"),
    }
    around = [SessionNeighbours(key=1, session="a", after=(2,))]

    ranked = rank_candidates("When was the dog adopted?", found((1, 3.0)), around, texts, 9)

    assert [2, 1] == [memory.head for memory in ranked[:2]]
    assert "follows a similar question (1.00)" in explain(ranked[0])
    assert "stored next to a match (1.00)" in explain(ranked[0])


def test_a_window_holds_what_was_said_within_two_of_a_memory() -> None:
    texts = {1: "kilo", 2: "golf", 3: "lima", 4: "golf", 5: "mike"}
    around = [SessionNeighbours(key=3, session="a", before=(2, 1), after=(4, 5))]

    read = signals("kilo lima mike", texts, around)

    assert pytest.approx(1.0) == read[3]["window"]
    assert read[3]["window"] > read[1]["window"] > read[1]["coverage"]
    assert 0.0 == read[2]["coverage"]


def test_neighbours_are_known_from_either_side_and_never_across_sessions() -> None:
    order = RankingContext(
        [
            SessionNeighbours(key=2, session="a", before=(1,), after=(3,)),
            SessionNeighbours(key=9, session="b"),
        ]
    )

    assert {2, 3} == set(order.around(1))
    assert [] == order.around(9)
    assert {1: "a", 2: "a", 3: "a", 9: "b"} == order.session


def test_a_session_that_found_more_lifts_what_it_holds() -> None:
    around = [
        SessionNeighbours(key=1, session="a"),
        SessionNeighbours(key=2, session="b"),
        SessionNeighbours(key=3, session="b"),
    ]
    texts = dict.fromkeys((1, 2, 3), "kilo")

    read = signals("kilo", texts, around, found((1, 2.0), (2, 2.0), (3, 1.5)))

    assert 1.0 == read[2]["session"] == read[3]["session"] > read[1]["session"] > 0


@pytest.mark.parametrize(
    ("query", "fits", "fits_not"),
    [
        ("When did we move?", "[3 May 2024] ann: last week", "[3 May 2024] ann: far away"),
        ("what day is the release", "on friday", "on the server"),
        ("how many retries?", "three of them", "some of them"),
        ("How old is it?", "it is 7", "it is old"),
    ],
)
def test_a_text_fits_that_names_the_time_or_number_asked_for(query, fits, fits_not) -> None:
    read = signals(query, {1: fits, 2: fits_not})

    assert (1.0, 0.0) == (read[1]["fitting"], read[2]["fitting"])


def test_who_said_it_counts_where_the_question_names_them() -> None:
    read = signals("What did Ann say?", {1: "Ann: kilo", 2: "Bob: kilo", 3: "kilo of Ann"})

    assert [1.0, 0.0, 0.0] == [read[head]["named"] for head in (1, 2, 3)]


def test_a_rule_answers_where_one_is_asked_for_the_later_the_better() -> None:
    texts = {
        1: "Ann: Always golf; avoid kilo",
        2: "Ann: kilo golf",
        3: "Ann: From now on we must golf, kilo",
    }
    fused = found((1, 2.0), (2, 2.0), (3, 2.0))

    ranked = rank_candidates("Which rule for kilo and golf?", fused, [], texts, 9)

    assert [3, 1, 2] == [memory.head for memory in ranked]
    assert "states a rule, as asked for" in explain(ranked[0])
    assert not any(row["ruling"] for row in signals("kilo golf", texts).values())


def test_meaning_decides_alone_as_far_as_no_text_says_what_is_asked() -> None:
    near = ((1, 0.5), (2, 0.35), (3, WEIGHTS.floor - 0.05))
    unsaid = signals("zulu", {1: "golf", 2: "golf", 3: "golf"}, fused=found(near=near))
    message = signals("zulu", {1: "golf", 2: "zulu", 3: "golf"}, fused=found(near=near))

    assert 1.0 == pytest.approx(unsaid[1]["unsaid"])
    assert unsaid[1]["unsaid"] > unsaid[2]["unsaid"] > unsaid[3]["unsaid"] > 0
    assert {0.0} == {row["unsaid"] for row in message.values()}


def test_what_is_near_but_below_the_floor_still_answers_where_nothing_is_nearer() -> None:
    near = ((1, WEIGHTS.near + 0.01), (2, WEIGHTS.floor - 0.01))

    ranked = rank_candidates("zulu", found(near=near), [], {1: "golf", 2: "golf"}, 9)

    assert [2, 1] == [memory.head for memory in ranked]
    assert ranked[0].score > ranked[1].score


def test_a_text_that_says_it_in_other_words_comes_first_and_that_is_told() -> None:
    texts = {1: "The sun is yellow", 2: "Postgres is on the big machine"}

    ranked = rank_candidates("database", found(near=((1, 0.3), (2, 0.3))), [], texts, 9)

    assert [2, 1] == [memory.head for memory in ranked]
    assert "has synonyms of them" in explain(ranked[0])
    assert "has synonyms of them" not in explain(ranked[1])


def test_what_is_linked_to_a_named_entity_keeps_its_share() -> None:
    linked, other = (memory.replace(about="Redis") if memory.head == 1 else memory
                     for memory in found((1, 1.0), (2, 2.0)))  # fmt: skip
    texts = {1: "golf", 2: "golf"}

    ranked = rank_candidates("kilo", [other, linked], [], texts, 9)

    assert 1 == ranked[0].head
    assert ranked[0].score >= WEIGHTS.about


def test_what_has_no_text_is_left_out_and_no_more_come_than_are_wanted() -> None:
    fused = found((1, 3.0), (2, 2.0), (3, 1.0))

    assert 1 == len(rank_candidates("kilo", fused, [], {1: "kilo", 2: "kilo"}, 1))
    assert {1, 2} == {
        candidate.head for candidate in rank_candidates("kilo", fused, [], {1: "a", 2: "b"}, 9)
    }
    assert [] == rank_candidates("kilo", [], [], {}, 9)


words = st.lists(st.sampled_from(["kilo", "lima?", "golf.", "When", "3", "Ann:", "?"]), max_size=6)


@given(words, st.dictionaries(st.integers(1, 5), words.map(" ".join), max_size=5))
def test_signals_stay_in_range_whatever_is_said(query, texts) -> None:
    around = [SessionNeighbours(key=2, session="a", before=(1,), after=(3, 4))]
    fused = found(*((head, float(head)) for head in texts))

    for row in measure_signals(" ".join(query), fused, RankingContext(around), texts).values():
        assert all(-1e-9 <= value <= 1 + 1e-9 for value in row)
