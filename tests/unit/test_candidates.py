"""Candidates on their way into the store: known ones stay out, corrections replace."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest import statement_set as statement_similarity
from aforesaid.domain.digest.memory_candidates import AGREEMENT, MemoryCandidate, candidate_of
from aforesaid.domain.model.memory import CANDIDATE_TAG, Filters
from aforesaid.domain.model.statement import Statement
from aforesaid.services.sessions.candidates import Candidates
from factories import NOON, Services, make_context

LATER = NOON + 3_600_000


@pytest.fixture(params=["meaning", "words only"])
def services(request, store) -> Services:
    return Services(store, words_only=request.param == "words only")


@pytest.fixture
def shop(services):
    return make_context(services.project("git:example.org/shop"), session="s1")


@pytest.fixture
def candidates(services):
    return Candidates(services.store, services.remember)


def said(sentence: str, *, corrects: bool = False) -> MemoryCandidate:
    candidate = candidate_of(sentence, LATER, corrects=corrects)
    assert candidate is not None
    return candidate


def in_force(services, context) -> list[str]:
    return sorted(
        memory.content for memory in services.store.memories.select(context.visible, Filters(), 50)
    )


def test_a_candidate_becomes_a_memory_of_lower_confidence_by_the_user(services, shop, candidates):
    [memory] = candidates.store_new([said("we deploy on Fridays")], shop)
    assert ("we deploy on Fridays", "semantic", "project", "user", 0.7, LATER, "s1") == (
        memory.content, memory.type, memory.scope, memory.provenance, memory.confidence,
        memory.created_at, memory.session,
    )  # fmt: skip
    assert (CANDIDATE_TAG,) == memory.tags
    assert "fact" == memory.metadata["category"]
    assert 0.5 == memory.importance  # below what somebody stored on purpose


def test_a_rule_is_a_procedure_and_a_wish_of_the_person_is_global(services, shop, candidates):
    rule, wish = candidates.store_new(
        [said("always use uv here"), said("I prefer short commit messages")], shop
    )
    assert ("procedural", "project", 0.9) == (rule.type, rule.scope, rule.importance)
    assert ("semantic", "global", 0) == (wish.type, wish.scope, wish.project)


def test_the_same_candidates_again_add_nothing(services, shop, candidates):
    heard = [said("always use uv here"), said("we deploy on Fridays")]
    candidates.store_new(heard, shop)
    before = in_force(services, shop)
    assert [] == candidates.store_new(heard, shop.replace(session="s2"))
    assert before == in_force(services, shop)


def test_what_the_agent_stored_itself_is_not_stored_again(services, shop, candidates):
    services.remember.store(Statement(content="Run the tests with uv, never plain pytest"), shop)
    assert [] == candidates.store_new(
        [said("always run the tests with uv here, never plain pytest")], shop
    )


def test_what_the_agent_chose_before_this_part_of_the_session_does_not_count(
    services, shop, candidates
):
    services.remember.store(Statement(content="The queue is NATS."), shop)
    rule = said("always use uv here")

    assert [] == candidates.store_new([rule], shop)
    assert [rule.text] == [
        memory.content for memory in candidates.store_new([rule], shop, since=LATER)
    ]


def test_what_something_outside_said_before_does_not_keep_the_user_s_own_word_out(
    services, shop, candidates
):
    before = services.remember.store(
        Statement(content="always use uv here", type="procedural", provenance="import"), shop
    ).memory
    [memory] = candidates.store_new([said("always use uv here")], shop)
    assert ("user", "always use uv here") == (memory.provenance, memory.content)
    assert [memory.key] == [
        item.superseded_by for item in services.store.memories.get([before.key])
    ]


def test_the_opposite_of_what_is_known_is_not_taken_for_known(services, shop, candidates):
    before = shop.replace(session="s0")
    services.remember.store(Statement(content="Use yarn for the frontend packages"), before)
    [memory] = candidates.store_new([said("never use yarn for the frontend packages")], shop)
    assert memory.in_force


def test_a_correction_replaces_what_this_session_stored(services, shop, candidates):
    wrong = services.remember.store(Statement(content="Postgres runs on port 5432"), shop).memory
    [memory] = candidates.store_new([said("no, the port is 5433", corrects=True)], shop)
    old = services.store.memories.get([wrong.key])[0]
    assert (False, memory.key) == (old.in_force, old.head)


def test_a_correction_that_names_the_old_value_replaces_a_memory_of_an_earlier_session(
    services, shop, candidates
):
    before = shop.replace(session="s0")
    stored = services.remember.store(Statement(content="The retry limit is 3"), before).memory
    candidates.store_new([said("the retry limit is 5, not 3", corrects=True)], shop)
    assert not services.store.memories.get([stored.key])[0].in_force


def test_a_correction_with_two_that_it_may_mean_replaces_neither(services, shop, candidates):
    before = shop.replace(session="s0")
    texts = ("Orders listen on the broker port 8443", "Mails listen on the broker port 8444")
    for text in texts:
        services.remember.store(Statement(content=text), before)
    candidates.store_new([said("no, the broker port is 8883", corrects=True)], shop)
    assert set(texts) <= set(in_force(services, shop))


def test_a_correction_says_what_it_puts_right_and_is_still_known_again(services, shop, candidates):
    heard = said("no, the port is 5433", corrects=True).replace(
        instead_of="Postgres does not listen but on 5432"
    )
    [memory] = candidates.store_new([heard], shop)
    assert 'the port is 5433 (instead of "Postgres does not listen but on 5432")' == memory.content
    assert [] == candidates.store_new([heard], shop)
    [back] = candidates.store_new([said("no, the port is 5432", corrects=True)], shop)
    assert "the port is 5432" == back.content


def test_a_fact_that_names_the_old_value_replaces_it_too(services, shop, candidates):
    before = shop.replace(session="s0")
    stored = services.remember.store(Statement(content="Redis listens on 6379"), before).memory
    heard = said("our redis listens on 6380, not 6379")
    assert "correction" != heard.kind
    candidates.store_new([heard], shop)
    assert not services.store.memories.get([stored.key])[0].in_force


@pytest.mark.parametrize(
    ("known", "heard", "replaced"),
    [
        ("Use npm for installs", "use pnpm, not npm", True),
        ("npm publish needs a one-time password from Tom", "use pnpm, not npm", False),
        ("Exports go to the bucket acme-prod", "exports go to acme-exports, not to prod", True),
        (
            "Prod deploys of the bucket pipeline need an approval",
            "use the staging bucket for nightly exports, not prod",
            False,
        ),
    ],
)
def test_what_only_names_the_old_word_beside_something_else_stays(
    services, shop, candidates, known, heard, replaced
):
    before = shop.replace(session="s0")
    stored = services.remember.store(Statement(content=known), before).memory
    candidates.store_new([said(heard, corrects=True)], shop)
    assert replaced == (not services.store.memories.get([stored.key])[0].in_force)


def test_a_value_alone_is_not_known_because_something_else_has_it(services, shop, candidates):
    before = shop.replace(session="s0")
    services.remember.store(Statement(content="The old server listens on 5433"), before)
    sentence = "The importer connects on port 5432"
    heard = candidate_of("no, it's 5433", LATER, corrects=True, instead_of=sentence)
    assert heard is not None
    [memory] = candidates.store_new([heard], shop)
    assert sentence.replace("5432", "5433") == memory.content
    assert [] == candidates.store_new([heard], shop)


def test_an_unrelated_value_is_left_alone(services, shop, candidates):
    before = shop.replace(session="s0")
    services.remember.store(Statement(content="The API listens on port 8080"), before)
    candidates.store_new([said("no, the port is 5433", corrects=True)], shop)
    assert "The API listens on port 8080" in in_force(services, shop)


def test_an_old_session_does_not_bring_back_what_was_replaced_since(services, shop, candidates):
    first = services.remember.store(Statement(content="the port is 5432"), shop).memory
    services.remember.store(
        Statement(content="the port is 5433", supersedes=(first.id,), created_at=LATER + 1), shop
    )
    assert [] == candidates.store_new([said("no, the port is 5432", corrects=True)], shop)
    assert ["the port is 5433"] == in_force(services, shop)


def test_what_was_erased_stays_away(services, shop, candidates):
    [memory] = candidates.store_new([said("we deploy on Fridays")], shop)
    services.forgetter.forget(memory.id, shop, erase=True)
    assert [] == candidates.store_new([said("we deploy on Fridays")], shop)


def test_what_another_project_knows_is_not_known_here(services, shop, candidates):
    other = make_context(services.project("git:example.org/blog"), session="s9")
    candidates.store_new([said("we deploy on Fridays")], other)
    assert 1 == len(candidates.store_new([said("we deploy on Fridays")], shop))


@pytest.mark.parametrize(
    ("known", "heard", "covered"),
    [
        ("Deploys happen on Fridays", "we deploy on Fridays", True),
        ("We deploy every week on Fridays after the freeze", "we deploy on Fridays", True),
        ("The port is 5432", "the port is 5433", False),
        ("Never log addresses of recipients", "log addresses of recipients", False),
        ("The port is 5433", "the port is 5433, not 5432", True),
        ("The port is 5432, not 5433", "the port is 5433", False),
        ("Do not push to main", "push to main", False),
        ("pnpm publish needs a token", "use pnpm, not npm", False),
        ("时间统一存 UTC,前端再转换", "以后时间统一存 UTC,前端再转换", True),
    ],
)
def test_what_is_known_covers_words_values_and_polarity(known, heard, covered):
    assert covered == statement_similarity.entails(known, heard)


RETRIES = "Retry any 5xx plus 429, at most 4 attempts, backoff sleeps capped at 60 seconds"
AMENDED = "Retry any 5xx plus 429 and 408, at most 4 attempts, backoff now capped at 30 seconds"


def settled(text: str, *, at_ms: int = LATER, amends: bool = False) -> MemoryCandidate:
    return MemoryCandidate(
        text=text, at_ms=at_ms, kind=AGREEMENT, scope="project", amends=amends
    )  # fmt: skip


def test_an_agreement_is_kept_as_said_by_the_assistant(services, shop, candidates):
    [memory] = candidates.store_new([settled(RETRIES)], shop)
    assert ("semantic", "assistant", 0.7) == (memory.type, memory.provenance, memory.confidence)
    assert "agreement" == memory.metadata["category"]


def test_an_amended_agreement_replaces_the_one_that_it_restates(services, shop, candidates):
    other = "Invoices are rounded half down, one line for each block of fifty units"
    candidates.store_new([settled(RETRIES), settled(other)], shop)
    candidates.store_new(
        [settled(AMENDED, at_ms=LATER + 1, amends=True)], shop.replace(session="s2")
    )
    assert sorted([AMENDED, other]) == in_force(services, shop)


def test_an_amendment_that_says_only_what_changes_keeps_the_rest(services, shop, candidates):
    candidates.store_new([settled(RETRIES)], shop)
    change = "Any 5xx, 429 and 408 are retried; the attempts stay as decided, backoff ends at 30"
    candidates.store_new(
        [settled(change, at_ms=LATER + 1, amends=True)], shop.replace(session="s2")
    )
    assert [f'{change} (amends: "{RETRIES}")'] == in_force(services, shop)


def test_an_agreement_that_amends_nothing_replaces_nothing(services, shop, candidates):
    services.remember.store(Statement(content=RETRIES), shop)
    candidates.store_new([settled(AMENDED, amends=True)], shop.replace(session="s2"))
    assert RETRIES in in_force(services, shop)  # somebody stored it on purpose
