"""Codex, Gemini CLI and OpenCode with the snippet that is printed for each, pasted as it is."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from rig import AGENTS, Agent, ClientUnavailableError, call, find_agent, turn

pytestmark = pytest.mark.client

ROOT = Path(__file__).resolve().parents[2]
DOOR = ROOT / "bin" / "aforesaid"
QUEUE = "The queue is NATS JetStream, for replay."


#: What the others do as the first does, they do at night; each is tried once on every change.
FIRST_AND_OTHERS = [
    AGENTS[0],
    *(pytest.param(kind, marks=pytest.mark.nightly) for kind in AGENTS[1:]),
]
by_the_first = pytest.mark.parametrize(
    "agent", FIRST_AND_OTHERS, ids=[kind.name for kind in AGENTS], indirect=True
)


@pytest.fixture(params=AGENTS, ids=lambda kind: kind.name)
def agent(request, tmp_path):
    try:
        executable = find_agent(request.param)
    except ClientUnavailableError as error:
        if os.environ.get("AFORESAID_TEST_CLIENT_REQUIRED"):
            raise
        pytest.skip(str(error))
    with request.param(tmp_path / request.param.name, executable) as box:
        yield box


def printed(agent: Agent, *options: str, **variables: str) -> str:
    """Return what the command prints for a user who then starts this agent."""
    return aforesaid(agent, "config", "--client", agent.name, *options, **variables)


def aforesaid(agent: Agent, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [DOOR, *arguments],
        env={**agent.env(), "AFORESAID_ENV": sys.prefix, **variables},
        cwd=agent.project,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


def stored_and_found(agent: Agent) -> str:
    """Store in one session and recall in the next; return what get_context said in the first."""
    first = agent.prompt(
        "We decided on the queue.",
        script=[
            turn(call("memory", "get_context", {})),
            turn(call("memory", "store_memory", {"content": QUEUE, "provenance": "user"})),
            turn("Noted."),
        ],
    )
    assert 0 == first.code, first.stderr
    second = agent.prompt(
        "Which queue?",
        script=[
            turn(call("memory", "recall_memory", {"query": "which queue do we use?"})),
            turn("NATS."),
        ],
    )
    assert QUEUE in second.main[1].last_tool_result
    assert agent.api.left == 0
    report = (agent.project / agent.told_in).exists()
    assert report == ("First, before anything else in a session" in first.main[0].all_text)
    return first.main[1].last_tool_result


def test_what_one_session_stores_the_next_one_finds_in_its_project(agent):
    agent.add_snippet(printed(agent))
    (agent.project / agent.told_in).write_text(
        aforesaid(agent, "config", "--instructions", "--client", agent.name)
    )
    message = stored_and_found(agent)
    assert str(agent.project) in message
    (kept,) = json.loads(aforesaid(agent, "search", "which queue", "--json"))["results"]
    assert (QUEUE, agent.project.name) == (kept["content"], context(agent)["project"])


@by_the_first
def test_in_the_home_folder_it_is_told_that_there_is_no_project_and_asks_for_one(agent):
    agent.add_snippet(printed(agent))
    run = agent.prompt(
        "Hello.", script=[turn(call("memory", "get_context", {})), turn("Hi.")], folder=agent.home
    )
    assert "no project here (home folder)" in run.main[1].last_tool_result
    assert "set_project" in run.main[1].last_tool_result


@by_the_first
def test_over_http_it_is_in_the_project_that_the_snippet_names(agent):
    serving = subprocess.Popen(
        [DOOR, "serve", "--http", "--port", str(port := free_port())],
        env={**agent.env(), "AFORESAID_ENV": sys.prefix},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert "/mcp" in serving.stderr.readline()
        chosen = {"AFORESAID_SERVER_PORT": str(port)}
        agent.add_snippet(printed(agent, "--http", "--project", "acme/payments", **chosen))
        assert "acme/payments" in stored_and_found(agent)
    finally:
        serving.terminate()
        assert 0 == serving.wait(20)
        serving.stderr.close()


def context(agent: Agent) -> dict[str, str]:
    return json.loads(aforesaid(agent, "context", "--json"))


def free_port() -> int:
    with socket.socket() as item:
        item.bind(("127.0.0.1", 0))
        return item.getsockname()[1]
