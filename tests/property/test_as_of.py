"""Asking as of a time gives what was answered then, whatever came after."""

from __future__ import annotations

from bench.hashed_embedder import HashedEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st

from aforesaid.domain.model.memory import Filters, Visibility
from factories import NOON, make_memory, make_project, temporary_store
from generated import examples

EMBED = HashedEmbedder(16)
WORDS = ("kilo", "lima", "golf", "bravo")
GLOBAL = Visibility(projects=(0,))
ALL = Visibility(projects=(0, 1))

picks = st.integers(0, 99)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("add"), st.sampled_from(WORDS), st.integers(0, 1)),
        st.tuples(st.just("replace"), picks, picks),
        st.tuples(st.just("forget"), picks, picks),
        st.tuples(st.just("archive"), picks, picks),
    ),
    min_size=1,
    max_size=14,
)


def answers(store, visible, at=None) -> dict[str, object]:
    """Return what a store answers, now or as of a time, by each way of asking."""
    filters = Filters(as_of=at)
    results = {
        word: {hit.head for hit in store.search.by_words([word], visible, filters, 99)}
        for word in WORDS
    }
    return {
        **results,
        "listed": [memory.key for memory in store.memories.select(visible, filters, 99)],
        "counted": store.memories.count(visible, filters),
        "history": {
            memory.key
            for memory in store.memories.select(
                visible, Filters(as_of=at, include_history=True), 99
            )
        },
    }


def near(store, visible, at=None) -> set[int]:
    filters = Filters(as_of=at)
    return {
        hit.head
        for word in WORDS
        for hit in store.search.by_vector(EMBED.embed_query(word), visible, filters, 99)
    }


def live(store, steps) -> dict[int, dict]:
    """Do the steps, one a second; return what was answered after each, by time."""
    seen = {}
    keys: list[int] = []
    with store.transaction():
        store.projects.add(make_project("git:example.org/a"))
    for number, (step, first, second) in enumerate(steps, start=1):
        at = NOON + number * 1_000
        standing = [
            item.key
            for item in store.memories.get(keys)
            if item.in_force and item.archived_at is None
        ]
        with store.transaction():
            if step == "add":
                where = {"scope": "project", "project": 1} if second else {}
                memory = store.memories.add(make_memory(number, content=first, **where))
                store.search.set_vectors(memory.key, [EMBED.embed_query(first)], EMBED.model)
                keys.append(memory.key)
            elif step == "replace" and len(standing) > 1:
                old = standing[first % len(standing)]
                new = standing[second % len(standing)]
                if old != new:
                    store.memories.supersede(old, new, at)
            elif step in {"forget", "archive"} and standing:
                column = "forgotten_at" if step == "forget" else "archived_at"
                store.memories.change(standing[first % len(standing)], **{column: at})
        seen[at] = {who: (answers(store, who), near(store, who)) for who in (GLOBAL, ALL)}
    return seen


@settings(max_examples=examples(80))
@given(steps=steps)
def test_as_of_a_time_is_what_was_answered_at_that_time(steps) -> None:
    with temporary_store() as store:
        seen = live(store, steps)
        gone = any(memory.forgotten_at is not None for memory in store.memories.get(range(1, 99)))
        for at, answers_then in seen.items():
            for visible, (expected, expected_near) in answers_then.items():
                assert expected == answers(store, visible, at)
                # a forgotten text has no vector: its words alone lead to it
                heads = near(store, visible, at)
                assert heads <= expected_near
                assert expected_near - heads <= set(expected["listed"])
                assert gone or expected_near == heads
