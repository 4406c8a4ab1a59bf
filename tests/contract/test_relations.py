"""What every store guarantees about relations and chains."""

from __future__ import annotations

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.domain.model.inspection import LogLine
from aforesaid.domain.model.memory import Memory, Visibility
from aforesaid.domain.model.relation import Relation
from aforesaid.ports import Store
from factories import DAY, NOON, make_memory, make_project

GLOBAL = Visibility(projects=(0,))
EMBED = HashedEmbedder()


def add(store: Store, number: int, **fields) -> Memory:
    with store.transaction():
        return store.memories.add(make_memory(number, **fields))


def link(store: Store, source: Memory, kind: str, target: Memory, at: int = NOON) -> bool:
    with store.transaction():
        return store.relations.link(source.key, kind, target.key, at)


def supersede(store: Store, old: Memory, new: Memory) -> None:
    with store.transaction():
        store.memories.supersede(old.key, new.key, NOON)


def seen(store: Store, *heads: Memory, visible=GLOBAL) -> list[tuple[int, str, str, int]]:
    results = store.relations.of([memory.key for memory in heads], visible)
    return [(memory.head, memory.kind, memory.direction, memory.other) for memory in results]


def test_a_relation_is_read_from_both_of_its_ends(store) -> None:
    memory, other = add(store, 1), add(store, 2)

    assert link(store, memory, "supports", other)
    assert [
        Relation(
            head=memory.key, kind="supports", direction="out", other=other.key, created_at=NOON
        )
    ] == store.relations.of([memory.key], GLOBAL)
    assert [(other.key, "supports", "in", memory.key)] == seen(store, other)
    assert [] == store.relations.of([], GLOBAL) == store.relations.of([99], GLOBAL)


def test_a_triple_is_stored_once(store) -> None:
    memory, other = add(store, 1), add(store, 2)

    assert [True, False, True, True] == [
        link(store, memory, "supports", other),
        link(store, memory, "supports", other, NOON + 5),
        link(store, other, "supports", memory),
        link(store, memory, "refines", other),
    ]
    assert 3 == len(seen(store, memory)) == store.memories.statistics(GLOBAL)["relations"]


def test_what_is_unlinked_is_gone_and_its_like_stays(store) -> None:
    memory, other = add(store, 1), add(store, 2)
    for source, target in ((memory, other), (other, memory)):
        link(store, source, "supports", target)
    with store.transaction():
        removed = [store.relations.unlink(memory.key, "supports", other.key) for _ in range(2)]

    assert [True, False] == removed
    assert [(memory.key, "supports", "in", other.key)] == seen(store, memory)


def test_relations_come_in_the_order_of_the_heads_contradictions_first_sequence_last(store) -> None:
    memory, other, third = add(store, 1), add(store, 2), add(store, 3)
    link(store, memory, "follows", other, NOON + 9)
    link(store, memory, "supports", other, NOON)
    link(store, memory, "refines", other, NOON + 1)
    link(store, memory, "contradicts", third, NOON - 9)

    kinds = [kind for _head, kind, _direction, _other in seen(store, third, memory)]
    assert ["contradicts", "contradicts", "refines", "supports", "follows"] == kinds


def test_relations_of_old_versions_are_read_from_the_heads_of_either_side(store) -> None:
    old, new, target, newer = (add(store, number) for number in range(1, 5))
    link(store, old, "supports", target)
    supersede(store, old, new)
    supersede(store, target, newer)

    assert [(new.key, "supports", "out", newer.key)] == seen(store, new)
    assert [(newer.key, "supports", "in", new.key)] == seen(store, newer)
    assert [] == seen(store, old)
    assert not link(store, new, "supports", newer)
    with store.transaction():
        assert store.relations.unlink(new.key, "supports", newer.key)
    assert [] == seen(store, new)


def test_a_relation_between_versions_of_one_memory_is_not_shown(store) -> None:
    old, new = add(store, 1), add(store, 2)
    link(store, old, "contradicts", new)
    supersede(store, old, new)

    assert [] == seen(store, new)
    with store.transaction():
        store.relations.unchain(old.key)
    assert [(new.key, "contradicts", "in", old.key)] == seen(store, new)


@pytest.mark.parametrize("forgotten", range(4))
def test_relations_of_what_is_forgotten_are_hidden_and_return(store, forgotten) -> None:
    old, new, target, newer = rows = [add(store, number) for number in range(1, 5)]
    link(store, old, "supports", target)
    supersede(store, old, new)
    supersede(store, target, newer)
    with store.transaction():
        store.memories.change(rows[forgotten].key, forgotten_at=NOON)

    assert [] == seen(store, new) + seen(store, newer)
    with store.transaction():
        store.memories.change(rows[forgotten].key, forgotten_at=None)
    assert 2 == len(seen(store, new, newer))


def test_relations_of_what_is_erased_go_with_it(store) -> None:
    memory, other = add(store, 1), add(store, 2)
    link(store, memory, "supports", other)
    link(store, other, "refines", memory)
    with store.transaction():
        store.memories.erase(other.key, "hash", NOON)

    assert [] == seen(store, memory)
    assert 0 == store.memories.statistics(GLOBAL)["relations"]


@pytest.mark.parametrize("hidden", range(4))
def test_a_relation_with_any_version_out_of_sight_is_not_seen(store, hidden) -> None:
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a")).key
    inside = {"scope": "project", "project": project}
    rows = [add(store, number + 1, **(inside if number == hidden else {})) for number in range(4)]
    old, new, target, newer = rows
    link(store, old, "supports", target)
    supersede(store, old, new)
    supersede(store, target, newer)

    assert [] == seen(store, new, newer)
    assert 2 == len(seen(store, new, newer, visible=Visibility(projects=(0, project))))


def test_projects_that_merge_keep_their_relations(store) -> None:
    with store.transaction():
        first = store.projects.add(make_project("git:example.org/a")).key
        second = store.projects.add(make_project("git:example.org/b")).key
    source = add(store, 1, scope="project", project=first)
    other = add(store, 2, scope="project", project=first)
    link(store, source, "supports", other)
    with store.transaction():
        store.projects.merge(first, second)

    assert 1 == len(seen(store, source, visible=Visibility.of_project(second)))


def test_a_step_leads_to_the_neighbours_of_one_kind_in_one_direction(store) -> None:
    memory, other, third = add(store, 1), add(store, 2), add(store, 3)
    link(store, other, "follows", memory)
    link(store, third, "follows", other)
    link(store, memory, "supports", other)

    assert [memory.key] == store.relations.step(other.key, "follows", "out", GLOBAL)
    assert [third.key] == store.relations.step(other.key, "follows", "in", GLOBAL)
    assert [] == store.relations.step(memory.key, "follows", "out", GLOBAL)


# -- contradictions


def test_contradictions_are_pairs_in_force_newest_first(store) -> None:
    memory, other, third = add(store, 1), add(store, 2), add(store, 3)
    link(store, memory, "contradicts", other, NOON)
    link(store, third, "contradicts", memory, NOON + 1)
    link(store, memory, "supports", third, NOON + 2)

    pairs = [(third.key, memory.key), (memory.key, other.key)]
    assert pairs == store.relations.contradictions(GLOBAL, 9)
    assert (
        pairs[:1]
        == store.relations.contradictions(GLOBAL, 1)
        == store.relations.contradictions(GLOBAL, 9, NOON)
    )
    assert [] == store.relations.contradictions(Visibility(projects=(7,)), 9)


@pytest.mark.parametrize("state", ["superseded", "forgotten_at", "archived_at", "unlinked"])
def test_a_contradiction_leaves_with_one_of_its_ends_or_its_link(store, state) -> None:
    memory, other, third = add(store, 1), add(store, 2), add(store, 3)
    link(store, memory, "contradicts", other)
    with store.transaction():
        if state == "superseded":
            store.memories.supersede(other.key, third.key, NOON)
        elif state == "unlinked":
            store.relations.unlink(memory.key, "contradicts", other.key)
        else:
            store.memories.change(other.key, **{state: NOON})

    assert [] == store.relations.contradictions(GLOBAL, 9)


# -- steps of chains


def test_a_step_of_a_chain_is_taken_back_with_all_that_hangs_below_it(store) -> None:
    first, second, third, side = (add(store, number) for number in range(1, 5))
    supersede(store, first, second)
    supersede(store, side, second)
    supersede(store, second, third)
    with store.transaction():
        store.relations.unchain(second.key)

    results = store.memories.get([memory.key for memory in (first, second, third, side)])
    assert [second.key, second.key, third.key, second.key] == [memory.head for memory in results]
    assert [False, True, True, False] == [memory.in_force for memory in results]
    assert None is results[1].superseded_at


# -- order in a session


def test_the_latest_of_a_session_is_under_the_same_topic_and_another_memory(store) -> None:
    first = add(store, 1, session="s")
    add(store, 2, session="other")
    add(store, 3, session="s", provenance="derived")
    removed = add(store, 4, session="s")
    version = add(store, 5, session="s")
    latest = add(store, 6, session="s")
    supersede(store, version, latest)
    with store.transaction():
        store.memories.change(removed.key, forgotten_at=NOON)

    assert first.key == store.relations.latest_of_session(latest)
    assert None is store.relations.latest_of_session(first)
    assert None is store.relations.latest_of_session(add(store, 7))


def test_the_latest_of_a_session_is_not_of_another_project(store) -> None:
    with store.transaction():
        first = store.projects.add(make_project("git:example.org/a")).key
        second = store.projects.add(make_project("git:example.org/b")).key
    everywhere = add(store, 1, session="s")
    add(store, 2, session="s", scope="project", project=first)
    mine = add(store, 3, session="s", scope="project", project=second)

    assert everywhere.key == store.relations.latest_of_session(mine)


def test_the_event_beside_is_the_nearest_in_time_with_the_tag(store) -> None:
    arguments = {"type": "episodic", "tags": ("digest",)}
    early = add(store, 1, **arguments, at=NOON)
    late = add(store, 2, **arguments, at=NOON + 9_000)
    middle = add(store, 3, **arguments, at=NOON + 4_000)
    add(store, 4, type="episodic", at=NOON + 5_000)
    add(store, 5, **{**arguments, "type": "semantic"}, at=NOON + 5_000)

    beside = [
        [store.relations.event_beside(memory, "digest", before=before) for before in (True, False)]
        for memory in (early, middle, late)
    ]
    assert [
        [None, middle.key], [early.key, late.key], [middle.key, None]
    ] == beside  # fmt: skip


# -- use


def test_windows_are_counted_by_the_model_that_made_them(store) -> None:
    memory = add(store, 1)
    assert {} == store.inspection.traces(memory.key).windows
    with store.transaction():
        store.search.set_vectors(
            memory.key, [EMBED.embed_query("kilo"), EMBED.embed_query("lima")], "m@1"
        )

    assert {"m@1": 2} == store.inspection.traces(memory.key).windows
    assert () == store.inspection.traces(memory.key).anchors


def test_the_latest_changes_of_a_memory_are_read_oldest_first(store) -> None:
    memory, other = add(store, 1), add(store, 2)
    with store.transaction():
        for number in range(4):
            store.memories.record("update", memory.key, NOON + number, changed=["tags"])
        store.memories.record("forget", other.key, NOON)

    assert [
        LogLine(at=NOON + number, operation="update", details={"changed": ["tags"]})
        for number in (2, 3)
    ] == store.inspection.log_of(memory.id, 2)
    assert [] == store.inspection.log_of("unknown", 9)


def test_links_of_a_kind_between_these_get_heavier_up_to_one(store) -> None:
    first, second, third, apart = (add(store, number) for number in range(1, 5))
    newer = add(store, 5)
    supersede(store, second, newer)
    with store.transaction():
        for source, kind, target, weight in (
            (first, "associated", second, 0.5), (third, "associated", first, 0.95),
            (first, "supports", third, 0.5), (first, "associated", apart, 0.5),
        ):  # fmt: skip
            store.relations.link(source.key, kind, target.key, NOON, weight)
        store.usage.strengthen([first.key, newer.key, third.key], "associated", 0.1, NOON)

    results = {
        (relation.kind, relation.other): relation.weight
        for relation in store.relations.of([first.key], GLOBAL)
    }
    assert (
        pytest.approx(
            {
                ("associated", newer.key): 0.6,  # the link belongs to its older version
                ("associated", third.key): 1.0,
                ("supports", third.key): 0.5,
                ("associated", apart.key): 0.5,
            }
        )
        == results
    )


def test_what_a_link_lost_by_time_is_gone_when_it_gets_heavier(store) -> None:
    first, second = (add(store, number) for number in range(1, 3))
    with store.transaction():
        store.relations.link(first.key, "associated", second.key, NOON, 0.8)
        store.usage.strengthen([first.key, second.key], "associated", 0.1, NOON + 10 * DAY)
    (link,) = store.maintenance.associated_links((0, 0), 9)
    assert (NOON + 10 * DAY, pytest.approx(0.8 * 0.95**10 + 0.1)) == (link.since, link.weight)


def test_links_of_the_system_are_listed_counted_and_known_when_they_are_gone(store) -> None:
    first, second, third = (add(store, number) for number in range(1, 4))
    with store.transaction():
        store.relations.link(first.key, "associated", second.key, NOON, 0.5)
        store.relations.link(first.key, "supports", third.key, NOON)
    assert [(first.key, second.key)] == [
        (link.source, link.target) for link in store.maintenance.associated_links((0, 0), 9)
    ]
    assert [] == store.maintenance.associated_links((first.key, second.key), 9)
    assert {first.key: 1, second.key: 1} == store.maintenance.degrees(
        [first.key, second.key, third.key]
    )
    assert {second.key, third.key} == store.maintenance.linked_keys(
        first.key, [second.key, third.key]
    )
    with store.transaction():
        store.relations.unlink(first.key, "associated", second.key)
        assert set() == store.maintenance.linked_keys(second.key, [first.key])
        store.maintenance.mark_link_expired(first.key, second.key, NOON)
    assert {first.key} == store.maintenance.linked_keys(second.key, [first.key, third.key])
