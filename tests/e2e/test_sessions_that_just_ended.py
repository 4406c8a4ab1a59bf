"""A session that ended a moment ago is told to the next one in the real client, and told once."""

from __future__ import annotations

import signal
import threading

import pytest

from e2e.plugin import SUBJECT, call, contexts_of, settle
from rig import Sandbox, turn, wait_until
from rig.processes import supported

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not supported, reason="reads /proc: Linux only"),
]

PROMPT = f"Settle the queue of the {SUBJECT} importer."


def assert_told_once(box: Sandbox) -> None:
    """Start a session at once; it knows the last one by its second prompt at the latest."""
    first = box.prompt("go on", script=["ok"])
    settle(box)
    second = box.prompt("and now?", script=["ok"], resume=first.session_id)
    report = [text for text in contexts_of(second.main[0]) if SUBJECT in text]
    assert 1 == len(report), second.main[0].all_text
    assert 1 == report[0].count(SUBJECT)


def test_a_restart_at_once_knows_the_session(either_client, install):
    box = install(either_client)
    box.prompt(PROMPT, script=["Settled: NATS JetStream."])
    assert_told_once(box)


def test_a_restart_after_the_client_was_killed_knows_the_session(either_client, install):
    box = install(either_client)
    never = threading.Event()
    box.api.extend([turn(call("memory_stats")), turn("too late", hold=never)])
    child = box.start(*box.prompt_args(PROMPT))
    wait_until(lambda: len(box.api.main) == 2, "the second request", timeout=60)
    child.send_signal(signal.SIGKILL)
    child.wait(30)
    never.set()
    box.api.requests.clear()
    assert_told_once(box)


def test_after_clear_the_session_is_known(box):
    mode = ["--permission-mode", "acceptEdits"]
    with box.terminal(*mode, script=["DONE-one", "DONE-two", "DONE-three"]) as term:
        term.wait_for_prompt()
        term.read(1)
        for line, done in ((PROMPT, "DONE-one"), ("go on", "DONE-two"), ("and?", "DONE-three")):
            mark = len(term.raw)
            term.line(line)
            term.enter_until(lambda done=done, mark=mark: term.shows(done, since=mark), what=done)
            term.read(1)
            if done == "DONE-one":
                term.line("/clear")
                term.read(2)
    report = [text for text in contexts_of(box.api.main[-1]) if SUBJECT in text]
    assert 1 == len(report), box.api.main[-1].all_text
