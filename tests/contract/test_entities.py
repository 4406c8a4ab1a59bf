"""What every store guarantees about entities."""

from __future__ import annotations

import pytest

from aforesaid.domain.errors import NotFoundError
from aforesaid.domain.model.entity import Entity, EntityUse, normalise_name
from aforesaid.domain.model.memory import Filters, Memory, Visibility
from aforesaid.ports import Store
from factories import NOON, make_memory, make_project

GLOBAL = Visibility(projects=(0,))


def register(store: Store, name: str, project: int = 0, **fields) -> Entity:
    created = Entity(
        name=name, normalised=normalise_name(name), project=project,
        created_at=NOON, updated_at=NOON, **fields,
    )  # fmt: skip
    with store.transaction():
        return store.entities.add(created)


def add(
    store: Store, number: int, entity: Entity | None = None, project: int = 0, **fields
) -> Memory:
    about = None if entity is None else entity.key
    scope = "project" if project else "global"
    with store.transaction():
        return store.memories.add(
            make_memory(number, entity=about, project=project, scope=scope, **fields)
        )


def alias(store: Store, entity: Entity, *names: str) -> None:
    with store.transaction():
        for name in names:
            store.entities.add_alias(entity.key, normalise_name(name), name)


def merge(store: Store, source: Entity, target: Entity | None) -> None:
    with store.transaction():
        store.entities.merge(source.key, None if target is None else target.key)


def projects(store: Store, count: int = 2) -> list[int]:
    with store.transaction():
        return [store.projects.add(make_project(f"git:h/{n}")).key for n in range(count)]


def named(store: Store, name: str, visible: Visibility = GLOBAL) -> str | None:
    normalised = normalise_name(name)
    results = store.entities.named([normalised], visible).get(normalised)
    return None if results is None else results.name


def test_the_user_is_there_from_the_start(store) -> None:
    (user,) = store.entities.list_visible(GLOBAL)
    assert ("user", "person", ("I", "me", "my", "myself")) == (
        user.name, user.entity_type, user.aliases,
    )  # fmt: skip
    assert "user" == named(store, "Myself")


def test_an_entity_is_found_by_its_name_and_its_aliases(store) -> None:
    clarity = register(store, "Clarity", entity_type="system")
    alias(store, clarity, "the CRM", "clarity app")

    assert "Clarity" == named(store, "CLARITY") == named(store, "The_CRM")
    assert None is named(store, "clarify")
    assert ("clarity app", "the CRM") == store.entities.get(clarity.key).aliases
    with store.transaction():
        store.entities.remove_alias(clarity.key, "thecrm")
    assert None is named(store, "the CRM")


def test_what_a_project_calls_its_own_is_unknown_to_others_and_comes_before_what_is_global(
    store,
) -> None:
    home, other = projects(store)
    register(store, "api")
    own = register(store, "API", home)

    assert "API" == named(store, "api", Visibility.of_project(home))
    assert "api" == named(store, "api", Visibility.of_project(other)) == named(store, "api")
    assert [] == store.entities.list_visible(Visibility.of_project(other), scopes=["project"])
    assert own.key in [
        e.key for e in store.entities.list_visible(Visibility.of_project(home), scopes=["project"])
    ]


def test_entities_are_listed_by_name_from_any_place(store) -> None:
    for name in ("zulu", "alpha", "mike"):
        register(store, name, entity_type="letter")

    listed = store.entities.list_visible(GLOBAL, types=["letter"])
    assert ["alpha", "mike", "zulu"] == [entity.name for entity in listed]
    after = ("alpha", listed[0].key)
    assert ["mike"] == [
        entity.name
        for entity in store.entities.list_visible(GLOBAL, types=["letter"], after=after, limit=1)
    ]


def test_what_was_merged_is_known_as_the_other_and_is_itself_again_when_taken_back(store) -> None:
    pg, postgres, database = (register(store, n) for n in ("pg", "Postgres", "database"))
    alias(store, pg, "psql")
    memory = add(store, 1, pg)
    before = (store.entities.list_visible(GLOBAL), store.entities.row(pg.key))
    merge(store, pg, postgres)
    merge(store, postgres, database)

    assert "database" == named(store, "psql") == named(store, "pg") == named(store, "postgres")
    assert ("pg", "Postgres", "psql") == store.entities.get(pg.key).aliases
    about = Filters(entities=(database.key,))
    assert [memory.key] == [row.key for row in store.memories.select(GLOBAL, about, 9)]
    assert 1 == store.memories.count(GLOBAL, about)

    merge(store, pg, None)
    assert "pg" == named(store, "psql")
    assert [] == store.memories.select(GLOBAL, about, 9)
    merge(store, postgres, None)
    assert before == (store.entities.list_visible(GLOBAL), store.entities.row(pg.key))


def test_uses_count_what_is_in_force_and_visible(store) -> None:
    home, other = projects(store)
    entity = register(store, "clarity")
    add(store, 1, entity, home, tags=("red", "blue"))
    last = add(store, 2, entity, home, tags=("blue",))
    add(store, 3, entity, other)
    removed = add(store, 4, entity, home)
    with store.transaction():
        store.memories.change(removed.key, forgotten_at=NOON)

    uses = store.entities.uses([entity.key, 1], Visibility(projects=(home,)))
    assert {
        entity.key: EntityUse(
            count=2, tags=("blue", "red"), first_at=NOON + 1_000, last_at=last.updated_at
        )
    } == uses


def test_a_row_is_in_use_while_a_memory_or_a_merge_leads_to_it(store) -> None:
    entity, other = register(store, "one"), register(store, "other")
    assert not store.entities.is_used(entity.key)
    add(store, 1, entity)
    merge(store, entity, other)
    assert store.entities.is_used(entity.key)
    assert store.entities.is_used(other.key)


def test_a_row_that_goes_takes_its_names_with_it(store) -> None:
    removed = register(store, "gone")
    alias(store, removed, "bye")
    with store.transaction():
        store.memories.record(
            "entity_rename", None, NOON, entity=removed.key, names=["before", "gone"]
        )
        assert 1 == len(store.entities.changes(9))
        store.entities.remove(removed.key)

    assert [] == store.entities.changes(9)
    assert None is store.entities.get(removed.key)
    assert None is named(store, "bye")
    with pytest.raises(NotFoundError):
        store.entities.row(removed.key)


def test_changes_come_newest_first_without_those_that_were_undone(store) -> None:
    with store.transaction():
        store.memories.record("entity_rename", None, NOON, entity=1, names=["a", "b"])
        store.memories.record("entity_merge", None, NOON + 1, entity=1, into=1)
    newest, oldest = store.entities.changes(9)
    assert ("entity_merge", NOON + 1) == (newest.operation, newest.at)
    assert ["a", "b"] == oldest.details["names"]
    with store.transaction():
        store.memories.record("entity_undo", None, NOON, of=newest.key)

    assert [oldest] == store.entities.changes(9)


def test_names_that_mean_the_nearest_come_first(store) -> None:
    from bench.hashed_embedder import HashedEmbedder

    embed = HashedEmbedder()
    red, blue = register(store, "red wine"), register(store, "blue cheese")
    assert [1, red.key, blue.key] == store.entities.without_vector(embed.model, 9)
    with store.transaction():
        for entity in (red, blue):
            (vector,) = embed.embed_document(entity.name)
            store.entities.set_vector(entity.key, vector, embed.model)

    assert [1] == store.entities.without_vector(embed.model, 9)
    near = store.entities.near(embed.embed_query("wine, red"), embed.model, GLOBAL, 9)
    assert [red.key, blue.key] == [key for key, _cosine in near]
    assert pytest.approx(1.0, abs=1e-5) == near[0][1]
    with store.transaction():
        store.entities.change(red.key, name="white wine")
    assert [1, red.key] == store.entities.without_vector(embed.model, 9)


def test_projects_that_speak_of_the_same_share_it_and_the_user_is_no_such_thing(store) -> None:
    home, other = projects(store)
    shared = register(store, "clarity")
    twins = [register(store, "api", home), register(store, "API", other)]
    (user,) = (e for e in store.entities.list_visible(GLOBAL) if e.name == "user")
    for number, (entity, project) in enumerate(
        [(shared, home), (shared, other), (twins[0], home), (twins[0], home), (twins[1], other),
         (user, home), (user, other), (register(store, "alone", home), home)]
    ):  # fmt: skip
        add(store, number, entity, project)

    assert {home: ["api", "alone", "clarity"], other: ["API", "clarity"]} == store.entities.names(9)
    assert [(other, ["api", "clarity"])] == store.entities.sharing_projects(home, 9)


def test_projects_that_merge_have_each_name_once(store) -> None:
    home, other = projects(store)
    remaining, removed = register(store, "api", home), register(store, "API", other)
    alias(store, remaining, "gateway")
    lone = register(store, "queue", other)
    alias(store, removed, "endpoint")
    alias(store, lone, "gateway", "bus")
    memory = add(store, 1, removed, other)
    with store.transaction():
        store.projects.merge(other, home)

    visible = Visibility.of_project(home)
    assert ["api", "queue"] == [
        e.name for e in store.entities.list_visible(visible, scopes=["project"])
    ]
    assert "api" == named(store, "endpoint", visible) == named(store, "gateway", visible)
    assert "queue" == named(store, "bus", visible)
    memories = store.memories.select(visible, Filters(entities=(remaining.key,)), 9)
    assert [memory.key] == [m.key for m in memories]


def test_persons_are_found_by_their_first_names(store) -> None:
    one, other = projects(store)
    for name, project in (
        ("Marta Oliveira", one), ("Marta Silva", 0), ("Marta Costa", other), ("Marta", one),
        ("Martabel Cruz", one), ("Marta-Lena Cruz", one), ("Ludwig van Beethoven", one),
    ):  # fmt: skip
        register(store, name, project)
    api = register(store, "API Gateway", one)
    alias(store, api, "Ludwig Gate")
    found = store.entities.with_first_name(
        ["marta", "ludwig", "api", "ida"], Visibility(projects=(one, 0))
    )
    assert {
        "marta": ["Marta Oliveira", "Marta Silva"],
        "ludwig": ["API Gateway", "Ludwig van Beethoven"],
    } == {first: [entity.name for entity in each] for first, each in found.items()}
    assert {} == store.entities.with_first_name([], GLOBAL)
