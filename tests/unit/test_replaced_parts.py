"""A session's line says which of its parts a later memory replaced."""

from __future__ import annotations

import pytest

from aforesaid.domain.model.statement import Statement
from aforesaid.services.sessions.replaced_parts import mark_replaced
from factories import Services, make_context

THREE = "A delivery gets three tries, then it is parked"
FIVE = "A delivery gets five tries, then it is parked"


@pytest.fixture
def services(store) -> Services:
    return Services(store)


@pytest.fixture
def shop(services):
    return make_context(services.project("git:example.org/shop"))


def digest_of(services: Services, shop, summary: str, session: str = "s1"):
    context = shop.replace(session=session)
    statement = Statement(content=f"What happened: {summary}", type="episodic", summary=summary)
    stored = services.remember.store(statement, context)
    return stored.memory, context


def lines(services: Services, *digests) -> list[str]:
    return [digest.summary for digest in mark_replaced(services.store, digests)]


def test_the_part_that_was_replaced_is_marked_and_no_other(services, shop):
    digest, context = digest_of(
        services, shop, f"Settled: {THREE}; fixed the sender's clock (committed)"
    )
    old = services.remember.store(Statement(content=THREE), context).memory
    assert lines(services, digest) == [digest.summary]
    later = context.replace(session="s2")
    services.remember.store(Statement(content=FIVE, supersedes=(old.id,)), later)
    assert [f"Settled: {THREE} (replaced since); fixed the sender's clock (committed)"] == lines(
        services, digest
    )


def test_a_line_of_another_session_and_a_short_word_are_left(services, shop):
    digest, context = digest_of(services, shop, f"Settled: {THREE}", session="s3")
    short, _ = digest_of(services, shop, "Use tabs everywhere")
    here = context.replace(session="s1")
    for content in (THREE, "Use tabs"):
        old = services.remember.store(Statement(content=content), here).memory
        newer = Statement(content=f"No longer: {content}", supersedes=(old.id,))
        services.remember.store(newer, here.replace(session="s2"))
    assert [digest.summary, short.summary] == lines(services, digest, short)
    assert [] == lines(services)
