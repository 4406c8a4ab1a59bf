"""What a store guarantees about filters, visibility, the order of lists, and statistics."""

from __future__ import annotations

import pytest

from aforesaid.domain.model.anchor import presence_anchor
from aforesaid.domain.model.memory import Filters, PageCursor, Session, Visibility
from aforesaid.domain.model.topic import Topic
from contract.stored import EVERYTHING, GLOBAL, add, add_project, near, selected, words
from factories import DAY, NOON, make_memory

FILTERS = {
    "types": Filters(types=("procedural",)),
    "scopes": Filters(scopes=("project",)),
    "tags": Filters(tags=("wanted", "other")),
    "since": Filters(since=NOON + 5 * DAY),
    "until": Filters(until=NOON - 5 * DAY),
    "min_confidence": Filters(min_confidence=0.95),
    "trusted": Filters(trusted_only=True),
    "provenances": Filters(provenances=("import", "derived")),
    "sessions": Filters(sessions=("s1", "s2")),
}
FITTING = {
    "types": {"type": "procedural"},
    "scopes": {"scope": "project", "project": 1},
    "tags": {"tags": ("wanted",)},
    "since": {"at": NOON + 6 * DAY},
    "until": {"at": NOON - 6 * DAY},
    "min_confidence": {"confidence": 1.0},
    "trusted": {"provenance": "derived"},
    "provenances": {"provenance": "import"},
    "sessions": {"session": "s2"},
}


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_holds_wherever_memories_are_found(store, name) -> None:
    add_project(store)
    visible = Visibility(projects=(0, 1))
    add(store, 1, "kilo", confidence=0.9, tags=("unwanted",), provenance="tool")
    fitting = add(store, 2, "kilo", **{"confidence": 0.9, **FITTING[name]})
    arguments = {"visible": visible, "filters": FILTERS[name]}

    assert [fitting.key] == words(store, "kilo", **arguments)
    assert [fitting.key] == near(store, "kilo", **arguments)
    assert [fitting.key] == selected(store, **arguments)
    assert 1 == store.memories.count(visible, FILTERS[name])


def test_a_filter_by_topics_holds_wherever_memories_are_found(store) -> None:
    with store.transaction():
        topics = [
            store.topics.add(
                Topic(project=0, name=name, normalised=name, created_at=NOON, updated_at=NOON)
            ).key
            for name in ("queue", "broker")
        ]
    add(store, 1, "kilo")
    fitting = [add(store, number, "kilo", topic=key) for number, key in enumerate(topics, start=2)]
    for memory, key in zip(fitting, topics, strict=True):
        filters = Filters(topics=(key,))
        assert [memory.key] == words(store, "kilo", filters=filters)
        assert [memory.key] == near(store, "kilo", filters=filters)
    assert 2 == store.memories.count(GLOBAL, Filters(topics=tuple(topics)))


def test_forgotten_memories_are_listed_alone_and_once_a_chain(store) -> None:
    kept, gone, replaced = (add(store, number) for number in (1, 2, 3))
    with store.transaction():
        store.memories.supersede(replaced.key, gone.key, NOON)
        for memory in (gone, replaced):
            store.memories.change(memory.key, forgotten_at=NOON)
    assert [gone.key] == selected(store, Filters(forgotten_only=True))
    assert [kept.key] == selected(store)


def test_it_is_known_how_often_any_version_of_a_memory_was_shown(store) -> None:
    old, new, other = (add(store, number) for number in (1, 2, 3))
    with store.transaction():
        store.memories.supersede(old.key, new.key, NOON)
        for name, shown in (("a", (old.key, new.key)), ("b", (new.key, other.key)), ("c", ())):
            at = NOON + ord(name)
            store.sessions.put(Session(id=name, started_at=at, shown=shown, shown_at=at))
    assert (2, NOON + ord("b")) == store.inspection.times_shown(new.key)
    assert (2, NOON + ord("b")) == store.inspection.times_shown(old.key)
    assert (0, None) == store.inspection.times_shown(add(store, 4).key)


def test_memories_in_force_that_cite_a_file_are_listed(store) -> None:
    citing, gone, hidden = (add(store, number) for number in (1, 2, 3))
    add(store, 4)
    project = add_project(store).key
    with store.transaction():
        store.memories.change(hidden.key, project=project, scope="project")
        store.memories.change(gone.key, forgotten_at=NOON)
        for memory in (citing, gone, hidden):
            store.anchors.replace(memory.key, [presence_anchor("a.py"), presence_anchor("b.py")])
    assert [citing.key] == store.anchors.cited_by(GLOBAL, 9)
    both = Visibility(projects=(0, project))
    assert [hidden.key] == store.anchors.cited_by(both, 1)


def test_only_visible_projects_are_seen_by_any_reader(store) -> None:
    for name in "abc":
        add_project(store, f"{name}/same")
    for project in (1, 2, 3):
        add(store, project, "kilo", scope="project", project=project)
    add(store, 4, "kilo")
    for project in (1, 2, 3):
        visible = Visibility.of_project(project)
        seen = {
            *words(store, "kilo", visible=visible),
            *near(store, "kilo", visible=visible),
            *selected(store, visible=visible),
        }

        assert {project, 4} == seen
        assert (
            2
            == store.memories.count(visible, EVERYTHING)
            == store.memories.statistics(visible)["total"]
        )
        assert [project] == [
            memory.key for memory in store.memories.most_important(project, ["semantic"], 9)
        ]
        same = store.memories.same_text(make_memory(1, content="kilo").content_hash, visible)
        assert {project, 4} == {memory.key for memory in same}


def test_an_old_version_in_a_hidden_project_is_not_searched_for_a_global_head(store) -> None:
    add_project(store)
    old = add(store, 1, "kilo", scope="project", project=1)
    head = add(store, 2, "lima")
    with store.transaction():
        store.memories.supersede(old.key, head.key, NOON)

    assert [head.key] == near(store, "kilo")
    assert [] == words(store, "kilo")
    assert [old.key] == words(store, "kilo", visible=Visibility(projects=(0, 1)))


def test_memories_come_pinned_first_then_by_day_and_importance(store) -> None:
    old_pinned = add(store, 1, at=NOON - 9 * DAY, pinned=True, importance=0.1)
    older = add(store, 2, at=NOON - DAY, importance=0.9)
    low = add(store, 3, at=NOON, importance=0.2)
    high = add(store, 4, at=NOON - 60_000, importance=0.8)
    ordered = [memory.key for memory in (old_pinned, high, low, older)]

    assert ordered == selected(store)
    after = PageCursor.of(store.memories.get([ordered[0]])[0])
    assert ordered[1:3] == selected(store, limit=2, after=after)


def test_what_nobody_vouches_for_is_not_among_the_most_important(store) -> None:
    trusted = [
        add(store, 1, provenance="user", importance=0.3),
        add(store, 2, provenance="assistant", importance=0.6),
        add(store, 3, provenance="derived", importance=0.1, pinned=True),
    ]
    for number, provenance in enumerate(("tool", "import"), start=4):
        add(store, number, provenance=provenance, importance=1.0, pinned=True)
    event = add(store, 6, type="episodic")

    results = store.memories.most_important(0, ["semantic", "episodic"], 2)
    assert [trusted[2].key, trusted[1].key, event.key] == [memory.key for memory in results]


def test_what_was_recalled_comes_last_recalled_first_without_untrusted_ones(store) -> None:
    first, second = add(store, 1), add(store, 2, type="procedural")
    add(store, 3)
    untrusted, event = add(store, 4, provenance="tool"), add(store, 5, type="episodic")
    with store.transaction():
        store.usage.reinforce([second.key, untrusted.key, event.key], NOON, 0.0)
        store.usage.reinforce([first.key], NOON + DAY, 0.0)

    kinds = ["semantic", "procedural"]
    assert [first.key, second.key] == [
        memory.key for memory in store.memories.last_recalled(0, kinds, 9)
    ]
    assert [first.key] == [memory.key for memory in store.memories.last_recalled(0, kinds, 1)]


def test_the_latest_events_come_newest_first_without_untrusted_ones(store) -> None:
    first = add(store, 1, type="episodic", at=NOON)
    second = add(store, 2, type="episodic", at=NOON + DAY, importance=0.1)
    add(store, 3, type="episodic", at=NOON + 2 * DAY, provenance="tool")
    add(store, 4, at=NOON + 3 * DAY)

    assert [second.key, first.key] == [memory.key for memory in store.memories.latest_events(0, 9)]
    assert [second.key] == [memory.key for memory in store.memories.latest_events(0, 1)]


def test_equal_texts_in_force_are_found_by_their_hash(store) -> None:
    first, second = add(store, 1, "Kilo lima."), add(store, 2, "kilo  LIMA")
    replaced = add(store, 3, "kilo lima")
    with store.transaction():
        store.memories.supersede(replaced.key, first.key, NOON)

    results = store.memories.same_text(first.content_hash, GLOBAL)
    assert [first.key, second.key] == [memory.key for memory in results]


def test_statistics_count_states_types_and_scopes(store) -> None:
    add_project(store)
    versions = [add(store, 1), add(store, 2)]
    add(store, 3, type="episodic", scope="project", project=1)
    removed, put_away = add(store, 4), add(store, 5)
    with store.transaction():
        store.memories.supersede(versions[0].key, versions[1].key, NOON)
        store.memories.change(removed.key, forgotten_at=NOON)
        store.memories.change(put_away.key, archived_at=NOON)
    statistics = store.memories.statistics(Visibility(projects=(0, 1)))
    del statistics["db_size_bytes"]

    assert {
        "total": 5, "active": 2, "superseded": 1, "forgotten": 1, "archived": 1, "compacted": 0,
        "by_type": {"episodic": 1, "semantic": 1}, "by_scope": {"global": 1, "project": 1},
        "relations": 0, "entities": 0, "oldest": NOON + 1_000, "newest": NOON + 5_000,
    } == statistics  # fmt: skip


def test_an_empty_store_has_statistics_too(store) -> None:
    statistics = store.memories.statistics(GLOBAL)

    assert (0, 0, None, None) == (
        statistics["total"], statistics["active"], statistics["oldest"], statistics["newest"]
    )  # fmt: skip
