"""Links between facts of similar topics: found, fading, gone; entities that come up together."""

from __future__ import annotations

from array import array
from itertools import count

import pytest

from aforesaid.domain.maintenance.link_decay import WeakLink, choose_links, is_expired
from aforesaid.domain.maintenance.thresholds import Thresholds
from aforesaid.domain.maintenance.vector_math import centroid, cosine
from aforesaid.domain.model.embedding_model import SERVING, Model, ModelVector
from aforesaid.domain.model.statement import Statement
from aforesaid.services.maintenance.links import Links
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.maintenance.summarize import Summarizer
from aforesaid.services.maintenance.topic_upkeep import TopicUpkeep
from factories import DAY, NOON, Overlay, Services, make_context

LIMITS = Thresholds()


def vector(*numbers: float) -> bytes:
    """Return a direction of 384 dimensions that begins with these."""
    length = sum(number * number for number in numbers) ** 0.5
    return array(
        "f", [number / length for number in numbers] + [0.0] * (384 - len(numbers))
    ).tobytes()


class World(Services):
    """Facts of two topics that lie close together, and a way to tend them."""

    def __init__(self, store) -> None:
        super().__init__(store, words_only=True)
        self.here = make_context(self.project("git:shop"))

    def say(self, content: str, direction: bytes | None = None, **fields):
        memory = self.remember.store(Statement(content=content, **fields), self.here).memory
        if direction is not None:
            with self.store.transaction():
                self.store.search.set_vectors(memory.key, [direction], "m")
        return memory

    def tend(self):
        return MaintenanceRunner(self.store, self.clock, [Links(self.store, LIMITS)]).run()

    def links(self) -> set[tuple[int, int]]:
        return {
            (associated_link.source, associated_link.target)
            for associated_link in self.store.maintenance.associated_links((0, 0), 99)
        }


@pytest.fixture
def world(store):
    return World(store)


def two_topics(world):
    item = world.say("tokens expire", vector(1, 0.1), topic="auth")
    other = world.say("sessions expire", vector(1, 0.2), topic="sessions")
    return item, other


def test_near_facts_of_similar_topics_are_linked_once(world):
    first, second = two_topics(world)
    assert {"linked": 1} == world.tend().run.counts["links"]
    assert {(second.key, first.key)} == world.links()
    world.tend()
    assert {(second.key, first.key)} == world.links()


def test_facts_of_one_topic_or_of_none_or_far_apart_are_not_linked(world):
    world.say("tokens expire", vector(1, 0.1), topic="auth")
    world.say("keys expire", vector(1, 0.2), topic="auth")
    world.say("logins expire", vector(1, 0.3), topic="auth/logins")
    world.say("sessions expire", vector(1, 0.2))
    world.say("lunch is at noon", vector(0, 1), topic="lunch")
    world.tend()
    assert set() == world.links()


def test_what_nobody_vouches_for_and_other_projects_are_not_linked(world):
    memory, _ = two_topics(world)
    world.curate.update(memory.id, {"provenance": "tool"}, world.here)
    world.here = make_context(world.project("git:bakery"))
    world.say("breads expire", vector(1, 0.15), topic="breads")
    world.tend()
    assert set() == world.links()


def test_a_link_fades_goes_and_is_not_made_again_until_there_is_a_new_version(world):
    first, second = two_topics(world)
    world.tend()
    world.clock.at = NOON + 90 * DAY
    assert {"faded": 1} == world.tend().run.counts["links"]
    assert set() == world.links()
    world.store.runs.put(world.store.runs.latest(1)[0].replace(done=()))
    MaintenanceRunner(world.store, world.clock, [Links(world.store, LIMITS)]).run(since=0)
    assert set() == world.links()
    newer = world.curate.update(second.id, {"content": "sessions expire daily"}, world.here).memory
    with world.store.transaction():
        world.store.search.set_vectors(newer.key, [vector(1, 0.2)], "m")
    world.tend()
    assert {(newer.key, first.key)} == world.links()


def test_a_link_that_was_used_since_stays(world):
    first, second = two_topics(world)
    world.tend()
    with world.store.transaction():
        world.store.usage.strengthen([first.key, second.key], "associated", 0.1, NOON + 80 * DAY)
    world.clock.at = NOON + 82 * DAY
    world.tend()
    assert set() == world.links()  # .1 and what was left: gone soon
    with world.store.transaction():
        assert {second.key} == world.store.maintenance.linked_keys(first.key, [second.key])


def test_directions_of_two_models_are_not_compared():
    ours, longer = (centroid([ModelVector.by(name, vector(1, 2))]) for name in ("m", "another"))
    short = centroid([ModelVector.by("short", vector(1, 2)[:256])])
    assert pytest.approx(1) == cosine(ours, centroid([ModelVector.by("m", vector(1, 2))]))
    assert [0, 0, 0] == [cosine(ours, other) for other in (longer, short, None)]


@pytest.mark.parametrize(
    ("phase", "looks"),
    [*(("topics", looks) for looks in range(1, 4)), *(("links", looks) for looks in range(1, 5))],
)
def test_a_model_that_comes_to_serve_meanwhile_is_not_mixed_with_the_other(world, phase, looks):
    two_topics(world)
    for number in range(3):
        world.say(f"logins {number} expire", vector(1, number / 10), topic="authentication")
        world.say(f"token {number} expires", vector(1, number / 10))
    with world.store.transaction():
        world.store.models.announce(Model(name="new", dimensions=64))
        for key in world.store.search.without_vectors("new", 99):
            world.store.search.set_vectors(key, [vector(1, key)[:256]], "new")
    reads = count(1)

    def change_before(read):
        def changed(*arguments):
            if next(reads) == looks:
                world.store.models.activate("new")
            return read(*arguments)

        return changed

    maintenance, near = world.store.maintenance, world.store.neighbours
    changing = Overlay(
        world.store,
        maintenance=Overlay(maintenance, first_vectors=change_before(maintenance.first_vectors)),
        neighbours=Overlay(near, find=change_before(near.find)),
    )
    topics = TopicUpkeep(changing, world.clock, Summarizer(changing, world.clock), LIMITS)
    phases = [topics] if phase == "topics" else [Links(changing, LIMITS)]
    assert MaintenanceRunner(changing, world.clock, phases).run().run.is_finished
    assert "new" == world.store.models.in_state(SERVING).name


def test_links_fade_by_a_share_a_day():
    link = WeakLink(source=1, target=2, weight=0.7, since=NOON)
    days = [day for day in range(100) if is_expired(link, NOON + day * DAY, LIMITS)]
    assert 31 == days[0]  # .7 x .95^31 = .143


def test_a_memory_has_so_many_links_at_most_the_nearest():
    near = [(key, 0.7 + key / 100) for key in range(1, 9)]
    assert [8, 7, 6, 5, 4] == [key for key, _ in choose_links(near, {}, 0, LIMITS)]
    assert [8, 7] == [key for key, _ in choose_links(near, {}, 3, LIMITS)]
    assert [7, 6] == [key for key, _ in choose_links(near, {8: 5}, 3, LIMITS)]
    assert [] == choose_links([(1, 0.69)], {}, 0, LIMITS)


def test_a_link_is_inspected_with_the_weight_that_is_left(world):
    first, second = two_topics(world)
    world.tend()
    world.clock.at = NOON + 10 * DAY
    for memory in (first, second):
        (seen,) = world.inspect.inspect(memory.id, world.here).relations
        (link,) = world.store.maintenance.associated_links((0, 0), 9)
        assert pytest.approx(link.weight * 0.95**10, rel=1e-3) == seen.relation.weight


# -- entities


def entity(world, name: str):
    report = {"name": name, "entity_type": "system"}
    return world.say(f"{name} is a system of ours", type="entity", scope="project", metadata=report)


def test_entities_that_come_up_together_three_times_are_offered_as_a_link(world):
    pair = sorted([entity(world, "Gateway").key, entity(world, "Ledger").key])
    for text in ("Gateway calls Ledger", "Ledger answers within a second"):
        world.say(text, entity="Gateway" if text.startswith("Gateway") else "Ledger")
    world.tend()
    assert [] == world.store.suggestions.list_open((world.here.project.key,), 9)
    world.say("Gateway retries on Ledger timeouts", entity="Gateway")
    world.say("Gateway signs what it sends to Ledger", entity="Gateway")
    world.tend()
    (offer,) = world.store.suggestions.list_open((world.here.project.key,), 9)
    assert ("link", tuple(pair)) == (offer.kind, offer.memories)


def test_offers_come_in_one_order_whatever_process_makes_them(world):
    names = ["Broker", "Cashier", "Dispatch", "Engine", "Folder", "Gateway"]
    *report, ledger = [entity(world, name).key for name in (*names, "Ledger")]
    for number in ("first", "second", "third"):
        world.say(f"{number}: {', '.join(reversed(names))} start after Ledger", entity="Ledger")
    world.tend()
    offers = world.store.suggestions.list_open((world.here.project.key,), 9)
    in_order = sorted(offers, key=lambda item: item.key)
    assert [(key, ledger) for key in report] == [item.memories for item in in_order]
