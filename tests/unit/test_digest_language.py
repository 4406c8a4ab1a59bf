"""What sentences are taken for. Tables: a sentence a line, found or passed over."""

from __future__ import annotations

import pytest

from aforesaid.domain.digest import sentence_classifier
from aforesaid.domain.digest.sentence_classifier import matches


def table(text: str):
    return pytest.mark.parametrize("sentence", [row.strip() for row in text.strip().splitlines()])


@table(
    """
    always use uv here
    please never push to main directly
    from now on write the changelog first
    I prefer small commits
    we never mock react in this repo
    use tabs everywhere
    Use Decimal for money, always.
    don't use float for money
    we deploy on Fridays
    our convention is kebab-case for file names
    I like my commits small
    you should always run the linter first
    don't send real mails from here, ever
    """
)
def test_wishes_and_rules_are_told(sentence):
    assert sentence_classifier.is_rule(sentence)


@table(
    """
    it always returns None
    the function never closes the file
    why does the job always fail?
    I'd like you to fix the export
    add a test for the parser
    please look at the log
    the test never passes on CI
    """
)
def test_descriptions_and_asks_are_no_rules(sentence):
    assert not sentence_classifier.is_rule(sentence)


@table(
    """
    no, the port is 5433
    No: use Decimal for money, always.
    nope, that's the staging database
    that's wrong, the limit is 5
    that's not what I meant
    I said the second file
    the retry limit is 5, not 3
    it's PostgreSQL 16, not 14
    actually the column is nullable
    revert that
    you forgot the index
    """
)
def test_corrections_are_told(sentence):
    assert sentence_classifier.is_correction(sentence)


@table(
    """
    no problem
    no worries, take your time
    no need to test it
    no idea why it fails
    add a node for the parser
    now the mail jobs
    not sure what happens there
    is it 5, not 3?
    """
)
def test_other_sentences_with_no_are_no_corrections(sentence):
    assert not sentence_classifier.is_correction(sentence)


@table(
    """
    We decided: orders are stored in Postgres, not SQLite, since several workers write.
    let's go with the outbox table
    let's use Postgres instead of Redis
    we'll keep the old endpoint until June
    go with option B
    switch to pnpm instead of npm
    replace celery with arq
    mails must go through the outbox table
    use one queue rather than two
    """
)
def test_decisions_of_the_user_are_told(sentence):
    assert sentence_classifier.is_decision(sentence)


@table(
    """
    should we use Redis instead of Postgres?
    maybe we could go with Redis
    what if we replace celery with arq
    we might use Kafka instead of NATS
    I wonder whether to go with Kafka
    fix the export
    """
)
def test_what_is_only_weighed_is_no_decision(sentence):
    assert not sentence_classifier.is_decision(sentence)


@table(
    """
    I went with a partial index because the table is large.
    I kept celery for the beat schedule, because arq cron has no timezone.
    I decided against caching here
    Used a lock instead of a queue.
    """
)
def test_decisions_that_the_agent_reports_are_told(sentence):
    assert sentence_classifier.is_assistant_decision(sentence)


@table(
    """
    The root cause is a stale cache.
    It fails because the lock is never released.
    Turns out the header was missing.
    The bug is in `Badge.tsx`: it copies the count.
    The timeout comes from the proxy.
    """
)
def test_causes_are_told(sentence):
    assert sentence_classifier.is_cause(sentence)


@table(
    """
    I'll look at the cart first.
    Let me check the tests.
    Now I run the linter.
    Got it.
    You're right.
    """
)
def test_announcements_are_narration(sentence):
    assert matches(sentence, "narration")


@table(
    """
    The beat schedule still needs a replacement.
    Still open: the badge flickers.
    Next: handle 409.
    Not covered yet: refunds.
    I did not touch the importer.
    Two things are left: tests and docs.
    You'll need to rotate the key.
    """
)
def test_open_ends_of_the_agent_are_told(sentence):
    assert sentence_classifier.is_open(sentence)


def test_what_was_not_so_and_is_by_now_is_no_open_end():
    cause = "The build broke since libpq was not pinned"
    assert sentence_classifier.is_open(f"{cause}.")
    assert not sentence_classifier.is_open(f"{cause}; pinned it to 16 in the Dockerfile.")
    assert sentence_classifier.is_open("The refund test is not covered, so I skipped it.")


@pytest.mark.parametrize("sentence", ["Left open.", "OK, that stays open.", "It's still open."])
def test_an_open_end_has_a_name(sentence):
    assert not sentence_classifier.is_open(sentence)
    assert sentence_classifier.is_open(f"{sentence[:-1]}: the guard in EtaCalculator.")


@table(
    """
    leave the 409 for tomorrow
    we still need to update the docs
    thats for next sprint
    remind me to rotate the key
    not today
    """
)
def test_what_the_user_puts_off_is_told(sentence):
    assert matches(sentence, "later")


@table(
    """
    ok
    thanks, looks good
    yes please
    Great, continue
    go on
    danke
    """
)
def test_small_talk_asks_nothing(sentence):
    assert sentence_classifier.is_small_talk(sentence)


@table(
    """
    Tomorrow I'm off
    I'm away until Monday.
    next week I'll be on holiday
    """
)
def test_an_absence_asks_nothing(sentence):
    assert sentence_classifier.asks_nothing(sentence)
    assert not sentence_classifier.asks_nothing(f"{sentence} in the index: fix it")


@table(
    """
    fix it in the parser
    ok now the tests
    为什么失败了
    почему падает тест
    """
)
def test_asks_are_no_small_talk(sentence):
    assert not sentence_classifier.is_small_talk(sentence)


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("A", "a"),
        ("option b", "b"),
        ("go with 2", "2"),
        ("take B, please", "b"),
        ("add a test", ""),
    ],
)
def test_a_short_reply_picks_an_option(reply, option):
    assert option == sentence_classifier.option_of(reply)


@pytest.mark.parametrize(
    ("ask", "plain"),
    [
        ("hey, can you please fix the export", "fix the export"),
        ("I'd like you to add a test", "add a test"),
        ("please", "please"),
        ("fix the export", "fix the export"),
    ],
)
def test_politeness_is_left_out_of_an_ask(ask, plain):
    assert plain == sentence_classifier.strip_politeness(ask)


def test_an_open_end_is_told_without_the_lead_in_that_the_heading_repeats():
    assert "the docs" == sentence_classifier.strip_open_label("Left open: the docs")
    assert "the docs" == sentence_classifier.strip_open_label("Still to do: the docs")
    assert "the docs are open: see #4" == sentence_classifier.strip_open_label(
        "the docs are open: see #4"
    )
