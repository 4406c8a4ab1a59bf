"""The summarisers: the SDK against the mock API, the client's command line against stand-ins.

Here: what each sends, and how each fails. Not here: the real client (e2e/test_the_summariser.py).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from aforesaid.adapters.llm.anthropic import AnthropicApi
from aforesaid.adapters.llm.claude_cli import ClaudeCli
from aforesaid.domain.errors import InvalidInputError, UnavailableError
from aforesaid.domain.text.token_budget import SummaryLimits
from rig import MockAPI, turn, wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="stand-ins are shell scripts")
LIMITS = SummaryLimits(seconds=20)
SHORT = SummaryLimits(seconds=1)


# --- the API -------------------------------------------------------------------------------------


@pytest.fixture
def api():
    mock = MockAPI()
    yield mock
    mock.close()


@pytest.fixture
def by_api(api):
    pytest.importorskip("anthropic")
    return AnthropicApi("", "MY_KEY", {"MY_KEY": "sk-test", "ANTHROPIC_BASE_URL": api.url})


def once(*blocks, **options):
    return turn(*blocks, when=lambda _: True, **options)


def test_the_api_is_asked_once_with_instruction_and_text_apart(api, by_api):
    api.extend([once("the answer")])
    by_api.check()
    assert "the answer" == by_api.summarise("the text", "the instruction", LIMITS)
    (request,) = api.requests
    asked = [request.body[key] for key in ("system", "messages", "max_tokens")]
    assert ["the instruction", [{"role": "user", "content": "the text"}], 4_000] == asked
    assert "tools" not in request.body
    assert by_api.name == f"anthropic ({request.body['model']})"


@pytest.mark.parametrize("status", [401, 429, 500, 529])
def test_an_api_that_answers_with_an_error_is_unavailable(api, by_api, status):
    api.extend([once("x", status=status)] * 3)
    with pytest.raises(UnavailableError, match="the API did not answer"):
        by_api.summarise("text", "instruction", LIMITS)
    assert len(api.requests) <= 2


def test_a_request_that_the_api_refuses_is_told_as_such(api, by_api):
    api.extend([once("x", status=400)])
    with pytest.raises(InvalidInputError, match="the API refused"):
        by_api.summarise("text", "instruction", LIMITS)


def test_an_api_that_does_not_answer_in_time_is_unavailable(api, by_api):
    never = threading.Event()
    api.extend([once("x", hold=never)] * 2)
    with pytest.raises(UnavailableError, match="Timeout"):
        by_api.summarise("text", "instruction", SHORT)
    never.set()


def test_an_api_that_is_not_there_is_unavailable():
    pytest.importorskip("anthropic")
    gone = AnthropicApi("", "MY_KEY", {"MY_KEY": "k", "ANTHROPIC_BASE_URL": "http://127.0.0.1:9"})
    with pytest.raises(UnavailableError, match="APIConnectionError"):
        gone.summarise("text", "instruction", LIMITS)


def test_without_a_key_nothing_is_sent_and_the_variable_is_named(api):
    by_api = AnthropicApi("", "MY_KEY", {"ANTHROPIC_BASE_URL": api.url})
    with pytest.raises(UnavailableError, match="MY_KEY is not set"):
        by_api.check()
    assert [] == api.requests


# --- the client ----------------------------------------------------------------------------------


@pytest.fixture
def stand_in(tmp_path):
    """A function that makes a summariser whose client is a shell script."""

    def made(script, **environment):
        client = tmp_path / "claude"
        client.write_text(f"#!/bin/sh\n{script}\n")
        client.chmod(0o755)
        fields = {"PATH": f"{tmp_path}:/usr/bin:/bin", "HOME": str(tmp_path), **environment}
        return ClaudeCli("claude", "", str(tmp_path / "state" / "summariser"), fields)

    return made


def result(words, **fields):
    return json.dumps({"type": "result", "is_error": False, "result": words, **fields})


def test_the_client_is_told_the_text_on_its_input_and_runs_in_an_empty_private_folder(
    stand_in, tmp_path
):
    by_client = stand_in(
        f"cat > '{tmp_path}/text'; pwd > '{tmp_path}/folder'; env > '{tmp_path}/env'; "
        f"printf '%s\\n' \"$@\" > '{tmp_path}/arguments'; echo '{result('the answer')}'",
        CLAUDECODE="1",
        CLAUDE_CODE_SESSION_ID="s-1",
        CLAUDE_CONFIG_DIR="/somewhere",
    )
    by_client.check()
    assert "the answer" == by_client.summarise("the text", "the instruction", LIMITS)
    assert "the text" == (tmp_path / "text").read_text()
    folder = (tmp_path / "folder").read_text().strip()
    assert [] == os.listdir(folder)
    assert 0o700 == os.stat(folder).st_mode & 0o777
    arguments = (tmp_path / "arguments").read_text().split("\n")
    assert "the instruction" in arguments
    assert "" == arguments[arguments.index("--tools") + 1]
    report = (tmp_path / "env").read_text().split("\n")
    assert {"AFORESAID_OFF=1", "CLAUDE_CONFIG_DIR=/somewhere"} <= set(report)
    assert [] == [
        line for line in report if line.startswith(("CLAUDECODE", "CLAUDE_CODE_SESSION_ID"))
    ]


def test_a_client_that_runs_hooks_whatever_it_is_told_leaves_no_note(stand_in, tmp_path):
    launcher = Path(__file__).resolve().parents[2] / "bin" / "aforesaid"
    event = json.dumps({"session_id": "its own", "transcript_path": "", "cwd": str(tmp_path)})
    hooks = "".join(
        f"echo '{event}' | '{launcher}' hook {name}\n"
        for name in ("session-start", "user-prompt-submit", "pre-compact", "session-end")
    )
    script = f"cat > /dev/null\n{hooks}echo '{result('the answer')}'"
    by_client = stand_in(script, XDG_STATE_HOME=str(tmp_path / "state"), AFORESAID_ENV=sys.prefix)
    assert "the answer" == by_client.summarise("text", "instruction", LIMITS)
    assert ["summariser"] == os.listdir(tmp_path / "state")


@pytest.mark.parametrize(
    ("script", "error", "says"),
    [
        ("echo 'Invalid API key' >&2; exit 1", UnavailableError, "exit code 1: Invalid API key"),
        ("exit 3", UnavailableError, "exit code 3: no output"),
        ("echo no JSON at all", UnavailableError, "no JSON at all"),
        ("echo '[]'", UnavailableError, "ended with"),
        (f"echo '{result('Credit is too low', is_error=True)}'", UnavailableError, "Credit"),
        (f"echo '{result('I', stop_reason='max_tokens')}'", InvalidInputError, "max_tokens"),
        (f"echo '{result('No.', stop_reason='refusal')}'", InvalidInputError, "refusal"),
    ],
)
def test_a_client_that_fails_is_told_with_its_reason(stand_in, script, error, says):
    with pytest.raises(error, match=says):
        stand_in(f"cat > /dev/null; {script}").summarise("text", "instruction", LIMITS)


def test_a_client_that_reads_nothing_and_ends_is_told_too(stand_in):
    with pytest.raises(UnavailableError, match="exit code 4"):
        stand_in("exit 4").summarise("text " * 10_000, "instruction", LIMITS)


def test_a_client_that_hangs_is_ended_with_its_children(stand_in, tmp_path):
    by_client = stand_in(f"sleep 600 & echo $! > '{tmp_path}/child'; wait")
    with pytest.raises(UnavailableError, match="within 1 s"):
        by_client.summarise("text", "instruction", SHORT)
    child = int((tmp_path / "child").read_text())
    wait_until(lambda: not _runs(child), "the client's child is gone")


def _runs(pid):
    """Tell whether a process runs; one that only waits to be buried does not."""
    done = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return bool(done.stdout.strip()) and not done.stdout.startswith("Z")


def test_without_a_client_the_setting_is_named(tmp_path):
    missing = ClaudeCli("no-such-client", "", str(tmp_path), {"PATH": str(tmp_path)})
    with pytest.raises(UnavailableError, match=r"digest\.client"):
        missing.check()


@pytest.mark.parametrize("make", ["api", "client"])
def test_what_is_too_long_is_not_sent(make, api, stand_in):
    made = {
        "api": AnthropicApi("", "K", {"K": "k", "ANTHROPIC_BASE_URL": api.url}),
        "client": stand_in("exit 9"),
    }[make]
    with pytest.raises(InvalidInputError, match="exceed the summariser"):
        made.summarise("x" * 60_000, "instruction", LIMITS)
    assert [] == api.requests
