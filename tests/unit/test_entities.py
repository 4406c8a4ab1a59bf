"""Who is meant by a name: on the write path, in questions, and after merging and renaming."""

from __future__ import annotations

import pytest
from bench.hashed_embedder import HashedEmbedder

from aforesaid.adapters.name_matcher import RapidfuzzNameMatcher
from aforesaid.domain.errors import (
    ConflictError,
    InvalidInputError,
    NotFoundError,
    UnavailableError,
)
from aforesaid.domain.model.memory import Filters, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.services.graph.entity_merge import EntityMerger
from aforesaid.services.graph.entity_search import EntitySearch
from aforesaid.services.memories.editor import MemoryEditor
from aforesaid.services.memories.forget import MemoryForgetter
from aforesaid.services.memories.writer import MemoryWriter
from aforesaid.services.recall.query import RecallQuery
from factories import SequentialIds, Services, make_context, open_sqlite

GLOBAL = Visibility(projects=(0,))


@pytest.fixture
def world(store):
    """Return services over a store with two projects."""
    made = Services(store)
    made.remember = MemoryWriter(
        store,
        made.clock,
        SequentialIds(),
        lambda: made.embedder,
        None,
        matcher=RapidfuzzNameMatcher(),
    )
    made.forgetter = MemoryForgetter(store, made.clock, made.remember)
    made.curate = MemoryEditor(store, made.clock, made.remember, made.forgetter)
    made.entities = made.remember.entities
    made.mend = EntityMerger(store, made.clock, made.entities)
    made.search = EntitySearch(store, lambda: made.embedder, RapidfuzzNameMatcher())
    made.here = make_context(made.project("git:h/here"))
    made.there = make_context(made.project("git:h/there"))
    return made


def say(world, content, context=None, **fields):
    return world.remember.store(Statement(content=content, **fields), context or world.here)


def describe(world, name, content=None, context=None, scope=None, **metadata):
    return say(
        world, content or f"{name} is known here.", context, type="entity", scope=scope,
        metadata={"name": name, **metadata},
    )  # fmt: skip


def about(world, name, context=None):
    context = context or world.here
    keys = tuple(world.entities.keys_named(name, context.visible))
    return [
        memory.content
        for memory in world.store.memories.select(context.visible, Filters(entities=keys), 50)
    ]


def registry(world):
    everywhere = Visibility(projects=(0, world.here.project.key, world.there.project.key))
    rows = [
        world.store.entities.row(entity.key)
        for entity in world.store.entities.list_visible(everywhere)
    ]
    return world.store.entities.list_visible(everywhere), rows


def test_a_name_is_registered_once_and_then_recognised(world):
    first = say(world, "Exports run at night.", entity="Clarity")
    again = say(world, "Written in Go.", entity="clarity")

    assert (True, False) == (first.named.new, again.named.new)
    assert ("Clarity", "clarity") == (again.named.entity.name, again.named.given)
    assert ["Written in Go.", "Exports run at night."] == about(world, "CLARITY")


def test_a_near_name_is_offered_and_not_taken(world):
    say(world, "Exports run at night.", entity="Clarity")
    done = say(world, "Written in Go.", entity="clarty")

    assert done.named.new
    assert ["Clarity"] == [item.name for item in done.named.near]
    assert () == say(world, "Has no users.", entity="api v2").named.near
    assert () == say(world, "Has users.", entity="api v3").named.near


def test_a_slip_of_a_name_is_put_right_and_leaves_nothing(world):
    say(world, "Exports run at night.", entity="Clarity")
    slip = say(world, "Written in Go.", entity="clarty")
    done = world.curate.update(slip.memory.id, {"entity": "Clarity"}, world.here)

    assert "Clarity" == done.named.entity.name
    assert None is world.entities.find("clarty", world.here.visible)
    world.curate.update(slip.memory.id, {"entity": ""}, world.here)
    assert ["Exports run at night."] == about(world, "Clarity")


def test_a_description_brings_type_and_names_and_later_ones_add_to_them(world):
    describe(world, "Clarity", "The sales team's CRM.", entity_type="System", aliases=["CRM"])
    done = describe(world, "clarity", "Owned by Grace Miller.", aliases=["customer base"])

    entity = done.named.entity
    assert ("Clarity", "system", ("CRM", "customer base")) == (
        entity.name, entity.entity_type, entity.aliases,
    )  # fmt: skip
    assert ["Owned by Grace Miller.", "The sales team's CRM."] == about(world, "crm")


def test_an_alias_that_means_another_entity_is_left_with_it(world):
    describe(world, "Postgres", aliases=["the database"])
    done = describe(world, "Redis", aliases=["The Database", "cache"])

    assert ("The Database",) == done.named.skipped
    assert ("cache",) == done.named.entity.aliases


def test_two_projects_each_have_their_own_entity_of_a_name(world):
    say(world, "Speaks gRPC.", entity="api")
    say(world, "Speaks REST.", world.there, entity="API")

    assert ["Speaks gRPC."] == about(world, "api")
    assert ["Speaks REST."] == about(world, "api", world.there)


@pytest.mark.parametrize("name", ["user", "me", "My", "Ada Lovelace"])
def test_what_is_about_the_user_is_global_by_whatever_name(world, name):
    assert world.entities.add_user_name("Ada Lovelace")
    done = say(world, "Likes tea.", entity=name)

    assert ("global", "user") == (done.memory.scope, done.named.entity.name)
    assert not world.entities.add_user_name("ada lovelace")
    assert not world.entities.add_user_name("?")


def test_a_person_is_the_projects_and_known_everywhere_if_that_is_said(world):
    assert "project" == say(world, "Leads the team.", entity="Grace").memory.scope
    assert "project" == describe(world, "Hedy", entity_type="person").memory.scope
    done = describe(world, "Grace", entity_type="person", scope="global")

    assert ("global", 0) == (done.memory.scope, done.named.entity.project)
    assert "project" == say(world, "Likes tables.", world.there, entity="grace").memory.scope
    assert ["Grace is known here.", "Leads the team."] == about(world, "Grace")
    assert "Leads the team." not in about(world, "Grace", world.there)


def test_a_memory_that_becomes_global_takes_its_entity_along(world):
    done = say(world, "Speaks gRPC.", entity="api")
    world.curate.update(done.memory.id, {"scope": "global"}, world.here)

    assert ["Speaks gRPC."] == about(world, "api", world.there)


def test_the_same_words_about_another_thing_are_another_memory(world):
    say(world, "Is written in Go.", entity="alpha")
    again = say(world, "Is written in Go.", entity="alpha")
    other = say(world, "Is written in Go.", entity="bravo")
    unsaid = say(world, "Is written in Go.")

    assert (True, False, True) == (
        again.deduplicated, other.deduplicated, unsaid.deduplicated,
    )  # fmt: skip


def test_a_repeat_that_says_what_it_is_about_says_so_for_good(world):
    say(world, "Is written in Go.")
    assert say(world, "Is written in Go.", entity="alpha").deduplicated
    assert ["Is written in Go."] == about(world, "alpha")


def test_a_new_version_is_about_the_same_thing(world):
    done = say(world, "Is written in Go.", entity="alpha")
    world.curate.update(done.memory.id, {"content": "Is written in Rust."}, world.here)

    assert ["Is written in Rust."] == about(world, "alpha")


def test_a_question_that_names_an_alias_finds_what_is_linked_and_nothing_else_changes(world):
    describe(world, "kubernetes", aliases=["k8s"])
    say(world, "At most three replicas may run.", entity="kubernetes")
    say(world, "Two paintings hang in the hall.")

    asked = world.recall.recall(RecallQuery(query="k8s"), world.here.visible)
    contents = [result.memory.content for result in asked.results]
    assert {"kubernetes is known here.", "At most three replicas may run."} == set(contents)
    assert "about kubernetes" in asked.results[0].why
    other = world.recall.recall(RecallQuery(query="paintings in the hall"), world.here.visible)
    assert "Two paintings hang in the hall." == other.results[0].memory.content
    assert "about" not in other.results[0].why


def test_what_names_an_entity_is_found_beside_what_is_linked_to_it(world):
    named = ["Marta Oliveira is the lead; she owns the staging cluster.", "Ask Marta for access."]
    for text in named:
        say(world, text)
    say(world, "Marta is on holiday from Monday.", entity="Marta")
    say(world, "Two paintings hang in the hall.")

    for query in ("Marta", "who is Marta?"):
        asked = world.recall.recall(RecallQuery(query=query), world.here.visible)
        found = {result.memory.content for result in asked.results}
        assert {*named, "Marta is on holiday from Monday."} == found


def test_a_name_of_another_project_means_nothing_here(world):
    describe(world, "kubernetes", aliases=["k8s"], context=world.there)
    say(world, "At most three replicas may run.", world.there, entity="kubernetes")

    assert () == world.recall.recall(RecallQuery(query="k8s"), world.here.visible).results
    with pytest.raises(NotFoundError):
        world.entities.get("k8s", world.here.visible)


def test_names_answer_while_a_model_behind_an_api_is_down(world):
    class Down(HashedEmbedder):
        def embed_documents(self, texts):
            raise UnavailableError("out of order")

        def embed_document(self, text):
            raise UnavailableError("out of order")

    say(world, "Exports run at night.", entity="Clarity")
    world.embedder = Down()
    (result,) = world.search.search("clarty", world.here.visible).results
    assert "Clarity" == result.entity.name


def test_the_search_finds_slips_words_and_what_the_user_calls_theirs(world):
    say(world, "Tabs.", entity="user_preferences")
    describe(world, "Clarity", entity_type="system")
    visible = world.here.visible

    def first(query, **more):
        return world.search.search(query, visible, **more).results[0].entity.name

    assert "user_preferences" == first("my preferences")
    assert "Clarity" == first("Clarity project") == first("clarty") == first("clar")
    assert "Clarity" == first("clarity", types=["system"])
    assert () == world.search.search("clarity", visible, scopes=["global"]).results
    assert () == world.search.search("zebra", visible).results


def test_the_list_is_paged_by_name_and_holds_while_entities_are_added(world):
    for name in ("delta", "alpha", "charlie"):
        say(world, f"{name} exists.", entity=name)
    first = world.search.page(world.here.visible, limit=2)
    say(world, "bravo exists.", entity="aardvark")
    second = world.search.page(world.here.visible, limit=2, cursor=first.next_cursor)

    assert ["alpha", "charlie"] == [result.entity.name for result in first.results]
    assert ["delta", "user"] == [result.entity.name for result in second.results]
    assert None is second.next_cursor


@pytest.mark.parametrize(
    "does",
    [
        lambda search: search.search("", GLOBAL),
        lambda search: search.search("x" * 501, GLOBAL),
        lambda search: search.search("x", GLOBAL, limit=0),
        lambda search: search.page(GLOBAL, limit=51),
        lambda search: search.page(GLOBAL, cursor="elsewhere"),
    ],
)
def test_a_search_for_nothing_is_refused(world, does):
    with pytest.raises(InvalidInputError):
        does(world.search)


def test_merging_keeps_every_link_and_is_taken_back_exactly(world):
    describe(world, "Postgres", aliases=["the database"])
    say(world, "Runs version 16.", entity="Postgres")
    say(world, "Pooled by pgbouncer.", entity="pg")
    before = registry(world)
    kept = world.mend.merge("pg", "Postgres", world.here.visible)

    assert ("pg", "the database") == kept.aliases
    assert 3 == len(about(world, "pg")) == len(about(world, "postgres"))
    (change,) = world.mend.changes(world.here.visible)
    world.mend.undo(change.key, world.here.visible)
    assert before == registry(world)
    assert ["Pooled by pgbouncer."] == about(world, "pg")
    assert [] == world.mend.changes(world.here.visible)


def test_renaming_keeps_the_old_name_as_an_alias_and_is_taken_back_exactly(world):
    describe(world, "Clarity", aliases=["Lucid"])
    before = registry(world)
    renamed = world.mend.rename("clarity", "lucid", world.here.visible)

    assert ("lucid", ("Clarity",)) == (renamed.name, renamed.aliases)
    world.mend.rename("lucid", "LUCID", world.here.visible)
    assert ["Clarity is known here."] == about(world, "Clarity") == about(world, "Lucid")
    world.mend.undo(None, world.here.visible)
    world.mend.undo(None, world.here.visible)
    assert before == registry(world)


def test_erasing_a_memory_leaves_the_former_name_of_its_renamed_entity(world):
    say(world, "Runs version 16.", entity="Postgress")
    erased = say(world, "Pooled by pgbouncer.", entity="Postgress").memory
    world.mend.rename("Postgress", "PostgreSQL", world.here.visible)
    world.mend.rename("PostgreSQL", "main database", world.here.visible)
    world.forgetter.forget(erased.id, world.here, erase=True)

    assert ["Runs version 16."] == about(world, "postgress") == about(world, "PostgreSQL")
    world.mend.undo(None, world.here.visible)
    world.mend.undo(None, world.here.visible)
    assert () == world.entities.get("Postgress", world.here.visible).aliases


def test_a_new_name_in_a_description_renames_the_entity_and_can_be_undone(world):
    described = describe(world, "Postgress").memory
    say(world, "Runs version 16.", entity="Postgress")
    before = registry(world)
    world.curate.update(described.id, {"metadata": {"name": "PostgreSQL"}}, world.here)

    renamed = world.entities.get("PostgreSQL", world.here.visible)
    assert ("PostgreSQL", ("Postgress",)) == (renamed.name, renamed.aliases)
    assert 2 == len(about(world, "postgress")) == len(about(world, "postgresql"))
    world.mend.undo(None, world.here.visible)
    assert before == registry(world)


def test_a_description_that_is_given_another_entity_s_name_moves_to_it(world):
    described = describe(world, "pg").memory
    say(world, "Runs version 16.", entity="Postgres")
    world.curate.update(described.id, {"metadata": {"name": "Postgres"}}, world.here)
    assert 2 == len(about(world, "Postgres"))
    assert [] == about(world, "pg") == world.mend.changes(world.here.visible)


def test_changes_that_cannot_be_are_refused_with_the_way_out(world):
    say(world, "Speaks gRPC.", entity="api")
    describe(world, "Grace", entity_type="person", scope="global")
    visible = world.here.visible
    for does, error in (
        (lambda: world.mend.merge("api", "API", visible), InvalidInputError),
        (lambda: world.mend.merge("user", "Grace", visible), InvalidInputError),
        (lambda: world.mend.merge("Grace", "api", visible), ConflictError),
        (lambda: world.mend.merge("nobody", "api", visible), NotFoundError),
        (lambda: world.mend.rename("user", "boss", visible), InvalidInputError),
        (lambda: world.mend.rename("api", "Grace", visible), ConflictError),
        (lambda: world.mend.rename("api", "--", visible), InvalidInputError),
        (lambda: world.mend.undo(999, visible), NotFoundError),
        (lambda: world.mend.undo(None, visible), NotFoundError),
    ):
        with pytest.raises(error):
            does()


def test_entities_are_found_while_somebody_else_writes(tmp_path):
    services = Services(open_sqlite(tmp_path / "m.db", busy_timeout_ms=1))
    here = make_context(services.project("git:h/here"))
    services.remember.store(Statement(content="It queues.", entity="NATS"), here)
    search = EntitySearch(services.store, lambda: services.embedder, RapidfuzzNameMatcher())
    other = open_sqlite(tmp_path / "m.db")
    with other.transaction():
        results = search.search("nats", here.visible).results
    other.close()

    assert ["NATS"] == [item.entity.name for item in results]


def test_an_undo_in_the_way_of_a_later_change_says_which(world):
    say(world, "One.", entity="pg")
    say(world, "Two.", entity="Postgres")
    visible = world.here.visible
    world.mend.merge("pg", "Postgres", visible)
    (merged,) = world.mend.changes(visible)
    world.mend.rename("Postgres", "pg", visible)
    with pytest.raises(ConflictError, match="rename that one first"):
        world.mend.undo(merged.key, visible)


def test_another_project_s_changes_are_not_undone_from_here(world):
    say(world, "One.", entity="pg")
    world.mend.rename("pg", "Postgres", world.here.visible)
    assert [] == world.mend.changes(world.there.visible)


def test_erasing_takes_the_names_that_only_it_brought(world):
    brought = describe(world, "Clarity", aliases=["secret codename"])
    say(world, "Written in Go.", entity="Clarity")
    world.forgetter.forget(brought.memory.id, world.here, erase=True)

    assert None is world.entities.find("secret codename", world.here.visible)
    assert ["Written in Go."] == about(world, "Clarity")
    lone = describe(world, "Project Nightfall")
    world.forgetter.forget(lone.memory.id, world.here, erase=True)
    assert None is world.entities.find("Project Nightfall", world.here.visible)


@pytest.mark.parametrize("odd", [None, 3, [3]])
def test_erasing_and_describing_go_on_beside_a_description_with_odd_aliases(world, odd):
    other = describe(world, "Clarity", "Clarity is written in Go.").memory
    brought = describe(world, "Clarity", aliases=["secret codename"])
    with world.store.transaction():
        world.store.memories.change(other.key, metadata={**other.metadata, "aliases": odd})
    world.forgetter.forget(brought.memory.id, world.here, erase=True)

    assert None is world.entities.find("secret codename", world.here.visible)
    world.curate.update(other.id, {"entity": "Limpid"}, world.here)
    assert 1 == len(about(world, "Limpid"))


def test_what_a_project_calls_a_global_entity_stays_in_the_project(world):
    say(world, "Everyone pages through it.", scope="global", entity="Gateway")
    mine = describe(world, "gateway", scope="project", aliases=["the old door"])

    assert [("the old door",), ()] == [
        world.entities.find("gateway", context.visible).aliases
        for context in (world.here, world.there)
    ]
    assert None is world.entities.find("the old door", world.there.visible)
    assert 2 == len(about(world, "the old door"))
    world.forgetter.forget(mine.memory.id, world.here, erase=True)
    assert None is world.entities.find("the old door", world.here.visible)


def test_an_entity_that_becomes_global_keeps_its_project_s_aliases_there(world):
    described = describe(world, "Clarity", scope="project", aliases=["secret codename"])
    say(world, "Clarity is sold everywhere.", scope="global", entity="Clarity")

    assert [("secret codename",), ()] == [
        world.entities.find("Clarity", context.visible).aliases
        for context in (world.here, world.there)
    ]
    world.curate.update(described.memory.id, {"scope": "global"}, world.here)
    assert ("secret codename",) == world.entities.find("Clarity", world.here.visible).aliases


def test_a_description_that_is_global_no_more_takes_its_aliases_along(world):
    memory = describe(world, "Clarity", scope="global", aliases=["codename"]).memory
    say(world, "Clarity is sold everywhere.", scope="global", entity="Clarity")
    world.curate.update(memory.id, {"scope": "project"}, world.here)

    assert [("codename",), ()] == [
        world.entities.find("Clarity", context.visible).aliases
        for context in (world.here, world.there)
    ]
