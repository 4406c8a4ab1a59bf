"""Names of topics: how a path is read, when two are one, where neighbours send a memory."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aforesaid.domain.errors import InvalidInputError
from aforesaid.domain.model.memory import Memory
from aforesaid.domain.model.topic import (
    NAME_CHARS,
    NODE_TOKENS,
    Node,
    Topic,
    agreed_topic,
    is_same_name,
    match_name,
    normalise_name,
    read_path,
    truncate_to_budget,
)
from factories import make_memory

PAIRS = Path(__file__).parents[2] / "bench" / "topics" / "names.jsonl"
#: What fingers do that looks like another word, and the reverse: docs/adr/0021-topics.md.
MISSED = 3
WRONGLY_JOINED = {("deprecation", "depreciation")}


def labelled() -> list[dict[str, object]]:
    return [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def is_one(first: str, other: str) -> bool:
    return is_same_name(normalise_name(first), normalise_name(other))


def topic(key: int, name: str = "", parent: int | None = None) -> Topic:
    name = name or f"topic {key}"
    return Topic(
        key=key,
        project=1,
        parent=parent,
        name=name,
        normalised=normalise_name(name),
        created_at=0,
        updated_at=0,
    )


@pytest.mark.parametrize(
    "text", ["auth/jwt", " auth / jwt/", "auth > jwt", "auth->jwt", "/auth//jwt"]
)
def test_a_path_is_read_however_it_is_written(text):
    assert (["auth", "jwt"], "") == read_path(text)


def test_what_is_deeper_than_a_concept_is_cut_and_said():
    assert (["auth", "jwt"], "rotation/daily") == read_path("auth/jwt/rotation/daily")


@pytest.mark.parametrize("text", ["", " / ", "...", "auth/--", "x" * (NAME_CHARS + 1)])
def test_what_is_no_name_is_refused(text):
    with pytest.raises(InvalidInputError):
        read_path(text)


def test_names_of_different_things_are_never_joined_but_for_what_is_known():
    joined = {
        (pair["a"], pair["b"])
        for pair in labelled()
        if not pair["same"] and is_one(pair["a"], pair["b"])
    }
    assert WRONGLY_JOINED == joined


def test_names_of_the_same_thing_are_joined_but_for_a_few():
    missed = [pair for pair in labelled() if pair["same"] and not is_one(pair["a"], pair["b"])]
    assert MISSED >= len(missed)


def test_being_one_name_holds_both_ways():
    assert [] == [
        pair for pair in labelled() if is_one(pair["a"], pair["b"]) != is_one(pair["b"], pair["a"])
    ]


def test_the_very_name_is_taken_before_a_near_one():
    near, same = topic(1, "deprecation"), topic(2, "depreciation")
    assert same == match_name("Depreciation", [near, same])
    assert None is match_name("billing", [near, same])


# -- filing


def test_two_neighbours_of_one_topic_that_lead_say_where_a_memory_goes():
    assert 1 == agreed_topic([(topic(1), 0.5), (topic(1), 0.4), (topic(2), 0.3)])


def test_one_neighbour_is_heard_only_if_it_is_very_near():
    assert None is agreed_topic([(topic(1), 0.59)])
    assert 1 == agreed_topic([(topic(1), 0.6)])


def test_neighbours_of_two_topics_leave_a_memory_unfiled():
    assert None is agreed_topic([(topic(1), 0.7), (topic(1), 0.6), (topic(2), 0.65)])


def test_unfiled_neighbours_say_nothing():
    assert None is agreed_topic([(None, 0.9), (None, 0.8)])
    assert 1 == agreed_topic([(None, 0.9), (topic(1), 0.6)])


def test_where_concepts_of_one_topic_disagree_the_topic_is_taken():
    jwt, sessions = topic(2, "jwt", parent=1), topic(3, "sessions", parent=1)
    assert 1 == agreed_topic([(jwt, 0.5), (sessions, 0.5), (topic(4), 0.2)])
    assert 2 == agreed_topic([(jwt, 0.5), (jwt, 0.5), (sessions, 0.2)])


# -- what fits a budget


def node(name: str, *children: Node) -> Node:
    return Node(path=name, name=name, children=children)


def names(nodes) -> list[object]:
    return [(item.name, names(item.children), item.hidden) for item in nodes]


def test_what_fits_is_taken_level_by_level_one_child_of_each_in_turn():
    tree = [node("a", node("aa"), node("ab")), node("b", node("ba"), node("bb"))]
    cost = NODE_TOKENS + 1
    whole, cut = truncate_to_budget(tree, 100 * cost)
    assert (tree, 0) == (whole, cut)

    some, cut = truncate_to_budget(tree, 4 * cost)
    assert [("a", [("aa", [], 0)], 1), ("b", [("ba", [], 0)], 1)] == names(some)
    assert 0 == cut


def test_the_first_is_shown_whatever_it_costs_and_the_rest_is_counted():
    shown, cut = truncate_to_budget([node("a" * 400), node("b"), node("c")], 10)
    assert ["a" * 400] == [item.name for item in shown]
    assert 2 == cut


def test_a_memory_costs_what_its_preview_does():
    memory: Memory = make_memory(1, content="word " * 40)
    (shown,), cut = truncate_to_budget([Node(memory=memory), Node(memory=memory)], NODE_TOKENS + 20)
    assert (memory, 1) == (shown.memory, cut)
