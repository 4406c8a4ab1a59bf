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


def test_what_contradicts_in_other_words_is_flagged(memory) -> None:
    pairs = [[memory.store(text).memory.key for text in change] for change in CHANGES[1:]]
    store = memory._core.store
    MaintenanceRunner(store, SystemClock(), [Contradictions(store)]).run(("contradictions",))

    flagged = store.relations.contradictions(memory._context.visible, 9)
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in flagged}
