"""Event times, and states of belief at a time: both stores."""

from __future__ import annotations

from aforesaid.domain.model.memory import Filters
from contract.stored import GLOBAL, add, near, selected, words
from factories import DAY, NOON


def test_an_event_counts_when_it_happened_not_when_it_was_told(store) -> None:
    told_late = add(store, 1, "kilo", type="episodic", event_at=NOON - 9 * DAY)
    add(store, 2, "kilo", type="episodic")
    then = Filters(since=NOON - 10 * DAY, until=NOON - 8 * DAY)

    assert NOON - 9 * DAY == told_late.event_at
    assert [told_late.key] == words(store, "kilo", filters=then)
    assert [told_late.key] == near(store, "kilo", filters=then)
    assert [told_late.key] == selected(store, then)


def test_as_of_a_time_a_match_leads_to_the_version_in_force_then(store) -> None:
    versions = [
        add(store, number, f"kilo {word}")
        for number, word in enumerate(("lima", "golf", "echo"), 1)
    ]
    with store.transaction():
        store.memories.supersede(versions[0].key, versions[1].key, versions[1].created_at)
        store.memories.supersede(versions[1].key, versions[2].key, versions[2].created_at)
    then = Filters(as_of=versions[1].created_at)

    results = [(hit.key, hit.head) for hit in store.search.by_words(["lima"], GLOBAL, then, 9)]
    assert [(versions[0].key, versions[1].key)] == results
    assert [] == words(store, "echo", filters=then)
    assert [versions[1].key] == selected(store, then)
    every = selected(store, then.replace(include_history=True))
    assert {versions[0].key, versions[1].key} == set(every)


def test_what_was_forgotten_later_was_still_known(store) -> None:
    memory = add(store, 1, "kilo lima")
    add(store, 2, "kilo")
    with store.transaction():
        store.memories.change(memory.key, forgotten_at=NOON + DAY)

    assert [memory.key] == words(store, "lima", filters=Filters(as_of=NOON + DAY - 1))
    assert [] == words(store, "lima", filters=Filters(as_of=NOON + DAY))


def test_a_summary_stands_for_its_sources_only_once_it_was_written(store) -> None:
    source = add(store, 1, "kilo")
    summary = add(store, 2, "lima", at=NOON + DAY)
    with store.transaction():
        store.memories.change(source.key, compacted_into=summary.key)

    def listed(at: int) -> list[int]:
        return selected(store, Filters(as_of=at))

    assert [source.key] == listed(NOON + DAY - 1)
    assert [summary.key] == listed(NOON + DAY)


def test_a_fact_that_states_when_it_is_true_counts_then_if_that_is_asked_for(store) -> None:
    def day(number: int) -> int:
        return NOON + number * DAY

    fields = (
        {"valid_from": day(-90), "valid_to": day(-70)},
        {"valid_from": day(-72)},
        {"valid_to": day(-60)},
        {"valid_to": day(9)},
        {"valid_from": NOON + 5},  # a new version: from when it was stored
        {"valid_from": day(-90), "valid_to": day(-60), "type": "episodic"},
        {},
    )
    keys = [add(store, number, "kilo", **each).key for number, each in enumerate(fields, 1)]

    def found(since: int | None, until: int | None) -> list[int]:
        asked = Filters(since=since, until=until, or_valid=True)
        return sorted(words(store, "kilo", filters=asked))

    assert keys[:3] == found(day(-75), day(-65))
    assert [keys[1]] == found(day(-50), day(-40))
    assert [keys[0], keys[2]] == found(None, day(-80))
    assert [keys[1], keys[3]] == found(day(2), day(3))
    assert [keys[0], keys[2]] == found(day(-85), day(-80))
    assert [] == found(day(2), None)
    stored_then = Filters(since=day(-75), until=day(-65))
    assert [] == words(store, "kilo", filters=stored_then)
