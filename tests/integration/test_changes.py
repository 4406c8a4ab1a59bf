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
    ("The dashboard is written in React", "We rewrote the dashboard in Svelte"),
    ("The API listens on port 8431 in production.", "Actually the API listens on port 8500"),
    ("We pay with Stripe", "We no longer use Stripe, switched to Adyen"),
)
#: An earlier statement, a later one that changes it, and a question that the earlier one answers.
ASKED = (
    ("We host on AWS", "We moved to Hetzner", "where do we host"),
    ("The dashboard is written in React", "We rewrote the dashboard in Svelte",
     "what is the dashboard written in"),
    ("Our CI is CircleCI", "We moved the CI to GitHub Actions yesterday", "what CI do we use"),
    ("I prefer dark mode", "I now prefer light mode", "dark or light mode"),
    ("We picked FastAPI over Django since the team knows async.",
     "We no longer use FastAPI, switched to Litestar", "which web framework do we use"),
    ("The standup is at 9:30 every day.", "The standup moved to 10:00", "when is the standup"),
    ("The chunk size is 512 tokens", "Correction: chunk size is 1024", "what is the chunk size"),
    ("We test with unittest", "We replaced unittest with pytest", "which test framework do we use"),
    ("The database is MySQL", "We migrated to PostgreSQL", "which database do we use"),
)  # fmt: skip
OTHERS = (
    "Marta Oliveira is the lead; she owns the staging cluster.",
    "Staging runs in eu-central-1 (Frankfurt).",
    "To release, bump VERSION, tag and push.",
    "Ken joined the team as frontend developer.",
    "Never push on Fridays.",
)


@pytest.mark.parametrize("others", [(), OTHERS], ids=["alone", "among others"])
@pytest.mark.parametrize(("earlier", "later", "query"), ASKED)
def test_a_later_change_is_the_first_answer(memory, earlier, later, query, others) -> None:
    for text in (*others, earlier, later):
        memory.store(text, provenance="user")

    assert later == memory.recall(query).results[0].memory.content


@pytest.mark.parametrize(
    ("later", "query"),
    [
        ("The mail sender moved to eu-west-1.", "which port does the mail sender listen on"),
        ("We moved the wiki to Notion.", "which port does the mail sender listen on"),
    ],
)
def test_a_change_of_another_fact_stays_behind_the_answer(memory, later, query) -> None:
    for text in (*OTHERS, "The mail sender listens on port 2525.", later):
        memory.store(text)

    assert "The mail sender listens on port 2525." == memory.recall(query).results[0].memory.content


def test_the_same_change_in_other_words_is_no_conflict(memory) -> None:
    memory.store("We no longer use Flask, switched to Litestar")

    assert () == memory.store("We are using Litestar rather than Flask now.").conflicts


@pytest.mark.parametrize(
    "query",
    ["who is the CEO", "how many users do we have", "where is the office", "what is the bill"],
)
def test_a_small_store_says_that_nothing_answers(memory, query) -> None:
    for text in OTHERS:
        memory.store(text)

    assert memory.recall(query).no_good_match


@pytest.mark.parametrize(
    "query",
    ["who owns the staging cluster", "where does staging run", "how do we release", "who is Ken"],
)
def test_a_small_store_answers_what_it_knows(memory, query) -> None:
    for text in OTHERS:
        memory.store(text)

    assert not memory.recall(query).no_good_match


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
    pairs = [[memory.store(text).memory.key for text in change] for change in CHANGES[1:3]]
    store = memory._core.store
    MaintenanceRunner(store, SystemClock(), [Contradictions(store)]).run(("contradictions",))

    flagged = store.relations.contradictions(memory._context.visible, 9)
    assert {frozenset(pair) for pair in pairs} == {frozenset(pair) for pair in flagged}
