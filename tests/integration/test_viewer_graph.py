"""The graph in the viewer: what is around a memory, an entity, a project; its data and its list."""

from __future__ import annotations

import json

import pytest

from aforesaid.domain.model.statement import Statement
from aforesaid.entrypoints.api.operations import ToolCalls
from aforesaid.entrypoints.viewer.graph import MAX_NODES

QUEUE = "The queue is NATS JetStream."
RETRY = "The queue is tried five times."


@pytest.fixture
def store(viewer):
    """Return what stores a memory as a session of the project would, and returns it."""

    def stored(content, **fields):
        calls = ToolCalls(viewer.services.connect())
        short = calls.call("store_memory", {"content": content, **fields})["id"]
        return viewer.core.store.memories.find(short)[0]

    return stored


def data(viewer, **query):
    return json.loads(viewer.browser.get("/graph/data", params=query).text)


def link(viewer, source, kind, target):
    calls = ToolCalls(viewer.services.connect())
    calls.call("link_memories", {"source_id": source.id, "kind": kind, "target_id": target.id})


def test_without_memories_the_page_says_so(viewer):
    assert "Nothing to draw yet." in viewer.get("/graph")


def test_around_a_memory_are_its_relations_topic_and_entity(viewer, store):
    queue = store(QUEUE, topic="queue/broker", entity="NATS")
    retry = store(RETRY)
    apart = store("Releases are tagged before they are shipped.")
    link(viewer, retry, "depends_on", queue)
    graph = data(viewer, memory=queue.id)
    labels = {node["id"]: node["label"] for node in graph["nodes"]}
    edges = {(labels[e["source"]], e["kind"], labels[e["target"]]) for e in graph["edges"]}
    assert {
        (RETRY, "depends on", QUEUE),
        (QUEUE, "in", "queue/broker"),
        (QUEUE, "about", "NATS"),
    } <= edges
    assert apart.content not in labels.values()
    assert [QUEUE] == [node["label"] for node in graph["nodes"] if node["start"]]


def test_a_graph_ends_two_relations_from_its_memory(viewer, store):
    first, second, third, fourth = (
        store(text)
        for text in (QUEUE, RETRY, "Releases are tagged.", "Invoices are numbered per country.")
    )
    link(viewer, first, "supports", second)
    link(viewer, second, "supports", third)
    link(viewer, third, "supports", fourth)
    labels = {node["label"] for node in data(viewer, memory=first.id)["nodes"]}
    assert third.content in labels
    assert fourth.content not in labels


def test_a_project_and_an_entity_have_a_graph(viewer, store):
    memory = store(QUEUE, entity="NATS")
    store("Releases are tagged before they are shipped.")
    assert 3 == len(data(viewer, project=memory.project)["nodes"])
    assert data(viewer) == data(viewer, project=memory.project)
    assert {QUEUE, "NATS"} == {n["label"] for n in data(viewer, entity=memory.entity)["nodes"]}


def test_the_list_has_every_node_and_pages_lead_to_the_graph(viewer, store):
    memory = store(QUEUE, entity="NATS", topic="queue/broker")
    page = viewer.browser.get("/graph").text
    for node in data(viewer)["nodes"]:
        assert f'href="{node["path"]}" data-node="{node["id"]}"' in page
        assert 200 == viewer.browser.get(node["path"]).status_code
    for path in (
        f"/memory/{memory.id}",
        f"/entities/{memory.entity}",
        f"/projects/{memory.project}",
    ):
        assert 'href="/graph?' in viewer.browser.get(path).text


def test_a_graph_has_at_most_so_many_nodes(viewer, store):
    first = store("Part 0 of the ledger has the number 0.")
    statements = [
        Statement(
            content=f"Part {n} of the ledger has the number {n * n}.", topic=f"ledger {n}/part"
        )
        for n in range(1, MAX_NODES + 50)
    ]
    viewer.core.writer.store_many(statements, viewer.services.connect().call_context())
    graph = data(viewer, project=first.project)
    assert MAX_NODES == len(graph["nodes"])
    assert graph["is_cut"]
    ids = {node["id"] for node in graph["nodes"]}
    assert all({edge["source"], edge["target"]} <= ids for edge in graph["edges"])


def test_a_forgotten_memory_is_not_drawn(viewer, store):
    memory = store(QUEUE)
    viewer.post(f"/memory/{memory.id}/forget")
    assert "Nothing to draw yet." in viewer.get("/graph")
    assert "was forgotten" in viewer.get("/graph", status=404, memory=memory.id)


def test_what_is_unknown_is_an_error(viewer):
    assert "no such entity" in viewer.get("/graph", status=404, entity="999")
    assert "is not the number" in viewer.get("/graph", status=400, project="x")


def test_only_the_page_with_the_graph_loads_its_library(viewer):
    assert "cytoscape.min.js" in viewer.browser.get("/graph").text
    assert "cytoscape" not in viewer.browser.get("/").text
