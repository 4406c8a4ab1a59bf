"""One memory from all sides: what is told of it, and what is not."""

from __future__ import annotations

import json

import pytest

from aforesaid.domain.model.memory import (
    CONTENT_CHARS,
    METADATA_BYTES,
    REPLY_CHARS,
    Memory,
    Session,
)
from aforesaid.domain.model.statement import Statement
from aforesaid.domain.model.task import Assignment
from aforesaid.entrypoints.serialize.inspection import inspected
from aforesaid.entrypoints.serialize.memories import LabelResolver
from factories import DAY, NOON, Services, make_context


class World(Services):
    """Services over a model store, in one project."""

    def __init__(self, store) -> None:
        super().__init__(store)
        self.context = make_context(self.project("git:example.org/acme/payments"))

    def add(self, content: str, context=None, **fields) -> Memory:
        stored = self.remember.store(Statement(content=content, **fields), context or self.context)
        assert stored is not None
        return stored.memory

    def look(self, memory: Memory, *, log: bool = False) -> dict:
        inspection = self.inspect.inspect(memory.id, self.context, log=log)
        return inspected(inspection, LabelResolver(self.store))

    def short(self, memory: Memory) -> str:
        return self.store.memories.short_ids([memory.key])[memory.key]


@pytest.fixture
def world(store) -> World:
    return World(store)


def test_relations_are_told_both_ways_with_their_weight_and_who_made_them(world) -> None:
    first, second = world.add("Kilo runs on lima."), world.add("Lima needs ports.")
    world.relate.link(first.id, "depends_on", second.id, world.context.visible)
    world.store.relations.link(second.key, "associated", first.key, world.clock.at, 0.7)

    (kept, results) = world.look(first)["relations"]
    assert {
        "id": world.short(second),
        "kind": "depends_on",
        "direction": "out",
    }.items() <= kept.items()
    assert ("associated", "both", 0.7, True) == tuple(
        results[name] for name in ("kind", "direction", "weight", "by_system")
    )
    assert "in" == world.look(second)["relations"][0]["direction"]


def test_every_version_is_told_with_its_dates_from_any_of_them(world) -> None:
    old = world.add("The queue is RabbitMQ.")
    new = world.add("Messages go through NATS.", supersedes=(old.id,))

    for item in (old, new):
        shown = world.look(item)["history"]
        assert [world.short(old), world.short(new)] == [version["id"] for version in shown]
        assert [world.short(new), None] == [version.get("superseded_by") for version in shown]
        assert [item is old, item is new] == [version.get("this", False) for version in shown]
    assert f"superseded, in force now: {world.short(new)}" == world.look(old)["state"]
    assert "in force" == world.look(new)["state"]
    world.forgetter.forget(new.id, world.context)
    assert {"id", "forgotten_at"} == set(world.look(old)) == set(world.look(new))
    assert "history" not in world.look(world.add("No versions here."))


def test_of_what_was_forgotten_the_fact_and_the_date_are_told(world) -> None:
    old = world.add("The password hint is a fish.")
    new = world.add("The hint was changed.", supersedes=(old.id,))
    world.forgetter.forget(old.id, world.context, reason="the user asked")

    assert {"id", "forgotten_at"} == set(world.look(old, log=True))
    assert {"id", "forgotten_at"} == set(world.look(new, log=True))


def test_changes_are_told_on_request_oldest_first(world) -> None:
    memory, other = world.add("Kilo runs on lima."), world.add("Lima needs ports.")
    world.relate.link(memory.id, "supports", other.id, world.context.visible)
    world.curate.update(memory.id, {"pinned": True}, world.context)

    assert "log" not in world.look(memory)
    log = world.look(memory, log=True)["log"]
    assert ["create", "link", "update"] == [line["operation"] for line in log]
    assert ("supports", world.short(other)) == (log[1]["kind"], log[1]["target"])


def test_a_link_stands_in_the_history_of_both_its_ends(world) -> None:
    first, second = world.add("Kilo runs on lima."), world.add("Lima needs ports.")
    world.relate.link(first.id, "supports", second.id, world.context.visible)
    world.relate.link(first.id, "supports", second.id, world.context.visible, remove=True)

    log = world.look(second, log=True)["log"]
    assert ["create", "link", "unlink"] == [line["operation"] for line in log]
    assert [world.short(first)] * 2 == [line["source"] for line in log[1:]]


def test_what_the_system_lets_follow_stands_in_the_history_of_both(world) -> None:
    with world.store.transaction():
        world.store.sessions.put(Session(id="s", started_at=0))
    here = world.context.replace(session="s")
    first = world.add("Kilo runs on lima.", here, topic="kilo")
    second = world.add("Mike needs november.", here, topic="kilo")

    later, earlier = (world.look(item, log=True)["log"][-1] for item in (second, first))
    assert ("link", "follows", world.short(first)) == (
        later["operation"],
        later["kind"],
        later["target"],
    )
    assert ("follows", world.short(second)) == (earlier["kind"], earlier["source"])


def test_what_it_is_about_and_its_task_are_told(world) -> None:
    world.add("Make kilo faster.", assignment=Assignment(task_id="faster", priority="high"))
    memory = world.add(
        "Kilo waits for its disk.", entity="kilo", assignment=Assignment(task_id="faster")
    )

    assert {
        "entity": "kilo",
        "task_id": "faster",
        "status": "active",
        "priority": "high",
    }.items() <= (world.look(memory).items())


def test_relations_inside_a_task_are_told_to_who_has_an_id_of_it(world) -> None:
    world.add("Make kilo faster.", assignment=Assignment(task_id="faster"))
    memory = world.add("Kilo waits for its disk.", assignment=Assignment(task_id="faster"))
    other = world.add("The disk is full.", assignment=Assignment(task_id="faster"))
    world.relate.link(other.id, "supports", memory.id, world.context.visible)

    assert [world.short(other)] == [relation["id"] for relation in world.look(memory)["relations"]]


def test_the_memory_that_it_details_is_told(world) -> None:
    fact = world.add("Deploys need two approvals.", topic="deploys")
    detail = world.add("One of them from operations.", parent=fact.id)

    assert world.short(fact) == world.look(detail)["detail_of"]


def test_how_well_it_is_kept_is_told_as_stored_and_as_it_is_now(world) -> None:
    memory = world.add("Kilo runs on lima.", importance=0.5, confidence=0.8)
    world.clock.at += 70 * DAY

    kept = world.look(memory)["kept"]
    assert (0.5, 0.8, 0.72) == tuple(
        kept[name] for name in ("importance", "confidence", "confidence_now")
    )
    assert kept["activation"] < kept["retention"] < 0.5
    assert "1 window" in world.look(memory)["recall"]["meaning"]


def test_the_session_it_comes_from_is_told(world) -> None:
    with world.store.transaction():
        world.store.sessions.put(Session(id="s", started_at=0, branch="main"))
    memory = world.add("Kilo runs on lima.", context=world.context.replace(session="s"))

    assert {"id": "s", "started_at": "1970-01-01T00:00:00Z", "branch": "main"} == (
        world.look(memory)["session"]
    )


def test_where_it_stands_in_the_topic_tree_is_told(world) -> None:
    memory = world.add("Tokens expire after an hour.", topic="auth/jwt")

    assert "auth/jwt" == world.look(memory)["topic"]


def test_versions_of_another_project_are_not_told(world) -> None:
    shared = world.add("Kilo runs on lima.", scope="global")
    elsewhere = make_context(world.project("git:example.org/acme/shop"))
    theirs = world.add("Kilo runs on mike.", elsewhere, scope="project", supersedes=(shared.id,))

    text = json.dumps(world.look(shared, log=True))
    assert "hidden or erased" in text
    assert [] == [word for word in ("mike", theirs.id, world.short(theirs)) if word in text]


def test_a_memory_at_every_limit_fits_a_reply(world) -> None:
    everything = {"key": "x" * (METADATA_BYTES - 20)}
    memory = world.add('"' * CONTENT_CHARS, metadata=everything, summary="s" * 900)
    for number in range(60):
        other = world.add(f"subject {number} of its own", summary="y" * 900)
        world.relate.link(other.id, "supports", memory.id, world.context.visible)
    for number in range(60):
        world.curate.update(memory.id, {"tags": [f"tag-{number}"]}, world.context)
    shown = world.look(memory, log=True)

    assert len(json.dumps(shown, ensure_ascii=False, separators=(",", ":"))) <= REPLY_CHARS
    assert (60, 30) == (shown["relations_total"], len(shown["relations"]))


def test_the_session_of_another_project_is_not_told(world) -> None:
    elsewhere = make_context(world.project("git:example.org/acme/shop"), session="theirs")
    with world.store.transaction():
        world.store.sessions.put(
            Session(
                id="theirs", project=elsewhere.project.key, branch="secret-plan", started_at=NOON
            )
        )
    shared = world.add("Everyone uses tabs.", context=elsewhere, scope="global")

    assert {"id": "theirs"} == world.look(shared)["session"]
    inspection = world.inspect.inspect(shared.id, elsewhere)
    assert "secret-plan" == inspected(inspection, LabelResolver(world.store))["session"]["branch"]
