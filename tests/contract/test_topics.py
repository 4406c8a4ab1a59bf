"""The topic tree, the same in every store."""

from __future__ import annotations

import pytest

from aforesaid.domain.errors import AforesaidError
from aforesaid.domain.model.memory import Filters, Memory, Visibility
from aforesaid.domain.model.task import Task
from aforesaid.domain.model.topic import Topic, normalise_name
from aforesaid.ports import Store
from factories import NOON, make_memory, make_project

EVERYWHERE = Visibility(projects=(0,))


def node(store: Store, name: str, parent: int | None = None, project: int = 0) -> Topic:
    with store.transaction():
        return store.topics.add(
            Topic(
                project=project,
                parent=parent,
                name=name,
                normalised=normalise_name(name),
                created_at=NOON,
                updated_at=NOON,
            )
        )


def add(store: Store, number: int, **fields) -> Memory:
    with store.transaction():
        return store.memories.add(make_memory(number, **fields))


def read(store: Store, memory: Memory) -> Memory:
    return store.memories.get([memory.key])[0]


def filing(store: Store, memory: Memory) -> tuple[int | None, int | None, int]:
    row = read(store, memory)
    return (row.topic, row.parent, row.depth)


def test_a_node_is_read_with_its_path_and_level(store):
    auth = node(store, "Auth")
    jwt = node(store, "JWT tokens", auth.key)

    assert ("Auth", 0) == (auth.path, auth.depth)
    assert ("Auth/JWT tokens", 1) == (jwt.path, jwt.depth)
    assert [auth, jwt] == store.topics.of_projects([0])
    assert jwt == store.topics.get(jwt.key)
    assert None is store.topics.get(99)


def test_siblings_have_different_names_and_others_may_share_them(store):
    auth = node(store, "auth")
    node(store, "auth", auth.key)

    with pytest.raises(AforesaidError):
        node(store, "AUTH")


def test_a_memory_is_found_by_the_words_of_its_path_and_no_longer_by_old_ones(store):
    auth = node(store, "kilo")
    jwt = node(store, "lima", auth.key)
    memory = add(store, 1, content="golf", topic=jwt.key)

    def found(word: str) -> list[int]:
        hits = store.search.by_words([word], EVERYWHERE, Filters(), 9)
        return [hit.key for hit in hits]

    assert [memory.key] == found("kilo") == found("lima")
    with store.transaction():
        store.topics.change(auth.key, name="bravo", normalised="bravo")
    assert ([], [memory.key]) == (found("kilo"), found("bravo"))
    with store.transaction():
        store.memories.change(memory.key, topic=None)
    assert [] == found("lima")


def test_counts_are_of_memories_in_force_that_each_node_holds_itself(store):
    auth = node(store, "auth")
    jwt = node(store, "jwt", auth.key)
    first, second = add(store, 1, topic=auth.key), add(store, 2, topic=jwt.key)
    add(store, 3)
    with store.transaction():
        store.memories.change(first.key, forgotten_at=NOON)

    assert {jwt.key: 1, None: 1} == store.topics.counts(EVERYWHERE)
    assert [second.key] == [
        memory.key for memory in store.topics.filed([auth.key, jwt.key], EVERYWHERE, 9)
    ]
    assert {} == store.topics.counts(Visibility(projects=(7,)))


def test_what_is_inside_a_task_is_counted_and_shown_inside_it_only(store):
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a")).key
        task = store.tasks.put(
            Task(project=project, task_id="retries", created_at=NOON, updated_at=NOON)
        )
    auth = node(store, "auth", project=project)
    placed = {"topic": auth.key, "project": project}
    fact = add(store, 1, scope="project", **placed)
    inside = add(store, 2, scope="task", task=task.key, parent=fact.key, depth=3, **placed)
    outside = Visibility.of_project(project)
    there = Visibility(projects=(0, project), tasks=(task.key,))

    assert [{auth.key: 1}, {auth.key: 2}] == [
        store.topics.counts(visible) for visible in (outside, there)
    ]
    assert [[], [inside.key]] == [
        [memory.key for memory in store.topics.details(fact.key, visible)]
        for visible in (outside, there)
    ]
    assert [[fact.key], [fact.key, inside.key]] == [
        [memory.key for memory in store.topics.shown([fact.key, inside.key, 99], visible)]
        for visible in (outside, there)
    ]
    assert [1, 2] == [
        len(store.topics.filed([auth.key], visible, 9)) for visible in (outside, there)
    ]


def test_a_new_version_takes_over_the_details_of_the_old(store):
    topic, other = node(store, "one"), node(store, "other")
    old = add(store, 1, topic=topic.key)
    detail = add(store, 2, topic=topic.key, parent=old.key, depth=3)
    deeper = add(store, 3, topic=topic.key, parent=detail.key, depth=4)
    new = add(store, 4, topic=other.key)
    with store.transaction():
        store.memories.supersede(old.key, new.key, NOON)

    assert [detail.key] == [memory.key for memory in store.topics.details(new.key, EVERYWHERE)]
    assert (other.key, old.key, 3) == filing(store, detail)
    assert (other.key, detail.key, 4) == filing(store, deeper)


def test_a_detail_that_replaces_what_it_details_becomes_a_fact(store):
    fact = add(store, 1)
    detail = add(store, 2, parent=fact.key, depth=3)
    deeper = add(store, 3, parent=detail.key, depth=4)
    with store.transaction():
        store.memories.supersede(fact.key, detail.key, NOON)

    assert (None, None, 2) == filing(store, detail)
    assert (None, detail.key, 3) == filing(store, deeper)


def test_a_version_that_ends_its_chain_again_has_the_place_it_had(store):
    topic, other = node(store, "one"), node(store, "other")
    old, new = add(store, 1, topic=topic.key), add(store, 2, topic=other.key)
    detail = add(store, 3, topic=topic.key, parent=old.key, depth=3)
    with store.transaction():
        store.memories.supersede(old.key, new.key, NOON)
        store.relations.unchain(old.key)

    assert (topic.key, old.key, 3) == filing(store, detail)


def test_the_details_of_what_is_erased_go_to_its_parent_then_to_its_topic(store):
    topic = node(store, "auth")
    fact = add(store, 1, topic=topic.key)
    detail = add(store, 2, topic=topic.key, parent=fact.key, depth=3)
    deeper = add(store, 3, topic=topic.key, parent=detail.key, depth=4)
    with store.transaction():
        store.memories.erase(detail.key, "hash", NOON)
    assert (topic.key, fact.key, 3) == filing(store, deeper)

    with store.transaction():
        store.memories.erase(fact.key, "other hash", NOON)
    assert (topic.key, None, 2) == filing(store, deeper)


def test_the_details_of_an_erased_version_go_to_the_one_before(store):
    old, new = add(store, 1), add(store, 2)
    with store.transaction():
        store.memories.supersede(old.key, new.key, NOON)
    detail = add(store, 3, parent=new.key, depth=3)
    with store.transaction():
        store.memories.erase(new.key, "hash", NOON)

    assert (None, old.key, 3) == filing(store, detail)


def test_a_detail_of_another_project_keeps_a_topic_of_its_own(store):
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a")).key
    mine, general = node(store, "mine", project=project), node(store, "general")
    fact = add(store, 1, topic=general.key)
    detail = add(
        store, 2, parent=fact.key, depth=3, topic=mine.key, project=project, scope="project"
    )
    with store.transaction():
        store.topics.recompute(fact.key)

    assert (mine.key, fact.key, 3) == filing(store, detail)
    assert [] == store.topics.details(fact.key, EVERYWHERE)
    assert [detail.key] == [
        memory.key for memory in store.topics.details(fact.key, Visibility.of_project(project))
    ]


def test_a_detail_that_an_erased_version_leaves_to_one_of_its_project_is_filed_with_it(store):
    with store.transaction():
        project = store.projects.add(make_project("git:example.org/a")).key
    mine, theirs = (node(store, name, project=project) for name in ("mine", "theirs"))
    general, own = add(store, 1), add(store, 2, topic=theirs.key, project=project, scope="project")
    detail = add(
        store, 3, parent=general.key, depth=3, topic=mine.key, project=project, scope="project"
    )
    with store.transaction():
        store.memories.supersede(general.key, own.key, NOON)
        store.topics.recompute(own.key)
    assert (mine.key, general.key, 3) == filing(store, detail)

    with store.transaction():
        store.memories.erase(general.key, "hash", NOON)
    assert (theirs.key, own.key, 3) == filing(store, detail)


def test_a_node_that_is_replaced_hands_over_its_memories_and_overview(store):
    removed, remaining = node(store, "gone"), node(store, "kept")
    memory = add(store, 1, topic=removed.key)
    with store.transaction():
        store.topics.change(removed.key, overview=memory.key)
        moved = store.topics.replace(removed.key, remaining.key)

    assert 1 == moved
    assert (remaining.key, None, 2) == filing(store, memory)
    assert [memory.key] == [topic.overview for topic in store.topics.of_projects([0])]


def test_nodes_that_hold_nothing_are_removed_and_others_are_kept(store):
    full, empty = node(store, "full"), node(store, "empty")
    concept = node(store, "concept", full.key)
    node(store, "nothing", empty.key)
    memory = add(store, 1, topic=concept.key)
    with store.transaction():
        store.memories.change(memory.key, forgotten_at=NOON)  # it may come back
        store.topics.remove_unused()
    assert [full.key, concept.key] == [topic.key for topic in store.topics.of_projects([0])]

    with store.transaction():
        store.memories.erase(memory.key, "hash", NOON)
    assert [] == store.topics.of_projects([0])


def test_an_overview_that_is_erased_leaves_the_version_before_it_or_none(store):
    topic = node(store, "auth")
    old, new = add(store, 1, topic=topic.key), add(store, 2, topic=topic.key)
    with store.transaction():
        store.memories.supersede(old.key, new.key, NOON)
        store.topics.change(topic.key, overview=new.key)
        store.memories.erase(new.key, "hash", NOON)
    assert old.key == store.topics.get(topic.key).overview

    add(store, 3, topic=topic.key)
    with store.transaction():
        store.memories.erase(old.key, "other hash", NOON)
    assert None is store.topics.get(topic.key).overview


def test_projects_that_become_one_have_each_topic_once(store):
    with store.transaction():
        source = store.projects.add(make_project("git:example.org/a")).key
        target = store.projects.add(make_project("git:example.org/b")).key
    theirs = node(store, "auth", project=target)
    twin = node(store, "Auth", project=source)
    jwt = node(store, "jwt", twin.key, project=source)
    own = node(store, "queue", project=source)
    memories = [
        add(store, number, topic=topic.key, project=source, scope="project")
        for number, topic in enumerate((twin, jwt, own), 1)
    ]
    with store.transaction():
        store.projects.merge(source, target)

    assert ["auth", "auth/jwt", "queue"] == sorted(
        topic.path for topic in store.topics.of_projects([target])
    )
    assert [theirs.key, jwt.key, own.key] == [read(store, memory).topic for memory in memories]
    assert [] == store.topics.of_projects([source])
