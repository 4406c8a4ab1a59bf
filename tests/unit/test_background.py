"""Work in a thread of its own."""

from __future__ import annotations

import threading

import pytest

from aforesaid.services.recall.hybrid_search import run_in_background


def test_the_caller_goes_on_and_gets_the_answer_when_it_asks() -> None:
    may_end = threading.Event()

    def work() -> str:
        assert may_end.wait(20)
        return threading.current_thread().name

    future = run_in_background(work)
    may_end.set()

    assert threading.current_thread().name != future.result()


def test_what_the_work_raises_is_raised_where_its_answer_is_asked_for() -> None:
    future = run_in_background(lambda: {}["missing"])

    with pytest.raises(KeyError, match="missing"):
        future.result()
