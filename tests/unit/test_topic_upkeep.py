"""The topic tree kept in order: nodes that are one, memories without a place, nodes told anew."""

from __future__ import annotations

import pytest

from aforesaid.adapters.embedding.onnx import SHIPPED_FOLDER, OnnxEmbedder
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.maintenance.topic_merge import (
    are_names_compatible,
    pick_merge_target,
    topic_name,
)
from aforesaid.domain.model.statement import Statement
from aforesaid.services.graph.topic_tree import TopicTree
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.maintenance.summarize import Summarizer
from aforesaid.services.maintenance.topic_upkeep import TopicUpkeep
from factories import Services, make_context
from unit.test_maintenance_links import vector

EMBEDDER = OnnxEmbedder(SHIPPED_FOLDER)


class World(Services):
    """Services over a store with one project, whose vectors a test gives."""

    def __init__(self, store) -> None:
        super().__init__(store, words_only=True)
        self.here = make_context(self.project("git:shop"))

    def say(self, content: str, direction: bytes, **fields):
        values = {"scope": "project", **fields}
        memory = self.remember.store(Statement(content=content, **values), self.here).memory
        with self.store.transaction():
            self.store.search.set_vectors(memory.key, [direction], "m")
        return memory

    def tend(self, summariser=None):
        summing = Summarizer(self.store, self.clock, summariser, daily_calls=9)
        phase = TopicUpkeep(self.store, self.clock, summing, Thresholds())
        return MaintenanceRunner(self.store, self.clock, [phase]).run()

    def tree(self) -> dict[str, int]:
        return {
            topic.path: len(self.store.topics.filed([topic.key], self.here.visible, 99))
            for topic in self.store.topics.of_projects([self.here.project.key])
        }


@pytest.fixture
def world(store):
    return World(store)


@pytest.mark.parametrize(
    ("name", "merged"),
    [("authentication", True), ("author", False), ("auth v2", False)],
)
def test_topics_with_names_of_one_meaning_become_one(store, name, merged):
    world = World(store)
    world.say("Tokens expire after an hour.", vector(1, 0), topic="auth")
    world.say("Passwords are hashed.", vector(1, 2), topic=name)
    summing = Summarizer(store, world.clock, None, daily_calls=9)
    phase = TopicUpkeep(store, world.clock, summing, Thresholds(), lambda: EMBEDDER)
    MaintenanceRunner(store, world.clock, [phase]).run()
    assert (1 if merged else 2) == len(world.tree())


def test_topics_that_lie_together_under_one_name_become_one(world):
    for number in range(3):
        world.say(f"tokens {number}", vector(1, number / 100), topic="auth")
    world.say("logins", vector(1, 0.01), topic="authentication")
    assert 1 == world.tend().run.counts["topics"]["merged"]
    assert {"auth": 4} == world.tree()


def test_what_is_erased_while_a_node_is_told_of_is_not_told(world):
    class Slow:
        name = "slow"

        def summarise(self, text, instruction, limits):
            world.forgetter.forget(memories[0].id, world.here, erase=True)
            return text

    memories = [
        world.say(f"the pangolin moved {number}", vector(1, number / 9), topic="zoo")
        for number in range(4)
    ]
    world.tend(Slow())
    assert {} == world.store.maintenance.topic_summaries((world.here.project.key,))
    world.tend()
    assert 1 == len(world.store.maintenance.topic_summaries((world.here.project.key,)))


@pytest.mark.parametrize("name", ["authors", "billing", "auth v2"])
def test_topics_of_other_names_stay_two_however_near(world, name):
    world.say("tokens", vector(1, 0.01), topic="auth v1" if "v2" in name else "auth")
    world.say("logins", vector(0, 1) if name == "authors" else vector(1, 0.01), topic=name)
    world.tend()
    assert 2 == len(world.tree())


def test_a_memory_without_a_topic_goes_where_its_neighbours_stand(world):
    world.say("tokens expire", vector(1, 0.1), topic="auth")
    world.say("keys expire", vector(1, 0.2), topic="auth")
    lost = world.say("logins expire", vector(1, 0.15))
    assert {"filed": 1, "told anew": 1} == world.tend().run.counts["topics"]
    (memory,) = world.store.memories.get([lost.key])
    assert "auth" == world.store.topics.get(memory.topic).path


def test_several_on_one_thing_make_a_topic_that_is_named_after_it(world):
    for text in ("The queue is NATS", "The queue drops nothing", "Our queue has three shards"):
        world.say(text, vector(1, len(text) / 100))
    world.say("Lunch is at noon", vector(0, 0, 1))
    world.tend()
    assert {"queue": 3} == world.tree()


def test_two_on_one_thing_or_three_without_a_word_in_common_stay_unfiled(world):
    world.say("The queue is NATS", vector(1, 0.1))
    world.say("The queue drops nothing", vector(1, 0.2))
    for text in ("Apples fall", "Bears sleep", "Cars rust"):
        world.say(text, vector(0, 1, len(text) / 100))
    world.tend()
    assert {} == world.tree()


def test_a_topic_that_gained_memories_is_told_anew_until_one_of_them_changes(world):
    memories = [
        world.say(f"tokens live {word}", vector(1, number / 9), topic="auth")
        for number, word in enumerate(("long", "briefly", "once"))
    ]
    assert 1 == world.tend().run.counts["topics"]["told anew"]
    node = shown(world)
    assert node.summary.startswith("auth: tokens live")
    assert {} == world.tend().run.counts.get("topics", {})
    world.forgetter.forget(memories[0].id, world.here)
    node = shown(world)
    assert "" == node.summary


def test_what_nobody_vouches_for_is_not_told(world):
    for number in range(3):
        world.say(f"tokens {number}", vector(1, number), topic="auth", provenance="tool")
    world.tend()
    assert {} == world.store.maintenance.topic_summaries((world.here.project.key,))


def shown(world):
    """Return the one topic as it is shown."""
    tree = TopicTree(world.store, world.here.visible)
    (topic,) = tree.roots()
    return tree.node(topic)


# -- pure


@pytest.mark.parametrize(
    ("first", "other", "allowed"),
    [
        ("auth", "authentication", True),
        ("auth", "auth service", True),
        ("Queue", "queue", True),
        ("queue", "queue retries", False),
        ("python 2", "python 3", False),
        ("input", "output", False),
        ("log", "login", False),
        ("sync api", "async api", False),
    ],
)
def test_names_that_may_be_one_topic(first, other, allowed):
    assert allowed == are_names_compatible(first, other) == are_names_compatible(other, first)


def test_the_fuller_then_the_older_topic_survives():
    assert (2, 1) == pick_merge_target((3, 5, 1), (4, 9, 2))
    assert (1, 2) == pick_merge_target((3, 5, 1), (3, 9, 2))


def test_a_group_is_named_by_what_it_is_about():
    texts = ("Backups run at night", "Backups go to the cellar", "Every backup is encrypted")
    assert "backups" == topic_name(texts, 3)
    assert "" == topic_name(("apples", "bears", "cars"), 3)
    assert "" == topic_name(("always use it", "always use that", "always use this"), 3)


def test_removed_secrets_name_no_group():
    mark = "[redacted: password]"
    assert "" == topic_name((f"wifi {mark}", f"door {mark}", f"mail {mark}"), 3)
