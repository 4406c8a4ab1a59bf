"""Which transcripts wait: by watermark, by what still runs, by age; nothing is read for it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aforesaid.domain.model.backlog import QUIET_MS, Transcript, choose_waiting
from aforesaid.domain.model.memory import Session

NOW = 1_780_000_000_000
OLD = NOW - QUIET_MS - 1


def a_transcript(session: str = "one", size: int = 100, changed_at: int = OLD) -> Transcript:
    return Transcript(path=f"/t/{session}.jsonl", session=session, size=size, changed_at=changed_at)


def a_session(session: str = "one", **fields) -> Session:
    return Session(id=session, started_at=0, **fields)


def test_what_nobody_knows_waits_oldest_first():
    newer, older = a_transcript("b"), a_transcript("c", changed_at=OLD - 5)
    backlog = choose_waiting([newer, older], {}, {}, now=NOW)
    assert (older, newer) == backlog.waiting


def test_what_was_read_to_its_end_is_known():
    sessions = {"one": a_session(bytes_ingested=100, ended_at=OLD)}
    backlog = choose_waiting([a_transcript()], sessions, {}, now=NOW)
    assert ((), 1) == (backlog.waiting, backlog.digested_count)


def test_what_grew_since_waits_again():
    sessions = {"one": a_session(bytes_ingested=60, ended_at=OLD - 1)}
    assert 1 == len(choose_waiting([a_transcript()], sessions, {}, now=NOW).waiting)


def test_a_session_whose_client_runs_is_left_to_its_end_however_quiet():
    sessions = {"one": a_session(client_pid=7)}
    backlog = choose_waiting([a_transcript()], sessions, {"one": True}, now=NOW)
    assert ((), 1) == (backlog.waiting, backlog.running_count)


def test_a_session_that_no_hook_told_about_is_over_when_it_was_quiet():
    fresh = a_transcript(changed_at=NOW - 1000)
    assert 1 == choose_waiting([fresh], {}, {}, now=NOW).running_count
    assert (fresh,) == choose_waiting([fresh], {}, {}, now=NOW, quiet_ms=1000).waiting


def test_what_was_last_written_before_the_time_asked_for_is_left_out():
    backlog = choose_waiting([a_transcript()], {}, {}, now=NOW, since=OLD + 1)
    assert ((), 1) == (backlog.waiting, backlog.older_count)


@given(
    st.lists(
        st.tuples(st.integers(1, 200), st.integers(NOW - 10**9, NOW), st.integers(0, 200)),
        max_size=20,
    )
)
def test_every_transcript_is_counted_once(facts):
    transcripts = [a_transcript(str(n), size, at) for n, (size, at, _) in enumerate(facts)]
    sessions = {
        str(n): a_session(str(n), bytes_ingested=read) for n, (_, _, read) in enumerate(facts)
    }
    backlog = choose_waiting(transcripts, sessions, {}, now=NOW, since=NOW - 10**8)
    counted = (
        len(backlog.waiting) + backlog.digested_count + backlog.running_count + backlog.older_count
    )
    assert len(transcripts) == counted
