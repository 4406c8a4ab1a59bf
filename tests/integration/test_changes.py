"""What changed unsaid, with the shipped model: named when it is stored, flagged when it was not."""

from __future__ import annotations

import pytest

from aforesaid.adapters.system.machine import SystemClock
from aforesaid.services.maintenance.contradictions import Contradictions
from aforesaid.services.maintenance.runner import MaintenanceRunner
from aforesaid.services.memories.duplicates import OUTDATED
from integration.test_library import memory, user

__all__ = ["memory", "user"]

CHANGES = (
    (
        "Rate limit of the public API was raised to 250 requests a minute for each seller.",
        "Sellers may now send 400 requests a minute to the public API.",
    ),
    (
        "The settlement service listens on port 8091.",
        "Settlement moved to port 9000 with the mesh.",
    ),
    ("We use Redis for the queue.", "We switched the queue from Redis to NATS."),
)


@pytest.mark.parametrize(("earlier", "later"), CHANGES)
def test_a_change_in_other_words_is_answered_with_what_it_replaces(memory, earlier, later) -> None:
    stored = memory.store(earlier).memory
    memory.store("Each service has a page in the handbook, and one person who answers for it.")

    conflicts = memory.store(later).conflicts
    assert [(stored.id, (OUTDATED,))] == [
        (conflict.memory.id, conflict.differs) for conflict in conflicts
    ]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The service X listens on port 8080.", "The service X listens on port 9090."),
        ("Deploys run on Tuesday.", "Deploys run on Thursday."),
        ("The API timeout is 30 seconds.", "The API timeout is 45 seconds."),
    ],
)
def test_another_value_in_the_same_sentence_is_a_conflict(memory, earlier, later) -> None:
    stored = memory.store(earlier).memory

    answer = memory.store(later)
    assert [stored.id] == [conflict.memory.id for conflict in answer.conflicts]
    assert (OUTDATED,) != answer.conflicts[0].differs
    assert () == answer.superseded


def test_values_of_different_things_are_no_conflict(memory) -> None:
    for text in UNRELATED:
        assert () == memory.store(text).conflicts


UNRELATED = (
    "The billing service listens on port 8080.",
    "The search service listens on port 9090.",
    "The timeout of the search service is 30 seconds.",
    "The billing service retries three times.",
    "Deploys run on Tuesday.",
    "The weekly review is on Thursday.",
    "The backup of the billing database starts at 02:00.",
    "Logs are kept for 14 days.",
    "Traces are kept for three days.",
    "We use Redis for the queue and PostgreSQL for invoices.",
)


def test_what_contradicts_in_other_words_is_flagged(memory) -> None:
    pairs = [[memory.store(text).memory.key for text in change] for change in CHANGES[1:]]
    store = memory._core.store
    MaintenanceRunner(store, SystemClock(), [Contradictions(store)]).run(("contradictions",))

    flagged = store.relations.contradictions(memory._context.visible, 9)
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in flagged}
