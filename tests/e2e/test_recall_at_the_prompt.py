"""What a prompt calls for is shown with it, once; a subagent sees its project; switches hold."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from e2e.plugin import (
    DECISION,
    PREFERENCE,
    call,
    contexts_of,
    digests_in,
    settle,
    shown,
    stores,
    tokens,
)
from e2e.test_the_terminal import leave, say
from rig import Process, Sandbox, processes_of_home, tool, turn, wait_until

pytestmark = pytest.mark.client

ROOT = Path(__file__).resolve().parents[2]

RELATED = "the NATS JetStream queue of the importer needs a replay, write it"
UNRELATED = "what is the capital of Mongolia"


@pytest.fixture
def quiet(client, install) -> Sandbox:
    """A box that knows three things, whose sessions are shown nothing at their start."""
    box = install(client, AFORESAID_HOOKS_SESSION_START="0")
    box.prompt("note these", script=[*stores(), "Noted."])
    settle(box)
    box.api.requests.clear()
    return box


def test_a_related_prompt_is_shown_the_memory_once_and_an_unrelated_one_nothing(quiet):
    first = quiet.prompt(UNRELATED, script=["Ulaanbaatar."])
    assert [] == contexts_of(first.main[0])
    second = quiet.prompt(RELATED, script=["ok"], resume=first.session_id)
    context = shown(second.main[0])
    assert DECISION in context
    assert "names nats" in context
    assert PREFERENCE not in context
    assert tokens(context) <= 400
    third = quiet.prompt(RELATED, script=["ok"], resume=first.session_id)
    assert [context] == contexts_of(third.main[0])  # of the second prompt, in the conversation
    other = quiet.prompt(RELATED, script=["ok"])
    assert DECISION in shown(other.main[0])


def test_in_an_open_session_its_own_server_answers_by_meaning_too(quiet):
    mode = ["--permission-mode", "acceptEdits"]
    with quiet.terminal(*mode, script=["FIRST-ANSWER", "SECOND-ANSWER", "THIRD-ANSWER"]) as term:
        term.wait_for_prompt()
        term.read(4)  # the server loads its model
        say(term, UNRELATED, "FIRST-ANSWER")
        say(term, RELATED, "SECOND-ANSWER")
        say(term, RELATED, "THIRD-ANSWER")
        leave(term)
    first, second, third = quiet.api.main
    assert [] == contexts_of(first)
    context = shown(second)
    assert DECISION in context
    assert "meaning 0." in context
    assert [context] == contexts_of(third)


def test_a_prompt_in_other_words_is_shown_what_was_stored_with_cues(quiet):
    timeout = "ACQUIRER_TIMEOUT_S is 20, since Brassway gives up at 30."
    cues = ["card payments hang", "customers see a spinner at checkout"]
    asked = "card payments hang again, customers sit before a spinner. find out why"
    stored = turn(call("store_memory", content=timeout, cues=cues, provenance="user"))
    before = quiet.prompt(asked, script=["ok"])
    assert [] == contexts_of(before.main[0])

    quiet.prompt("how long does the gateway wait", script=[stored, "Noted."])
    settle(quiet)
    context = shown(quiet.prompt(asked, script=["ok"]).main[0])
    assert timeout in context
    assert "matching cue: card payments hang" in context


def test_what_the_start_showed_is_not_shown_again(box):
    box.prompt("note these", script=[*stores(), "Noted."])
    settle(box)
    result = box.prompt(RELATED, script=["ok"])
    assert DECISION in shown(result.main[0])  # one context only: the start's


def test_a_subagent_is_shown_its_project(quiet):
    asked = {"description": "look", "prompt": "look at the readme", "subagent_type": "Explore"}
    script = [
        turn(tool("Agent", asked)),
        turn("SUB-ANSWER", when=lambda request: "look at the readme" in request.user_text),
        "MAIN-ANSWER",
    ]
    result = quiet.prompt("delegate it", script=script)
    (sub,) = [item for item in result.main if "delegate it" not in item.user_text]
    context = shown(sub)
    assert DECISION in context
    assert PREFERENCE not in context
    assert tokens(context) <= 600


@pytest.mark.parametrize(
    "switch",
    ["AFORESAID_HOOKS_PROMPT", "AFORESAID_HOOKS_HEADLESS", "AFORESAID_HOOKS_ENABLED"],
)
def test_a_switch_keeps_prompts_to_themselves(quiet, switch):
    result = quiet.prompt(RELATED, script=["ok"], env={switch: "0"})
    assert [] == contexts_of(result.main[0])


def test_a_headless_run_leaves_nothing_where_that_is_switched_off(quiet):
    remark = "Zanzibar is the code name."
    off = {"AFORESAID_HOOKS_HEADLESS": "0"}
    quiet.prompt(f"Remember this: {remark}", script=["I added it to `a.py`."], env=off)
    settle(quiet)
    results = turn(call("recall_memory", query="Zanzibar code name"))
    result = quiet.prompt("look it up", script=[results, "ok"])
    assert "Zanzibar" not in result.main[-1].last_tool_result


def sweeps_of(box: Sandbox) -> list[Process]:
    return [p for p in processes_of_home(box.home) if p.command.endswith("hook sweep")]


def test_while_nothing_can_be_recalled_prompts_start_no_python(either_client, install, tmp_path):
    starts = tmp_path / "starts"
    python = tmp_path / "counting" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\necho "$*" >>{starts}\nexec {sys.prefix}/bin/python "$@"\n')
    python.chmod(0o755)
    box = install(either_client, AFORESAID_ENV=str(tmp_path / "counting"))
    starts_of_prompts: list[int] = []

    def count(*_: object) -> str:
        hooks = [line for line in starts.read_text().splitlines() if line.endswith("-submit")]
        starts_of_prompts.append(len(hooks))
        return f"ANSWER-{len(starts_of_prompts)}"

    script = [count, count, count, *stores(), count, count]
    with box.terminal("--permission-mode", "acceptEdits", script=script) as term:
        term.wait_for_prompt()
        for number in range(1, 6):
            say(term, UNRELATED, f"ANSWER-{number}")
            # what the start left to do in the background writes to the store
            wait_until(lambda: not sweeps_of(box), "no sweep", timeout=60)
        leave(term)
    *_, fourth, fifth = starts_of_prompts
    assert fourth <= 3, starts_of_prompts  # of four: server and maintenance write after the start
    assert fourth + 1 == fifth


def test_a_compaction_leaves_a_digest_of_the_session_that_goes_on(box):
    asked = "retry"
    mode = ["--permission-mode", "acceptEdits"]
    script = [
        turn(call("store_memory", content=DECISION)),
        "FIRST-ANSWER: I added the retry to `importer.py`.",
        "SECOND-ANSWER: the tests pass.",
    ]
    with box.terminal(*mode, script=script) as term:
        term.wait_for_prompt()
        say(term, "add a retry to the Zephyrine importer", "FIRST-ANSWER")
        say(term, "now test it", "SECOND-ANSWER")
        term.read(1)
        term.line("/compact")
        wait_until(lambda: asked in digests_of(box), "a digest while the session is open")
        leave(term)
    settle(box)
    assert 1 == digests_of(box).count(asked)


def digests_of(box: Sandbox) -> str:
    """Return the last sessions, as a session elsewhere in the project would be shown them."""
    done = subprocess.run(
        [str(ROOT / "bin" / "aforesaid"), "context"],
        check=True,
        capture_output=True,
        text=True,
        cwd=box.project,
        env=box.env(),
    )
    return digests_in(done.stdout)
