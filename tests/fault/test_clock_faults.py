"""Clocks that are put back or forward: nothing is lost, hidden or of negative age."""

from __future__ import annotations

import pytest

from aforesaid.domain.model.decay import confidence_in_force, retention
from aforesaid.domain.model.memory import CallContext, Filters, Visibility
from aforesaid.domain.model.statement import Statement
from aforesaid.services.recall.query import RecallQuery
from factories import NOON, Services, open_sqlite

YEAR = 365 * 86_400_000
HOUR = 3_600_000
GLOBAL = Visibility(projects=(0,))
JUMPS = {
    "ten years back": -10 * YEAR,
    "ten years forward": 10 * YEAR,
    "an hour back": -HOUR,
    "an hour forward": HOUR,
}


@pytest.fixture
def services(tmp_path):
    services = Services(open_sqlite(tmp_path / "m.db"))
    yield services
    services.store.close()


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_what_was_stored_before_and_after_a_jump_is_found_listed_and_whole(services, jump) -> None:
    context = CallContext(project=services.projects.default())
    for number in range(3):
        services.remember.store(Statement(content=f"kilo number {number} before"), context)
    services.clock.at = NOON + jump
    for number in range(3):
        services.remember.store(Statement(content=f"lima number {number} after"), context)
    now = services.clock.now()

    listed = services.recall.recall(RecallQuery(filters=Filters(types=("semantic",))), GLOBAL)
    assert 6 == listed.total_matched
    for word in ("kilo", "lima"):
        answer = services.recall.recall(RecallQuery(query=word, min_relevance=0.0), GLOBAL)
        assert 3 == len([result for result in answer.results if word in result.memory.content])
    for result in listed.results:
        assert 0 <= retention(result.memory, now) <= 1
        assert 0 <= confidence_in_force(result.memory, now) <= 1
    ids = [memory.id for memory in services.store.memories.get(range(1, 7))]
    assert sorted(ids) == ids  # the order of storing is that of ids, whatever the clock said


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_a_version_made_after_a_jump_is_the_one_in_force(services, jump) -> None:
    context = CallContext(project=services.projects.default())
    old = services.remember.store(Statement(content="The port is 5432."), context).memory
    services.clock.at = NOON + jump
    services.curate.update(old.id, {"content": "The port is 5433."}, context)

    answer = services.recall.recall(RecallQuery(query="which port", min_relevance=0.0), GLOBAL)
    assert ["The port is 5433."] == [result.memory.content for result in answer.results]


@pytest.mark.parametrize("jump", JUMPS.values(), ids=JUMPS)
def test_what_is_forgotten_after_a_jump_can_be_brought_back(services, jump) -> None:
    context = CallContext(project=services.projects.default())
    known = services.remember.store(Statement(content="The port is 5432."), context).memory
    services.clock.at = NOON + jump
    services.forgetter.forget(known.id, context)
    services.curate.update(known.id, {"restore": True}, context)

    assert services.store.memories.get([known.key])[0].in_force
