"""What a look through the store finds, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.adapters.secrets import SecretRedactor
from aforesaid.domain.maintenance.low_value import MOMENT, SHORT, VAGUE, low_value_reason
from aforesaid.domain.model.memory import text_to_embed
from aforesaid.domain.model.statement import Statement
from aforesaid.services.maintenance.quality_report import MAX_EXAMPLES, QualityReviewer
from factories import DAY, Services, make_context, make_memory

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Done.", SHORT),
        ("It works now!", VAGUE),
        ("Fix the issue later today", VAGUE),
        ("Tests pass again", VAGUE),
        ("Ran the linter over src/app.py.", MOMENT),
        ("The staging cluster is slow today.", MOMENT),
        ("Use uv.", ""),
        ("Use uv, not pip.", ""),
        ("The queue is NATS.", ""),
        ("Ran migrations by hand, because the runner needs a lock.", ""),
        ("Moved the sessions from Redis to Valkey.", ""),
        ("数据库是 PostgreSQL。", ""),
        ("データベースはPostgreSQLです。", ""),
    ],
)
def test_a_text_that_says_too_little_is_told_from_one_that_says_something(text, why) -> None:
    assert why == low_value_reason(text)


def test_an_event_may_tell_of_a_moment() -> None:
    assert "" == low_value_reason("Ran the linter over src/app.py.", "episodic")


@given(st.text(max_size=200))
def test_any_text_is_judged(text) -> None:
    assert low_value_reason(text) in ("", SHORT, VAGUE, MOMENT)


class World(Services):
    def __init__(self, store) -> None:
        super().__init__(store)
        self.context = make_context(self.project("git:example.org/shop"))

    def say(self, content: str, **fields):
        return self.remember.store(Statement(content=content, **fields), self.context).memory

    def found(self, context=None) -> dict[str, tuple[int, list[int]]]:
        context = context or self.context
        report = QualityReviewer(self.store, self.clock, SecretRedactor()).review(
            context.visible, context
        )
        return {
            finding.name: (finding.count, [example.key for example in finding.examples])
            for finding in report.findings
        }


@pytest.fixture
def world(store) -> World:
    return World(store)


def test_an_empty_store_has_nothing_the_matter(world) -> None:
    assert {(0, ())} == {(count, tuple(keys)) for count, keys in world.found().values()}


def test_each_kind_is_counted_with_an_example(world) -> None:
    good = world.say("The audit log listens on port 5432.")
    short = world.say("Done.")
    vague = world.say("Fix the issue later today")
    moment = world.say("Ran the linter over src/app.py.")
    rival = world.say("The audit log listens on port 5439.")
    world.relate.link(rival.id, "contradicts", good.id, world.context.visible)
    leak = world.say(f"Deploy with the key {TOKEN} of the robot.")  # no filter in this write path
    results = world.found()

    assert {SHORT: (1, [short.key]), VAGUE: (1, [vague.key]), MOMENT: (1, [moment.key])} == {
        why: results[why] for why in (SHORT, VAGUE, MOMENT)
    }
    assert ((1, [leak.key]), (1, [rival.key])) == (results["secrets"], results["contradicting"])


def test_a_secret_is_shown_masked(world) -> None:
    world.say(f"Deploy with the key {TOKEN} of the robot.")
    report = QualityReviewer(world.store, world.clock, SecretRedactor()).review(
        world.context.visible, world.context
    )

    (finding,) = [item for item in report.findings if item.name == "secrets"]
    assert TOKEN not in repr(report)
    assert "redacted" in finding.examples[0].detail


@pytest.mark.parametrize(
    "fields",
    [
        {"summary": f"A key: {TOKEN}"},
        {"tags": (TOKEN,)},
        {"metadata": {"cues": [f"deploy with {TOKEN}"]}},
        {"metadata": {"a": {TOKEN: [1]}}},
        {"metadata": {"db": {"password": "hunter2"}}},
    ],
)
def test_a_secret_is_found_wherever_a_memory_holds_it(world, fields) -> None:
    leak = world.say("The robot deploys the shop.", **fields)

    assert (1, [leak.key]) == world.found()["secrets"]


def test_what_stands_twice_is_found_in_equal_and_in_other_words(world) -> None:
    first = world.say("Tests of the shop need Docker.")
    with world.store.transaction():
        kept = {"scope": "project", "project": world.context.project.key}
        equal = world.store.memories.add(make_memory(50, content=first.content, **kept))
        other = world.store.memories.add(
            make_memory(51, content="Tests of the shop need the Docker.", **kept)
        )
        for memory in (equal, other):
            vectors = world.embedder.embed_document(memory.content)
            world.store.search.set_vectors(memory.key, vectors, world.embedder.model)

    assert (2, [equal.key, other.key]) == world.found()["duplicates"]


def test_what_happened_twice_or_was_over_before_does_not_stand_there_twice(world) -> None:
    for day in (30, 20):
        world.say("Released the shop.", type="episodic", event_at=world.clock.at - day * DAY)
    world.say("Deployments of the shop are frozen.", valid_to=world.clock.at + DAY)
    world.clock.at += 9 * DAY
    world.say("Deployments of the shop are frozen.")

    assert (0, []) == world.found()["duplicates"]


def test_what_stands_twice_is_found_whatever_cues_it_has(world) -> None:
    world.say(
        "Tests of the shop need Docker and a queue of their own.",
        metadata={"cues": ["suite fails"]},
    )
    with world.store.transaction():
        other = world.store.memories.add(
            make_memory(
                51, content="Tests of the shop need the Docker and a queue of their own.",
                scope="project", project=world.context.project.key,
                metadata={"cues": ["daemon stopped"]},
            )
        )  # fmt: skip
        vectors = world.embedder.embed_document(text_to_embed(other.content, other.metadata))
        world.store.search.set_vectors(other.key, vectors, world.embedder.model)

    assert (1, [other.key]) == world.found()["duplicates"]


def test_what_nobody_recalled_in_a_month_is_counted_the_most_important_first(world) -> None:
    low = world.say("The queue of the shop is NATS.", importance=0.2)
    high = world.say("Refunds over 500 euros need finance.", importance=0.9)
    used = world.say("Ana owns the shop's checkout.")
    with world.store.transaction():
        world.store.usage.reinforce([used.key], world.clock.at, 0.05)
    assert (0, []) == world.found()["never recalled"]
    world.clock.at += 31 * DAY

    assert (2, [high.key, low.key]) == world.found()["never recalled"]


def test_examples_are_few_and_counts_are_whole(world) -> None:
    for number in range(MAX_EXAMPLES + 3):
        world.say(f"Ran build {number} of the app.")
    count, keys = world.found()[MOMENT]

    assert (MAX_EXAMPLES + 3, MAX_EXAMPLES) == (count, len(keys))


def test_another_project_is_not_looked_at(world) -> None:
    world.say("Ran the linter over src/app.py.")
    elsewhere = make_context(world.project("git:example.org/other"))

    assert (0, []) == world.found(elsewhere)[MOMENT]
