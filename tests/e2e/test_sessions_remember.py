"""What one session stores, the next is shown: also when the server or the client is killed."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from e2e.plugin import (
    KEPT,
    PREFERENCE,
    PROMPT,
    SUBJECT,
    call,
    digests_in,
    ids_of,
    remember_three,
    servers_of,
    settle,
    shown,
    stores,
    tokens,
)
from rig import Sandbox, processes_of_home, turn, wait_until
from rig.processes import supported

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(not supported, reason="reads /proc: Linux only"),
]


def assert_remembered(box: Sandbox) -> None:
    """The next session here is shown all, one elsewhere the preference and nothing else."""
    here = shown(box.prompt("go on", script=["ok"]).main[0])
    assert [] == [text for text in KEPT if text not in here]
    assert SUBJECT in digests_in(here)
    assert tokens(here) <= 2_000

    elsewhere = box.prompt("hello", script=["ok"], cwd=box.repository("elsewhere")).main[0]
    assert [PREFERENCE] == [text for text in KEPT if text in shown(elsewhere)]
    assert SUBJECT not in elsewhere.all_text


@pytest.mark.parametrize("either_client", ["pinned", "old"], indirect=True)
def test_the_next_session_is_shown_what_the_last_one_stored_and_its_digest(either_client, install):
    box = install(either_client)
    result = remember_three(box)
    assert 3 == len(set(ids_of(result.main[-1].tool_results)))
    assert [] == result.final["permission_denials"]
    assert_remembered(box)


@pytest.mark.parametrize("delay", [0.0, 0.03], ids=["between calls", "about when one comes"])
def test_a_server_killed_in_the_middle_of_stores_loses_nothing(box, delay):
    killed = []

    def kill():
        (server,) = servers_of(box)
        os.kill(server.pid, signal.SIGKILL)
        killed.append(server.pid)

    def kill_and_store(_request):
        if delay:
            threading.Timer(delay, kill).start()
        else:
            kill()
        return second

    def again_unless_stored(item):
        def made(request):
            failed = '"id"' not in request.last_tool_result
            return item if failed else turn(call("memory_stats"))

        return made

    first, second, third = stores()
    again = [again_unless_stored(item) for item in stores()[1:]]
    script = [first, kill_and_store, again[0], third, again[1], "Noted."]
    result = box.prompt(PROMPT, script=script)
    settle(box)
    assert 1 == len(killed)
    assert 0 == box.api.left
    assert "total" in result.main[-1].last_tool_result
    assert_remembered(box)


def test_a_client_killed_outright_is_caught_up_with_by_the_next_start(box):
    never = threading.Event()
    box.api.extend([*stores(), turn("too late", hold=never)])
    child = box.start(*box.prompt_args(PROMPT))
    wait_until(lambda: len(box.api.main) == 4, "three stores answered")
    child.kill()
    child.wait()
    never.set()
    settle(box)

    after = shown(box.prompt("again", script=["ok"]).main[0])
    assert [] == [text for text in KEPT if text not in after]
    settle(box)
    assert_remembered(box)


def test_nothing_runs_on_after_a_session(box):
    seen = []

    def look(_request):
        seen.extend(servers_of(box))
        return turn("ok")

    result = box.prompt("hello", script=[turn(call("memory_stats")), look])
    assert 0 == result.code
    assert 1 == len(seen)
    assert [] == servers_of(box)
    settle(box)
    assert [] == processes_of_home(box.home)
