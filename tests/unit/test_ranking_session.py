"""What a memory's session adds to its score."""

from __future__ import annotations

import pytest

from aforesaid.domain.memory import Hit, Surroundings
from aforesaid.domain.ranking import WEIGHTS, explain, fuse, in_session


def found(*scores: tuple[int, float]):
    return fuse([Hit(key=key, head=key, score=score) for key, score in scores], [])


def test_without_sessions_nothing_moves() -> None:
    fused = found((1, 3.0), (2, 2.0), (3, 1.0))

    assert [one.replace(session=0.0) for one in fused] == in_session(fused, [], 9)


def test_what_stands_beside_a_match_answers_too_and_says_why() -> None:
    around = Surroundings(key=1, session="a", before=(7, 6), after=(8,))

    ranked = in_session(found((1, 3.0)), [around], 9)

    assert [1, 7, 8, 6] == [one.head for one in ranked]
    assert pytest.approx(WEIGHTS.beside + WEIGHTS.session) == ranked[1].score
    assert "said beside a match (1.00), in a session that matches (1.00)" == explain(ranked[1])


def test_a_neighbour_gains_from_its_better_neighbour_alone() -> None:
    fused = found((1, 4.0), (3, 2.0))
    around = [
        Surroundings(key=1, session="a", after=(2, 3)),
        Surroundings(key=3, session="a", before=(2, 1)),
    ]

    between = next(one for one in in_session(fused, around, 9) if one.head == 2)

    assert (1.0, 0.0) == (between.beside, between.near)


def test_a_session_that_found_more_lifts_what_it_holds() -> None:
    fused = found((1, 2.0), (2, 2.0), (3, 1.5))
    around = [
        Surroundings(key=1, session="a"),
        Surroundings(key=2, session="b"),
        Surroundings(key=3, session="b"),
    ]

    ranked = in_session(fused, around, 9)

    assert [2, 1, 3] == [one.head for one in ranked]
    assert 1.0 == ranked[0].session


def test_no_more_come_back_than_are_wanted() -> None:
    around = Surroundings(key=1, session="a", before=(7, 6), after=(8, 9))

    assert 2 == len(in_session(found((1, 3.0), (2, 1.0)), [around], 2))
