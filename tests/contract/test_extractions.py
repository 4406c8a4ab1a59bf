"""Extraction progress of sessions, the same in every store."""

from __future__ import annotations

import pytest

from aforesaid.domain.model.extraction_progress import ExtractionProgress
from aforesaid.domain.model.memory import Session
from factories import NOON, make_memory


@pytest.fixture
def digest(store) -> int:
    with store.transaction():
        return store.memories.add(make_memory(1)).key


def put(store, value) -> None:
    with store.transaction():
        (store.sessions.put if isinstance(value, Session) else store.extractions.put)(value)


def ended(name, digest, at=NOON, **fields) -> Session:
    values = {"id": name, "started_at": at, "ended_at": at, "bytes_ingested": 100, "digest": digest}
    return Session(**{**values, **fields})


def waiting(store) -> list[str]:
    return [memory.id for memory in store.extractions.pending()]


def test_a_watermark_is_read_as_it_was_put_and_begins_at_nothing(store):
    assert ExtractionProgress(session="one") == store.extractions.get("one")
    for until in (5, 9):
        row = ExtractionProgress(
            session="one", until_ms=until, bytes_extracted=7, attempts=2, asked_at=NOON
        )
        put(store, row)
        assert row == store.extractions.get("one")


def test_ended_sessions_with_a_digest_wait_newest_first(store, digest):
    put(store, ended("old", digest))
    put(store, ended("new", digest, NOON + 1))
    put(store, ended("open", digest, ended_at=None))
    put(store, ended("empty", None))
    put(store, ended("refused", digest, digest_refused=True))
    put(store, ended("unread", digest, bytes_ingested=0))
    assert ["new", "old"] == waiting(store)


def test_a_session_waits_until_all_its_bytes_are_done_and_again_when_there_are_more(store, digest):
    put(store, ended("one", digest))
    put(store, ExtractionProgress(session="one", bytes_extracted=99))
    assert ["one"] == waiting(store)
    put(store, ExtractionProgress(session="one", bytes_extracted=100))
    assert [] == waiting(store)
    put(store, ended("one", digest, bytes_ingested=101))
    assert ["one"] == waiting(store)
    assert 100 == store.extractions.get("one").bytes_extracted


def test_a_watermark_of_a_transaction_that_fails_is_not_kept(store):
    def fail() -> None:
        with store.transaction():
            store.extractions.put(ExtractionProgress(session="one", until_ms=5))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert ExtractionProgress(session="one") == store.extractions.get("one")
