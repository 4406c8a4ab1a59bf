"""What recall leaves behind: used memories, fresher neighbours, heavier links; never at a wait."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.model.decay import SPREAD, Factors, spreading_activation
from aforesaid.domain.model.memory import Session
from aforesaid.domain.model.statement import Statement
from aforesaid.services.recall.query import RecallQuery
from aforesaid.services.recall.usage_tracker import MAX_KEPT, UsageTracker
from factories import DAY, Services, make_context, open_sqlite


@pytest.fixture
def services(store):
    return Services(store)


@pytest.fixture
def shop(services):
    return make_context(services.project("git:example.org/shop"))


def told(services, context, content, **fields):
    return services.remember.store(Statement(content=content, **fields), context).memory


def link(services, source, kind, target, weight=1.0) -> None:
    with services.store.transaction():
        services.store.relations.link(source.key, kind, target.key, services.clock.at, weight)


def recall(services, context, query) -> None:
    """Recall one thing, a day later, and have it written down."""
    services.clock.at += DAY
    asked = RecallQuery(query=query, max_results=1, include_related=0)
    services.recall.uses.collect(services.recall.recall(asked, context.visible))
    assert services.recall.uses.write()


def now(services, memory):
    return services.store.memories.get([memory.key])[0]


def test_what_is_recalled_is_counted_as_used(services, shop) -> None:
    memory = told(services, shop, "The queue is NATS", confidence=0.5)
    recall(services, shop, "queue")

    after = now(services, memory)
    assert (1, pytest.approx(0.55)) == (after.access_count, after.confidence)
    assert after.last_accessed_at == after.last_reinforced_at > memory.created_at + DAY


def test_what_a_session_recalls_is_counted_in_tokens(services, shop) -> None:
    told(services, shop, "The queue is NATS")
    services.store.sessions.put(Session(id="s", started_at=1, recalled_tokens=5))
    answer = services.recall.recall(RecallQuery(query="queue"), shop.visible)
    for session in ("s", "unknown", None):
        services.recall.uses.collect(answer, session)
    assert services.recall.uses.write()
    assert 5 + answer.token_estimate == services.store.sessions.get("s").recalled_tokens > 5


def test_what_use_gives_is_a_setting(services, shop) -> None:
    factors = Factors(use_confidence=0.2, use_link=0.3, link_decay=0.5)
    memory = told(services, shop, "The queue is NATS", confidence=0.5)
    other = told(services, shop, "A queue keeps seven days", confidence=0.5)
    link(services, memory, "associated", other, 0.4)
    services.clock.at += DAY
    uses = UsageTracker(services.store, services.clock, factors)
    uses.collect(
        services.recall.recall(RecallQuery(query="queue", include_related=0), shop.visible)
    )
    assert uses.write()
    assert pytest.approx(0.7) == now(services, memory).confidence
    (relation,) = services.store.relations.of([memory.key], shop.visible)
    assert pytest.approx(0.4 * 0.5 + 0.3, abs=1e-4) == relation.weight


def test_nothing_is_written_before_somebody_writes_it_and_nothing_twice(services, shop) -> None:
    memory = told(services, shop, "The queue is NATS")
    answer = services.recall.recall(RecallQuery(query="queue"), shop.visible)
    for _ in range(2):
        services.recall.uses.collect(answer)

    assert (0, 2) == (now(services, memory).access_count, len(services.recall.uses))
    assert services.recall.uses.write()
    assert services.recall.uses.write()
    assert (2, 0) == (now(services, memory).access_count, len(services.recall.uses))


def test_what_is_linked_to_a_recalled_memory_gets_a_little_fresher(services, shop) -> None:
    rival = told(services, shop, "Messages go through RabbitMQ")
    queue = told(services, shop, "The queue is NATS")
    replay = told(services, shop, "Replay was needed after the March outage")
    weak = told(services, shop, "Ana runs the Friday demo")
    link(services, queue, "supports", replay)
    link(services, weak, "associated", queue, 0.5)
    link(services, queue, "contradicts", rival)
    recall(services, shop, "queue NATS")

    passed = now(services, queue).last_reinforced_at - replay.created_at
    gained = [
        (now(services, item).last_reinforced_at - item.created_at) / passed
        for item in (replay, weak, rival)
    ]
    assert pytest.approx([SPREAD, SPREAD / 2, 0.0], rel=0.001) == gained
    assert [0, 0, 0] == [now(services, item).access_count for item in (replay, weak, rival)]


def test_what_is_recalled_together_is_associated_more_strongly(services, shop) -> None:
    memory = told(services, shop, "The queue is NATS")
    other = told(services, shop, "The queue is durable")
    link(services, memory, "associated", other, 0.5)
    answer = services.recall.recall(RecallQuery(query="queue"), shop.visible)
    services.recall.uses.collect(answer)
    services.recall.uses.write()

    assert {memory.key, other.key} == {result.memory.key for result in answer.results}
    (relation,) = services.store.relations.of([memory.key], shop.visible)
    assert pytest.approx(0.6, abs=1e-4) == relation.weight  # a little is gone since


def test_what_is_shown_unasked_is_no_use(services, shop) -> None:
    from aforesaid.services.sessions.session_context import SessionContextBuilder

    memory = told(services, shop, "The queue is NATS", type="procedural")
    SessionContextBuilder(services.store, services.clock).build_full(shop)

    assert (0, 0) == (len(services.recall.uses), now(services, memory).access_count)


def test_while_another_process_writes_uses_wait_for_the_next_time(tmp_path) -> None:
    services = Services(open_sqlite(tmp_path / "m.db"))
    shop = make_context(services.project("git:example.org/shop"))
    memory = told(services, shop, "The queue is NATS")
    services.recall.uses.collect(services.recall.recall(RecallQuery(query="queue"), shop.visible))
    other = open_sqlite(tmp_path / "m.db")
    with other.transaction():
        assert not services.recall.uses.write()  # at once: the test would wait ten seconds

    assert 0 == now(services, memory).access_count
    assert services.recall.uses.write()
    assert 1 == now(services, memory).access_count
    other.close()


def test_only_so_many_answers_are_kept(services, shop) -> None:
    told(services, shop, "The queue is NATS")
    answer = services.recall.recall(RecallQuery(query="queue"), shop.visible)
    for _ in range(MAX_KEPT + 5):
        services.recall.uses.collect(answer)

    assert MAX_KEPT == len(services.recall.uses)


@given(st.lists(st.floats(-1, 2), max_size=50))
def test_links_together_never_spread_more_than_all(weights) -> None:
    assert 0 <= spreading_activation(weights) <= 1
    assert spreading_activation(weights) <= spreading_activation([*weights, 1.0])


def test_what_merely_fills_up_an_answer_was_not_used(services, shop) -> None:
    for what in ("is NATS", "keeps messages"):
        told(services, shop, f"The queue {what}")
    answer = services.recall.recall(RecallQuery(query="queue"), shop.visible)
    first, second = answer.results
    results = (first.replace(relevance=0.9), second.replace(relevance=0.01))
    services.recall.uses.collect(answer.replace(results=results))
    services.recall.uses.write()

    assert [1, 0] == [now(services, result.memory).access_count for result in results]


def test_where_nothing_answers_what_stands_first_was_not_used(services, shop) -> None:
    memory = told(services, shop, "The queue is NATS")
    answer = services.recall.recall(RecallQuery(query="queue"), shop.visible)
    (only,) = answer.results
    services.recall.uses.collect(answer.replace(results=(only.replace(relevance=0.01),)))

    assert (0, 0) == (len(services.recall.uses), now(services, memory).access_count)
