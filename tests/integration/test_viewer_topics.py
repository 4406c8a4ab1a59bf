"""Topics in the viewer: the tree, one with its memories, and its move to another path and back."""

from __future__ import annotations

import pytest

from aforesaid.entrypoints.api.operations import ToolCalls


@pytest.fixture
def key(viewer):
    """Return what stores a memory under a topic, and returns the topic's key."""

    def stored(topic, content, **fields):
        calls = ToolCalls(viewer.services.connect())
        short = calls.call("store_memory", {"content": content, "topic": topic, **fields})["id"]
        return viewer.core.store.memories.find(short)[0].topic

    return stored


def path(viewer, name):
    known = viewer.core.store.topics.of_projects(
        viewer.services.connect().call_context().visible.projects
    )
    return next((topic.key for topic in known if topic.path == name), None)


def test_without_topics_the_page_says_how_one_appears(viewer):
    assert "No topics yet." in viewer.get("/topics")


def test_topics_are_a_tree_with_counts(viewer, key):
    key("queue/broker", "The queue is NATS JetStream.")
    key("queue/limits", "The queue is tried five times.")
    key("release", "Releases are tagged before they are shipped.")
    page = viewer.get("/topics")
    assert "queue 2" in page
    assert "broker 1" in page
    assert "release 1" in page


def test_a_topic_shows_its_concepts_and_memories(viewer, key):
    broker = key("queue/broker", "The queue is NATS JetStream.")
    queue = path(viewer, "queue")
    page = viewer.get(f"/topics/{queue}")
    assert "broker 1 Memories 1 The queue is NATS JetStream." in page
    assert "part of queue" in viewer.get(f"/topics/{broker}")


def test_a_topic_of_another_project_is_shown_in_its_project(viewer, key):
    viewer.core.projects.named("acme/website")
    build = key("build", "The website is built with Astro.", project="acme/website")
    page = viewer.get(f"/topics/{build}")
    assert "acme/website" in page
    assert "The website is built with Astro." in page


def test_an_unknown_topic_is_not_found(viewer):
    assert "no such topic" in viewer.get("/topics/999", status=404)


def test_a_rename_keeps_concepts_and_is_undone(viewer, key):
    key("queue/broker", "The queue is NATS JetStream.")
    key("queue", "Every queue has an owner.")
    queue = path(viewer, "queue")
    page = viewer.get(f"/topics/{queue}/move", to="messaging")
    assert "Move 2 memories from queue to messaging?" in page
    assert "to messaging/broker" in page
    assert path(viewer, "messaging") is None
    page = viewer.post(f"/topics/{queue}/move", to="messaging")
    assert "2 memories moved from queue to messaging." in page
    assert path(viewer, "messaging/broker") is not None
    assert path(viewer, "queue") is None
    viewer.post("/undo", next="/topics")
    assert path(viewer, "queue/broker") is not None
    assert path(viewer, "messaging") is None


def test_a_topic_is_merged_into_another(viewer, key):
    events = key("events", "Events are kept for a week.")
    key("queue/broker", "The queue is NATS JetStream.")
    page = viewer.post(f"/topics/{events}/move", to="queue/broker")
    assert "1 memory moved from events to queue/broker." in page
    assert "Memories 2" in page


def test_a_path_that_is_none_is_refused(viewer, key):
    queue = key("queue", "Every queue has an owner.")
    page = viewer.get(f"/topics/{queue}/move", status=303, to=" / ")
    assert "contains no name" in page.partition("Rename, merge or move")[2]
    assert 'value=" / "' in viewer.last
