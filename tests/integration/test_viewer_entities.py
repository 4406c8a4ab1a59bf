"""Entities in the viewer: the list, search, one with its memories, rename, merge, and back."""

from __future__ import annotations

import pytest

from aforesaid.entrypoints.api.operations import ToolCalls


@pytest.fixture
def key(viewer):
    """Return what stores a memory about an entity, and returns the entity's key."""

    def stored(name, content, **fields):
        calls = ToolCalls(viewer.services.connect())
        short = calls.call("store_memory", {"content": content, "entity": name, **fields})["id"]
        return viewer.core.store.memories.find(short)[0].entity

    return stored


def test_entities_are_listed_with_their_memories_and_aliases(viewer, key):
    ada = key("Ada Lovelace", "Ada Lovelace owns the ledger.")
    viewer.post(f"/entities/{ada}/rename", name="Ada King")
    page = viewer.get("/entities")
    assert "Ada King also Ada Lovelace" in page
    assert "acme/payments 1 memory" in page


def test_without_entities_the_page_says_how_one_appears(viewer):
    assert "An entity appears when" in viewer.get("/entities", q="")


def test_a_list_is_paged(viewer, key):
    for number in range(55):
        key(f"Service {number:02}", f"Service {number:02} listens at port {9000 + number}.")
    page = viewer.browser.get("/entities").text
    assert "Service 10" in page
    assert "Service 54" not in page
    later = page.partition('href="/entities?cursor=')[2].partition('"')[0]
    assert "Service 54" in viewer.get(f"/entities?cursor={later}")


def test_a_search_finds_similar_names(viewer, key):
    key("Ada Lovelace", "Ada Lovelace owns the ledger.")
    key("Stripe", "Stripe sends the webhooks.")
    page = viewer.get("/entities", q="ada lovelase")
    assert "Ada Lovelace" in page
    assert "Stripe" not in page
    assert "No entity matches." in viewer.get("/entities", q="xyzzyx")


def test_an_entity_shows_its_memories_and_memories_lead_to_it(viewer, key):
    ada = key("Ada Lovelace", "Ada Lovelace owns the ledger.")
    assert "Ada Lovelace owns the ledger." in viewer.get(f"/entities/{ada}")
    memory = viewer.core.store.memories.select(
        viewer.services.connect().call_context().visible, _any(), 1
    )[0]
    assert f'href="/entities/{ada}"' in viewer.browser.get(f"/memory/{memory.id}").text


def _any():
    from aforesaid.domain.model.memory import Filters

    return Filters()


def test_an_entity_of_another_project_is_shown_in_its_project(viewer, key):
    viewer.core.projects.named("acme/website")
    grace = key("Grace Hopper", "Grace Hopper reviews the texts.", project="acme/website")
    page = viewer.get(f"/entities/{grace}")
    assert "Used in acme/website" in page
    assert "Grace Hopper reviews the texts." in page


def test_an_unknown_entity_is_not_found(viewer):
    assert "no such entity" in viewer.get("/entities/999", status=404)


def test_a_rename_keeps_the_former_name_and_is_undone(viewer, key):
    ada = key("Ada Lovelace", "Ada Lovelace owns the ledger.")
    page = viewer.post(f"/entities/{ada}/rename", name="Ada King")
    assert "Ada Lovelace is now called Ada King." in page
    assert "Also called Ada Lovelace" in page
    page = viewer.post("/undo", next=f"/entities/{ada}")
    assert "Also called no other name" in page


def test_a_name_that_is_taken_is_refused(viewer, key):
    ada = key("Ada Lovelace", "Ada Lovelace owns the ledger.")
    key("Stripe", "Stripe sends the webhooks.")
    page = viewer.post(f"/entities/{ada}/rename", name="Stripe", next=f"/entities/{ada}")
    assert "is now called" not in page
    assert "Stripe" in page
    assert "Ada Lovelace" == viewer.core.store.entities.get(ada).name


def test_a_merge_is_previewed_done_and_undone(viewer, key):
    ada = key("Ada Lovelace", "Ada Lovelace owns the ledger.")
    king = key("Countess King", "Countess King reviews the schema.")
    page = viewer.get(f"/entities/{king}/merge", into="Ada Lovelace")
    assert "1 memory of Countess King will be about Ada Lovelace, which has 1" in page
    assert "Countess King" == viewer.core.store.entities.get(king).name
    page = viewer.post(f"/entities/{king}/merge", into="Ada Lovelace")
    assert "Countess King merged into Ada Lovelace, with 1 memory." in page
    assert "Memories 2" in page
    viewer.post("/undo", next="/entities")
    assert "Memories 1" in viewer.get(f"/entities/{ada}")
    assert "Memories 1" in viewer.get(f"/entities/{king}")


def test_a_merge_with_itself_is_refused(viewer, key):
    ada = key("Ada Lovelace", "Ada Lovelace owns the ledger.")
    assert "name another" in viewer.get(f"/entities/{ada}/merge", status=400, into="ada lovelace")
