"""What is flagged as a contradiction, and what never is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.conflict.contradiction import MIN_COSINE, contradiction

LIKELY = 0.85  #: cosine of two statements about one thing


@pytest.mark.parametrize(
    ("older", "newer", "stated"),
    [
        ("The audit log listens on port 5432.", "The audit log listens on port 5439.", False),
        ("Runners are pinned to Go 1.21.", "Runners are pinned to Go 1.23.", False),
        ("The session cache is Redis.", "The session cache is Memcached.", False),
        ("Exports lie in var/exports.", "Exports lie in srv/data/exports.", False),
        ("Telemetry is enabled in CI.", "Telemetry is disabled in CI.", False),
        ("Drafts are shown to guests.", "Drafts are not shown to guests.", False),
        ("Always squash before merging.", "Never squash before merging.", False),
        ("The queue is NATS JetStream, for replay.", "The queue is Kafka now.", False),
        ("Sessions live in Redis, because it is fast.", "Sessions live in Valkey.", False),
        ("The cache is Redis; Valkey was rejected.", "The cache is Memcached now.", True),
        ("The queue is RabbitMQ.", "The queue was moved from RabbitMQ to NATS.", True),
        ("Invoices are mailed on day 3.", "Invoices are mailed on day 5 now, not 3.", True),
        ("The log moved from eu-1 to us-2.", "The log no longer runs in us-2 but in ap-1.", True),
        ("Amira took over the relay from Ines.", "Lars took over the relay from Amira.", True),
        ("The log now runs on port 4 instead of 3.", "The log runs on port 5.", False),
    ],
)  # fmt: skip
def test_what_cannot_both_hold_is_flagged(older, newer, stated) -> None:
    results = contradiction(older, newer, LIKELY)

    assert results is not None
    assert stated == results.states_change
    assert results.why


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("The orders database listens on port 5432.", "The audit database listens on port 5433."),
        ("The queue is NATS.", "We use NATS as the queue."),
        ("The build takes 12 minutes.", "The build takes twelve minutes."),
        ("Pull requests need one approval.", "Pull requests to infra/ need two approvals."),
        ("Chrome is supported.", "Firefox is supported."),
        ("We use Redis for sessions.", "We use Redis for the rate limiter."),
        ("With caching a page takes 200 ms.", "Without caching a page takes 900 ms."),
        ("Sprint 14 ended with 32 points.", "Sprint 15 ended with 41 points."),
        ("Uploads are limited to 5 MB.", "Uploads are also limited to 20 files."),
        ("We prefer uv over pip here.", "Use uv instead of pip, as was asked for."),
        ("Pages are cached, for speed.", "Pages are cached, because of the load."),
        ("Inbound calls are recorded.", "Outbound calls are recorded."),
    ],
)
def test_what_can_both_hold_is_not(older, newer) -> None:
    assert contradiction(older, newer, LIKELY) is None
    assert contradiction(newer, older, LIKELY) is None


def test_what_is_not_about_one_thing_is_not_compared() -> None:
    first, second = "The queue holds 5 jobs.", "The queue holds 9 jobs."

    assert contradiction(first, second, MIN_COSINE) is not None
    assert contradiction(first, second, MIN_COSINE - 0.01) is None
    assert contradiction(first, second, None) is not None  # by words alone


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_two_texts_are_judged_and_none_contradicts_itself(one, other) -> None:
    assert contradiction(one, one, 1.0) is None
    contradiction(one, other, LIKELY)
