"""Neighbours of a memory in its session: both stores."""

from __future__ import annotations

from aforesaid.domain.model.memory import Filters, SessionNeighbours
from aforesaid.ports import Store
from contract.stored import GLOBAL, add
from factories import NOON

ALL = Filters()


def add_to_sessions(store: Store, *sessions: str | None) -> list[int]:
    return [
        add(store, number, f"kilo {number}", session=session).key
        for number, session in enumerate(sessions, 1)
    ]


def neighbours(store: Store, *keys: int, filters: Filters = ALL) -> list[SessionNeighbours]:
    return store.session_order.neighbours(list(keys), GLOBAL, filters, 2)


def test_neighbours_are_those_of_the_session_nearest_first(store) -> None:
    a, b, _other, c, d = add_to_sessions(store, "s", "s", "t", "s", "s")

    assert [
        SessionNeighbours(key=a, session="s", after=(b, c)),
        SessionNeighbours(key=c, session="s", before=(b, a), after=(d,)),
    ] == neighbours(store, c, a)


def test_what_no_session_stored_has_no_surroundings(store) -> None:
    a, _b = add_to_sessions(store, None, None)

    assert [] == neighbours(store, a, 999)
    assert [] == neighbours(store)


def test_what_is_forgotten_or_replaced_is_no_neighbour(store) -> None:
    a, b, c, d = add_to_sessions(store, "s", "s", "s", "s")
    with store.transaction():
        store.memories.change(b, forgotten_at=NOON)
        store.memories.supersede(c, d, NOON)

    assert [SessionNeighbours(key=a, session="s", after=(d,))] == neighbours(store, a)


def test_filters_hold_on_neighbours(store) -> None:
    a = add(store, 1, "kilo", session="s").key
    add(store, 2, "lima", session="s", type="procedural")
    c = add(store, 3, "golf", session="s").key

    results = neighbours(store, a, filters=Filters(types=("semantic",)))

    assert [SessionNeighbours(key=a, session="s", after=(c,))] == results


def test_texts_have_summary_and_index_terms_and_of_long_ones_the_start(store) -> None:
    a = add(store, 1, "kilo").key
    b = add(store, 2, "lima", summary="golf").key
    c = add(store, 3, "x" * 40_000).key
    d = add(store, 4, "mike", tags=("november",)).key

    message = store.session_order.texts([b, a, c, d, 999])

    assert {a: "kilo", b: "lima\ngolf", c: "x" * 31_500, d: "mike\nnovember"} == message
    assert {} == store.session_order.texts([])
